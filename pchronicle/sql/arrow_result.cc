#include "pchronicle/sql/arrow_result.h"

namespace pchronicle::sql {

duckdb::ClientProperties ArrowProperties(duckdb::ClientContext& client) {
  duckdb::ClientProperties properties = client.GetClientProperties();
  properties.arrow_offset_size = duckdb::ArrowOffsetSize::LARGE;
  properties.arrow_use_list_view = false;
  properties.produce_arrow_string_view = false;
  properties.arrow_lossless_conversion = false;
  return properties;
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
