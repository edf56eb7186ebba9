#pragma once

#include <string>
#include <vector>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

/// Writes cells of one chunk as text (cli.md 3.5). Valid as long as the chunk.
class CellWriter {
 public:
  explicit CellWriter(duckdb::DataChunk& chunk);

  bool IsNull(size_t column, size_t row) const;
  void Append(size_t column, size_t row, CellStyle style, std::string* out) const;

 private:
  std::vector<duckdb::RecursiveUnifiedVectorFormat> columns_;
  std::vector<bool> printed_by_engine_;  // types whose only text form is the engine's
  duckdb::DataChunk& chunk_;
};

/// `text` as a JSON string with quotes. Control characters are escaped, everything else is kept.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace pchronicle::sql
