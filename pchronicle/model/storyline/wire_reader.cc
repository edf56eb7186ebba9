#include "pchronicle/model/storyline/wire_reader.h"

#include <algorithm>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::model::storyline {
namespace {

/// `/turns/3/ts` as people write it: `turns[3].ts`.
std::string FieldPath(std::string_view pointer) {
  std::string path;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string_view token = pointer.substr(0, end);
    const bool index = !token.empty() && std::all_of(token.begin(), token.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (index) {
      path += fmt::format("[{}]", token);
    } else {
      path += path.empty() ? "" : ".";
      path += token;
    }
    pointer.remove_prefix(end);
  }
  return path;
}

bool IsEmptyValue(const json::Raw& raw) {
  if (!raw.has_value() || raw.text == "\"\"") {
    return true;
  }
  if (raw.kind != json::Kind::kObject) {
    return false;
  }
  json::Cursor cursor(raw.text);
  std::string_view key;
  return cursor.BeginObject() && !cursor.NextKey(&key);
}

bool HasType(const json::Raw& raw, WireMember::Type type) {
  int64_t integer = 0;
  switch (type) {
    case WireMember::Type::kText:
      return raw.is_string();
    case WireMember::Type::kInt:
      return json::ToInt64(raw, &integer);
    case WireMember::Type::kBool:
      return raw.kind == json::Kind::kBool;
    case WireMember::Type::kObject:
      return raw.kind == json::Kind::kObject;
    case WireMember::Type::kAny:
      return true;
  }
  return false;
}

std::string_view TypeName(WireMember::Type type) {
  switch (type) {
    case WireMember::Type::kText:
      return "a string";
    case WireMember::Type::kInt:
      return "an integer";
    case WireMember::Type::kBool:
      return "true or false";
    case WireMember::Type::kObject:
      return "an object";
    case WireMember::Type::kAny:
      return "a value";
  }
  return "";
}

}  // namespace

Status WireReader::FailAs(std::string_view key, Status status) {
  error_pointer_ = key.empty() ? members_.base() : members_.Pointer(key);
  return status;
}

Status WireReader::Fail(std::string_view key, Status status) {
  const Status placed = FailAs(key, std::move(status));
  const std::string path = FieldPath(error_pointer_);
  return path.empty() ? placed : placed.WithContext(path);
}

Status WireReader::UnknownField(std::string_view key) {
  const Status status = Status::InvalidArgument("unknown field '{}'", key);
  const std::string path = FieldPath(members_.base());
  error_pointer_ = members_.Pointer(key);
  return path.empty() ? status : status.WithContext(path);
}

Status WireReader::WrongType(std::string_view key, std::string_view expected) {
  return Fail(key, Status::InvalidArgument("must be {}", expected));
}

Status WireReader::ReadText(std::string_view key, const json::Raw& raw, Text* out) {
  if (raw.has_value() && !raw.is_string()) {
    return WrongType(key, "a string");
  }
  *out = members_.ReadText(key, raw);
  return Status::Ok();
}

Status WireReader::ReadRequiredText(std::string_view key, const json::Raw& raw,
                                    std::string_view* out) {
  if (!raw.present()) {
    return Fail("", Status::InvalidArgument("missing field '{}'", key));
  }
  if (!raw.is_string()) {
    return WrongType(key, "a string");
  }
  *out = *members_.ReadText(key, raw);
  return Status::Ok();
}

Status WireReader::ReadInt(std::string_view key, const json::Raw& raw,
                           std::optional<int64_t>* out) {
  out->reset();
  if (!raw.has_value()) {
    return Status::Ok();
  }
  int64_t value = 0;
  if (!json::ToInt64(raw, &value)) {
    return WrongType(key, "an integer");
  }
  *out = value;
  return Status::Ok();
}

Status WireReader::ReadBool(std::string_view key, const json::Raw& raw, std::optional<bool>* out) {
  out->reset();
  if (!raw.has_value()) {
    return Status::Ok();
  }
  if (raw.kind != json::Kind::kBool) {
    return WrongType(key, "true or false");
  }
  *out = raw.text == "true";
  return Status::Ok();
}

Status WireReader::ReadTimestamp(std::string_view key, const json::Raw& raw, Timestamp* out) {
  *out = {};
  if (!raw.has_value()) {
    return Status::Ok();
  }
  Arena scratch(256);
  // Numbers and texts have rules of their own; any other kind is refused with the text of an
  // unreadable one.
  const Result<Instant> instant = raw.is_string()
                                      ? ParseTimestampText(json::DecodeString(raw, scratch))
                                  : raw.kind == json::Kind::kNumber ? ParseTimestampNumber(raw.text)
                                                                    : ParseTimestampText("");
  if (!instant.ok()) {
    return Fail(key, instant.status());
  }
  if (instant->zoneless) {
    members_.Note("timestamp_without_zone", key, raw.text);
  }
  *out = {raw, instant->nanoseconds};
  return Status::Ok();
}

json::Raw WireReader::ReadAny(std::string_view key, const json::Raw& raw) {
  if (raw.kind == json::Kind::kNull && (raw.flags & json::kHasNonFinite) != 0) {
    members_.Note("non_finite_number", key, raw.text);
  }
  return members_.ReadAny(key, raw);
}

Status WireReader::CheckObject(std::string_view key, const json::Raw& raw,
                               std::span<const WireMember> members, bool open,
                               ObjectContent* content) {
  *content = {};
  if (!raw.has_value()) {
    return Status::Ok();
  }
  if (raw.kind != json::Kind::kObject) {
    return WrongType(key, "an object");
  }
  const std::string outer = members_.base();
  members_.base() = members_.Pointer(key);
  json::Cursor cursor(raw.text);
  cursor.BeginObject();
  for (std::string_view name; cursor.NextKey(&name);) {
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const WireMember& m) { return m.name == name; });
    if (member == members.end() && !open) {
      return UnknownField(name);
    }
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    if (member != members.end() && value.has_value() && !HasType(value, member->type)) {
      return WrongType(member->name, TypeName(member->type));
    }
    content->has_member = content->has_member || value.has_value();
    content->has_value = content->has_value || !IsEmptyValue(value);
  }
  members_.base() = outer;
  return cursor.status();
}

}  // namespace pchronicle::model::storyline
