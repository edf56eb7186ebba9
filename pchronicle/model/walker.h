#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model {

/// Input formats that we read. Names: FormatName / ParseFormatName (formats.md 1.9).
enum class Format : uint8_t { kStoryline, kAtif, kActf, kOpenAiMessages, kAgenticMd, kHfChat };

/// What earlier passes over a source found (STL-126 to 128): a later pass needs no surprise. Filled
/// by walkers, kept in the resolve cell of the source.
struct SourceNotes {
  bool skim_first = false;  // a member taken as absent came later: read record heads before rows
  bool serial = false;      // ids collide across ranges: one reader for the whole file
  std::unordered_set<uint64_t>
      lost_documents;  // ordinals of documents (by object open) that turned out bad
  std::unordered_set<uint64_t> lost_records;  // offsets of records that turned out bad
  bool lost_source = false;                   // whole_source problem: nothing of it counts
  /// Memory of the two sets.
  uint64_t bytes() const;
};

struct WalkOptions {
  FieldMask fields = FieldMask::All();
  bool strict = false;  // strict validation (an API option): oddities are errors
  bool strict_timestamps = false;
  json::Container container = json::Container::kDocument;
  json::RecordRange range;
  json::CursorOptions cursor;
  std::string source_path;  // relative path of the file: origin.document_id of OpenAI, chat row ids
  /// First document number in this range; ranges read in parallel that need exact ordinals are not
  /// used.
  int64_t first_ordinal = 0;
};

/// Reads one source (or one range of it) and feeds a sink, a little at a time.
class Walker {
 public:
  virtual ~Walker() = default;
  /// Goes on by one small piece: a turn, a root member, a record. False when there is nothing left
  /// (or the sink said stop). Every problem went to the sink before.
  virtual bool Advance() = 0;
  /// Set when a row that was already handed on turned out different (STL-127): the caller must run
  /// again with notes().
  virtual bool needs_second_pass() const = 0;
  virtual const SourceNotes& notes() const = 0;
  /// Line file with a cut last line (BR-11).
  virtual bool open_tail() const = 0;
  virtual uint64_t records() const = 0;
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t buffer_peak_bytes() const = 0;
  /// Memory of what is remembered to tell documents apart (STL-126 to 129): it grows with their
  /// number, or that of rows where rows make them, never with their bytes.
  virtual uint64_t id_bytes() const { return notes().bytes(); }
};

/// `input` and `sink` must outlive the walker. `notes` are those of earlier passes.
std::unique_ptr<Walker> MakeWalker(Format format, const json::ByteInput& input,
                                   const WalkOptions& options, const SourceNotes& notes,
                                   DocumentSink& sink);

/// Which formats can be read in ranges of one line file (OpenAI rows build on each other: not).
bool CanSplit(Format format);

/// Name that SQL and the CLI print: storyline, atif, actf, openai_msg, agenticmd, hf-chat (D15).
std::string_view FormatName(Format format);
/// Name inside Storylines: origin.format and residual sources (openai-msg).
std::string_view HubFormatName(Format format);
/// Accepts every spelling of formats.md 1.9.
std::optional<Format> ParseFormatName(std::string_view name);

}  // namespace pchronicle::model
