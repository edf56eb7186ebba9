#include "pchronicle/sql/rows_scan.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/sql/array_vectors.h"
#include "pchronicle/sql/row_filters.h"
#include "pchronicle/sql/rows_entry.h"

namespace pchronicle::sql {
namespace {

using duckdb::ClientContext;
using duckdb::DataChunk;
using duckdb::idx_t;

/// Where a column of the batches goes.
struct Target {
  size_t vector;                   // of the output chunk
  size_t column;                   // of the batch
  const columnar::DataType* type;  // the column's own
};

struct GlobalRows : public duckdb::GlobalTableFunctionState {
  idx_t MaxThreads() const override { return std::max<size_t>(scan->tasks(), 1); }

  std::unique_ptr<catalog::RowScan> scan;
  duckdb::shared_ptr<QueryState> state;
  std::vector<Target> targets;
  std::atomic<size_t> tasks_taken{0};
};

struct LocalRows : public duckdb::LocalTableFunctionState {
  std::unique_ptr<catalog::RowTask> task;
  columnar::RecordBatch batch;
  int64_t row = 0;  // first row of `batch` not yet handed on
  idx_t batch_index = 0;
};

/// Adds the paths of what a column's hint asks for: members alone where it names some.
void AddPaths(const std::vector<catalog::RowColumn>& columns, size_t column,
              const duckdb::ColumnIndex& hint, std::vector<idx_t>& members,
              std::vector<std::string>& paths, bool& whole) {
  if (!hint.HasChildren()) {
    auto path = MemberPath(columns, column, members);
    whole = whole || !path;
    if (path) {
      paths.push_back(std::move(*path));
    }
    return;
  }
  for (const duckdb::ColumnIndex& child : hint.GetChildIndexes()) {
    if (!child.HasPrimaryIndex()) {
      whole = true;
      return;
    }
    members.push_back(child.GetPrimaryIndex());
    AddPaths(columns, column, child, members, paths, whole);
    members.pop_back();
  }
}

/// What of a column is read.
std::vector<std::string> PathsOf(const std::vector<catalog::RowColumn>& columns,
                                 const duckdb::ColumnIndex& column) {
  const size_t id = column.GetPrimaryIndex();
  std::vector<std::string> paths;
  std::vector<idx_t> members;
  bool whole = false;
  AddPaths(columns, id, column, members, paths, whole);
  return whole ? std::vector<std::string>{columns[id].field.name} : paths;
}

bool SameColumn(const duckdb::ColumnIndex& column, idx_t id) {
  return column.HasPrimaryIndex() && column.GetPrimaryIndex() == id;
}

/// Columns of the request, each once, and where they go.
catalog::RowScanRequest PlanColumns(const RowsScanData& data,
                                    const duckdb::vector<duckdb::ColumnIndex>& ids,
                                    std::vector<Target>* targets) {
  const auto& columns = data.entry.row_columns();
  catalog::RowScanRequest request;
  request.dataset = data.entry.dataset();
  request.filter = data.Filter();
  std::vector<idx_t> named;  // table columns in the order of the batch
  for (const duckdb::ColumnIndex& id : ids) {
    if (!id.HasPrimaryIndex() || id.GetPrimaryIndex() >= columns.size()) {
      request.row_id = request.row_id || SameColumn(id, RowsEntry::kRowId);
      request.row_address = request.row_address || SameColumn(id, RowsEntry::kRowAddress);
      continue;
    }
    for (std::string& path : PathsOf(columns, id)) {
      request.columns.push_back(std::move(path));
    }
    if (std::find(named.begin(), named.end(), id.GetPrimaryIndex()) == named.end()) {
      named.push_back(id.GetPrimaryIndex());
    }
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (SameColumn(ids[i], RowsEntry::kRowId)) {
      targets->push_back({i, named.size(), nullptr});
    } else if (SameColumn(ids[i], RowsEntry::kRowAddress)) {
      targets->push_back({i, named.size() + (request.row_id ? 1 : 0), nullptr});
    } else if (const auto found = std::find(named.begin(), named.end(), ids[i].GetPrimaryIndex());
               found != named.end()) {
      targets->push_back(
          {i, static_cast<size_t>(found - named.begin()), columns[*found].field.type.get()});
    }
  }
  return request;
}

/// The batches must be what the targets expect: a name with dots may have led elsewhere.
Status CheckFields(const RowsScanData& data, const duckdb::vector<duckdb::ColumnIndex>& ids,
                   const std::vector<Target>& targets, const catalog::RowScan& scan) {
  for (const Target& target : targets) {
    if (target.type != nullptr) {
      const std::string& name =
          data.entry.row_columns()[ids[target.vector].GetPrimaryIndex()].field.name;
      if (target.column >= scan.fields().size() || scan.fields()[target.column].name != name) {
        return Status::Unsupported("column '{}': its name is also the path of a struct member",
                                   name);
      }
    }
  }
  return Status::Ok();
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext&, duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<RowsScanData>();
  if (!data.state) {
    throw duckdb::InvalidInputException("relations can only be read by a query");
  }
  auto global = duckdb::make_uniq<GlobalRows>();
  global->state = data.state;
  const auto request = PlanColumns(data, input.column_indexes, &global->targets);
  auto scan = data.state->scans().CreateRows(request);
  if (!scan.ok()) {
    data.state->Fail(scan.status());
  }
  global->scan = std::move(scan).value();
  if (const Status status = CheckFields(data, input.column_indexes, global->targets, *global->scan);
      !status.ok()) {
    data.state->Fail(status);
  }
  return global;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(duckdb::ExecutionContext&,
                                                              duckdb::TableFunctionInitInput&,
                                                              duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<LocalRows>();
}

bool TakeTask(GlobalRows& global, LocalRows& local) {
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
bool NextRows(GlobalRows& global, LocalRows& local) {
  while (local.row == local.batch.rows) {
    if (local.task == nullptr) {
      return false;
    }
    local.batch = columnar::RecordBatch();  // its memory is used again
    local.row = 0;
    auto more = local.task->Next(&local.batch);
    if (!more.ok()) {
      global.state->Fail(more.status());
    }
    if (!*more) {
      local.batch = columnar::RecordBatch();
      local.task.reset();
    }
  }
  return true;
}

idx_t EmitRows(GlobalRows& global, LocalRows& local, idx_t at, DataChunk& output) {
  const int64_t count = std::min<int64_t>(local.batch.rows - local.row,
                                          static_cast<int64_t>(STANDARD_VECTOR_SIZE - at));
  for (const Target& target : global.targets) {
    const columnar::ArrayPtr& array = local.batch.columns[target.column];
    const Status status = FillFromArray(target.type == nullptr ? *array->type : *target.type, array,
                                        local.row, count, at, output.data[target.vector]);
    if (!status.ok()) {
      global.state->Fail(status.WithContext("column " + local.batch.fields[target.column].name));
    }
  }
  local.row += count;
  return static_cast<idx_t>(count);
}

void Scan(ClientContext&, duckdb::TableFunctionInput& input, DataChunk& output) {
  auto& global = input.global_state->Cast<GlobalRows>();
  auto& local = input.local_state->Cast<LocalRows>();
  idx_t rows = 0;
  // Small batches, as filters leave them, are put together: each chunk costs the engine the same.
  while (rows < STANDARD_VECTOR_SIZE) {
    if (NextRows(global, local)) {
      rows += EmitRows(global, local, rows, output);
    } else if (rows > 0 || !TakeTask(global, local)) {
      break;  // a chunk never spans two tasks: it has one batch index
    }
  }
  output.SetCardinality(rows);
}

duckdb::OperatorPartitionData PartitionData(ClientContext&,
                                            duckdb::TableFunctionGetPartitionInput& input) {
  if (input.partition_info.RequiresPartitionColumns()) {
    throw duckdb::NotImplementedException("relations are not partitioned by column");
  }
  return duckdb::OperatorPartitionData(input.local_state->Cast<LocalRows>().batch_index);
}

void PushDownFilters(ClientContext&, duckdb::LogicalGet& get, duckdb::FunctionData* bind_data,
                     duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<RowsScanData>();
  const RowColumns columns{get.table_index, get.GetColumnIds(), data.entry.row_columns()};
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> left;
  for (auto& filter : filters) {
    const auto pushed = filter->IsVolatile() ? std::nullopt : ToRowFilter(*filter, columns);
    if (pushed) {
      // The optimizer may offer a condition more than once.
      const auto same = [&](const columnar::PredicatePtr& other) {
        return columnar::ToString(*other) == columnar::ToString(*pushed->predicate);
      };
      if (std::none_of(data.filters.begin(), data.filters.end(), same)) {
        data.filters.push_back(pushed->predicate);
      }
    }
    if (!pushed || !pushed->exact) {
      data.checked_again = true;
      left.push_back(std::move(filter));
    }
  }
  filters = std::move(left);
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(ClientContext&,
                                                       const duckdb::FunctionData* bind_data) {
  const uint64_t rows = bind_data->Cast<RowsScanData>().entry.rows();
  return duckdb::make_uniq<duckdb::NodeStatistics>(rows, rows);
}

/// The whole table as one partition: that is all the engine needs for count(*).
duckdb::vector<duckdb::PartitionStatistics> Partitions(ClientContext&,
                                                       duckdb::GetPartitionStatsInput& input) {
  const auto& data = input.bind_data->Cast<RowsScanData>();
  duckdb::vector<duckdb::PartitionStatistics> partitions;
  if (data.filters.empty()) {
    duckdb::PartitionStatistics& all = partitions.emplace_back();
    all.row_start = 0;
    all.count = data.entry.rows();
    all.count_type = duckdb::CountType::COUNT_EXACT;
  }
  return partitions;
}

double Progress(ClientContext&, const duckdb::FunctionData*,
                const duckdb::GlobalTableFunctionState* state) {
  const auto& global = state->Cast<GlobalRows>();
  return std::min(99.0, 100.0 * static_cast<double>(global.tasks_taken.load()) /
                            static_cast<double>(std::max<size_t>(global.scan->tasks(), 1)));
}

duckdb::InsertionOrderPreservingMap<std::string> ToString(
    duckdb::TableFunctionToStringInput& input) {
  const auto& data = input.bind_data->Cast<RowsScanData>();
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  lines["relation"] = data.entry.alias() + "." + catalog::kRowsRelation;
  lines["table"] = data.entry.table().Describe();
  const columnar::PredicatePtr filter = data.Filter();
  lines["filters pushed"] = filter == nullptr ? "none" : columnar::ToString(*filter);
  lines["filters checked again"] = data.checked_again ? "yes" : "no";
  if (data.state) {
    catalog::RowScanRequest request;
    request.dataset = data.entry.dataset();
    request.filter = filter;
    if (const auto scan = data.state->scans().CreateRows(request); scan.ok()) {
      const catalog::RowScanPlan plan = (*scan)->plan();
      lines["fragments"] =
          fmt::format("{}/{}", plan.fragments - plan.fragments_pruned, plan.fragments);
      lines["rows"] = fmt::format("{}/{}", plan.rows, data.entry.rows());
      lines["rows named by indices"] = std::to_string(plan.index_rows);
    }
  }
  return lines;
}

/// What the scan did, for EXPLAIN ANALYZE; the last thread's answer is shown.
duckdb::InsertionOrderPreservingMap<std::string> MetricsToString(
    duckdb::TableFunctionDynamicToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  if (!input.global_state) {
    return lines;
  }
  if (input.local_state) {
    // A task that is not read to its end has not counted yet.
    auto& local = input.local_state->Cast<LocalRows>();
    local.batch = columnar::RecordBatch();
    local.row = 0;
    local.task.reset();
  }
  const catalog::ScanMetrics* metrics = input.global_state->Cast<GlobalRows>().scan->metrics();
  if (metrics != nullptr) {
    lines["bytes read"] = std::to_string(metrics->bytes_read.load());
    lines["pages decoded"] = std::to_string(metrics->pages_decoded.load());
    lines["rows examined"] = std::to_string(metrics->rows_scanned.load());
    lines["rows pruned"] = std::to_string(metrics->rows_pruned.load());
    lines["busy"] = fmt::format("{:.3f} ms", static_cast<double>(metrics->busy_ns.load()) / 1e6);
  }
  return lines;
}

duckdb::BindInfo GetBindInfo(const duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return duckdb::BindInfo(bind_data->Cast<RowsScanData>().entry);
}

duckdb::virtual_column_map_t VirtualColumns(ClientContext&,
                                            duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return bind_data->Cast<RowsScanData>().entry.GetVirtualColumns();
}

}  // namespace

bool RowsScanData::Equals(const duckdb::FunctionData& other) const {
  // Scans with pushed conditions are never taken for one another.
  const auto& that = other.Cast<RowsScanData>();
  return &entry == &that.entry && state == that.state && filters.empty() && that.filters.empty();
}

columnar::PredicatePtr RowsScanData::Filter() const {
  return filters.empty() ? nullptr : filters.size() == 1 ? filters.front() : columnar::And(filters);
}

duckdb::TableFunction MakeRowsScanFunction() {
  duckdb::TableFunction function("lance_scan", {}, Scan, nullptr, InitGlobal, InitLocal);
  function.pushdown_complex_filter = PushDownFilters;
  function.cardinality = Cardinality;
  function.get_partition_stats = Partitions;
  function.table_scan_progress = Progress;
  function.get_partition_data = PartitionData;
  function.get_bind_info = GetBindInfo;
  function.get_virtual_columns = VirtualColumns;
  function.to_string = ToString;
  function.dynamic_to_string = MetricsToString;
  function.projection_pushdown = true;
  function.filter_pushdown = false;
  return function;
}

}  // namespace pchronicle::sql
