#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/row_table.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/columnar/batch.h"
#include "pchronicle/model/relations.h"

struct ArrowArray;  // pchronicle/columnar/arrow_abi.h
struct ArrowSchema;

namespace pchronicle::sql {

/// One relation as SQL shows it.
struct RelationSchema {
  model::Relation relation;
  std::string name;
  columnar::Schema columns;  // `_file_` first
};

/// One Dataset as SQL shows it: a schema with every relation in it.
struct DatasetSchema {
  std::string alias;         // SQL schema name (MNT-01)
  bool is_default = false;   // unqualified names mean this one
  size_t ready_sources = 0;  // more than one: joins must compare `_file_` (JON-01)
  uint64_t bytes = 0;        // of all sources, for cardinality estimates
  /// The foreign table whose rows are the relation `rows` of this schema (DSC-17); opened when a
  /// query names it, and its failure is that query's. Null: there is none.
  std::shared_ptr<const catalog::RowTable> rows = nullptr;
};

/// What queries can name. Dataset numbers are positions in `datasets` and in the snapshot.
struct Namespace {
  std::vector<DatasetSchema> datasets;
  std::vector<RelationSchema> relations;
};

/// Starts the scans of one query. Called from any thread; outlives the query.
class ScanFactory {
 public:
  virtual ~ScanFactory() = default;
  virtual Result<std::unique_ptr<catalog::RelationScan>> Create(catalog::ScanRequest request) = 0;
  /// A scan of a Dataset's foreign table.
  virtual Result<std::unique_ptr<catalog::RowScan>> CreateRows(
      const catalog::RowScanRequest& request) = 0;
  /// The scans of the finished plan, before the first is created; each will carry its place here as
  /// ScanRequest::announced.
  virtual void Announce(const std::vector<catalog::ScanRequest>& /*scans*/) {}
};

struct EngineOptions {
  uint64_t memory_limit = 0;    // bytes for operators; 0: the engine's default share of the machine
  std::string spill_directory;  // empty: operators never spill
  uint64_t spill_limit = 0;     // bytes; 0: what the disk has
  uint32_t threads = 0;         // 0: one per core
};

struct ResultColumn {
  std::string name;
  std::string type;      // SQL name of the type
  bool numeric = false;  // right-aligned in tables for people
};

/// How a cell is written (cli.md 3.5).
enum class CellStyle : uint8_t {
  kJson,  // a JSON value; null when NULL, a JSON column as a string
  kText,  // CSV and tables: nothing when NULL, plain text, nested values as compact JSON
};

/// Some rows of a result. Valid until the next call of ResultStream::Next.
class ResultChunk {
 public:
  virtual ~ResultChunk() = default;
  virtual size_t rows() const = 0;
  virtual bool IsNull(size_t column, size_t row) const = 0;
  /// Appends the cell's text.
  virtual void AppendCell(size_t column, size_t row, CellStyle style, std::string* out) const = 0;
};

/// Rows of one running query in order. One thread. Destroying it stops the query.
class ResultStream {
 public:
  virtual ~ResultStream() = default;
  virtual const std::vector<ResultColumn>& columns() const = 0;
  /// Null at the end. A failed scan gives the scan's own status. Cancellation gives kCancelled, a
  /// passed deadline kUnavailable, both within a fraction of a second.
  virtual Result<const ResultChunk*> Next() = 0;
  /// The columns as one struct type. `out` is the caller's to release. kUnsupported: a column has
  /// no Arrow form.
  virtual Status GetArrowSchema(ArrowSchema* out) const = 0;
  /// Next, as a struct array with copies of the cells: it outlives the stream and the engine. A
  /// released array at the end and on failure.
  virtual Status NextArrow(ArrowArray* out) = 0;
  /// Share of the work done, 0 to 1; below 0 when unknown. May be called from another thread.
  virtual double progress() const = 0;
};

/// Embedded SQL engine over relations (storage.md 1.14). Read only: accepts one SELECT, VALUES,
/// DESCRIBE or EXPLAIN (catalog.md 10), reads nothing but the mounted relations. Thread-safe after
/// Mount.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Makes the relations known; once, before the first Run.
  virtual Status Mount(Namespace names) = 0;
  /// Checks, plans and starts one statement. `scans` and `context` must outlive the stream. Errors:
  /// kInvalidArgument for SQL that is wrong, kUnsupported for statements that are refused.
  virtual Result<std::unique_ptr<ResultStream>> Run(std::string_view sql, ScanFactory& scans,
                                                    const Context& context) = 0;
};

/// Opens an empty engine. Independent of any Dataset, so that it can be done while a Dataset is
/// being discovered.
Result<std::unique_ptr<Engine>> OpenEngine(const EngineOptions& options);

/// Entry point of the loadable module (D27), under the C name kModuleEntry. Returns null and fills
/// `error` on failure.
using ModuleEntry = Engine* (*)(const EngineOptions* options, Status* error);
inline constexpr const char* kModuleEntry = "pchronicle_sql_open";
/// Beside it, a text: the version of the sources that the module is made of. Both sides share C++
/// types, so a module of another version must not be entered.
inline constexpr const char* kModuleVersion = "pchronicle_sql_version";

}  // namespace pchronicle::sql
