#include "pchronicle/sql/filters.h"

#include <iterator>

#include "pchronicle/sql/bound_columns.h"

namespace pchronicle::sql {
namespace {

using duckdb::BoundComparisonExpression;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::LogicalTypeId;
using model::RowPredicate;

using Op = RowPredicate::Op;
using Literal = std::variant<int64_t, std::string>;

/// The constant in the form in which cells of the column are compared; none for types that differ.
std::optional<Literal> LiteralFor(const Expression& expression, columnar::Type type) {
  const duckdb::Value* value = ConstantOf(expression);
  if (value == nullptr) {
    return std::nullopt;
  }
  using columnar::Type;
  const LogicalTypeId id = value->type().id();
  if ((type == Type::kVarchar || type == Type::kJson) && id == LogicalTypeId::VARCHAR) {
    return duckdb::StringValue::Get(*value);
  }
  if (type == Type::kBigint && id == LogicalTypeId::BIGINT) {
    return duckdb::BigIntValue::Get(*value);
  }
  if (type == Type::kTimestampNs && id == LogicalTypeId::TIMESTAMP_NS) {
    return value->GetValueUnsafe<int64_t>();
  }
  if (type == Type::kBoolean && id == LogicalTypeId::BOOLEAN) {
    return int64_t{duckdb::BooleanValue::Get(*value)};
  }
  return std::nullopt;
}

std::optional<Op> OpOf(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return Op::kEq;
    case ExpressionType::COMPARE_NOTEQUAL:
      return Op::kNe;
    case ExpressionType::COMPARE_LESSTHAN:
      return Op::kLt;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return Op::kLe;
    case ExpressionType::COMPARE_GREATERTHAN:
      return Op::kGt;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return Op::kGe;
    default:
      return std::nullopt;
  }
}

using Predicates = std::vector<RowPredicate>;

Predicates CompareColumn(const Expression& column, ExpressionType type, const Expression& constant,
                         const ScanColumns& columns) {
  const auto index = ColumnOf(column, columns);
  const auto op = OpOf(type);
  if (!index || *index == 0 || !op) {
    return {};
  }
  auto literal = LiteralFor(constant, columns.schema[*index].type);
  if (!literal) {
    return {};
  }
  return {RowPredicate{*index, *op, {std::move(*literal)}}};
}

Predicates RowsFromOperator(const duckdb::BoundOperatorExpression& expression,
                            const ScanColumns& columns) {
  const ExpressionType type = expression.GetExpressionType();
  const auto index = ColumnOf(*expression.children[0], columns);
  if (!index || *index == 0) {
    return {};
  }
  switch (type) {
    case ExpressionType::OPERATOR_IS_NULL:
      return {RowPredicate{*index, Op::kIsNull, {}}};
    case ExpressionType::OPERATOR_IS_NOT_NULL:
      return {RowPredicate{*index, Op::kIsNotNull, {}}};
    case ExpressionType::OPERATOR_NOT:
      if (columns.schema[*index].type == columnar::Type::kBoolean) {
        return {RowPredicate{*index, Op::kEq, {int64_t{0}}}};
      }
      return {};
    case ExpressionType::COMPARE_IN:
    case ExpressionType::COMPARE_NOT_IN: {
      RowPredicate predicate{*index, type == ExpressionType::COMPARE_IN ? Op::kIn : Op::kNotIn, {}};
      for (size_t i = 1; i < expression.children.size(); ++i) {
        auto literal = LiteralFor(*expression.children[i], columns.schema[*index].type);
        if (!literal) {
          return {};
        }
        predicate.values.push_back(std::move(*literal));
      }
      return {std::move(predicate)};
    }
    default:
      return {};
  }
}

Predicates RowsFromLike(uint16_t column, std::string_view pattern, char escape) {
  const LikePieces split = SplitLike(pattern, escape);
  Predicates predicates;
  for (size_t i = 0; i < split.pieces.size(); ++i) {
    predicates.push_back(RowPredicate{
        column, i == 0 && split.anchored_start ? Op::kPrefix : Op::kContains, {split.pieces[i]}});
  }
  return predicates;
}

Predicates RowsFromFunction(const duckdb::BoundFunctionExpression& call,
                            const ScanColumns& columns) {
  const std::string& name = call.function.name;
  const auto& arguments = call.children;
  if (arguments.size() < 2) {
    return {};
  }
  const auto index = ColumnOf(*arguments[0], columns);
  const auto text = TextOf(*arguments[1]);
  if (!index || *index == 0 || !text || text->empty()) {
    return {};
  }
  if (name == "contains" || name == "suffix" || name == "ends_with") {
    return {RowPredicate{*index, Op::kContains, {*text}}};
  }
  if (name == "prefix" || name == "starts_with" || name == "^@") {
    return {RowPredicate{*index, Op::kPrefix, {*text}}};
  }
  if (name == "~~") {
    return RowsFromLike(*index, *text, 0);
  }
  if (name == "like_escape" && arguments.size() == 3) {
    const auto escape = TextOf(*arguments[2]);
    if (escape && escape->size() == 1 && static_cast<unsigned char>(escape->front()) < 0x80) {
      return RowsFromLike(*index, *text, escape->front());
    }
  }
  return {};
}

}  // namespace

