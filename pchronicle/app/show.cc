#include "pchronicle/app/show.h"

#include <algorithm>
#include <initializer_list>

#include "pchronicle/app/relation_reader.h"
#include "pchronicle/app/run_loader.h"

namespace pchronicle::app {
namespace {

using model::Relation;

constexpr size_t kMaxListed = 20;

// Columns of a scan by name, and access to the cells of one row.
class Row {
 public:
  Row(const std::vector<std::string_view>& names, const columnar::Batch& batch, size_t row)
      : names_(names), batch_(batch), row_(row) {}

  std::optional<std::string> Text(std::string_view name) const {
    const columnar::Column& column = At(name);
    return column.is_null(row_) ? std::nullopt : std::optional<std::string>(column.texts()[row_]);
  }
  std::optional<int64_t> Integer(std::string_view name) const {
    const columnar::Column& column = At(name);
    return column.is_null(row_) ? std::nullopt : std::optional<int64_t>(column.ints()[row_]);
  }
  std::optional<double> Real(std::string_view name) const {
    const columnar::Column& column = At(name);
    return column.is_null(row_) ? std::nullopt : std::optional<double>(column.doubles()[row_]);
  }
  std::optional<bool> Truth(std::string_view name) const {
    const auto value = Integer(name);
    return value ? std::optional<bool>(*value != 0) : std::nullopt;
  }
  model::Totals Totals(std::string_view prefix) const {
    const std::string p(prefix);
    return {Integer(p + "_prompt_tokens"), Integer(p + "_completion_tokens"),
            Integer(p + "_cached_tokens"), Real(p + "_cost_usd")};
  }

 private:
  const columnar::Column& At(std::string_view name) const {
    const auto it = std::find(names_.begin(), names_.end(), name);
    PCHRONICLE_CHECK(it != names_.end());
    return batch_.columns[static_cast<size_t>(it - names_.begin())];
  }

