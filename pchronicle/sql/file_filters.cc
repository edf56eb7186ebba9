// What conditions say about `_file_`; those about rows are in filters.cc.

#include <algorithm>

#include "pchronicle/sql/bound_columns.h"
#include "pchronicle/sql/filters.h"

namespace pchronicle::sql {
namespace {

using catalog::FilePredicate;
using catalog::Truth;
using duckdb::BoundComparisonExpression;
using duckdb::BoundConstantExpression;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::LogicalTypeId;

using Kind = FilePredicate::Kind;

bool IsFile(const Expression& expression, const ScanColumns& columns) {
  return ColumnOf(expression, columns) == uint16_t{0};
}

FilePredicate Unknown() { return {}; }

FilePredicate Known(Kind kind, std::vector<std::string> values, char32_t escape = 0) {
  FilePredicate predicate;
  predicate.kind = kind;
  predicate.values = std::move(values);
  predicate.escape = escape;
  return predicate;
}

FilePredicate Combine(Kind kind, std::vector<FilePredicate> children) {
  FilePredicate predicate;
  predicate.kind = kind;
  predicate.children = std::move(children);
  return predicate;
}

FilePredicate FromBoolean(const duckdb::Value& value) {
  if (value.type().id() != LogicalTypeId::BOOLEAN || value.IsNull()) {
    return Unknown();
  }
  FilePredicate predicate;
  predicate.kind = Kind::kLiteral;
  predicate.literal = duckdb::BooleanValue::Get(value) ? Truth::kTrue : Truth::kFalse;
  return predicate;
}

FilePredicate FromComparison(const BoundComparisonExpression& comparison,
                             const ScanColumns& columns) {
  const ExpressionType type = comparison.GetExpressionType();
  if (type != ExpressionType::COMPARE_EQUAL && type != ExpressionType::COMPARE_NOTEQUAL) {
    return Unknown();
  }
  auto text = IsFile(*comparison.left, columns)    ? TextOf(*comparison.right)
              : IsFile(*comparison.right, columns) ? TextOf(*comparison.left)
                                                   : std::nullopt;
  return text ? Known(type == ExpressionType::COMPARE_EQUAL ? Kind::kEq : Kind::kNe,
                      {std::move(*text)})
              : Unknown();
}

FilePredicate FromOperator(const duckdb::BoundOperatorExpression& expression,
                           const ScanColumns& columns) {
  switch (expression.GetExpressionType()) {
    case ExpressionType::OPERATOR_NOT:
      return Combine(Kind::kNot, {ToFilePredicate(*expression.children[0], columns)});
    case ExpressionType::COMPARE_IN:
    case ExpressionType::COMPARE_NOT_IN: {
      if (!IsFile(*expression.children[0], columns)) {
        return Unknown();
      }
      std::vector<std::string> values;
      for (size_t i = 1; i < expression.children.size(); ++i) {
        auto text = TextOf(*expression.children[i]);
        if (!text) {
          return Unknown();
        }
        values.push_back(std::move(*text));
      }
      return Known(
          expression.GetExpressionType() == ExpressionType::COMPARE_IN ? Kind::kIn : Kind::kNotIn,
          std::move(values));
    }
    default:
      return Unknown();
  }
}

constexpr char kOwnEscape = '\\';

std::string QuotePattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == kOwnEscape) {
      pattern += kOwnEscape;
    }
    pattern += c;
  }
  return pattern;
}

/// The pattern ends in its escape character: an error that the engine has to report.
bool EndsInEscape(std::string_view pattern, char escape) {
  size_t run = 0;
  while (run < pattern.size() && pattern[pattern.size() - 1 - run] == escape) {
    ++run;
  }
  return run % 2 == 1;
}

/// The engine's LIKE and what its optimizer makes of it.
FilePredicate FromFunction(const duckdb::BoundFunctionExpression& call,
                           const ScanColumns& columns) {
  const std::string& name = call.function.name;
  const auto& arguments = call.children;
  if (arguments.size() < 2 || !IsFile(*arguments[0], columns)) {
    return Unknown();
  }
  const auto text = TextOf(*arguments[1]);
  if (!text) {
    return Unknown();
  }
  if (name == "~~" || name == "!~~") {
    return Known(name == "~~" ? Kind::kLike : Kind::kNotLike, {*text});
  }
  if (name == "prefix" || name == "starts_with" || name == "^@") {
    return Known(Kind::kLike, {QuotePattern(*text) + "%"}, kOwnEscape);
  }
  if (name == "suffix" || name == "ends_with") {
    return Known(Kind::kLike, {"%" + QuotePattern(*text)}, kOwnEscape);
  }
  if (name == "contains") {
    return Known(Kind::kLike, {"%" + QuotePattern(*text) + "%"}, kOwnEscape);
  }
  if ((name == "like_escape" || name == "not_like_escape") && arguments.size() == 3) {
    const auto escape = TextOf(*arguments[2]);
    if (!escape || escape->size() != 1 || static_cast<unsigned char>(escape->front()) >= 0x80 ||
        EndsInEscape(*text, escape->front())) {
      return Unknown();
    }
    return Known(name == "like_escape" ? Kind::kLike : Kind::kNotLike, {*text},
                 static_cast<unsigned char>(escape->front()));
  }
  return Unknown();
}

}  // namespace

FilePredicate ToFilePredicate(const Expression& condition, const ScanColumns& columns) {
  switch (condition.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONSTANT:
      return FromBoolean(condition.Cast<BoundConstantExpression>().value);
    case ExpressionClass::BOUND_COMPARISON:
      return FromComparison(condition.Cast<BoundComparisonExpression>(), columns);
    case ExpressionClass::BOUND_OPERATOR:
      return FromOperator(condition.Cast<duckdb::BoundOperatorExpression>(), columns);
    case ExpressionClass::BOUND_FUNCTION:
      return FromFunction(condition.Cast<duckdb::BoundFunctionExpression>(), columns);
    case ExpressionClass::BOUND_CONJUNCTION: {
      std::vector<FilePredicate> children;
      for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children) {
        children.push_back(ToFilePredicate(*child, columns));
      }
      return Combine(
          condition.GetExpressionType() == ExpressionType::CONJUNCTION_AND ? Kind::kAnd : Kind::kOr,
          std::move(children));
    }
    default:
      return Unknown();
  }
}

bool IsExact(const FilePredicate& predicate) {
  switch (predicate.kind) {
    case Kind::kUnknown:
      return false;
    case Kind::kLiteral:
      return predicate.literal != Truth::kUnknown;
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
      return std::all_of(predicate.children.begin(), predicate.children.end(), IsExact);
    default:
      return true;
  }
}

}  // namespace pchronicle::sql
