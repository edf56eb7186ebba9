#include "pchronicle/model/openai/row_shape.h"

namespace pchronicle::model::openai {
namespace {

Role ParseRole(std::string_view role) {
  if (role == "assistant") {
    return Role::kAssistant;
  }
  if (role == "user") {
    return Role::kUser;
  }
  if (role == "system") {
    return Role::kSystem;
  }
  if (role == "tool") {
    return Role::kTool;
  }
  return Role::kOther;
}

Span* MessageSlot(MessageShape& shape, std::string_view key) {
  switch (key.size()) {
    case 4:
      return key == "name" ? &shape.name : nullptr;
    case 7:
      return key == "content" ? &shape.content : key == "refusal" ? &shape.refusal : nullptr;
    case 10:
      return key == "tool_calls" ? &shape.tool_calls : nullptr;
    case 12:
      return key == "tool_call_id" ? &shape.tool_call_id : nullptr;
    case 17:
      return key == "reasoning_content" ? &shape.reasoning : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
    default:
      return "";
  }
}

void RowShape::Clear() {
  known.fill({});
  others.clear();
  messages.Clear();
  response.Clear();
  repeated.clear();
}

bool ShapeScanner::ReadSpan(json::Cursor& cursor, Span* span) {
  span->kind = cursor.Peek();
  span->begin = cursor.offset();
  if (options_.validate) {
    json::Raw raw;
    if (!cursor.Capture(&raw)) {
      return false;
    }
    cursor.ReleaseViews();
  } else if (!cursor.Skip()) {
    return false;
  }
  span->end = cursor.offset();
  return true;
}

/// Reads the value of a known member; the last one of several counts.
void ShapeScanner::Store(json::Cursor& cursor, std::string_view key, Span* slot, Arena& arena) {
  if (slot->present()) {
    repeated_.push_back(arena.Copy(key));
  }
  ReadSpan(cursor, slot);
}

Status ShapeScanner::ScanRow(json::Cursor& cursor, Arena& arena, RowShape* shape) {
  repeated_.clear();
  if (!cursor.BeginObject()) {
    return cursor.status();
  }
  for (std::string_view key; cursor.NextKey(&key);) {
    const std::optional<RowKey> known = FindRowKey(key);
    if (!known) {
      if (!options_.keep_others) {
        cursor.Skip();
        continue;
      }
      NamedSpan& other = shape->others.emplace_back();
      other.key = arena.Copy(key);
      ReadSpan(cursor, &other.value);
      continue;
    }
    Span& slot = shape->at(*known);
    const json::Kind kind = cursor.Peek();
    const bool is_messages = *known == RowKey::kMessages && kind == json::Kind::kArray;
    const bool is_response = *known == RowKey::kResponse && kind == json::Kind::kObject;
    if (!is_messages && !is_response) {
      Store(cursor, key, &slot, arena);
      continue;
    }
    slot = {cursor.offset(), 0, kind};
    if (is_messages) {
      shape->messages.Clear();
      PCHRONICLE_RETURN_IF_ERROR(ScanMessages(cursor, arena, &shape->messages));
    } else {
      shape->response.Clear();
      PCHRONICLE_RETURN_IF_ERROR(ScanMessage(cursor, arena, &shape->response));
    }
    slot.end = cursor.offset();
  }
  shape->repeated = repeated_;
  return cursor.status();
}

Status ShapeScanner::ScanMessages(json::Cursor& cursor, Arena& arena, MessageList* list) {
  if (!cursor.BeginArray()) {
    return cursor.status();
  }
  while (cursor.NextElement()) {
    PCHRONICLE_RETURN_IF_ERROR(ScanMessage(cursor, arena, list));
  }
  return cursor.status();
}

Status ShapeScanner::ScanMessage(json::Cursor& cursor, Arena& arena, MessageList* list) {
  MessageShape& shape = list->messages.emplace_back();
  shape.others_begin = shape.others_end = static_cast<uint32_t>(list->others.size());
  if (cursor.Peek() != json::Kind::kObject) {
    ReadSpan(cursor, &shape.whole);
    return cursor.status();
  }
  shape.whole = {cursor.offset(), 0, json::Kind::kObject};
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    if (key == "role") {
      if (shape.role_value.present()) {
        repeated_.push_back(arena.Copy(key));
      }
      const json::Kind kind = cursor.Peek();
      shape.role = kind == json::Kind::kNull ? Role::kNone : Role::kOther;
      if (kind != json::Kind::kString) {
        ReadSpan(cursor, &shape.role_value);
        continue;
      }
      shape.role_value = {cursor.offset(), 0, kind};
      std::string_view role;
      if (cursor.ReadString(&role)) {
        shape.role = ParseRole(role);
      }
      shape.role_value.end = cursor.offset();
      cursor.ReleaseViews();
    } else if (Span* slot = MessageSlot(shape, key)) {
      Store(cursor, key, slot, arena);
    } else if (options_.keep_others) {
      NamedSpan& other = list->others.emplace_back();
      other.key = arena.Copy(key);
      ReadSpan(cursor, &other.value);
    } else {
      cursor.Skip();
    }
  }
  shape.others_end = static_cast<uint32_t>(list->others.size());
  shape.whole.end = cursor.offset();
  return cursor.status();
}

}  // namespace pchronicle::model::openai
