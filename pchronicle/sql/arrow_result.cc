#include "pchronicle/sql/arrow_result.h"

namespace pchronicle::sql {
namespace {

/// The exporter writes BIGNUM and GEOMETRY with offsets that do not fit their schema, folds the
/// upper half of UHUGEINT into negative numbers, drops the offset of TIMETZ and has no form for
/// VARIANT.
bool ArrowLoses(const duckdb::LogicalType& type) {
  switch (type.id()) {
    case duckdb::LogicalTypeId::BIGNUM:
    case duckdb::LogicalTypeId::GEOMETRY:
    case duckdb::LogicalTypeId::UHUGEINT:
    case duckdb::LogicalTypeId::TIME_TZ:
    case duckdb::LogicalTypeId::VARIANT:
      return true;
    default:
      return false;
  }
}

duckdb::ClientProperties ArrowProperties(duckdb::ClientContext& client) {
  duckdb::ClientProperties properties = client.GetClientProperties();
  properties.arrow_offset_size = duckdb::ArrowOffsetSize::LARGE;
  properties.arrow_use_list_view = false;
  properties.produce_arrow_string_view = false;
  properties.arrow_lossless_conversion = false;
  return properties;
}

}  // namespace

Status CheckArrowTypes(const duckdb::vector<duckdb::LogicalType>& types,
                       const duckdb::vector<std::string>& names) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (duckdb::TypeVisitor::Contains(types[i], ArrowLoses)) {
      return Status::Unsupported(
          "column '{}' has the type {}, which Arrow cannot carry; cast it to VARCHAR", names[i],
          types[i].ToString());
    }
  }
  return Status::Ok();
}

void ExportArrowSchema(duckdb::ClientContext& client,
                       const duckdb::vector<duckdb::LogicalType>& types,
                       const duckdb::vector<std::string>& names, ArrowSchema* out) {
  duckdb::ClientProperties properties = ArrowProperties(client);
  duckdb::ArrowConverter::ToArrowSchema(out, types, names, properties);
}

void ExportArrowArray(duckdb::ClientContext& client, duckdb::DataChunk& chunk, ArrowArray* out) {
  const auto extensions =
      duckdb::ArrowTypeExtensionData::GetExtensionTypes(client, chunk.GetTypes());
  duckdb::ArrowConverter::ToArrowArray(chunk, out, ArrowProperties(client), extensions);
}

}  // namespace pchronicle::sql
