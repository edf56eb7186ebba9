#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pchronicle/columnar/batch.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model {

/// The relations of a Dataset (catalog.md 6).
enum class Relation : uint8_t {
  kSources,
  kRuns,
  kSteps,
  kToolCalls,
  kObservationResults,
  kEvents,
  kTrajectories,
  kRunTree,
};
inline constexpr int kRelationCount = 8;
std::string_view RelationName(Relation relation);

struct RelationColumn {
  columnar::Field field;
  FieldMask needs;  // what a walker must read for it
};
/// Columns in the order of SELECT *: the contract's first, then ours (ADD-01). `_file_` is column 0
/// of every relation. Immutable, thread-safe.
const std::vector<RelationColumn>& RelationColumns(Relation relation);
/// Index of a column by exact name.
std::optional<uint16_t> FindColumn(Relation relation, std::string_view name);

/// A condition on one column of a row, pushed down as a hint: rows that cannot satisfy it may be
/// left out, the engine checks the rest again. A NULL cell satisfies only kIsNull.
struct RowPredicate {
  enum class Op : uint8_t {
    kEq,
    kNe,
    kIn,
    kNotIn,
    kLt,
    kLe,
    kGt,
    kGe,
    kContains,
    kPrefix,
    kIsNull,
    kIsNotNull
  };
  uint16_t column;
  Op op;
  std::vector<std::variant<int64_t, std::string>> values = {};

  bool operator==(const RowPredicate&) const = default;
};

/// Turns what a walker reads into rows of one relation. Not for kSources, kEvents, kRunTree.
class RowSink : public DocumentSink {
 public:
  struct Request {
    Relation relation = Relation::kRuns;
    std::vector<uint16_t> columns = {};  // output columns in order; empty: only counts rows
    std::vector<RowPredicate> predicates = {};
    std::string file = {};       // `_file_` of every row
    bool keep_problems = false;  // OnProblem answers true and keeps them (scan_errors = report);
                                 // else stop at the first

    // For `trajectories.continued_by` only. Without them a reference is looked up among the
    // documents met so far.
    std::function<bool(std::string_view file)> file_exists = {};  // a `_file_` of the Dataset
    /// Documents of this file with this document or session id; see FileIds.
    std::function<uint64_t(std::string_view id)> count_documents = {};
  };
  struct Counters {
    uint64_t documents_scanned = 0, documents_pruned = 0, rows_scanned = 0, rows_pruned = 0,
             rows_emitted = 0;
  };

  /// Rows finished so far: may be taken (Clear) between two calls of Walker::Advance.
  virtual columnar::Batch& batch() = 0;
  /// Rows of a lost unit have left through batch() already: the scan must be run again (STL-127).
  virtual bool needs_second_pass() const = 0;
  virtual const std::vector<Problem>& problems() const = 0;
  /// Of the source and all its documents.
  virtual const Diagnostics& diagnostics() const = 0;
  virtual const Counters& counters() const = 0;
  /// Problems beyond those of problems(), which keeps the first ones.
  virtual uint64_t problems_left_out() const { return 0; }
  /// Memory of ids of the source's documents that rows have to find again.
  virtual uint64_t id_bytes() const { return 0; }
};

/// What the walker has to read for a request: columns, predicates and the bookkeeping of the
/// relation.
FieldMask RequiredFields(const RowSink::Request& request);
std::unique_ptr<RowSink> MakeRowSink(RowSink::Request request);

}  // namespace pchronicle::model
