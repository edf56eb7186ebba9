#include "pchronicle/app/find/find.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include "pchronicle/app/relation_reader.h"
#include "pchronicle/base/check.h"
#include "pchronicle/base/terminal_text.h"

namespace pchronicle::app {
namespace {

using columnar::Batch;
using columnar::Column;
using model::Relation;
using model::RowPredicate;

// Columns of every search, in this order; those of its expression follow.
enum : size_t { kFile, kDocumentId, kRunId, kSessionId, kPreview, kRunColumns };
enum : size_t { kStepId = kRunColumns, kOrdinal, kStepSource, kKind, kTimestamp, kStepColumns };

// Where a match stands in the order of the results.
using Key = std::tuple<std::string_view, std::string_view, std::string_view, int64_t>;

Key KeyOf(const FindMatch& match) {
  return {match.source_path, match.session_id, match.document_id, match.turn_ordinal};
}

bool Before(const FindMatch& a, const FindMatch& b) { return KeyOf(a) < KeyOf(b); }

std::string_view TextAt(const Batch& batch, size_t column, size_t row) {
  return batch.columns[column].texts()[row];
}

template <typename T = std::string>
std::optional<T> OptionalText(const Column& column, size_t row) {
  return column.is_null(row) ? std::nullopt : std::optional<T>(column.texts()[row]);
}

class Search {
 public:
  Search(const FindPlan& plan, const catalog::CatalogDataset& dataset)
      : plan_(plan), dataset_(dataset), steps_(plan.scope == FindScope::kSteps) {}

  catalog::ScanRequest Request() const {
    catalog::ScanRequest request;
    request.relation = relation();
    AddColumns(
        {"_file_", "document_id", "run_id", "session_id", steps_ ? "message_value" : "task_text"},
        request);
    if (steps_) {
      AddColumns({"step_id", "turn_ordinal", "source", "effective_kind", "timestamp"}, request);
    }
    AddPredicates(request);
    if (plan_.matcher) {
      request.columns.insert(request.columns.end(), plan_.matcher->columns().begin(),
                             plan_.matcher->columns().end());
    }
    return request;
  }

  RowVisitor Visitor() {
    RowVisitor visitor;
    visitor.reset = [this] { best_.clear(); };
    visitor.visit = [this](const Batch& batch) { Visit(batch); };
    visitor.concurrent = true;
    visitor.enough = [this](std::string_view file) {
      const std::lock_guard lock(mutex_);
      return full() && best_.front().source_path < file;
    };
    return visitor;
  }

  FindOutcome Take(const catalog::QueryScope& scope) {
    FindOutcome outcome;
    std::sort_heap(best_.begin(), best_.end(), Before);
    outcome.truncated = full();
    const std::string last = outcome.truncated ? best_.back().source_path : "";
    const auto counts = [&](std::string_view file) { return !outcome.truncated || file <= last; };
    for (const catalog::Source& source : dataset_.sources) {
      if (!source.error.ok() && counts(source.file) && Asked(source.file)) {
        outcome.problems.push_back({source.file, source.error, 0, 0, ""});
      }
    }
    for (catalog::SourceProblem& problem : scope.problems()) {
      if (counts(problem.file)) {
        outcome.problems.push_back(std::move(problem));
      }
    }
    std::stable_sort(outcome.problems.begin(), outcome.problems.end(),
                     [](const auto& a, const auto& b) { return a.file < b.file; });
    outcome.problem_count = outcome.problems.size();
    if (!outcome.truncated) {
      outcome.problem_count += scope.problem_count() - scope.problems().size();
    }
    if (outcome.truncated) {
      best_.pop_back();
    }
    outcome.matches = std::move(best_);
    return outcome;
  }

 private:
  Relation relation() const { return steps_ ? Relation::kSteps : Relation::kTrajectories; }
  bool Asked(std::string_view file) const {
    return !plan_.options.source || file == *plan_.options.source;
  }
  /// One more than asked for, to know whether there are more.
  bool full() const { return best_.size() > plan_.options.max_results; }

  uint16_t ColumnOf(std::string_view name) const {
    const auto column = model::FindColumn(relation(), name);
    PCHRONICLE_CHECK(column.has_value());
    return *column;
  }

  void AddColumns(std::initializer_list<std::string_view> names,
                  catalog::ScanRequest& request) const {
    for (const std::string_view name : names) {
      request.columns.push_back(ColumnOf(name));
    }
  }

