#include "pchronicle/model/rows/predicate.h"

#include <algorithm>
#include <cmath>

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::rows {
namespace {

using Op = RowPredicate::Op;

/// Longest part of `needle` whose characters a JSON string can only write as they are, or as \u
/// escapes.
std::string LongestPlainPart(std::string_view needle) {
  std::string_view best;
  size_t begin = 0;
  for (size_t i = 0; i <= needle.size(); ++i) {
    const bool plain = i < needle.size() && static_cast<unsigned char>(needle[i]) >= 0x20 &&
                       needle[i] != '"' && needle[i] != '\\' && needle[i] != '/';
    if (plain) {
      continue;
    }
    if (i - begin > best.size()) {
      best = needle.substr(begin, i - begin);
    }
    begin = i + 1;
  }
  return std::string(best);
}

template <typename T, typename V>
bool Compare(Op op, const T& value, const std::vector<V>& values) {
  switch (op) {
    case Op::kEq:
    case Op::kIn:
      return std::ranges::any_of(values, [&](const V& v) { return value == v; });
    case Op::kNe:
    case Op::kNotIn:
      return std::ranges::none_of(values, [&](const V& v) { return value == v; });
    case Op::kLt:
      return value < values.front();
    case Op::kLe:
      return value <= values.front();
    case Op::kGt:
      return value > values.front();
    case Op::kGe:
      return value >= values.front();
    default:
      return true;
  }
}

bool IsTextType(columnar::Type type) {
  return type == columnar::Type::kVarchar || type == columnar::Type::kJson;
}

}  // namespace

Predicate::Predicate(const RowPredicate& source, Relation relation)
    : column_(source.column), op_(source.op) {
  const columnar::Type type = RelationColumns(relation)[source.column].field.type;
  const bool nulls_only = op_ == Op::kIsNull || op_ == Op::kIsNotNull;
  for (const auto& value : source.values) {
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      undecidable_ |= IsTextType(type);
      ints_.push_back(*integer);
    } else {
      undecidable_ |= !IsTextType(type);
      texts_.push_back(std::get<std::string>(value));
    }
  }
  undecidable_ |=
      columnar::IsList(type) || (source.values.empty() && op_ != Op::kIn && op_ != Op::kNotIn);
  undecidable_ &= !nulls_only;
  if (!undecidable_ && texts_.size() == 1 &&
      (op_ == Op::kContains || op_ == Op::kEq || op_ == Op::kPrefix)) {
    plain_needle_ = LongestPlainPart(texts_.front());
  }
}

bool Predicate::MayMatch(const Cell& cell) const {
  if (cell.kind == Cell::Kind::kUnknown) {
    return true;
  }
  if (cell.is_null()) {
    return op_ == Op::kIsNull;
  }
  if (op_ == Op::kIsNull) {
    return false;
  }
  if (op_ == Op::kIsNotNull || undecidable_) {
    return true;
  }
  switch (cell.kind) {
    case Cell::Kind::kInt:
      return MatchInt(cell.integer);
    case Cell::Kind::kDouble:
      return MatchDouble(cell.number);
    case Cell::Kind::kBorrowed:
    case Cell::Kind::kStable:
      return MatchText(cell.text);
    default:
      return true;
  }
}

bool Predicate::MatchText(std::string_view text) const {
  switch (op_) {
    case Op::kContains:
      return Contains(text, texts_.front());
    case Op::kPrefix:
      return text.starts_with(texts_.front());
    default:
      return Compare(op_, text, texts_);
  }
}

bool Predicate::MatchInt(int64_t value) const { return Compare(op_, value, ints_); }

bool Predicate::MatchDouble(double value) const {
  constexpr int64_t kExact = int64_t{1} << 53;
  const bool exact =
      std::ranges::all_of(ints_, [](int64_t v) { return v >= -kExact && v <= kExact; });
  if (!exact || !std::isfinite(value)) {
    return true;
  }
  std::vector<double> numbers(ints_.begin(), ints_.end());
  return Compare(op_, value, numbers);
}

bool Predicate::DecodedTextMayMatch(std::string_view raw) const {
  return plain_needle_.empty() || Contains(raw, plain_needle_) || HasUnicodeEscape(raw);
}

bool HasUnicodeEscape(std::string_view raw) { return Contains(raw, "\\u"); }

}  // namespace pchronicle::model::rows
