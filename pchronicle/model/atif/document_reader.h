#pragma once

#include <cstdint>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/atif/document_state.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::atif {

/// RootMember bit of a member that must not stand twice in a trajectory object; 0 for every other
/// key.
uint32_t OnceOnlyBit(std::string_view key);

/// Reads the members of a trajectory object other than its steps and subagents
/// (formats.md 3.3, 3.5). Text it keeps is owned by the document's state. Not thread-safe.
class DocumentReader {
 public:
  DocumentReader(const json::ByteInput& input, const WalkOptions& options, DocumentSink& sink)
      : input_(input), options_(options), sink_(sink) {}

  /// The cursor stands before the value of `key`; it is consumed also when the member is invalid,
  /// unless the cursor failed.
  Status ReadMember(DocumentState& state, std::string_view key, json::Cursor& cursor);
  /// Reads schema_version and the ids of one document ahead of the main walk (STL-126).
  Status Skim(DocumentState& state);
  /// Members that every trajectory must have, whatever is wanted (STL-116).
  static Status CheckComplete(const DocumentState& state);
  /// Reader of typed values with the document as target and its pointer as base.
  MemberReader Members(DocumentState& state);

  /// `_storyline` of the record's root, absent when there is none; valid until the next record
  /// begins.
  const json::Raw& envelope() const { return envelope_; }
  Arena& envelope_arena() { return envelope_arena_; }
  void BeginRecord() { envelope_ = {}; }
  uint64_t bytes_read_ahead() const { return bytes_read_ahead_; }

 private:
  Status ReadIdentity(DocumentState& state, std::string_view key, json::Cursor& cursor);
  Status ReadAgent(DocumentState& state, json::Cursor& cursor);
  Status CheckVersion(DocumentState& state);
  Text OwnText(DocumentState& state, std::string_view key, const json::Raw& raw);
  bool wants(Field field) const { return options_.fields.has(field); }

  const json::ByteInput& input_;
  const WalkOptions& options_;
  DocumentSink& sink_;
  json::Raw envelope_;
  Arena envelope_arena_;
  uint64_t bytes_read_ahead_ = 0;
};

}  // namespace pchronicle::model::atif