  /// What must hold is pushed into the scan, so that other files are never opened and other
  /// documents and steps never decoded.
  void AddPredicates(catalog::ScanRequest& request) const {
    const FindOptions& options = plan_.options;
    if (options.source) {
      request.file_predicate.kind = catalog::FilePredicate::Kind::kEq;
      request.file_predicate.values = {*options.source};
    }
    const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
      if (value) {
        request.predicates.push_back({ColumnOf(name), RowPredicate::Op::kEq, {*value}});
      }
    };
    add("document_id", options.document_id);
    add("run_id", options.run_id);
    add("session_id", options.session_id);
    if (options.step_id) {
      request.predicates.push_back(
          {ColumnOf("step_id"), RowPredicate::Op::kEq, {*options.step_id}});
    }
    if (plan_.matcher) {
      add("source", plan_.matcher->required_source());
    }
  }

  /// Predicates of a scan are hints.
  bool HasIdentity(const Batch& batch, size_t row) const {
    const FindOptions& options = plan_.options;
    const auto same = [&](size_t column, const std::optional<std::string>& value) {
      return !value || OptionalText<std::string_view>(batch.columns[column], row) == *value;
    };
    return same(kDocumentId, options.document_id) && same(kRunId, options.run_id) &&
           same(kSessionId, options.session_id) &&
           (!options.step_id || batch.columns[kStepId].ints()[row] == *options.step_id);
  }

  void Visit(const Batch& batch) {
    const std::optional<std::string> last = LastFile();
    FindMatcher::Scratch scratch;
    const size_t first_column = steps_ ? size_t{kStepColumns} : size_t{kRunColumns};
    std::vector<size_t> hits;
    for (size_t row = 0; row < batch.rows; ++row) {
      if (last && TextAt(batch, kFile, row) > *last) {
        break;  // files come in order
      }
      if (HasIdentity(batch, row) &&
          (!plan_.matcher || plan_.matcher->Matches(batch, row, first_column, scratch))) {
        hits.push_back(row);
      }
    }
    const std::lock_guard lock(mutex_);
    for (const size_t row : hits) {
      Add(batch, row);
    }
  }

  /// No match of a later file can count any more.
  std::optional<std::string> LastFile() {
    const std::lock_guard lock(mutex_);
    return full() ? std::optional(best_.front().source_path) : std::nullopt;
  }

  void Add(const Batch& batch, size_t row) {
    const Key key = {TextAt(batch, kFile, row), TextAt(batch, kSessionId, row),
                     TextAt(batch, kDocumentId, row),
                     steps_ ? batch.columns[kOrdinal].ints()[row] : 0};
    if (full()) {
      if (key >= KeyOf(best_.front())) {
        return;
      }
      std::pop_heap(best_.begin(), best_.end(), Before);
      best_.pop_back();
    }
    best_.push_back(MakeMatch(batch, row));
    std::push_heap(best_.begin(), best_.end(), Before);
  }

  FindMatch MakeMatch(const Batch& batch, size_t row) const {
    FindMatch match;
    match.source_path = TextAt(batch, kFile, row);
    match.document_id = TextAt(batch, kDocumentId, row);
    match.session_id = TextAt(batch, kSessionId, row);
    match.run_id = OptionalText(batch.columns[kRunId], row);
    Arena arena;
    std::optional<std::string_view> text =
        OptionalText<std::string_view>(batch.columns[kPreview], row);
    if (steps_) {
      text = text ? ReadableMessage(*text, arena) : text;
      match.step_id = batch.columns[kStepId].ints()[row];
      match.turn_ordinal = batch.columns[kOrdinal].ints()[row];
      match.step_source = OptionalText(batch.columns[kStepSource], row);
      match.effective_kind = OptionalText(batch.columns[kKind], row);
      if (!batch.columns[kTimestamp].is_null(row)) {
        match.timestamp_ns = batch.columns[kTimestamp].ints()[row];
      }
    }
    if (text) {
      match.preview = CutCharacters(*text, kPreviewCharacters);
    }
    return match;
  }

  const FindPlan& plan_;
  const catalog::CatalogDataset& dataset_;
  const bool steps_;
  std::mutex mutex_;             // guards best_
  std::vector<FindMatch> best_;  // a heap, the last in order first
};

}  // namespace

Result<FindOutcome> RunFind(catalog::QueryScope& scope, const FindPlan& plan) {
  const catalog::CatalogDataset& dataset = scope.snapshot().datasets().front();
  if (plan.options.source && dataset.Find(*plan.options.source) == nullptr) {
    return Status::NotFound("source '{}' is not in the Dataset; see: pchronicle ls",
                            *plan.options.source);
  }
  Search search(plan, dataset);
  PCHRONICLE_RETURN_IF_ERROR(ReadRelation(scope, search.Request(), search.Visitor()));
  return search.Take(scope);
}

}  // namespace pchronicle::app
