#include "pchronicle/model/agenticmd/yaml_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/agenticmd/yaml_frontmatter.h"

namespace pchronicle::model::agenticmd {
namespace {

/// YAML readers look for the colon of a key in the first 1024 characters of one line.
constexpr size_t kLongKey = 512;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Words that some version of YAML reads as null or a boolean.
bool IsReserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {"null", "true", "false", "yes", "no",
                                                      "on",   "off",  "y",     "n"};
  std::string lower(text.substr(0, 6));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

/// Letters first, nothing that YAML gives a meaning, no blank at an end.
bool IsPlainSafe(std::string_view text) {
  if (text.empty() || text.size() > 200 || IsReserved(text)) {
    return false;
  }
  if (!IsLetter(text.front()) && text.front() != '_' && text.front() != '/') {
    return false;
  }
  return text.back() != ' ' && std::all_of(text.begin(), text.end(), [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '_' || c == '-' || c == '.' || c == '/' ||
                  c == ' ';
         });
}

/// Code points outside YAML's printable set, or that a reader may take for a line break.
bool NeedsEscape(uint32_t code) {
  return (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
         (code & 0xfffe) == 0xfffe;
}

/// Decodes the sequence at the front of valid UTF-8.
uint32_t CodePoint(std::string_view text, size_t* length) {
  const auto lead = static_cast<unsigned char>(text.front());
  *length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  constexpr uint32_t kLeadBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = lead & kLeadBits[*length];
  for (size_t i = 1; i < *length; ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  return code;
}

/// Escapes of JSON are escapes of YAML, too; on top of them what only YAML objects to.
void AppendDoubleQuoted(std::string_view text, std::string& out) {
  std::string json;
  json::AppendQuoted(text, json);
  for (std::string_view rest = json; !rest.empty();) {
    size_t length = 1;
    const uint32_t code = CodePoint(rest, &length);
    if (!NeedsEscape(code)) {
      out += rest.substr(0, length);
    } else {
      out += code > 0xffff ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
    }
    rest.remove_prefix(length);
  }
}

void AppendString(const json::Raw& raw, std::string& out) {
  if ((raw.flags & json::kHasLoneSurrogate) != 0) {
    out += kJsonTag;
    out += ' ';
    AppendDoubleQuoted(raw.text, out);
    return;
  }
  Arena scratch(256);
  const std::string_view text = json::DecodeString(raw, scratch);
  if (IsPlainSafe(text)) {
    out += text;
  } else {
    AppendDoubleQuoted(text, out);
  }
}

/// Writes values of minified JSON. `indent` is that of the line a value begins on.
class BlockWriter {
 public:
  explicit BlockWriter(std::string& out) : out_(out) {}

  /// The first line continues the current one.
  void Mapping(std::string_view object, size_t indent) {
    json::Cursor cursor(object, 0, {.max_depth = kMaxYamlDepth});
    cursor.BeginObject();
    std::string_view key;
    for (uint64_t at = cursor.offset(); cursor.NextKey(&key); at = cursor.offset()) {
      // The key as it stands tells lone surrogates, which the decoded one has lost.
      const std::string_view around = object.substr(at, cursor.offset() - at);
      const size_t quote = around.find('"');
      const json::Raw name = json::RawFromText(around.substr(quote, around.rfind('"') + 1 - quote));
      json::Raw value;
      if (!cursor.Capture(&value)) {
        return;
      }
      if (at > 1) {
        out_.append(indent, ' ');
      }
      Key(name, indent);
      ValueOfKey(value, indent);
    }
  }

 private:
  void Key(const json::Raw& name, size_t indent) {
    std::string text;
    AppendString(name, text);
    if (text.size() > kLongKey) {
      out_ += "? " + text + "\n";
      out_.append(indent, ' ');
      out_ += ':';
    } else {
      out_ += text + ":";
    }
  }

  static bool IsNested(const json::Raw& value) {
    return (value.kind == json::Kind::kObject || value.kind == json::Kind::kArray) &&
           value.text.size() > 2;
  }

  void ValueOfKey(const json::Raw& value, size_t indent) {
    if (!IsNested(value)) {
      out_ += ' ';
      Value(value, indent);
      return;
    }
    out_ += '\n';
    out_.append(indent + 2, ' ');
    Value(value, indent + 2);
  }

  void Value(const json::Raw& value, size_t indent) {
    if (IsNested(value)) {
      value.kind == json::Kind::kObject ? Mapping(value.text, indent)
                                        : Sequence(value.text, indent);
      return;
    }
    if (value.is_string()) {
      AppendString(value, out_);
    } else {
      out_ += value.text;
    }
    out_ += '\n';
  }

  void Sequence(std::string_view array, size_t indent) {
    json::Cursor cursor(array, 0, {.max_depth = kMaxYamlDepth});
    cursor.BeginArray();
    for (bool first = true; cursor.NextElement(); first = false) {
      json::Raw value;
      if (!cursor.Capture(&value)) {
        return;
      }
      if (!first) {
        out_.append(indent, ' ');
      }
      out_ += "- ";
      Value(value, indent + 2);
    }
  }

  std::string& out_;
};

}  // namespace

Result<std::string> JsonToYaml(std::string_view object) {
  json::Cursor cursor(object, 0, {.max_depth = kMaxYamlDepth});
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  if (raw.kind != json::Kind::kObject) {
    return Status::InvalidArgument("YAML frontmatter must be an object");
  }
  Arena scratch;
  const std::string_view minified = json::CellText(raw, json::Surrogates::kKeep, scratch);
  if (minified == "{}") {
    return std::string("{}\n");
  }
  std::string out;
  BlockWriter(out).Mapping(minified, 0);
  return out;
}

}  // namespace pchronicle::model::agenticmd
