#include "pchronicle/json/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "pchronicle/json/pointer.h"

namespace pchronicle::json {
namespace {

/// A number as sign, digits without zeros at either end, and the power of ten of the first digit.
struct Decimal {
  bool negative = false;
  std::string digits;  // empty: zero
  int64_t exponent = 0;
  bool huge = false;  // the exponent itself does not fit: `digits` is the whole text
};

Decimal ParseDecimal(std::string_view text) {
  Decimal number;
  const std::string_view whole_text = text;
  if (text.starts_with('-')) {
    number.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, e);
  int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view written = text.substr(e + 1);
    if (written.starts_with('+')) {
      written.remove_prefix(1);
    }
    const auto parsed = std::from_chars(written.data(), written.data() + written.size(), exponent);
    constexpr int64_t kMost = int64_t{1} << 60;
    number.huge = parsed.ec != std::errc() || exponent > kMost || exponent < -kMost;
  }
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  number.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) {
    number.digits += mantissa.substr(point + 1);
  }
  const size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    return {};
  }
  if (number.huge) {
    number.digits = whole_text;
    return number;
  }
  number.exponent = exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first);
  number.digits.erase(0, first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  return number;
}

int Sign(const Decimal& number) { return number.digits.empty() ? 0 : number.negative ? -1 : 1; }

/// Stands for an exponent that does not fit: beyond all that do.
int64_t HugeExponent(std::string_view text) {
  return text.find_first_of("eE") + 1 < text.size() && text[text.find_first_of("eE") + 1] == '-'
             ? INT64_MIN
             : INT64_MAX;
}

bool SameScalar(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case Kind::kNumber:
      return SameNumber(a.raw().text, b.raw().text);
    case Kind::kString:
      return a.string() == b.string();
    case Kind::kBool:
      return a.boolean() == b.boolean();
    default:
      return true;
  }
}

/// Members of `a` that count have their like in `b`.
bool MembersHaveEqual(const Value& a, const Value& b) {
  return std::all_of(a.members().begin(), a.members().end(), [&](const Value::Member& member) {
    const Value& mine = a.Find(member.key);  // the last of duplicates
    const Value& other = b.Find(member.key);
    return mine.has_value() ? other.has_value() && SameMeaning(mine, other) : !other.has_value();
  });
}

class Matcher {
 public:
  explicit Matcher(std::string* why) : why_(why) {}

  bool Match(const Value& expected, const Value& actual) {
    if (expected.kind() != actual.kind()) {
      return Differ(expected, actual);
    }
    if (expected.is_object()) {
      return MatchObject(expected, actual);
    }
    if (!expected.is_array()) {
      return SameScalar(expected, actual) || Differ(expected, actual);
    }
    if (expected.size() != actual.size()) {
      return Say(fmt::format("expected {} elements, found {}", expected.size(), actual.size()));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!Inside(std::to_string(i), expected.At(i), actual.At(i))) {
        return false;
      }
    }
    return true;
  }

 private:
  bool MatchObject(const Value& expected, const Value& actual) {
    for (const Value::Member& member : expected.members()) {
      if (member.key == "$absent") {
        for (const Value& name : member.value.elements()) {
          if (actual.Find(name.string()).present()) {
            return Say(fmt::format("member '{}' must not exist", name.string()));
          }
        }
        continue;
      }
      const Value& found = actual.Find(member.key);
      if (!found.present()) {
        return Say(fmt::format("member '{}' is missing", member.key));
      }
      if (!Inside(member.key, member.value, found)) {
        return false;
      }
    }
    return true;
  }

  bool Inside(std::string_view token, const Value& expected, const Value& actual) {
    const size_t before = path_.size();
    AppendPointerToken(token, path_);
    const bool same = Match(expected, actual);
    path_.resize(before);
    return same;
  }

  bool Differ(const Value& expected, const Value& actual) {
    return Say(fmt::format("expected {}, found {}", expected.raw().text.substr(0, 200),
                           actual.raw().text.substr(0, 200)));
  }

  bool Say(const std::string& what) {
    if (why_ != nullptr) {
      *why_ = fmt::format("at '{}': {}", path_, what);
    }
    return false;
  }

  std::string* why_;
  std::string path_;
};

}  // namespace

bool SameNumber(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const Decimal x = ParseDecimal(a), y = ParseDecimal(b);
  return x.negative == y.negative && x.exponent == y.exponent && x.digits == y.digits &&
         x.huge == y.huge;
}

std::partial_ordering CompareNumbers(std::string_view a, std::string_view b) {
  if (SameNumber(a, b)) {
    return std::partial_ordering::equivalent;
  }
  const Decimal x = ParseDecimal(a), y = ParseDecimal(b);
  const int x_sign = Sign(x), y_sign = Sign(y);
  if (x_sign != y_sign || x_sign == 0) {
    return x_sign <=> y_sign;
  }
  const int64_t x_size = x.huge ? HugeExponent(a) : x.exponent;
  const int64_t y_size = y.huge ? HugeExponent(b) : y.exponent;
  if (x_size == y_size && x.huge) {
    return std::partial_ordering::unordered;
  }
  const std::partial_ordering size =
      x_size != y_size ? x_size <=> y_size : x.digits.compare(y.digits) <=> 0;
  return x_sign > 0 ? size : 0 <=> size;
}

bool SameMeaning(const Value& a, const Value& b) {
  if (a.is_object() && b.is_object()) {
    return MembersHaveEqual(a, b) && MembersHaveEqual(b, a);
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(),
                      b.elements().end(),
                      [](const Value& x, const Value& y) { return SameMeaning(x, y); });
  }
  return !a.is_object() && !a.is_array() && SameScalar(a, b);
}

bool SameMeaning(std::string_view a, std::string_view b) {
  const Result<Tree> x = Tree::Parse(a), y = Tree::Parse(b);
  return x.ok() && y.ok() && SameMeaning(x->root(), y->root());
}

bool Matches(const Value& expected, const Value& actual, std::string* why) {
  return Matcher(why).Match(expected, actual);
}

bool Matches(std::string_view expected, std::string_view actual, std::string* why) {
  const Result<Tree> x = Tree::Parse(expected), y = Tree::Parse(actual);
  if (!x.ok() || !y.ok()) {
    if (why != nullptr) {
      *why = (!x.ok() ? x : y)
                 .status()
                 .WithContext(!x.ok() ? "expected text" : "actual text")
                 .message();
    }
    return false;
  }
  return Matches(x->root(), y->root(), why);
}

}  // namespace pchronicle::json
