#include "pchronicle/sql/bound_columns.h"

namespace pchronicle::sql {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::LogicalTypeId;

std::optional<uint16_t> ColumnOf(const Expression& expression, const ScanColumns& columns) {
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_CAST) {
    const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
    const bool text_of_json = !cast.try_cast && cast.return_type.id() == LogicalTypeId::VARCHAR &&
                              cast.child->return_type.id() == LogicalTypeId::VARCHAR;
    return text_of_json ? ColumnOf(*cast.child, columns) : std::nullopt;
  }
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) {
    return std::nullopt;
  }
  const auto& reference = expression.Cast<duckdb::BoundColumnRefExpression>();
  if (reference.depth != 0 || reference.binding.table_index != columns.table_index ||
      reference.binding.column_index >= columns.ids.size()) {
    return std::nullopt;
  }
  const auto id = columns.ids[reference.binding.column_index].GetPrimaryIndex();
  if (id >= columns.schema.size()) {
    return std::nullopt;
  }
  return static_cast<uint16_t>(id);
}

const duckdb::Value* ConstantOf(const Expression& expression) {
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
    return nullptr;
  }
  const duckdb::Value& value = expression.Cast<duckdb::BoundConstantExpression>().value;
  return value.IsNull() ? nullptr : &value;
}

std::optional<std::string> TextOf(const Expression& expression) {
  const duckdb::Value* value = ConstantOf(expression);
  if (value == nullptr || value->type().id() != LogicalTypeId::VARCHAR) {
    return std::nullopt;
  }
  return duckdb::StringValue::Get(*value);
}

}  // namespace pchronicle::sql
