#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/actf/record_bytes.h"
#include "pchronicle/model/actf/step_wants.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::actf {

/// Members of one tool object as read (formats.md 5.1); those not asked for stay absent.
struct ToolParts {
  uint64_t begin = 0;  // [begin, end): the tool's value in the file
  uint64_t end = 0;
  bool is_object = true;
  json::Raw id;
  json::Raw type;
  json::Raw name;
  json::Raw input;
  json::Raw arguments;
  json::Raw function_name;
  json::Raw function_arguments;
  json::Raw command;
  json::Raw output;  // `aggregated_output`
  json::Raw status;
  json::Raw exit_code;
  std::vector<std::pair<std::string_view, json::Raw>> more;  // residuals: key, value
};

/// Reads tool arrays and maps tools to calls (formats.md 5.2). Not thread-safe.
class ToolReader {
 public:
  ToolReader(const StepWants& wants, RecordBytes& bytes) : wants_(wants), bytes_(bytes) {}

  /// Consumes the array at the cursor. When no call is asked for only counts its elements. False on
  /// a cursor error.
  bool ReadArray(json::Cursor& cursor, Arena& arena);
  void Clear() {
    tools_.clear();
    count_ = 0;
  }
  size_t count() const { return count_; }
  /// Fills `call` from tool `index` of the last array. `members` has the base `.../tools/<index>`.
  Status Map(size_t index, int64_t step_id, MemberReader& members, Arena& arena, ToolCall* call);
  /// Records the unmapped members of tool `index` under the base of `members`.
  void AddResiduals(size_t index, MemberReader& members) const;

 private:
  bool ReadTool(json::Cursor& cursor, Arena& arena, ToolParts* tool);
  bool ReadFunction(json::Cursor& cursor, ToolParts* tool);
  json::Raw* Slot(std::string_view key, ToolParts* tool, bool* known) const;
  Status MapArguments(const ToolParts& tool, Arena& arena, ToolCall* call);
  Status RestOfTool(const ToolParts& tool, Arena& arena, json::Raw* out);
  static json::Raw Response(const ToolParts& tool, MemberReader& members, Arena& arena);

  const StepWants& wants_;
  RecordBytes& bytes_;
  std::vector<ToolParts> tools_;
  size_t count_ = 0;
};

}  // namespace pchronicle::model::actf
