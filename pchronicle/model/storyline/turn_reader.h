#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/storyline/wire_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::storyline {

/// Reads the elements of `turns` of one document after the other (formats.md 2.8, 2.10).
class TurnReader {
 public:
  explicit TurnReader(const WalkOptions& options) : options_(options) {}

  /// A new document begins. `target.arena` is not used: text of a turn lives in the reader until
  /// the next Read.
  void BeginDocument(const MemberReader::Target& target);
  /// The cursor stands before a turn. After an error the cursor may stand inside it.
  Status Read(json::Cursor& cursor);
  /// Valid until the next Read, as long as the cursor keeps its views.
  const Turn& turn() const { return turn_; }
  const std::string& error_pointer() const { return error_pointer_; }

 private:
  Status ReadMembers(json::Cursor& cursor);
  Status ReadMember(json::Cursor& cursor, std::string_view key);
  Status ReadCalls(json::Cursor& cursor);
  Status ReadCall(json::Cursor& cursor);
  Status Validate();
  Status ValidatePrompt();
  Status ValidateCall(size_t index);

  bool wants(Field field) const { return options_.fields.has(field); }

  const WalkOptions& options_;
  WireReader members_;
  WireReader call_members_;
  Arena arena_{16 << 10};
  Turn turn_;
  int64_t next_ordinal_ = 0;
  uint32_t seen_ = 0;  // members of the turn met so far
  bool prompt_has_value_ = false;
  bool check_repeats_ = false;
  std::unordered_set<int64_t> turn_ids_;
  std::unordered_set<std::string> call_ids_;
  std::string error_pointer_;
};

}  // namespace pchronicle::model::storyline
