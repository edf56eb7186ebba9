#include "pchronicle/model/agenticmd/yaml_frontmatter.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::agenticmd {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

/// Leaves the parser, which knows no other way out; caught in YamlToJson.
struct Refused {
  Status status;
};

[[noreturn]] void Refuse(Status status, const YAML::Mark& mark) {
  throw Refused{
      status.WithContext(fmt::format("line {} column {}", mark.line + 1, mark.column + 1))};
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

size_t DigitsFrom(std::string_view text, size_t at) {
  while (at < text.size() && IsDigit(text[at])) {
    ++at;
  }
  return at;
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// 0o17 and 0x1F as decimal; empty when it is none of them or above 64 bits.
std::string BasedInteger(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : text.starts_with("0o") ? 8 : 0;
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  if (base == 0 || text.size() < 3) {
    return "";
  }
  const auto [stop, error] = std::from_chars(text.data() + 2, end, value, base);
  return error == std::errc() && stop == end ? std::to_string(value) : "";
}

/// JSON text of a number of the core schema; empty when the scalar is none.
std::string NumberJson(std::string_view text) {
  if (text.empty() || (!IsDigit(text.front()) && !IsOneOf(text.substr(0, 1), {"-", "+", "."}))) {
    return "";
  }
  if (std::string based = BasedInteger(text); !based.empty()) {
    return based;
  }
  const bool negative = text.front() == '-';
  const size_t start = negative || text.front() == '+' ? 1 : 0;
  if (IsOneOf(text.substr(start), {".inf", ".Inf", ".INF"})) {
    return negative ? "-Infinity" : "Infinity";
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) {
    return "NaN";
  }
  size_t at = DigitsFrom(text, start);
  std::string_view whole = text.substr(start, at - start), fraction;
  const bool point = at < text.size() && text[at] == '.';
  if (point) {
    const size_t end = DigitsFrom(text, at + 1);
    fraction = text.substr(at + 1, end - at - 1);
    at = end;
  }
  if (whole.empty() && fraction.empty()) {
    return "";
  }
  const std::string_view exponent = text.substr(at);
  if (!exponent.empty()) {
    const size_t sign = exponent.size() > 1 && IsOneOf(exponent.substr(1, 1), {"-", "+"}) ? 2 : 1;
    if ((exponent[0] != 'e' && exponent[0] != 'E') || sign == exponent.size() ||
        DigitsFrom(exponent, sign) != exponent.size()) {
      return "";
    }
  }
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  std::string json(negative ? "-" : "");
  json += whole.empty() ? "0" : whole;
  if (point) {
    json += '.';
    json += fraction.empty() ? "0" : fraction;
  }
  json += exponent;
  return json;
}

bool IsNull(std::string_view text) { return IsOneOf(text, {"", "~", "null", "Null", "NULL"}); }

/// JSON text of a plain scalar that is no string in the core schema; empty for a string.
std::string TypedJson(std::string_view text) {
  if (IsNull(text)) {
    return "null";
  }
  if (IsOneOf(text, {"true", "True", "TRUE"})) {
    return "true";
  }
  if (IsOneOf(text, {"false", "False", "FALSE"})) {
    return "false";
  }
  return NumberJson(text);
}

std::string Quoted(std::string_view text) {
  std::string out;
  json::AppendQuoted(text, out);
  return out;
}

std::string ScalarJson(std::string_view tag, std::string_view value, const YAML::Mark& mark) {
  if (tag == "?") {
    std::string typed = TypedJson(value);
    return typed.empty() ? Quoted(value) : typed;
  }
  if (tag == kJsonTag) {
    const json::Raw raw = json::RawFromText(value);
    if (!raw.present()) {
      Refuse(Status::InvalidArgument("{} scalar is no JSON value", kJsonTag), mark);
    }
    Arena scratch(256);
    return std::string(json::CellText(raw, json::Surrogates::kKeep, scratch));
  }
  const std::string_view type = tag.starts_with(kCoreTag) ? tag.substr(kCoreTag.size()) : "str";
  if (!IsOneOf(type, {"null", "bool", "int", "float"})) {
    return Quoted(value);
  }
  std::string typed = TypedJson(value);
  const char first = typed.empty() ? '\0' : typed.front();
  const bool number = first != '\0' && first != 'n' && first != 't' && first != 'f';
  const bool integer = number && typed.find_first_not_of("-0123456789") == std::string::npos;
  const bool fits = type == "null"   ? first == 'n'
                    : type == "bool" ? first == 't' || first == 'f'
                    : type == "int"  ? integer
                                     : number;
  if (!fits) {
    Refuse(Status::InvalidArgument("value does not fit its tag !!{}", type), mark);
  }
  return typed;
}

/// Writes the events of one YAML document as compact JSON.
class JsonBuilder final : public YAML::EventHandler {
 public:
  std::string Take() { return std::move(out_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(seen_document_, true)) {
      Refuse(Status::InvalidArgument("more than one YAML document"), mark);
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override { Add("null", anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // A key is the text of its scalar, whatever type that would have.
    Add(WantsKey() && tag == "?" ? Quoted(value) : ScalarJson(tag, value, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      Refuse(Status::InvalidArgument("a YAML alias stands inside what it names"), mark);
    }
    const auto [begin, size] = found->second;
    expanded_ += size;
    if (expanded_ > kMaxYamlBytes) {
      Refuse(Status::ResourceExhausted("YAML aliases expand beyond {} bytes", kMaxYamlBytes), mark);
    }
    const std::string copy = out_.substr(begin, size);
    if (WantsKey() && (copy.front() == '{' || copy.front() == '[')) {
      RefuseKey(mark);
    }
    Add(copy, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, '[', anchor);
  }
  void OnSequenceEnd() override { Close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, '{', anchor);
  }
  void OnMapEnd() override { Close('}'); }

 private:
  struct Level {
    size_t begin;
    YAML::anchor_t anchor;
    bool mapping;
    bool wants_key;  // of a mapping: the next node is a key
    bool empty = true;
  };

  bool WantsKey() const { return !levels_.empty() && levels_.back().wants_key; }
  [[noreturn]] static void RefuseKey(const YAML::Mark& mark) {
    Refuse(Status::InvalidArgument("a mapping key must be a scalar"), mark);
  }

  /// The comma in front of an element or key.
  void Separate() {
    if (levels_.empty() || (levels_.back().mapping && !levels_.back().wants_key)) {
      return;
    }
    if (!std::exchange(levels_.back().empty, false)) {
      out_ += ',';
    }
  }
  void Finish() {
    if (levels_.empty() || !levels_.back().mapping) {
      return;
    }
    Level& level = levels_.back();
    if (level.wants_key) {
      out_ += ':';
    }
    level.wants_key = !level.wants_key;
  }
  void Remember(YAML::anchor_t anchor, size_t begin) {
    if (anchor != YAML::NullAnchor) {
      anchors_[anchor] = {begin, out_.size() - begin};
    }
  }
  void Add(const std::string& json, YAML::anchor_t anchor) {
    Separate();
    const size_t begin = out_.size();
    out_ += WantsKey() && json.front() != '"' ? Quoted(json) : json;
    Remember(anchor, begin);
    Finish();
  }
  void Open(const YAML::Mark& mark, char bracket, YAML::anchor_t anchor) {
    if (WantsKey()) {
      RefuseKey(mark);
    }
    if (levels_.size() == kMaxYamlDepth) {
      Refuse(Status::ResourceExhausted("YAML is nested deeper than {} levels", kMaxYamlDepth),
             mark);
    }
    Separate();
    levels_.push_back({out_.size(), anchor, bracket == '{', bracket == '{'});
    out_ += bracket;
  }
  void Close(char bracket) {
    out_ += bracket;
    const Level level = levels_.back();
    levels_.pop_back();
    Remember(level.anchor, level.begin);
    Finish();
  }

  std::string out_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, std::pair<size_t, size_t>> anchors_;  // begin and size in out_
  size_t expanded_ = 0;
  bool seen_document_ = false;
};

/// Control characters are no YAML; the library would stop at some of them without a word.
Status CheckCharacters(std::string_view yaml) {
  const auto bad = std::find_if(yaml.begin(), yaml.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
           c == '\x7f';
  });
  if (bad == yaml.end()) {
    return Status::Ok();
  }
  return Status::InvalidArgument("line {}: control character 0x{:02x}",
                                 1 + std::count(yaml.begin(), bad, '\n'), *bad);
}

Result<std::string> Parse(std::string_view yaml) {
  try {
    std::istringstream input{std::string(yaml)};
    YAML::Parser parser(input);
    JsonBuilder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    std::string json = builder.Take();
    if (json.empty() || json == "null") {
      return std::string("{}");
    }
    return json;
  } catch (const Refused& refused) {
    return refused.status;
  } catch (const YAML::Exception& error) {
    return Status::InvalidArgument("line {} column {}: {}", error.mark.line + 1,
                                   error.mark.column + 1, error.msg);
  }
}

}  // namespace

Result<std::string> YamlToJson(std::string_view yaml) {
  if (yaml.size() > kMaxYamlBytes) {
    return Status::ResourceExhausted("YAML frontmatter of {} bytes exceeds {}", yaml.size(),
                                     kMaxYamlBytes);
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckCharacters(yaml));
  PCHRONICLE_ASSIGN_OR_RETURN(std::string json, Parse(yaml));
  if (!json.starts_with('{')) {
    return Status::InvalidArgument("must be a mapping");
  }
  // An alias may reach deeper than what was written.
  json::Cursor cursor(json, 0, {.max_depth = kMaxYamlDepth});
  json::Raw whole;
  if (!cursor.Capture(&whole)) {
    return cursor.status();
  }
  return json;
}

}  // namespace pchronicle::model::agenticmd
