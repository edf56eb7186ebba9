#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/json/raw.h"
#include "pchronicle/model/diagnostics.h"

namespace pchronicle::model::agenticmd {

inline constexpr std::string_view kMarker = "<!-- persisting:block";

/// One block of an AgenticMD text (formats.md 6.2). Views into the text, offsets in bytes of it.
struct Block {
  std::string_view speaker;  // behind the colon of the marker; empty without one
  /// Members of the header object in order, validated; a key may stand twice (the last counts).
  std::vector<std::pair<std::string, json::Raw>> header;
  std::string_view source;  // user, agent or system
  std::string_view body;
  size_t begin = 0;       // of the header line
  size_t body_begin = 0;  // body_begin + body.size() is the end of the block
  bool plain = false;     // text without any marker: no header at all

  /// The last member of that name; absent when there is none.
  json::Raw Find(std::string_view key) const;
  size_t end() const { return body_begin + body.size(); }
};

/// The parts of one AgenticMD text, which must outlive this.
struct BlockDocument {
  std::optional<std::string_view> frontmatter;  // YAML between the `---` lines, not parsed
  size_t frontmatter_begin = 0;
  size_t blocks_begin = 0;  // behind the frontmatter (or a byte-order mark)
  std::vector<Block> blocks;
};

/// Splits a text into frontmatter and blocks. A byte-order mark is skipped, line ends may be CRLF.
/// The problem (if any) has offset and location (`frontmatter`, `block[i]`, `block[i].body`) and
/// concerns the whole source: kInvalidArgument for the grammar, kCorruption for a header that is no
/// JSON.
std::optional<Problem> ParseBlocks(std::string_view text, uint32_t max_depth, BlockDocument* out);

/// A problem of a whole AgenticMD document.
Problem ProblemAt(Status status, size_t offset, std::string location);

}  // namespace pchronicle::model::agenticmd
