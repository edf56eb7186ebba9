#include "pchronicle/model/atif/call_reader.h"

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::atif {

Status CallReader::Invalid(std::string_view member, uint64_t offset, Status status) {
  error_offset_ = offset;
  error_member_ = place_;
  if (!member.empty()) {
    error_member_ += "/";
    error_member_ += member;
  }
  return status;
}

Status CallReader::Read(json::Cursor& cursor, DocumentState& state, std::string_view step,
                        size_t index, ToolCall& call) {
  place_ = "tool_calls/";
  place_ += std::to_string(index);
  std::string& base = members_.base();
  base.assign(step);
  base += "/";
  base += place_;
  seen_ = 0;
  call.arguments = {"null", json::Kind::kNull, 0};
  const bool is_object = cursor.Peek() == json::Kind::kObject;
  const uint64_t start = cursor.offset();
  if (!is_object) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    return Invalid("", start, Status::InvalidArgument("a tool call must be an object"));
  }
  if (!cursor.BeginObject()) {
    return cursor.status();
  }
  for (std::string_view key; cursor.NextKey(&key);) {
    PCHRONICLE_RETURN_IF_ERROR(ReadMember(cursor, key, call));
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  if (wants(Field::kCallDuration)) {
    LiftDuration(call);
  }
  return CheckComplete(start, call, state);
}

Status CallReader::ReadMember(json::Cursor& cursor, std::string_view key, ToolCall& call) {
  if (key == "tool_call_id" || key == "function_name") {
    return ReadName(cursor, key == "tool_call_id", call);
  }
  json::Raw* slot = nullptr;
  bool wanted = false;
  if (key == "arguments") {
    seen_ |= kArguments;
    slot = &call.arguments;
    wanted = wants(Field::kArguments);
  } else if (key == "result") {
    slot = &call.result;
    wanted = wants(Field::kCallResult);
  } else if (key == "extra") {
    slot = &call.extra;
    wanted = wants(Field::kCallExtra) || wants(Field::kCallDuration);
  } else {
    // `is_error` is no member of the format, but some producers state it on the call.
    wanted = wants(Field::kUnknown) || (key == "is_error" && wants(Field::kCallExtra));
  }
  if (!wanted) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  const std::string name(key);  // the key's bytes may be gone after the value was read
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  if (slot == nullptr) {
    if (name == "is_error" && raw.kind == json::Kind::kBool) {
      call.is_error = raw.text == "true";
    }
    members_.Unknown(name, raw);
  } else {
    const json::Raw value = members_.ReadAny(name, raw);
    *slot = slot == &call.arguments ? raw : value;  // null arguments are a value
  }
  return Status::Ok();
}

Status CallReader::ReadName(json::Cursor& cursor, bool is_id, ToolCall& call) {
  const std::string_view name = is_id ? "tool_call_id" : "function_name";
  const uint64_t at = cursor.offset();
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  if (!raw.is_string() || raw.text.size() == 2) {
    return Invalid(
        name, at,
        Status::InvalidArgument("{} must be {}", name, is_id ? "non-empty" : "a non-empty string"));
  }
  (is_id ? call.id : call.function) = *members_.ReadText(name, raw);
  seen_ |= is_id ? kId : kFunction;
  return Status::Ok();
}

void CallReader::LiftDuration(ToolCall& call) {
  int64_t duration = 0;
  if (json::ToInt64(FindMember(call.extra, "duration_ms"), &duration)) {
    call.duration_ms = duration;
  }
}

Status CallReader::CheckComplete(uint64_t start, const ToolCall& call, DocumentState& state) {
  if ((seen_ & kId) == 0) {
    return Invalid("tool_call_id", start, Status::InvalidArgument("tool_call_id is required"));
  }
  if ((seen_ & kFunction) == 0) {
    return Invalid("function_name", start, Status::InvalidArgument("function_name is required"));
  }
  if ((seen_ & kArguments) == 0) {
    if (options_.strict) {
      return Invalid("arguments", start, Status::InvalidArgument("arguments is required"));
    }
    if (wants(Field::kArguments)) {
      members_.Note("missing_arguments", "arguments");
    }
  }
  if ((options_.strict || wants(Field::kDiagnostics)) && !state.call_ids.emplace(call.id).second) {
    if (options_.strict) {
      return Invalid("tool_call_id", start,
                     Status::InvalidArgument("duplicate tool_call_id {}", call.id));
    }
    members_.Note("duplicate_tool_call_id", "tool_call_id", call.id);
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::atif
