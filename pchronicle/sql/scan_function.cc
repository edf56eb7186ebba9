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

struct SharedRelation : public SharedScan<catalog::RelationScan> {
  idx_t MaxThreads() const override { return std::max<size_t>(scan->max_threads(), 1); }
  size_t Units() const { return scan->sources_matched(); }

  std::vector<size_t> targets;  // vector of the output chunk for each requested column
};

struct RelationPlace : public ScanPlace<catalog::ScanTask> {
  size_t rows() const { return batch == nullptr ? 0 : batch->rows; }

  bool Next(SharedRelation& shared) {
    auto next = task->Next();
    if (!next.ok()) {
      shared.state->Fail(next.status());
    }
    batch = *next;
    return batch != nullptr;
  }

  void Emit(const SharedRelation& shared, size_t count, size_t at, DataChunk& output) const {
    const TextOwner owner = shared.targets.empty() ? nullptr : MakeTextOwner(batch->text);
    for (size_t i = 0; i < shared.targets.size(); ++i) {
      if (!FillVector(batch->columns[i], row, count, at, owner, output.data[shared.targets[i]])) {
        shared.state->Fail(
            Status::Unsupported("a cell is larger than 4 GiB, more than the SQL engine can hold"));
      }
    }
  }

  void Drop() { batch = nullptr; }

  columnar::Batch* batch = nullptr;  // the task's
};

using Loop = TaskLoop<RelationScanData, SharedRelation, RelationPlace>;

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext&, duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<RelationScanData>();
  auto shared = Loop::MakeShared(data);
  const size_t known = data.entry.relation_schema().columns.size();
  for (size_t i = 0; i < input.column_ids.size(); ++i) {
    if (input.column_ids[i] < known) {
      shared->targets.push_back(i);
    }
  }
  auto scan = data.state->scans().Create(data.Request(data.RelationColumns(input.column_ids)));
  if (!scan.ok()) {
    data.state->Fail(scan.status());
  }
  shared->scan = std::move(scan).value();
  return shared;
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

/// What the scan did, for EXPLAIN ANALYZE.
duckdb::InsertionOrderPreservingMap<std::string> MetricsToString(
    duckdb::TableFunctionDynamicToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> lines;
  const catalog::ScanMetrics* metrics = Loop::FinalMetrics(input);
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

}  // namespace

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
  duckdb::TableFunction function = Loop::MakeFunction("pchronicle_scan", InitGlobal);
  function.pushdown_complex_filter = PushDownFilters;
  function.cardinality = Cardinality;
  function.to_string = ToString;
  function.dynamic_to_string = MetricsToString;
  return function;
}

}  // namespace pchronicle::sql
