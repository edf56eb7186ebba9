#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::storyline {

/// One member of a closed object and the type it must have when it is not null.
struct WireMember {
  enum class Type : uint8_t { kText, kInt, kBool, kObject, kAny };
  std::string_view name;
  Type type;
};

/// What CheckObject found.
struct ObjectContent {
  bool has_value = false;   // a member with a value that is neither null, "" nor {}
  bool has_member = false;  // a member that is not null
};

/// Strict conversions of wire members (formats.md 1.2, 1.4, 2): null is absent, another type is an
/// error. After an error error_pointer() names the member. Base pointer and target as in
/// MemberReader. Not thread-safe.
class WireReader {
 public:
  void SetTarget(const MemberReader::Target& target) { members_.SetTarget(target); }
  std::string& base() { return members_.base(); }

  Status ReadText(std::string_view key, const json::Raw& raw, Text* out);
  /// Null and absent are errors too.
  Status ReadRequiredText(std::string_view key, const json::Raw& raw, std::string_view* out);
  Status ReadInt(std::string_view key, const json::Raw& raw, std::optional<int64_t>* out);
  Status ReadBool(std::string_view key, const json::Raw& raw, std::optional<bool>* out);
  Status ReadTimestamp(std::string_view key, const json::Raw& raw, Timestamp* out);
  json::Raw ReadAny(std::string_view key, const json::Raw& raw);
  /// An object of the listed members; others are `unknown field 'x'` unless `open`. Null and absent
  /// give no content.
  Status CheckObject(std::string_view key, const json::Raw& raw,
                     std::span<const WireMember> members, bool open, ObjectContent* content);

  void Note(std::string_view code, std::string_view key, std::string_view example = {}) {
    members_.Note(code, key, example);
  }
  /// Places an error at base/key (at the base when key is empty) and puts the place in front of the
  /// message.
  Status Fail(std::string_view key, Status status);
  /// The same without a place in the message, for texts that name their field themselves.
  Status FailAs(std::string_view key, Status status);
  Status UnknownField(std::string_view key);
  const std::string& error_pointer() const { return error_pointer_; }

 private:
  Status WrongType(std::string_view key, std::string_view expected);

  MemberReader members_;
  std::string error_pointer_;
};

inline constexpr WireMember kEnvMembers[] = {
    {"name", WireMember::Type::kText},       {"endpoint", WireMember::Type::kText},
    {"id", WireMember::Type::kText},         {"event_type", WireMember::Type::kText},
    {"request_id", WireMember::Type::kText}, {"state", WireMember::Type::kObject}};
inline constexpr WireMember kPromptMembers[] = {{"system", WireMember::Type::kText},
                                                {"user", WireMember::Type::kText}};

}  // namespace pchronicle::model::storyline
