#include "pchronicle/model/chat/row_reader.h"

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::chat {
namespace {

using json::Kind;

struct MemberRule {
  std::string_view name;
  FieldMask needs;       // captured when one of these is asked for
  bool always = false;   // identity: needed for every row
  bool is_list = false;  // messages
};

const std::array<MemberRule, kRowMembers>& Rules() {
  static const std::array<MemberRule, kRowMembers> kRules{{
      {"trajectory_id", {}, true},
      {"traj_id", {}, true},
      {"conversation_id", {}, true},
      {"id", {}, true},
      {"instance_id", {}, true},
      {"uuid", {}, true},
      {"messages", {}, false, true},
      {"conversations", {}, false, true},
      {"trajectory", {}, false, true},
      {"chosen_messages", {}, false, true},
      {"rejected_messages", {}, false, true},
      {"chosen", {}, false, true},
      {"rejected", {}, false, true},
      {"tools", Field::kAgentTools},
      {"system", kAnyTurnField},
      {"model", Field::kAgent},
      {"model_name", Field::kAgent},
      {"resolved", Field::kTask | Field::kOutcome},
      {"target", Field::kTask | Field::kOutcome},
      {"reward", Field::kTask | Field::kOutcome},
      {"score", Field::kTask | Field::kOutcome},
      {"label", Field::kTask},
      {"exit_status", Field::kTask},
      {"generated_patch", Field::kTask},
      {"model_patch", Field::kTask},
      {"patch", Field::kTask},
      {"eval_logs", Field::kTask},
      {"images", Field::kRootExtra},
      {"videos", Field::kRootExtra},
      {"audios", Field::kRootExtra},
  }};
  return kRules;
}

/// A list of objects; an empty one counts.
bool IsMessageList(const json::Raw& list) {
  if (list.kind != Kind::kArray) {
    return false;
  }
  RawElements elements(list);
  return !elements.Next() || elements.value().kind == Kind::kObject;
}

class RowReader {
 public:
  RowReader(json::Cursor& cursor, FieldMask fields, bool turns, Arena& arena, Row* row)
      : cursor_(cursor),
        fields_(fields),
        turns_(turns || fields.has(Field::kUnknown)),
        arena_(arena),
        row_(*row) {}

  Status Run();

 private:
  bool ReadMember(std::string_view key);
  bool ReadList(json::Raw* out);
  bool ReadListShape(json::Raw* out);

  json::Cursor& cursor_;
  const FieldMask fields_;
  const bool turns_;
  Arena& arena_;
  Row& row_;
  bool bad_text_ = false;
};

Status RowReader::Run() {
  row_.messages_held = turns_;
  if (cursor_.Peek() != Kind::kObject) {
    cursor_.Skip();
    return cursor_.ok() ? Status::InvalidArgument("a chat row must be an object")
                        : cursor_.status();
  }
  cursor_.BeginObject();
  for (std::string_view key; cursor_.NextKey(&key);) {
    if (!ReadMember(key)) {
      break;
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor_.status());
  for (const RowMember list :
       {RowMember::kMessages, RowMember::kConversations, RowMember::kTrajectory,
        RowMember::kChosenMessages, RowMember::kChosen}) {
    if (row_.has(list)) {
      return Status::Ok();
    }
  }
  return bad_text_ ? Status::InvalidArgument("the messages are text that is no JSON list")
                   : Status::InvalidArgument("no member holds a list of messages");
}

bool RowReader::ReadMember(std::string_view key) {
  const auto& rules = Rules();
  for (size_t i = 0; i < rules.size(); ++i) {
    const MemberRule& rule = rules[i];
    if (key != rule.name) {
      continue;
    }
    if (rule.is_list) {
      return ReadList(&row_.values[i]);
    }
    if (rule.always || fields_.has_any(rule.needs) || fields_.has(Field::kUnknown)) {
      return cursor_.Capture(&row_.values[i]);
    }
    row_.values[i].kind = Kind::kAbsent;
    return cursor_.Skip();
  }
  if (!fields_.has(Field::kUnknown)) {
    return cursor_.Skip();
  }
  const std::string_view name = arena_.Copy(key);
  json::Raw raw;
  if (!cursor_.Capture(&raw)) {
    return false;
  }
  row_.more.emplace_back(name, raw);
  return true;
}

/// A list of messages stays, anything else counts as absent.
bool RowReader::ReadList(json::Raw* out) {
  const Kind kind = cursor_.Peek();
  *out = {};
  if (kind == Kind::kArray && !turns_) {
    return ReadListShape(out);
  }
  if (kind != Kind::kArray && kind != Kind::kString && kind != Kind::kObject) {
    return cursor_.Skip();
  }
  json::Raw raw;
  if (!cursor_.Capture(&raw)) {
    return false;
  }
  if (kind == Kind::kString) {
    raw = ParseText(raw, arena_);
    if (!IsMessageList(raw)) {
      bad_text_ = true;
      return true;
    }
    row_.any_text_list = true;
  }
  // One message alone is legal for `chosen` and `rejected`.
  const bool alone = raw.kind == Kind::kObject;
  const bool may_be_alone = out == &row_[RowMember::kChosen] || out == &row_[RowMember::kRejected];
  if (alone ? may_be_alone : IsMessageList(raw)) {
    *out = raw;
  }
  return true;
}

bool RowReader::ReadListShape(json::Raw* out) {
  const uint32_t depth = cursor_.depth();
  if (!cursor_.BeginArray()) {
    return false;
  }
  bool is_list = true;
  if (cursor_.NextElement()) {
    is_list = cursor_.Peek() == Kind::kObject;
    if (!cursor_.SkipToDepth(depth)) {
      return false;
    }
  }
  out->kind = is_list ? Kind::kArray : Kind::kAbsent;
  return cursor_.ok();
}

}  // namespace

std::string_view RowMemberName(RowMember member) {
  return Rules()[static_cast<size_t>(member)].name;
}

bool HoldsMessages(RowMember member) { return Rules()[static_cast<size_t>(member)].is_list; }

Status ReadRow(json::Cursor& cursor, FieldMask fields, bool turns, Arena& arena, Row* row) {
  *row = {};
  return RowReader(cursor, fields, turns, arena, row).Run();
}

json::Raw ParseText(const json::Raw& text, Arena& arena) {
  if (!text.is_string()) {
    return {};
  }
  // Copied, because the characters may stand in a buffer that goes.
  const std::string_view characters = arena.Copy(json::DecodeString(text, arena));
  json::Cursor cursor(characters);
  json::Raw raw;
  if (!cursor.Capture(&raw) || !cursor.AtEnd()) {
    return {};
  }
  return raw;
}

}  // namespace pchronicle::model::chat
