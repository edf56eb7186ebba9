#include "pchronicle/model/member_reader.h"

#include <charconv>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/pointer.h"

namespace pchronicle::model {

json::Raw Own(const json::Raw& raw, Arena& arena) {
  json::Raw owned = raw;
  if (raw.present()) {
    owned.text = arena.Copy(raw.text);
  }
  return owned;
}

std::string MemberReader::Pointer(std::string_view key) const {
  std::string pointer = base_;
  json::AppendPointerToken(key, pointer);
  return pointer;
}

void MemberReader::Note(std::string_view code, std::string_view key, std::string_view example) {
  if (target_.sink != nullptr) {
    target_.sink->OnDiagnostic(target_.document, code, Pointer(key), example);
  }
}

void MemberReader::NoteFlags(std::string_view key, const json::Raw& raw) {
  if ((raw.flags & (json::kHasLoneSurrogate | json::kHasNonFinite)) == 0) [[likely]] {
    return;
  }
  if ((raw.flags & json::kHasLoneSurrogate) != 0) {
    Note("lone_surrogate", key);
  }
  if ((raw.flags & json::kHasNonFinite) != 0) {
    Note("non_finite_number", key);
  }
}

void MemberReader::Unknown(std::string_view key, const json::Raw& raw) {
  NoteFlags(key, raw);
  if (target_.residuals != nullptr) {
    target_.residuals->Add(Pointer(key), raw);
  }
}

void MemberReader::Bad(std::string_view key, const json::Raw& raw) {
  Note("bad_value", key, raw.text.substr(0, 80));
  if (target_.residuals != nullptr) {
    target_.residuals->Add(Pointer(key), raw);
  }
}

Text MemberReader::ReadText(std::string_view key, const json::Raw& raw) {
  if (!raw.has_value()) {
    return std::nullopt;
  }
  if (!raw.is_string()) {
    Bad(key, raw);
    return std::nullopt;
  }
  if ((raw.flags & json::kHasLoneSurrogate) != 0) {
    Note("lone_surrogate", key);
    if (target_.residuals != nullptr) {
      target_.residuals->AddIfLoneSurrogate(Pointer(key), raw);
    }
  }
  return json::DecodeString(raw, *target_.arena);
}

std::optional<int64_t> MemberReader::ReadInt(std::string_view key, const json::Raw& raw) {
  if (!raw.has_value()) {
    return std::nullopt;
  }
  int64_t value = 0;
  if (json::ToInt64(raw, &value)) {
    return value;
  }
  if (raw.is_string() && raw.flags == 0) {
    const std::string_view digits = raw.text.substr(1, raw.text.size() - 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!digits.empty() && error == std::errc() && end == digits.data() + digits.size()) {
      Note("number_as_text", key, digits);
      return value;
    }
  }
  Bad(key, raw);
  return std::nullopt;
}

std::optional<bool> MemberReader::ReadBool(std::string_view key, const json::Raw& raw) {
  if (!raw.has_value()) {
    return std::nullopt;
  }
  if (raw.kind != json::Kind::kBool) {
    Bad(key, raw);
    return std::nullopt;
  }
  return raw.text == "true";
}

Timestamp MemberReader::ReadTimestamp(std::string_view key, const json::Raw& raw) {
  if (!raw.has_value()) {
    return {};
  }
  Timestamp timestamp{raw, std::nullopt};
  if (raw.kind != json::Kind::kString && raw.kind != json::Kind::kNumber) {
    Bad(key, raw);
    return timestamp;
  }
  const Result<Instant> instant = raw.is_string()
                                      ? ParseTimestampText(json::DecodeString(raw, *target_.arena))
                                      : ParseTimestampNumber(raw.text);
  if (!instant.ok()) {
    Bad(key, raw);
    return timestamp;
  }
  if (instant->zoneless) {
    Note("timestamp_without_zone", key, raw.text);
  }
  timestamp.nanoseconds = instant->nanoseconds;
  return timestamp;
}

json::Raw MemberReader::ReadAny(std::string_view key, const json::Raw& raw) {
  if (!raw.has_value()) {
    return {};
  }
  NoteFlags(key, raw);
  return raw;
}

}  // namespace pchronicle::model
