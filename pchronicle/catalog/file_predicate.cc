#include "pchronicle/catalog/file_predicate.h"

#include <algorithm>
#include <optional>

namespace pchronicle::catalog {
namespace {

Truth Of(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

Truth Not(Truth value) {
  switch (value) {
    case Truth::kFalse:
      return Truth::kTrue;
    case Truth::kTrue:
      return Truth::kFalse;
    case Truth::kUnknown:
      break;
  }
  return Truth::kUnknown;
}

/// Bytes of the UTF-8 character at the start of `text`; 1 for a byte that starts none.
size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return std::min(want, text.size());
}

void AppendCharacter(char32_t c, std::string& out) {
  const auto push = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xc0 | c >> 6);
    push(0x80 | (c & 63));
  } else if (c < 0x10000) {
    push(0xe0 | c >> 12);
    push(0x80 | (c >> 6 & 63));
    push(0x80 | (c & 63));
  } else {
    push(0xf0 | c >> 18);
    push(0x80 | (c >> 12 & 63));
    push(0x80 | (c >> 6 & 63));
    push(0x80 | (c & 63));
  }
}

/// SQL LIKE on characters. No value when the pattern ends in its escape character: the engine makes
/// an error of it.
std::optional<bool> Like(std::string_view text, std::string_view pattern, char32_t escape) {
  std::string escape_text;
  if (escape != 0) {
    AppendCharacter(escape, escape_text);
    // A trailing escape is an error wherever the match stands, so it is looked for first.
    for (std::string_view rest = pattern; !rest.empty();) {
      if (rest.starts_with(escape_text)) {
        rest.remove_prefix(escape_text.size());
        if (rest.empty()) {
          return std::nullopt;
        }
      }
      rest.remove_prefix(CharacterBytes(rest));
    }
  }
  // Greedy with one point to come back to: after the last '%', which swallows one more character
  // each time.
  std::string_view resume_pattern;
  std::string_view resume_text;
  bool can_resume = false;
  while (true) {
    bool matched = false;
    if (!pattern.empty()) {
      const bool escaped = escape != 0 && pattern.starts_with(escape_text);
      if (!escaped && pattern.front() == '%') {
        pattern.remove_prefix(1);
        can_resume = true;
        resume_pattern = pattern;
        resume_text = text;
        continue;
      }
      const std::string_view rest = escaped ? pattern.substr(escape_text.size()) : pattern;
      const size_t width = CharacterBytes(rest);
      if (!text.empty()) {
        if (!escaped && rest.front() == '_') {
          text.remove_prefix(CharacterBytes(text));
          matched = true;
        } else if (text.starts_with(rest.substr(0, width))) {
          text.remove_prefix(width);
          matched = true;
        }
      }
      if (matched) {
        pattern = rest.substr(width);
      }
    } else if (text.empty()) {
      return true;
    }
    if (matched) {
      continue;
    }
    if (!can_resume || resume_text.empty()) {
      return false;
    }
    resume_text.remove_prefix(CharacterBytes(resume_text));
    text = resume_text;
    pattern = resume_pattern;
  }
}

Truth EvaluateLike(const FilePredicate& predicate, std::string_view file) {
  if (predicate.values.size() != 1) {
    return Truth::kUnknown;
  }
  const auto matched = Like(file, predicate.values.front(), predicate.escape);
  return matched ? Of(*matched) : Truth::kUnknown;
}

bool Contains(const std::vector<std::string>& values, std::string_view file) {
  return std::find(values.begin(), values.end(), file) != values.end();
}

}  // namespace

Truth Evaluate(const FilePredicate& predicate, std::string_view file) {
  using Kind = FilePredicate::Kind;
  switch (predicate.kind) {
    case Kind::kUnknown:
      return Truth::kUnknown;
    case Kind::kLiteral:
      return predicate.literal;
    case Kind::kEq:
    case Kind::kIn:
      return Of(Contains(predicate.values, file));
    case Kind::kNe:
    case Kind::kNotIn:
      return Of(!Contains(predicate.values, file));
    case Kind::kLike:
      return EvaluateLike(predicate, file);
    case Kind::kNotLike:
      return Not(EvaluateLike(predicate, file));
    case Kind::kAnd: {
      Truth result = Truth::kTrue;
      for (const FilePredicate& child : predicate.children) {
        const Truth value = Evaluate(child, file);
        if (value == Truth::kFalse) {
          return Truth::kFalse;
        }
        result = value == Truth::kUnknown ? Truth::kUnknown : result;
      }
      return result;
    }
    case Kind::kOr: {
      Truth result = Truth::kFalse;
      for (const FilePredicate& child : predicate.children) {
        const Truth value = Evaluate(child, file);
        if (value == Truth::kTrue) {
          return Truth::kTrue;
        }
        result = value == Truth::kUnknown ? Truth::kUnknown : result;
      }
      return result;
    }
    case Kind::kNot:
      return predicate.children.size() == 1 ? Not(Evaluate(predicate.children.front(), file))
                                            : Truth::kUnknown;
  }
  return Truth::kUnknown;
}

}  // namespace pchronicle::catalog