std::vector<RowPredicate> ToRowPredicates(const Expression& condition, const ScanColumns& columns) {
  switch (condition.GetExpressionClass()) {
    case ExpressionClass::BOUND_COMPARISON: {
      const auto& comparison = condition.Cast<BoundComparisonExpression>();
      const ExpressionType type = comparison.GetExpressionType();
      Predicates found = CompareColumn(*comparison.left, type, *comparison.right, columns);
      return found.empty()
                 ? CompareColumn(*comparison.right, duckdb::FlipComparisonExpression(type),
                                 *comparison.left, columns)
                 : found;
    }
    case ExpressionClass::BOUND_BETWEEN: {
      const auto& between = condition.Cast<duckdb::BoundBetweenExpression>();
      Predicates found =
          CompareColumn(*between.input, between.LowerComparisonType(), *between.lower, columns);
      Predicates upper =
          CompareColumn(*between.input, between.UpperComparisonType(), *between.upper, columns);
      found.insert(found.end(), upper.begin(), upper.end());
      return found;
    }
    case ExpressionClass::BOUND_OPERATOR:
      return RowsFromOperator(condition.Cast<duckdb::BoundOperatorExpression>(), columns);
    case ExpressionClass::BOUND_FUNCTION:
      return RowsFromFunction(condition.Cast<duckdb::BoundFunctionExpression>(), columns);
    case ExpressionClass::BOUND_CONJUNCTION: {
      Predicates found;
      if (condition.GetExpressionType() == ExpressionType::CONJUNCTION_AND) {
        for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children) {
          Predicates more = ToRowPredicates(*child, columns);
          found.insert(found.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
        }
      }
      return found;
    }
    case ExpressionClass::BOUND_COLUMN_REF: {
      const auto index = ColumnOf(condition, columns);
      if (index && columns.schema[*index].type == columnar::Type::kBoolean) {
        return {RowPredicate{*index, Op::kEq, {int64_t{1}}}};
      }
      return {};
    }
    default:
      return {};
  }
}

LikePieces SplitLike(std::string_view pattern, char escape) {
  LikePieces split;
  std::string piece;
  bool wildcard_before = false;  // a wildcard stands before the piece being collected
  const auto finish = [&] {
    if (!piece.empty()) {
      if (split.pieces.empty()) {
        split.anchored_start = !wildcard_before;
      }
      split.pieces.push_back(std::move(piece));
      piece.clear();
    }
    wildcard_before = true;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (escape != 0 && pattern[i] == escape && i + 1 < pattern.size()) {
      piece += pattern[++i];
    } else if (pattern[i] == '%' || pattern[i] == '_') {
      finish();
    } else {
      piece += pattern[i];
    }
  }
  finish();
  return split;
}

}  // namespace pchronicle::sql
