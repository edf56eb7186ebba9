#include "pchronicle/app/find/json_path.h"

#include <algorithm>
#include <charconv>

#include "pchronicle/app/find/quoted.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::app {
namespace {

// Characters that end `.name` in a path; a name that has them is written in brackets.
bool EndsName(char c) {
  return static_cast<unsigned char>(c) <= 0x20 ||
         std::string_view(".[]()'\"=!<>,").find(c) != std::string_view::npos;
}

bool IsWord(std::string_view key) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), word);
}

Result<JsonPath::Segment> ParseName(std::string_view text, size_t* at) {
  size_t end = *at;
  while (end < text.size() && !EndsName(text[end])) {
    ++end;
  }
  const std::string_view name = text.substr(*at, end - *at);
  if (name.empty()) {
    return Status::InvalidArgument("'.' needs a member name; other names are written [\"name\"]");
  }
  if (name == "*") {
    return Status::InvalidArgument("a path names one value; '*' is not supported");
  }
  *at = end;
  return JsonPath::Segment{false, 0, std::string(name)};
}

Result<JsonPath::Segment> ParseIndex(std::string_view text, size_t* at) {
  JsonPath::Segment segment;
  segment.is_index = true;
  const char* begin = text.data() + *at;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), segment.index);
  if (error != std::errc()) {
    return Status::InvalidArgument("'[' needs an index from 0 or a quoted name");
  }
  *at += static_cast<size_t>(end - begin);
  return segment;
}

Result<JsonPath::Segment> ParseBrackets(std::string_view text, size_t* at) {
  JsonPath::Segment segment;
  if (*at < text.size() && IsQuote(text[*at])) {
    PCHRONICLE_ASSIGN_OR_RETURN(segment.key, ParseQuoted(text, at));
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(segment, ParseIndex(text, at));
  }
  if (*at == text.size() || text[*at] != ']') {
    return Status::InvalidArgument("missing ']'");
  }
  ++*at;
  return segment;
}

// Member or element, whole; absent when there is none.
json::Raw Child(std::string_view json, const JsonPath::Segment& segment) {
  json::Cursor cursor(json, 0, {.max_depth = 1024});
  json::Raw found;
  if (segment.is_index) {
    if (cursor.Peek() != json::Kind::kArray || !cursor.BeginArray()) {
      return {};
    }
    for (uint64_t i = 0; cursor.NextElement(); ++i) {
      if (i == segment.index) {
        return cursor.Capture(&found) ? found : json::Raw();
      }
      cursor.Skip();
    }
    return {};
  }
  if (cursor.Peek() != json::Kind::kObject || !cursor.BeginObject()) {
    return {};
  }
  for (std::string_view key; cursor.NextKey(&key);) {
    if (key == segment.key) {
      cursor.Capture(&found);
    } else {
      cursor.Skip();
    }
  }
  return found;
}

}  // namespace

std::string JsonPath::ToString() const {
  std::string out = "$";
  for (const Segment& segment : segments) {
    if (segment.is_index) {
      out += "[" + std::to_string(segment.index) + "]";
    } else if (IsWord(segment.key)) {
      out += "." + segment.key;
    } else {
      out += "[";
      json::AppendQuoted(segment.key, out);
      out += "]";
    }
  }
  return out;
}

Result<JsonPath> ParseJsonPath(std::string_view text, size_t* at) {
  if (*at == text.size() || text[*at] != '$') {
    return Status::InvalidArgument("a JSON path starts with '$'");
  }
  ++*at;
  JsonPath path;
  while (*at < text.size() && (text[*at] == '.' || text[*at] == '[')) {
    const bool name = text[(*at)++] == '.';
    PCHRONICLE_ASSIGN_OR_RETURN(JsonPath::Segment segment,
                                name ? ParseName(text, at) : ParseBrackets(text, at));
    path.segments.push_back(std::move(segment));
  }
  return path;
}

json::Raw Lookup(std::string_view json, const JsonPath& path) {
  if (path.segments.empty()) {
    return json::RawFromText(json);
  }
  json::Raw found;
  for (const JsonPath::Segment& segment : path.segments) {
    found = Child(json, segment);
    if (!found.present()) {
      return {};
    }
    json = found.text;
  }
  return found;
}

}  // namespace pchronicle::app
