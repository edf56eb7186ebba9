#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/atif/document_state.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::atif {

/// Reads one element of a step's `tool_calls` (formats.md 3.3).
class CallReader {
 public:
  explicit CallReader(const WalkOptions& options) : options_(options) {}

  void SetTarget(const MemberReader::Target& target) { members_.SetTarget(target); }
  /// The cursor stands before the call, number `index` of the step at pointer `step`. An invalid
  /// call gives the status, error_offset() and error_member(), which is relative to the step.
  Status Read(json::Cursor& cursor, DocumentState& state, std::string_view step, size_t index,
              ToolCall& call);
  uint64_t error_offset() const { return error_offset_; }
  std::string error_member() const { return error_member_; }

 private:
  enum Required : uint8_t { kId = 1, kFunction = 2, kArguments = 4 };

  Status ReadMember(json::Cursor& cursor, std::string_view key, ToolCall& call);
  Status ReadName(json::Cursor& cursor, bool is_id, ToolCall& call);
  Status CheckComplete(uint64_t start, const ToolCall& call, DocumentState& state);
  void LiftDuration(ToolCall& call);
  Status Invalid(std::string_view member, uint64_t offset, Status status);
  bool wants(Field field) const { return options_.fields.has(field); }

  const WalkOptions& options_;
  MemberReader members_;
  std::string place_;  // `tool_calls/2`
  uint8_t seen_ = 0;
  uint64_t error_offset_ = 0;
  std::string error_member_;
};

}  // namespace pchronicle::model::atif
