#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "pchronicle/sql/duckdb_api.h"
#include "pchronicle/sql/query_state.h"

namespace pchronicle::sql {

/// What every scan in a plan carries; `Data` derives from it. A scan is only run by a query of
/// ours.
template <typename Data, typename Entry>
struct TaskScanData : public duckdb::TableFunctionData {
  TaskScanData(Entry& entry_in, duckdb::shared_ptr<QueryState> state_in)
      : entry(entry_in), state(std::move(state_in)) {}

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<Data>(static_cast<const Data&>(*this));
  }
  bool SupportStatementCache() const override { return false; }

  Entry& entry;
  duckdb::shared_ptr<QueryState> state;  // null while no query of ours runs (information_schema)
};

/// What the threads of a scan share.
template <typename Scan>
struct SharedScan : public duckdb::GlobalTableFunctionState {
  std::unique_ptr<Scan> scan;
  duckdb::shared_ptr<QueryState> state;
  std::atomic<size_t> tasks_taken{0};
};

/// Where one thread stands.
template <typename Task>
struct ScanPlace : public duckdb::LocalTableFunctionState {
  std::unique_ptr<Task> task;
  std::unique_ptr<Task> finished;  // what was emitted last may point into it
  size_t row = 0;                  // first row of the batch at hand not yet handed on
  duckdb::idx_t batch_index = 0;
  size_t wanted_rows = 1;  // a chunk of fewer rows is filled up from the task's next batches
};

/// The operator over a queue of tasks, whatever their batches are: threads take tasks, batch
/// indexes keep the order of the rows (REL-14), a chunk never spans two tasks because it has one
/// index.
///
/// `Data` derives from TaskScanData. `Shared` derives from SharedScan and has `size_t Units()
/// const`, how many tasks there may be, for the progress. `Place` derives from ScanPlace and has
///   size_t rows() const                                    of the batch at hand; 0: none
///   bool Next(Shared&)                                     the task's next batch; false: no more
///   void Emit(const Shared&, count, at, DataChunk&) const  rows [row, row + count) to [at, ..)
///   void Drop()                                            lets the batch go
template <typename Data, typename Shared, typename Place>
class TaskLoop {
 public:
  /// The operator with all that the loop answers; what is planned is the caller's.
  static duckdb::TableFunction MakeFunction(const char* name,
                                            duckdb::table_function_init_global_t init_global) {
    duckdb::TableFunction function(name, {}, Scan, nullptr, init_global, InitLocal);
    function.table_scan_progress = Progress;
    function.get_partition_data = PartitionData;
    function.get_bind_info = GetBindInfo;
    function.projection_pushdown = true;
    function.filter_pushdown = false;
    return function;
  }

  /// A `Shared` without its scan.
  static duckdb::unique_ptr<Shared> MakeShared(const Data& data) {
    if (!data.state) {
      throw duckdb::InvalidInputException("relations can only be read by a query");
    }
    auto shared = duckdb::make_uniq<Shared>();
    shared->state = data.state;
    return shared;
  }

  /// The counters of the scan; null where nobody counts. A task that is not read to its end has not
  /// counted yet, so the asking thread's own is given up: every thread asks when it is done with
  /// the operator, and the last one's answer is shown.
  static const catalog::ScanMetrics* FinalMetrics(
      duckdb::TableFunctionDynamicToStringInput& input) {
    if (!input.global_state) {
      return nullptr;
    }
    if (input.local_state) {
      auto& place = input.local_state->Cast<Place>();
      place.Drop();
      place.row = 0;
      place.task.reset();
      place.finished.reset();
    }
    return input.global_state->Cast<Shared>().scan->metrics();
  }

 private:
  static duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(
      duckdb::ExecutionContext&, duckdb::TableFunctionInitInput&,
      duckdb::GlobalTableFunctionState*) {
    return duckdb::make_uniq<Place>();
  }

  /// Takes the next task; false when the queue is empty.
  static bool TakeTask(Shared& shared, Place& place) {
    auto task = shared.scan->NextTask();
    if (!task.ok()) {
      shared.state->Fail(task.status());
    }
    if (*task == nullptr) {
      return false;
    }
    place.task = std::move(*task);
    place.batch_index = place.task->order();
    ++shared.tasks_taken;
    return true;
  }

  /// Makes the batch at hand have rows not yet handed on; false when the task has no more.
  static bool NextRows(Shared& shared, Place& place) {
    while (place.row == place.rows()) {
      if (place.task == nullptr) {
        return false;
      }
      place.row = 0;
      if (!place.Next(shared)) {
        place.Drop();
        place.finished = std::move(place.task);
      }
    }
    return true;
  }

  static void Scan(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
                   duckdb::DataChunk& output) {
    auto& shared = input.global_state->Cast<Shared>();
    auto& place = input.local_state->Cast<Place>();
    place.finished.reset();
    size_t rows = 0;
    while (rows < STANDARD_VECTOR_SIZE) {
      if (NextRows(shared, place)) {
        const size_t count =
            std::min<size_t>(place.rows() - place.row, STANDARD_VECTOR_SIZE - rows);
        place.Emit(shared, count, rows, output);
        place.row += count;
        rows += count;
        if (rows >= place.wanted_rows) {
          break;
        }
      } else if (rows > 0 || !TakeTask(shared, place)) {
        break;
      }
    }
    // The first rows are handed on at once, for LIMIT; later chunks are filled, because each costs
    // the engine the same.
    place.wanted_rows = std::min<size_t>(place.wanted_rows * 4, STANDARD_VECTOR_SIZE);
    output.SetCardinality(rows);
  }

  static duckdb::OperatorPartitionData PartitionData(
      duckdb::ClientContext&, duckdb::TableFunctionGetPartitionInput& input) {
    if (input.partition_info.RequiresPartitionColumns()) {
      throw duckdb::NotImplementedException("relations are not partitioned by column");
    }
    return duckdb::OperatorPartitionData(input.local_state->Cast<Place>().batch_index);
  }

  static double Progress(duckdb::ClientContext&, const duckdb::FunctionData*,
                         const duckdb::GlobalTableFunctionState* state) {
    const auto& shared = state->Cast<Shared>();
    const size_t units = std::max<size_t>(shared.Units(), 1);
    return std::min(
        99.0, 100.0 * static_cast<double>(shared.tasks_taken.load()) / static_cast<double>(units));
  }

  static duckdb::BindInfo GetBindInfo(const duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
    return duckdb::BindInfo(bind_data->Cast<Data>().entry);
  }
};

}  // namespace pchronicle::sql