  const std::vector<std::string_view>& names_;
  const columnar::Batch& batch_;
  const size_t row_;
};

// Reads named columns of a relation row by row.
Status ReadRows(catalog::QueryScope& scope, catalog::ScanRequest request,
                const std::vector<std::string_view>& names, const std::function<void()>& reset,
                const std::function<void(const Row&)>& visit) {
  for (const std::string_view name : names) {
    const auto column = model::FindColumn(request.relation, name);
    PCHRONICLE_CHECK(column.has_value());
    request.columns.push_back(*column);
  }
  return ReadRelation(scope, request, {reset, [&](const columnar::Batch& batch) {
                                         for (size_t row = 0; row < batch.rows; ++row) {
                                           visit(Row(names, batch, row));
                                         }
                                       }});
}

// What one pass over run_tree tells about every run of the Dataset.
struct TreeRow {
  RunAddress address;
  std::string session_id;
  std::optional<std::string> run_id;
  std::optional<RunAddress> parent;
  int64_t child_count = 0;
  model::Totals own, reported, total;
  std::optional<std::string> totals_note;
};

Result<std::vector<TreeRow>> ReadTree(catalog::QueryScope& scope) {
  const std::vector<std::string_view> names = {"_file_",
                                               "document_id",
                                               "session_id",
                                               "run_id",
                                               "parent_file",
                                               "parent_document_id",
                                               "child_count",
                                               "own_prompt_tokens",
                                               "own_completion_tokens",
                                               "own_cached_tokens",
                                               "own_cost_usd",
                                               "reported_prompt_tokens",
                                               "reported_completion_tokens",
                                               "reported_cached_tokens",
                                               "reported_cost_usd",
                                               "total_prompt_tokens",
                                               "total_completion_tokens",
                                               "total_cached_tokens",
                                               "total_cost_usd",
                                               "totals_note"};
  std::vector<TreeRow> rows;
  catalog::ScanRequest request;
  request.relation = Relation::kRunTree;
  PCHRONICLE_RETURN_IF_ERROR(ReadRows(
      scope, std::move(request), names, [&] { rows.clear(); },
      [&](const Row& row) {
        TreeRow& out = rows.emplace_back();
        out.address = {row.Text("_file_").value_or(""), row.Text("document_id").value_or("")};
        out.session_id = row.Text("session_id").value_or("");
        out.run_id = row.Text("run_id");
        if (const auto parent = row.Text("parent_document_id")) {
          out.parent = RunAddress{row.Text("parent_file").value_or(out.address.file), *parent};
        }
        out.child_count = row.Integer("child_count").value_or(0);
        out.own = row.Totals("own");
        out.reported = row.Totals("reported");
        out.total = row.Totals("total");
        out.totals_note = row.Text("totals_note");
      }));
  std::stable_sort(rows.begin(), rows.end(), [](const TreeRow& a, const TreeRow& b) {
    return a.address.file < b.address.file;
  });
  return rows;
}

Status Ambiguous(const std::vector<const TreeRow*>& matches, const ShowOptions& options,
                 std::string_view kind) {
  const bool one_file = std::all_of(matches.begin(), matches.end(), [&](const TreeRow* row) {
    return row->address.file == matches.front()->address.file;
  });
  const bool one_document = std::all_of(matches.begin(), matches.end(), [&](const TreeRow* row) {
    return row->address.document_id == matches.front()->address.document_id;
  });
  std::string list;
  for (size_t i = 0; i < std::min(matches.size(), kMaxListed); ++i) {
    list += fmt::format("{}source {} document {}", i == 0 ? "" : "; ", matches[i]->address.file,
                        matches[i]->address.document_id);
  }
  if (matches.size() > kMaxListed) {
    list += fmt::format("; and {} more", matches.size() - kMaxListed);
  }
  const std::string_view advice = one_file ? "give the document id"
                                  : one_document
                                      ? "add --source SOURCE_PATH"
                                      : "give the document id, or add --source SOURCE_PATH";
  return Status::InvalidArgument("{} '{}' names {} runs, {}: {}", kind, options.run, matches.size(),
                                 advice, list);
}

Result<const TreeRow*> Match(const std::vector<TreeRow>& rows, const ShowOptions& options,
                             catalog::QueryScope& scope) {
  const auto matching = [&](const auto& same) {
    std::vector<const TreeRow*> matches;
    for (const TreeRow& row : rows) {
      if ((!options.source || row.address.file == *options.source) && same(row)) {
        matches.push_back(&row);
      }
    }
    return matches;
  };
  std::string_view kind = "document id";
  std::vector<const TreeRow*> matches =
      matching([&](const TreeRow& row) { return row.address.document_id == options.run; });
  if (matches.empty()) {
    kind = "session id";
    matches = matching([&](const TreeRow& row) { return row.session_id == options.run; });
  }
  if (matches.empty()) {
    kind = "run id";
    matches = matching([&](const TreeRow& row) { return row.run_id == options.run; });
  }
  if (matches.size() > 1) {
    return Ambiguous(matches, options, kind);
  }
  if (matches.empty()) {
    const std::string where = options.source ? fmt::format(" in source {}", *options.source) : "";
    const uint64_t lost = scope.problem_count();
    return Status::NotFound(
        "no document, session or run has the id '{}'{}{}", options.run, where,
        lost == 0 ? "" : fmt::format("; {} units of input could not be read", lost));
  }
  return matches.front();
}

Status ReadTrajectory(catalog::QueryScope& scope, ShownRun* run) {
  catalog::ScanRequest request;
  request.relation = Relation::kTrajectories;
  request.file_predicate.kind = catalog::FilePredicate::Kind::kEq;
  request.file_predicate.values = {run->address.file};
  request.predicates.push_back({*model::FindColumn(Relation::kTrajectories, "document_id"),
                                model::RowPredicate::Op::kEq,
                                {run->address.document_id}});
  const std::vector<std::string_view> names = {"document_id",
                                               "status",
                                               "success",
                                               "score",
                                               "outcome_source",
                                               "error_kind",
                                               "error_message",
                                               "termination_reason",
                                               "continued_by",
                                               "task_text",
                                               "copied_step_count",
                                               "duration_ms",
                                               "tool_call_count",
                                               "tool_error_count",
                                               "unlinked_result_count",
                                               "diagnostics"};
  return ReadRows(
      scope, std::move(request), names, [] {},
      [&](const Row& row) {
        if (row.Text("document_id") != run->address.document_id) {
          return;  // predicates are hints
        }
        run->status = row.Text("status").value_or("unknown");
        run->success = row.Truth("success");
        run->score = row.Real("score");
        run->outcome_source = row.Text("outcome_source");
        run->error_kind = row.Text("error_kind");
        run->error_message = row.Text("error_message");
        run->termination_reason = row.Text("termination_reason");
        run->continued_by = row.Text("continued_by");
        run->task_text = row.Text("task_text");
        run->copied_step_count = row.Integer("copied_step_count");
        run->duration_ms = row.Integer("duration_ms");
        run->tool_call_count = row.Integer("tool_call_count");
        run->tool_error_count = row.Integer("tool_error_count");
        run->unlinked_result_count = row.Integer("unlinked_result_count");
        run->diagnostics = row.Text("diagnostics").value_or("[]");
      });
}

}  // namespace

Result<ShownRun> FindRun(catalog::QueryScope& scope, const ShowOptions& options) {
  const catalog::CatalogDataset& dataset = scope.snapshot().datasets().front();
  if (options.source && dataset.Find(*options.source) == nullptr) {
    return Status::NotFound("source '{}' is not in the Dataset", *options.source);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<TreeRow> rows, ReadTree(scope));
  PCHRONICLE_ASSIGN_OR_RETURN(const TreeRow* row, Match(rows, options, scope));

  ShownRun run;
  run.address = row->address;
  run.own = row->own;
  run.reported = row->reported;
  run.total = row->total;
  run.totals_note = row->totals_note;
  run.parent = row->parent;
  run.child_count = row->child_count;
  for (const TreeRow& other : rows) {
    if (other.parent == row->address) {
      run.children.push_back(other.address);
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(ReadTrajectory(scope, &run));
  const catalog::Source* source = dataset.Find(run.address.file);
  PCHRONICLE_CHECK(source != nullptr);
  LoadOptions load;
  load.wanted = [&](const model::Document& document) {
    return document.document_id == run.address.document_id;
  };
  load.keep_going = true;
  PCHRONICLE_ASSIGN_OR_RETURN(
      LoadedRuns loaded,
      LoadRuns(dataset, *source, scope.snapshot().options().limits, load, scope.context()));
  if (loaded.storylines.empty()) {
    return Status::Unavailable("{} changed while it was read; try again", run.address.file);
  }
  run.storyline = std::move(loaded.storylines.front());
  const catalog::SourceContent content = catalog::KnownContent(*source);
  run.format = content.format ? std::string(model::FormatName(*content.format))
                              : source->format_name.value_or("");
  return run;
}

}  // namespace pchronicle::app
