#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/json/value.h"
#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::agenticmd {

/// Turns the parts of an AgenticMD text into Storyline wire texts, which the readers of the wire
/// then check (formats.md 6.3). Level 1 when the frontmatter has a `storyline`; else level 2, if
/// that is allowed. Views into the text and the documents given to Open, which must outlive this.
/// Not thread-safe.
class WireText {
 public:
  /// Reads the frontmatter and settles the level. The problem (if any) is one of the whole source.
  std::optional<Problem> Open(const BlockDocument& document, const WalkOptions& options,
                              bool lenient);
  bool authoritative() const { return authoritative_; }

  /// The root without `turns`; appended.
  std::optional<Problem> AppendHead(std::string& out) const;
  /// One turn with its message; appended.
  std::optional<Problem> AppendTurn(size_t index, std::string& out) const;
  /// Everything that has no place in the hub: `/frontmatter/{key}` and `/blocks/{i}/header/{key}`.
  void ReadResiduals(MemberReader& members) const;
  /// `source_document_id` of those: BLAKE3 of the canonical JSON of
  /// {"frontmatter": {...}, "blocks": [{"header": {...}, "body": "..."}]}
  /// without the frontmatter's `storyline`.
  std::string SourceId(const json::CursorOptions& options) const;

 private:
  const json::Value& Front(std::string_view key) const;
  std::string_view FrontText(std::string_view key) const;
  void SettleLenientHead();
  void SettleLenientIds();
  std::optional<Problem> AppendMessage(size_t index, bool lenient, std::string& out) const;
  std::optional<Problem> AppendAuthoritativeTurn(size_t index, std::string& out) const;
  void AppendLenientTurn(size_t index, std::string& out) const;
  bool ConsumedByFrontmatter(std::string_view key) const;
  bool TakesTimestamp(const json::Raw& raw) const;

  const BlockDocument* document_ = nullptr;
  const WalkOptions* options_ = nullptr;
  std::string front_json_ = "{}";
  std::optional<json::Tree> front_;
  bool authoritative_ = false;

  // Level 2: the members that name the document, and what every turn is called.
  std::string session_, agent_, model_;
  std::vector<std::string_view> used_keys_;
  std::vector<int64_t> ids_;
  std::vector<std::string_view> id_keys_;  // header member an id came from; empty: its position
};

}  // namespace pchronicle::model::agenticmd
