#include "pchronicle/sql/row_filters.h"

#include <algorithm>

#include "pchronicle/sql/array_types.h"
#include "pchronicle/sql/bound_columns.h"

namespace pchronicle::sql {
namespace {

using columnar::CompareOp;
using columnar::DataField;
using columnar::PredicatePtr;
using columnar::Scalar;
using columnar::TimeUnit;
using columnar::TypeId;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::LogicalTypeId;

/// A column or a member of one that an expression names.
struct Place {
  std::string path;
  const DataField* field;
};

/// Number of the member that `struct_extract(place, name or number)` takes.
std::optional<duckdb::idx_t> MemberOf(const duckdb::BoundFunctionExpression& call) {
  const bool by_name = call.function.name == "struct_extract";
  if ((!by_name && call.function.name != "struct_extract_at") || call.children.size() != 2 ||
      call.children[0]->return_type.id() != LogicalTypeId::STRUCT) {
    return std::nullopt;
  }
  const duckdb::Value* wanted = ConstantOf(*call.children[1]);
  if (wanted == nullptr || wanted->type().id() != LogicalTypeId::VARCHAR) {
    return std::nullopt;
  }
  const auto& members = duckdb::StructType::GetChildTypes(call.children[0]->return_type);
  for (duckdb::idx_t i = 0; i < members.size(); ++i) {
    if (duckdb::StringUtil::CIEquals(members[i].first, duckdb::StringValue::Get(*wanted))) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<Place> PlaceOf(const Expression& expression, const RowColumns& columns) {
  std::vector<duckdb::idx_t> members;  // innermost first
  const Expression* at = &expression;
  while (at->GetExpressionClass() == ExpressionClass::BOUND_FUNCTION) {
    const auto& call = at->Cast<duckdb::BoundFunctionExpression>();
    const auto member = MemberOf(call);
    if (!member) {
      return std::nullopt;
    }
    members.push_back(*member);
    at = call.children[0].get();
  }
  if (at->GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) {
    return std::nullopt;
  }
  const auto& reference = at->Cast<duckdb::BoundColumnRefExpression>();
  if (reference.depth != 0 || reference.binding.table_index != columns.table_index ||
      reference.binding.column_index >= columns.ids.size()) {
    return std::nullopt;
  }
  const auto id = columns.ids[reference.binding.column_index].GetPrimaryIndex();
  if (id >= columns.columns.size() || !columns.columns[id].unreadable.empty() ||
      columns.columns[id].is_blob) {
    return std::nullopt;
  }
  std::reverse(members.begin(), members.end());
  auto path = MemberPath(columns.columns, id, members);
  if (!path) {
    return std::nullopt;
  }
  const DataField* field = &columns.columns[id].field;
  for (const duckdb::idx_t member : members) {
    field = &field->type->children.at(member);
  }
  return Place{std::move(*path), field};
}

/// A number of microseconds (what the engine compares in) in the unit of the column; nothing when
/// it lies between two of them.
std::optional<Scalar> InUnit(int64_t micros, TimeUnit unit) {
  const int64_t per_unit = unit == TimeUnit::kSecond  ? 1'000'000
                           : unit == TimeUnit::kMilli ? 1'000
                                                      : 1;
  if (micros % per_unit != 0) {
    return std::nullopt;
  }
  return Scalar(micros / per_unit);
}

/// The constant in the form in which the column is compared; nothing where the orders differ.
std::optional<Scalar> LiteralFor(const Expression& expression, const DataField& field) {
  const duckdb::Value* value = ConstantOf(expression);
  if (value == nullptr || value->type() != ToLogicalType(field)) {
    return std::nullopt;
  }
  const columnar::DataType& type = *field.type;
  switch (type.id) {
    case TypeId::kBool:
      return Scalar(duckdb::BooleanValue::Get(*value));
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
      return Scalar(value->GetValue<int64_t>());
    case TypeId::kUint8:
    case TypeId::kUint16:
    case TypeId::kUint32:
    case TypeId::kUint64:
      return Scalar(value->GetValue<uint64_t>());
    case TypeId::kHalf:
    case TypeId::kFloat:
      return Scalar(static_cast<double>(duckdb::FloatValue::Get(*value)));
    case TypeId::kDouble:
      return Scalar(duckdb::DoubleValue::Get(*value));
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
      if (value->type().id() != LogicalTypeId::VARCHAR || value->type().HasAlias()) {
        return std::nullopt;  // JSON texts have no order of their own here
      }
      return Scalar(duckdb::StringValue::Get(*value));
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      return Scalar(duckdb::StringValue::Get(*value));
    case TypeId::kFixedBinary:
      return value->type().id() == LogicalTypeId::BLOB
                 ? std::optional<Scalar>(duckdb::StringValue::Get(*value))
                 : std::nullopt;
    case TypeId::kDate32:
      return Scalar(int64_t{value->GetValueUnsafe<int32_t>()});
    case TypeId::kTime32:
    case TypeId::kTime64:
      return InUnit(value->GetValueUnsafe<int64_t>(), type.unit);
    case TypeId::kTimestamp:
      return type.timezone.empty() ? Scalar(value->GetValueUnsafe<int64_t>())
                                   : InUnit(value->GetValueUnsafe<int64_t>(), type.unit);
    default:
      return std::nullopt;
  }
}

std::optional<CompareOp> OpOf(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return CompareOp::kEq;
    case ExpressionType::COMPARE_NOTEQUAL:
      return CompareOp::kNe;
    case ExpressionType::COMPARE_LESSTHAN:
      return CompareOp::kLt;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return CompareOp::kLe;
    case ExpressionType::COMPARE_GREATERTHAN:
      return CompareOp::kGt;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return CompareOp::kGe;
    default:
      return std::nullopt;
  }
}

using Filter = std::optional<RowFilter>;

Filter CompareWith(const Expression& place, ExpressionType type, const Expression& constant,
                   const RowColumns& columns) {
  const auto op = OpOf(type);
  const auto found = op ? PlaceOf(place, columns) : std::nullopt;
  auto literal = found ? LiteralFor(constant, *found->field) : std::nullopt;
  if (!literal) {
    return std::nullopt;
  }
  return RowFilter{columnar::Compare(found->path, *op, std::move(*literal))};
}

Filter FromComparison(const duckdb::BoundComparisonExpression& comparison,
                      const RowColumns& columns) {
  const ExpressionType type = comparison.GetExpressionType();
  Filter found = CompareWith(*comparison.left, type, *comparison.right, columns);
  return found ? found
               : CompareWith(*comparison.right, duckdb::FlipComparisonExpression(type),
                             *comparison.left, columns);
}

/// Of AND and OR. A part of AND that says nothing only makes it inexact; one of OR spoils it.
Filter Combine(const std::vector<Filter>& parts, bool conjunction) {
  std::vector<PredicatePtr> children;
  bool exact = true;
  for (const Filter& part : parts) {
    if (part) {
      children.push_back(part->predicate);
    } else if (!conjunction) {
      return std::nullopt;
    }
    exact = exact && part && part->exact;
  }
  if (children.empty()) {
    return std::nullopt;
  }
  return RowFilter{
      conjunction ? columnar::And(std::move(children)) : columnar::Or(std::move(children)), exact};
}

Filter FromBetween(const duckdb::BoundBetweenExpression& between, const RowColumns& columns) {
  return Combine(
      {CompareWith(*between.input, between.LowerComparisonType(), *between.lower, columns),
       CompareWith(*between.input, between.UpperComparisonType(), *between.upper, columns)},
      true);
}

Filter FromIn(const duckdb::BoundOperatorExpression& expression, const RowColumns& columns) {
  const auto place = PlaceOf(*expression.children[0], columns);
  std::vector<Scalar> values;
  for (size_t i = 1; place && i < expression.children.size(); ++i) {
    auto literal = LiteralFor(*expression.children[i], *place->field);
    if (!literal) {
      return std::nullopt;
    }
    values.push_back(std::move(*literal));
  }
  if (values.empty()) {
    return std::nullopt;
  }
  PredicatePtr in = columnar::In(place->path, std::move(values));
  return RowFilter{expression.GetExpressionType() == ExpressionType::COMPARE_IN
                       ? std::move(in)
                       : columnar::Not(std::move(in))};
}

Filter FromOperator(const duckdb::BoundOperatorExpression& expression, const RowColumns& columns) {
  switch (expression.GetExpressionType()) {
    case ExpressionType::OPERATOR_IS_NULL:
    case ExpressionType::OPERATOR_IS_NOT_NULL: {
      const auto place = PlaceOf(*expression.children[0], columns);
      if (!place) {
        return std::nullopt;
      }
      PredicatePtr null = columnar::IsNull(place->path);
      return RowFilter{expression.GetExpressionType() == ExpressionType::OPERATOR_IS_NULL
                           ? std::move(null)
                           : columnar::Not(std::move(null))};
    }
    case ExpressionType::OPERATOR_NOT: {
      const Filter child = ToRowFilter(*expression.children[0], columns);
      return child && child->exact ? Filter(RowFilter{columnar::Not(child->predicate)})
                                   : std::nullopt;
    }
    case ExpressionType::COMPARE_IN:
    case ExpressionType::COMPARE_NOT_IN:
      return FromIn(expression, columns);
    default:
      return std::nullopt;
  }
}

/// Texts that start with `prefix` lie between it and the first text behind all of them.
RowFilter StartsWith(const std::string& path, const std::string& prefix) {
  std::vector<PredicatePtr> bounds = {columnar::Compare(path, CompareOp::kGe, prefix)};
  std::string behind = prefix;
  while (!behind.empty() && static_cast<unsigned char>(behind.back()) == 0xff) {
    behind.pop_back();
  }
  if (!behind.empty()) {
    behind.back() = static_cast<char>(static_cast<unsigned char>(behind.back()) + 1);
    bounds.push_back(columnar::Compare(path, CompareOp::kLt, std::move(behind)));
  }
  return RowFilter{columnar::And(std::move(bounds)), false};
}

Filter FromFunction(const duckdb::BoundFunctionExpression& call, const RowColumns& columns) {
  const std::string& name = call.function.name;
  if (call.children.size() != 2) {
    return std::nullopt;
  }
  const auto place = PlaceOf(*call.children[0], columns);
  if (!place) {
    return std::nullopt;
  }
  if (name == "prefix" || name == "starts_with" || name == "^@") {
    const auto text = LiteralFor(*call.children[1], *place->field);
    const auto* prefix = text ? std::get_if<std::string>(&*text) : nullptr;
    return prefix != nullptr && !prefix->empty() ? Filter(StartsWith(place->path, *prefix))
                                                 : std::nullopt;
  }
  const bool has = name == "list_contains" || name == "array_contains" || name == "list_has" ||
                   name == "array_has";
  if (has && columnar::IsListLike(place->field->type->id) &&
      place->field->type->id != TypeId::kMap) {
    auto item = LiteralFor(*call.children[1], place->field->type->children.at(0));
    return item ? Filter(RowFilter{columnar::Contains(place->path, std::move(*item)), false})
                : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RowFilter> ToRowFilter(const Expression& condition, const RowColumns& columns) {
  switch (condition.GetExpressionClass()) {
    case ExpressionClass::BOUND_COMPARISON:
      return FromComparison(condition.Cast<duckdb::BoundComparisonExpression>(), columns);
    case ExpressionClass::BOUND_BETWEEN:
      return FromBetween(condition.Cast<duckdb::BoundBetweenExpression>(), columns);
    case ExpressionClass::BOUND_OPERATOR:
      return FromOperator(condition.Cast<duckdb::BoundOperatorExpression>(), columns);
    case ExpressionClass::BOUND_CONJUNCTION: {
      std::vector<Filter> parts;
      for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children) {
        parts.push_back(ToRowFilter(*child, columns));
      }
      return Combine(parts, condition.GetExpressionType() == ExpressionType::CONJUNCTION_AND);
    }
    case ExpressionClass::BOUND_FUNCTION:
      if (Filter found = FromFunction(condition.Cast<duckdb::BoundFunctionExpression>(), columns)) {
        return found;
      }
      [[fallthrough]];  // a member that is a boolean
    case ExpressionClass::BOUND_COLUMN_REF: {
      const auto place = PlaceOf(condition, columns);
      return place && place->field->type->id == TypeId::kBool
                 ? Filter(RowFilter{columnar::Compare(place->path, CompareOp::kEq, true)})
                 : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string> MemberPath(const std::vector<catalog::RowColumn>& columns, size_t column,
                                      const std::vector<duckdb::idx_t>& members) {
  const DataField* field = &columns[column].field;
  std::string path = field->name;
  for (const duckdb::idx_t member : members) {
    if (field->type == nullptr || field->type->id != TypeId::kStruct ||
        member >= field->type->children.size()) {
      return std::nullopt;
    }
    field = &field->type->children[member];
    if (field->name.find('.') != std::string::npos) {
      return std::nullopt;
    }
    path += '.' + field->name;
  }
  // A path must lead to one place only, whatever other columns are called.
  const auto dotted = [](const catalog::RowColumn& other) {
    return other.field.name.find('.') != std::string::npos;
  };
  return std::any_of(columns.begin(), columns.end(), dotted) &&
                 (!members.empty() || dotted(columns[column]))
             ? std::nullopt
             : std::optional<std::string>(std::move(path));
}

}  // namespace pchronicle::sql
