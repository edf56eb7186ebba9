#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/app/query_spool.h"
#include "pchronicle/base/status.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::app {

enum class QueryFormat : uint8_t {
  kTable,  // columns padded with blanks
  kBox,    // columns in box lines, for terminals
  kJsonl,
  kCsv,
};

struct EncoderOptions {
  QueryFormat format = QueryFormat::kJsonl;
  bool terminal =
      false;  // control characters of data are shown as `\u00xx` (BR-51); JSON escapes them anyway
  size_t width = 0;        // columns of the terminal, kBox fits itself into it; 0: unlimited
  uint64_t max_bytes = 0;  // of the encoding, and of what is held for it; 0: no limit
  const Context* context = nullptr;  // stops a table that is laid out after its last row
};

/// Writes rows in one of the formats of cli.md 3.5. kResourceExhausted, naming `max_output_bytes`,
/// when the encoding grows too large. One thread.
class RowEncoder {
 public:
  virtual ~RowEncoder() = default;
  virtual Status Begin(const std::vector<sql::ResultColumn>& columns) = 0;
  virtual Status Rows(const sql::ResultChunk& chunk) = 0;
  /// Everything is in the spool afterwards.
  virtual Status Finish() = 0;
};

/// `spool` must outlive the encoder.
std::unique_ptr<RowEncoder> MakeEncoder(const EncoderOptions& options, Spool& spool);

}  // namespace pchronicle::app
