#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/fields.h"

namespace pchronicle::model::chat {

/// Members of a row that the mapping knows (sources.md 11).
enum class RowMember : uint8_t {
  kTrajectoryId,
  kTrajId,
  kConversationId,
  kId,
  kInstanceId,
  kUuid,
  kMessages,
  kConversations,
  kTrajectory,
  kChosenMessages,
  kRejectedMessages,
  kChosen,
  kRejected,
  kTools,
  kSystem,
  kModel,
  kModelName,
  kResolved,
  kTarget,
  kReward,
  kScore,
  kLabel,
  kExitStatus,
  kGeneratedPatch,
  kModelPatch,
  kPatch,
  kEvalLogs,
  kImages,
  kVideos,
  kAudios,
};
inline constexpr size_t kRowMembers = 30;
std::string_view RowMemberName(RowMember member);
/// True for members that hold a list of messages, or JSON text of one.
bool HoldsMessages(RowMember member);

/// One row as read. Views into the cursor's buffers and the arena.
struct Row {
  std::array<json::Raw, kRowMembers>
      values;  // those not asked for keep their kind but have no text
  std::vector<std::pair<std::string_view, json::Raw>>
      more;                    // unmapped members, when residuals are asked for
  bool messages_held = false;  // the lists were captured
  bool any_text_list = false;  // a list was written as JSON text (BR-37)

  const json::Raw& operator[](RowMember member) const {
    return values[static_cast<size_t>(member)];
  }
  json::Raw& operator[](RowMember member) { return values[static_cast<size_t>(member)]; }
  bool has(RowMember member) const { return (*this)[member].has_value(); }
};

/// Consumes the row at the cursor. kInvalidArgument: it is no chat row (the value is consumed when
/// the cursor is ok). Lists of messages are captured when `turns` (else only their shape is looked
/// at); JSON text of a list is parsed once.
Status ReadRow(json::Cursor& cursor, FieldMask fields, bool turns, Arena& arena, Row* row);

/// The value that a string holds as JSON text; absent when it is none.
json::Raw ParseText(const json::Raw& text, Arena& arena);

}  // namespace pchronicle::model::chat
