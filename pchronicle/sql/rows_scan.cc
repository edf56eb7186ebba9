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

struct SharedRows : public SharedScan<catalog::RowScan> {
  idx_t MaxThreads() const override { return std::max<size_t>(scan->tasks(), 1); }
  size_t Units() const { return scan->tasks(); }

  std::vector<Target> targets;
};

struct RowsPlace : public ScanPlace<catalog::RowTask> {
  size_t rows() const { return static_cast<size_t>(batch.rows); }

  bool Next(SharedRows& shared) {
    Drop();  // its memory is used again
    auto more = task->Next(&batch);
    if (!more.ok()) {
      shared.state->Fail(more.status());
    }
    return *more;
  }

  void Emit(const SharedRows& shared, size_t count, size_t at, DataChunk& output) const {
    for (const Target& target : shared.targets) {
      const columnar::ArrayPtr& array = batch.columns[target.column];
      const Status status = FillFromArray(
          target.type == nullptr ? *array->type : *target.type, array, static_cast<int64_t>(row),
          static_cast<int64_t>(count), at, output.data[target.vector]);
      if (!status.ok()) {
        shared.state->Fail(status.WithContext("column " + batch.fields[target.column].name));
      }
    }
  }

  void Drop() { batch = columnar::RecordBatch(); }

  columnar::RecordBatch batch;
};

using Loop = TaskLoop<RowsScanData, SharedRows, RowsPlace>;

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
  auto shared = Loop::MakeShared(data);
  const auto request = PlanColumns(data, input.column_indexes, &shared->targets);
  auto scan = data.state->scans().CreateRows(request);
  if (!scan.ok()) {
    data.state->Fail(scan.status());
  }
  shared->scan = std::move(scan).value();
  if (const Status status = CheckFields(data, input.column_indexes, shared->targets, *shared->scan);
      !status.ok()) {
    data.state->Fail(status);
  }
  return shared;
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

duckdb::InsertionOrderPreservingMap<std::string> ToString(
    duckdb::TableFunctionToStringInput& input) {
  const auto& data = input.bind_data->Cast<RowsScanData>();
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  lines["relation"] = data.entry.dataset_schema().alias + "." + catalog::kRowsRelation;
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

/// What the scan did, for EXPLAIN ANALYZE.
duckdb::InsertionOrderPreservingMap<std::string> MetricsToString(
    duckdb::TableFunctionDynamicToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  const catalog::ScanMetrics* metrics = Loop::FinalMetrics(input);
  if (metrics != nullptr) {
    lines["bytes read"] = std::to_string(metrics->bytes_read.load());
    lines["pages decoded"] = std::to_string(metrics->pages_decoded.load());
    lines["rows examined"] = std::to_string(metrics->rows_scanned.load());
    lines["rows pruned"] = std::to_string(metrics->rows_pruned.load());
    lines["busy"] = fmt::format("{:.3f} ms", static_cast<double>(metrics->busy_ns.load()) / 1e6);
  }
  return lines;
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
  duckdb::TableFunction function = Loop::MakeFunction("lance_scan", InitGlobal);
  function.pushdown_complex_filter = PushDownFilters;
  function.cardinality = Cardinality;
  function.get_partition_stats = Partitions;
  function.get_virtual_columns = VirtualColumns;
  function.to_string = ToString;
  function.dynamic_to_string = MetricsToString;
  return function;
}

}  // namespace pchronicle::sql
