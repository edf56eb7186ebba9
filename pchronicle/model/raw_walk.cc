#include "pchronicle/model/raw_walk.h"

#include <cstring>
#include <string>

namespace pchronicle::model {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

const char* SkipBlanks(const char* at, const char* end) {
  while (at < end && IsBlank(*at)) {
    ++at;
  }
  return at;
}

/// `at` stands behind the opening quote; the result is the closing quote or `end`.
const char* StringEnd(const char* at, const char* end) {
  const char* const begin = at;
  while (at < end) {
    const char* quote =
        static_cast<const char*>(std::memchr(at, '"', static_cast<size_t>(end - at)));
    if (quote == nullptr) {
      return end;
    }
    const char* back = quote;
    while (back > begin && back[-1] == '\\') {
      --back;
    }
    if (((quote - back) & 1) == 0) {
      return quote;
    }
    at = quote + 1;
  }
  return end;
}

const char* ContainerEnd(const char* at, const char* end) {
  size_t depth = 0;
  for (; at < end; ++at) {
    switch (*at) {
      case '"':
        at = StringEnd(at + 1, end);
        if (at == end) {
          return end;
        }
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) {
          return at + 1;
        }
        break;
      default:
        break;
    }
  }
  return end;
}

json::Kind KindOf(const char* at) {
  switch (*at) {
    case '"':
      return json::Kind::kString;
    case '{':
      return json::Kind::kObject;
    case '[':
      return json::Kind::kArray;
    case 't':
    case 'f':
      return json::Kind::kBool;
    case 'n':
    case 'N':
    case 'I':
      return json::Kind::kNull;
    default:
      return json::Kind::kNumber;
  }
}

/// Reads the value at `at`; null when there is none.
const char* ReadValue(const char* at, const char* end, uint8_t flags, json::Raw* out) {
  at = SkipBlanks(at, end);
  if (at == end || *at == ',' || *at == ']' || *at == '}') {
    return nullptr;
  }
  json::Kind kind = KindOf(at);
  const char* stop;
  if (kind == json::Kind::kString) {
    stop = StringEnd(at + 1, end);
    if (stop == end) {
      return nullptr;
    }
    ++stop;
  } else if (kind == json::Kind::kObject || kind == json::Kind::kArray) {
    stop = ContainerEnd(at, end);
  } else {
    stop = at;
    while (stop < end && *stop != ',' && *stop != '}' && *stop != ']' && !IsBlank(*stop)) {
      ++stop;
    }
    if (kind == json::Kind::kNumber && stop - at >= 2 && at[0] == '-' && at[1] == 'I') {
      kind = json::Kind::kNull;
    }
  }
  *out = json::Raw{std::string_view(at, static_cast<size_t>(stop - at)), kind, flags};
  return stop;
}

/// The text between the brackets of a container of `kind`; an empty range for anything else.
void Inside(const json::Raw& raw, json::Kind kind, const char** begin, const char** end) {
  if (raw.kind == kind && raw.text.size() >= 2) {
    *begin = raw.text.data() + 1;
    *end = raw.text.data() + raw.text.size() - 1;
  }
}

}  // namespace

RawMembers::RawMembers(const json::Raw& object) {
  Inside(object, json::Kind::kObject, &at_, &end_);
  value_.flags = object.flags;
}

bool RawMembers::Next() {
  at_ = SkipBlanks(at_, end_);
  if (at_ < end_ && *at_ == ',') {
    at_ = SkipBlanks(at_ + 1, end_);
  }
  if (at_ == end_ || *at_ != '"') {
    at_ = end_;
    return false;
  }
  const char* key_end = StringEnd(at_ + 1, end_);
  key_ = std::string_view(at_ + 1, static_cast<size_t>(key_end - at_ - 1));
  const char* at = key_end == end_ ? end_ : SkipBlanks(key_end + 1, end_);
  const char* stop =
      at < end_ && *at == ':' ? ReadValue(at + 1, end_, value_.flags, &value_) : nullptr;
  at_ = stop == nullptr ? end_ : stop;
  return stop != nullptr;
}

bool RawMembers::KeyIs(std::string_view name) const {
  if (key_.size() == name.size()) {
    return key_ == name;
  }
  // Only a key with escapes can be longer than the name it spells.
  if (key_.size() < name.size() || key_.find('\\') == std::string_view::npos) {
    return false;
  }
  Arena arena(256);
  const json::Raw raw{quoted_key(), json::Kind::kString,
                      json::kHasEscapes | json::kHasLoneSurrogate};
  return json::DecodeString(raw, arena) == name;
}

RawElements::RawElements(const json::Raw& array) {
  Inside(array, json::Kind::kArray, &at_, &end_);
  value_.flags = array.flags;
}

bool RawElements::Next() {
  at_ = SkipBlanks(at_, end_);
  if (at_ < end_ && *at_ == ',') {
    ++at_;
  }
  const char* stop = ReadValue(at_, end_, value_.flags, &value_);
  at_ = stop == nullptr ? end_ : stop;
  return stop != nullptr;
}

json::Raw FindMember(const json::Raw& object, std::string_view name) {
  json::Raw found;
  for (RawMembers members(object); members.Next();) {
    if (members.KeyIs(name)) {
      found = members.value();
    }
  }
  return found;
}

bool Contains(std::string_view text, std::string_view needle) {
  // An empty view may hold a null pointer, which memmem must not be given.
  if (needle.empty() || text.size() < needle.size()) {
    return needle.empty();
  }
  return memmem(text.data(), text.size(), needle.data(), needle.size()) != nullptr;
}

}  // namespace pchronicle::model
