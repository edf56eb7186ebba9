#include "tests/same_answer/made_values.h"

#include <fmt/format.h>

#include <utility>

#include "tests/same_answer/dice.h"

namespace pchronicle::same_answer {
namespace {

/// A character and ways to write it in a JSON string.
struct Character {
  const char* plain;
  std::vector<const char*> written;
};

const std::vector<Character>& Characters() {
  static const std::vector<Character> all = {
      {"a", {"a", "\\u0061"}},
      {"words ", {"words "}},
      {"\"", {"\\\"", "\\u0022"}},
      {"\\", {"\\\\", "\\u005c"}},
      {"\n", {"\\n", "\\u000a", "\\u000A"}},
      {"/", {"/", "\\/"}},
      {"{", {"{"}},
      {"]", {"]"}},
      {",", {","}},
      {":", {":"}},
      {"\xc3\xa9", {"\xc3\xa9", "\\u00e9"}},
      {"\xe6\x97\xa5", {"\xe6\x97\xa5", "\\u65e5"}},
      {"\xf0\x9f\x98\x80", {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"}},
      {"\t", {"\\t"}},
  };
  return all;
}

/// A key as it is, or with an escape in it.
std::string Key(std::string_view key) {
  if (key.empty() || !Chance(6)) {
    return fmt::format("\"{}\"", key);
  }
  const size_t at = static_cast<size_t>(Number(0, static_cast<int>(key.size()) - 1));
  return fmt::format("\"{}\\u{:04x}{}\"", key.substr(0, at), static_cast<unsigned>(key[at]),
                     key.substr(at + 1));
}

Written DeepValue() {
  const size_t depth = static_cast<size_t>(Number(5, 60));
  const std::string text = std::string(depth, '[') + "\"]\"" + std::string(depth, ']');
  return {text, text};
}

}  // namespace

bool Chance(int percent) { return Dice::Chance(percent); }
int Number(int least, int most) { return static_cast<int>(Dice::Number(least, most)); }

std::string Blanks() {
  if (!Chance(15)) {
    return "";
  }
  return Dice::OneOf<std::string>({" ", "  ", "\t", " \t ", std::string(70, ' ')});
}

Written RandomString(int most) {
  Written string;
  string.json = "\"";
  for (int i = Number(0, most); i > 0; --i) {
    const Character& c =
        Characters()[static_cast<size_t>(Number(0, static_cast<int>(Characters().size()) - 1))];
    string.plain += c.plain;
    string.json +=
        c.written[static_cast<size_t>(Number(0, static_cast<int>(c.written.size()) - 1))];
  }
  if (Chance(5)) {
    const std::string padding(static_cast<size_t>(Number(100, 5000)), 'x');
    string.plain += padding;
    string.json += padding;
  }
  string.json += "\"";
  return string;
}

Written RandomText(int most) {
  Written text = RandomString(most);
  while (text.plain.empty()) {
    text = RandomString(most);
  }
  return text;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

Written RandomValue(int depth) {
  const int kind = Number(0, depth > 0 ? 9 : 6);
  if (kind <= 4) {
    const std::string token = Dice::OneOf<std::string>(
        {"null", "true", "false", "0", "-1.50", "1e3", "12345678901234567890", "[]", "{}"});
    return {token, token};
  }
  if (kind <= 6) {
    const std::string text = RandomString(6).json;
    return {text, text};
  }
  const bool object = kind == 7;
  Written value{object ? "{" : "[", object ? "{" : "["};
  for (int i = Number(0, 3); i > 0; --i) {
    if (object) {
      // Names that mean something elsewhere, and the same one twice.
      const std::string key =
          Dice::OneOf<std::string>({"\"steps\"", "\"message\"", "\"k\"", "\"k\"", "\"K\"", "\"\"",
                                    "\"a\\\"b\"", "\"session_id\"", "\"\\u0061\""});
      value.plain += key + ":";
      value.json += Blanks() + key + Blanks() + ":";
    }
    const Written inner = RandomValue(depth - 1);
    value.plain += inner.plain + (i > 1 ? "," : "");
    value.json += Blanks() + inner.json + Blanks() + (i > 1 ? "," : "");
  }
  value.plain += object ? "}" : "]";
  value.json += object ? "}" : "]";
  return value;
}

void Members::Add(std::string_view key, std::string value) {
  members_.push_back({std::string(key), Key(key), std::move(value)});
}

void Members::AddString(std::string_view key, std::string_view plain) {
  Add(key, fmt::format("\"{}\"", plain));
}

void Members::AddTwice(std::string_view key, std::string first, std::string last) {
  if (Chance(4)) {
    Add(key, std::move(first));
  }
  Add(key, std::move(last));
}

void Members::AddOdd() {
  for (int i = Number(0, 2); i > 0; --i) {
    const std::string key =
        Dice::OneOf<std::string>({"vendor", "x", "Steps", "we ird", "SESSION_ID", "vendor"});
    Add(key, Chance(10) ? DeepValue().json : RandomValue(3).json);
  }
}

std::string Members::Text(bool shuffle) {
  if (shuffle) {
    Shuffle();
  }
  std::string text = "{";
  for (size_t i = 0; i < members_.size(); ++i) {
    text += Blanks() + members_[i].written + Blanks() + ":" + Blanks() + members_[i].value +
            Blanks() + (i + 1 < members_.size() ? "," : "");
  }
  return text + "}";
}

void Members::Shuffle() {
  for (int i = Number(0, 6); i > 0 && members_.size() > 1; --i) {
    const auto at = static_cast<size_t>(Number(0, static_cast<int>(members_.size()) - 2));
    if (members_[at].name != members_[at + 1].name) {
      std::swap(members_[at], members_[at + 1]);
    }
  }
}

std::string Array(const std::vector<std::string>& items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    text += Blanks() + items[i] + Blanks() + (i + 1 < items.size() ? "," : "");
  }
  return text + "]";
}

void Pack(const std::vector<std::string>& records, std::string_view stem, MadeText& made,
          bool may_be_array) {
  const bool alone = records.size() == 1 && Chance(may_be_array ? 33 : 50);
  const int form = alone ? 2 : may_be_array ? Number(0, 1) : 0;
  made.container = form == 0 ? json::Container::kLines : json::Container::kDocument;
  made.name = fmt::format("{}.{}", stem, form == 0 ? "jsonl" : "json");
  if (form == 0) {
    for (const std::string& record : records) {
      made.text += record + (Chance(20) ? "\r\n" : "\n") + (Chance(10) ? "\n" : "");
    }
  } else if (form == 1) {
    made.text = Array(records);
  } else {
    made.text = records.front();
  }
  if (Chance(10)) {
    made.text.insert(0, "\xef\xbb\xbf");
  }
}

Written Arguments() {
  Written value = RandomValue(3);
  while (value.plain.empty() || value.plain[0] != '{') {
    value = {"{\"q\":" + value.plain + "}", "{ \"q\" :" + value.json + "}"};
  }
  return value;
}

}  // namespace pchronicle::same_answer
