#include "pchronicle/sql/scan_function.h"

#include <algorithm>

#include "pchronicle/sql/filters.h"
#include "pchronicle/sql/relation_entry.h"
#include "pchronicle/sql/vectors.h"

namespace pchronicle::sql {
namespace {

using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::idx_t;

/// The tree of a Dataset can be known from all of its files only (ADD-06): no source may be left
/// out.
bool PrunesSources(model::Relation relation) { return relation != model::Relation::kRunTree; }

/// The scanner leaves out sources for which a path condition is false, so it need not be checked
/// again (PRN-02). Rows of `sources` are few: there the engine checks.
bool DecidesPaths(model::Relation relation) {
  return PrunesSources(relation) && relation != model::Relation::kSources;
}

struct GlobalScan : public duckdb::GlobalTableFunctionState {
  idx_t MaxThreads() const override { return std::max<size_t>(scan->max_threads(), 1); }

  std::unique_ptr<catalog::RelationScan> scan;
  duckdb::shared_ptr<QueryState> state;
  std::vector<size_t> targets;  // vector of the output chunk for each requested column
  std::atomic<size_t> tasks_taken{0};
};

struct LocalScan : public duckdb::LocalTableFunctionState {
  std::unique_ptr<catalog::ScanTask> task;
  std::unique_ptr<catalog::ScanTask> finished;  // text of the last chunk may point into it
  columnar::Batch* batch = nullptr;
  size_t row = 0;  // first row of `batch` not yet handed on
  idx_t batch_index = 0;
  size_t wanted_rows = 1;  // a chunk of fewer rows is filled up from the task's next batches
};

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext&, duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<RelationScanData>();
  auto global = duckdb::make_uniq<GlobalScan>();
  if (!data.state) {
    throw duckdb::InvalidInputException("relations can only be read by a query");
  }
  global->state = data.state;
  const size_t known = data.entry.relation_schema().columns.size();
  for (size_t i = 0; i < input.column_ids.size(); ++i) {
    if (input.column_ids[i] < known) {
      global->targets.push_back(i);
    }
  }
  auto scan = data.state->scans().Create(data.Request(data.RelationColumns(input.column_ids)));
  if (!scan.ok()) {
    data.state->Fail(scan.status());
  }
  global->scan = std::move(scan).value();
  return global;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(duckdb::ExecutionContext&,
                                                              duckdb::TableFunctionInitInput&,
                                                              duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<LocalScan>();
}

/// Takes the next task; false when the queue is empty.
bool TakeTask(GlobalScan& global, LocalScan& local) {
  auto task = global.scan->NextTask();
  if (!task.ok()) {
    global.state->Fail(task.status());
  }
  if (*task == nullptr) {
    return false;
  }
  local.task = std::move(*task);
  local.batch_index = local.task->order();
  ++global.tasks_taken;
  return true;
}

/// Makes `batch` hold rows of the task not yet handed on; false when the task has no more.
bool NextRows(GlobalScan& global, LocalScan& local) {
  while (local.batch == nullptr || local.row == local.batch->rows) {
    if (local.task == nullptr) {
      return false;
    }
    auto batch = local.task->Next();
    if (!batch.ok()) {
      global.state->Fail(batch.status());
    }
    local.batch = *batch;
    local.row = 0;
    if (local.batch == nullptr) {
      local.finished = std::move(local.task);
    }
  }
  return true;
}

/// Copies rows into the chunk from row `at` on; returns their number.
size_t EmitRows(GlobalScan& global, LocalScan& local, size_t at, DataChunk& output) {
  columnar::Batch& batch = *local.batch;
  const size_t count = std::min<size_t>(batch.rows - local.row, STANDARD_VECTOR_SIZE - at);
  const TextOwner owner = global.targets.empty() ? nullptr : MakeTextOwner(batch.text);
  for (size_t i = 0; i < global.targets.size(); ++i) {
    if (!FillVector(batch.columns[i], local.row, count, at, owner,
                    output.data[global.targets[i]])) {
      global.state->Fail(
          Status::Unsupported("a cell is larger than 4 GiB, more than the SQL engine can hold"));
    }
  }
  local.row += count;
  return count;
}

void Scan(ClientContext&, duckdb::TableFunctionInput& input, DataChunk& output) {
  auto& global = input.global_state->Cast<GlobalScan>();
  auto& local = input.local_state->Cast<LocalScan>();
  local.finished.reset();
  size_t rows = 0;
  while (rows < STANDARD_VECTOR_SIZE) {
    if (NextRows(global, local)) {
      rows += EmitRows(global, local, rows, output);
      if (rows >= local.wanted_rows) {
        break;
      }
    } else if (rows > 0 || !TakeTask(global, local)) {
      break;  // a chunk never spans two tasks: it has one batch index
    }
  }
  // The first rows are handed on at once, for LIMIT; later chunks are filled, because each costs
  // the engine the same.
  local.wanted_rows = std::min<size_t>(local.wanted_rows * 4, STANDARD_VECTOR_SIZE);
  output.SetCardinality(rows);
}

duckdb::OperatorPartitionData PartitionData(ClientContext&,
                                            duckdb::TableFunctionGetPartitionInput& input) {
  if (input.partition_info.RequiresPartitionColumns()) {
    throw duckdb::NotImplementedException("relations are not partitioned by column");
  }
  return duckdb::OperatorPartitionData(input.local_state->Cast<LocalScan>().batch_index);
}

template <typename T>
bool Holds(const std::vector<T>& list, const T& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

void PushDownFilters(ClientContext&, duckdb::LogicalGet& get, duckdb::FunctionData* bind_data,
                     duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<RelationScanData>();
  const model::Relation relation = data.entry.relation_schema().relation;
  if (!PrunesSources(relation)) {
    return;
  }
  const ScanColumns columns{get.table_index, get.GetColumnIds(),
                            data.entry.relation_schema().columns};
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> left;
  for (auto& filter : filters) {
    if (filter->IsVolatile()) {
      left.push_back(std::move(filter));
      continue;
    }
    catalog::FilePredicate file = ToFilePredicate(*filter, columns);
    const bool decided = DecidesPaths(relation) && IsExact(file);
    // The optimizer may offer a condition more than once.
    if (file.kind != catalog::FilePredicate::Kind::kUnknown && !Holds(data.file_conjuncts, file)) {
      data.file_conjuncts.push_back(std::move(file));
    }
    if (decided) {
      continue;
    }
    for (model::RowPredicate& predicate : ToRowPredicates(*filter, columns)) {
      if (!Holds(data.row_predicates, predicate)) {
        data.row_predicates.push_back(std::move(predicate));
      }
    }
    left.push_back(std::move(filter));
  }
  filters = std::move(left);
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(ClientContext&,
                                                       const duckdb::FunctionData* bind_data) {
  return duckdb::make_uniq<duckdb::NodeStatistics>(
      bind_data->Cast<RelationScanData>().entry.EstimateRows());
}

double Progress(ClientContext&, const duckdb::FunctionData*,
                const duckdb::GlobalTableFunctionState* state) {
  const auto& global = state->Cast<GlobalScan>();
  const size_t matched = std::max<size_t>(global.scan->sources_matched(), 1);
  return std::min(
      99.0, 100.0 * static_cast<double>(global.tasks_taken.load()) / static_cast<double>(matched));
}

std::string_view OpText(model::RowPredicate::Op op) {
  using Op = model::RowPredicate::Op;
  switch (op) {
    case Op::kEq:
      return "=";
    case Op::kNe:
      return "!=";
    case Op::kIn:
      return "in";
    case Op::kNotIn:
      return "not in";
    case Op::kLt:
      return "<";
    case Op::kLe:
      return "<=";
    case Op::kGt:
      return ">";
    case Op::kGe:
      return ">=";
    case Op::kContains:
      return "contains";
    case Op::kPrefix:
      return "starts with";
    case Op::kIsNull:
      return "is null";
    case Op::kIsNotNull:
      return "is not null";
  }
  return "?";
}

std::string FiltersText(const RelationScanData& data) {
  std::string text;
  if (!data.file_conjuncts.empty()) {
    text = "_file_";
  }
  for (const model::RowPredicate& predicate : data.row_predicates) {
    text += text.empty() ? "" : ", ";
    text += data.entry.relation_schema().columns[predicate.column].name;
    text += ' ';
    text += OpText(predicate.op);
  }
  return text;
}

duckdb::InsertionOrderPreservingMap<std::string> ToString(
    duckdb::TableFunctionToStringInput& input) {
  const auto& data = input.bind_data->Cast<RelationScanData>();
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  lines["relation"] = data.entry.dataset_schema().alias + "." + data.entry.relation_schema().name;
  if (data.state) {
    const auto scan = data.state->scans().Create(data.Request({}));
    if (scan.ok()) {
      const size_t matched = (*scan)->sources_matched();
      lines["sources"] = fmt::format("{}/{}{}", matched, (*scan)->sources_total(),
                                     matched == 0   ? " EmptyExec"
                                     : matched == 1 ? ""
                                                    : " UnionExec");
      lines["source bytes"] = std::to_string((*scan)->bytes_matched());
    }
  }
  if (!PrunesSources(data.entry.relation_schema().relation)) {
    lines["tree"] = "all sources";
  }
  const std::string filters = FiltersText(data);
  lines["filters pushed"] = filters.empty() ? "none" : filters;
  return lines;
}

/// What the scan did, for EXPLAIN ANALYZE. Every thread asks when it is done with the operator; the
/// last one's answer is shown.
duckdb::InsertionOrderPreservingMap<std::string> MetricsToString(
    duckdb::TableFunctionDynamicToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  if (!input.global_state) {
    return lines;
  }
  if (input.local_state) {
    // A task that is not read to its end has not counted yet.
    auto& local = input.local_state->Cast<LocalScan>();
    local.batch = nullptr;
    local.task.reset();
    local.finished.reset();
  }
  const catalog::ScanMetrics* metrics = input.global_state->Cast<GlobalScan>().scan->metrics();
  if (metrics == nullptr) {
    return lines;
  }
  const auto line = [&lines](const char* name, uint64_t value) {
    lines[name] = std::to_string(value);
  };
  line("sources opened", metrics->sources_opened);
  line("sources pruned", metrics->sources_pruned);
  line("bytes read", metrics->bytes_read);
  line("bytes decoded", metrics->bytes_decoded);
  line("bytes skipped", metrics->bytes_skipped());
  if (metrics->compressed_bytes_read != 0) {
    line("compressed bytes read", metrics->compressed_bytes_read);
  }
  line("records", metrics->streamed_records);
  line("documents scanned", metrics->documents_scanned);
  line("documents pruned", metrics->documents_pruned);
  line("rows pruned", metrics->rows_pruned);
  if (metrics->rows_shared != 0) {
    line("rows shared", metrics->rows_shared);
  }
  line("buffer peak", metrics->buffer_peak_bytes);
  line("identity peak", metrics->id_peak_bytes);
  lines["busy"] = fmt::format("{:.3f} ms", static_cast<double>(metrics->busy_ns.load()) / 1e6);
  return lines;
}

duckdb::BindInfo GetBindInfo(const duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return duckdb::BindInfo(bind_data->Cast<RelationScanData>().entry);
}

}  // namespace

duckdb::unique_ptr<duckdb::FunctionData> RelationScanData::Copy() const {
  return duckdb::make_uniq<RelationScanData>(*this);
}

bool RelationScanData::Equals(const duckdb::FunctionData& other) const {
  // Scans with pushed conditions are never taken for one another.
  const auto& that = other.Cast<RelationScanData>();
  return &entry == &that.entry && state == that.state && file_conjuncts.empty() &&
         that.file_conjuncts.empty() && row_predicates.empty() && that.row_predicates.empty();
}

std::vector<uint16_t> RelationScanData::RelationColumns(
    const duckdb::vector<duckdb::column_t>& ids) const {
  std::vector<uint16_t> columns;
  for (const duckdb::column_t id : ids) {
    if (id < entry.relation_schema().columns.size()) {
      columns.push_back(static_cast<uint16_t>(id));
    }
  }
  return columns;
}

catalog::ScanRequest RelationScanData::Request(std::vector<uint16_t> columns) const {
  catalog::ScanRequest request;
  request.dataset = entry.dataset();
  request.relation = entry.relation_schema().relation;
  request.columns = std::move(columns);
  request.predicates = row_predicates;
  request.announced = announced;
  if (file_conjuncts.size() == 1) {
    request.file_predicate = file_conjuncts.front();
  } else if (!file_conjuncts.empty()) {
    request.file_predicate.kind = catalog::FilePredicate::Kind::kAnd;
    request.file_predicate.children = file_conjuncts;
  }
  return request;
}

duckdb::TableFunction MakeScanFunction() {
  duckdb::TableFunction function("pchronicle_scan", {}, Scan, nullptr, InitGlobal, InitLocal);
  function.pushdown_complex_filter = PushDownFilters;
  function.cardinality = Cardinality;
  function.table_scan_progress = Progress;
  function.get_partition_data = PartitionData;
  function.get_bind_info = GetBindInfo;
  function.to_string = ToString;
  function.dynamic_to_string = MetricsToString;
  function.projection_pushdown = true;
  function.filter_pushdown = false;
  return function;
}

}  // namespace pchronicle::sql
