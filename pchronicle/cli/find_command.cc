#include <fmt/core.h>

#include "pchronicle/app/find/find.h"
#include "pchronicle/app/inventory.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/presentation.h"
#include "pchronicle/cli/pretty_json.h"
#include "pchronicle/cli/problems.h"
#include "pchronicle/cli/progress.h"

namespace pchronicle::cli {
namespace {

// Text is searched by a scan, so nobody gets fewer matches for want of an index (FND-13).
constexpr std::string_view kNoIndex = "no Source has a text index; texts are searched by a scan";
constexpr size_t kPreviewCell = 96;

std::optional<std::string> StepTime(const app::FindMatch& match) {
  return match.timestamp_ns ? std::optional(FormatTimestamp(*match.timestamp_ns)) : std::nullopt;
}

void AppendQuery(const app::FindPlan& plan, PrettyJson* json) {
  const app::FindOptions& options = plan.options;
  json->Key("query").BeginObject();
  json->Key("source").OptionalString(options.source);
  json->Key("document_id").OptionalString(options.document_id);
  json->Key("run_id").OptionalString(options.run_id);
  json->Key("session_id").OptionalString(options.session_id);
  json->Key("step_id");
  options.step_id ? json->Raw(std::to_string(*options.step_id)) : json->Null();
  if (plan.match) {
    json->Key("matches").BeginArray();
    for (const std::string& match : options.matches) {
      json->String(match);
    }
    json->EndArray().Key("expression").String(app::CanonicalText(*plan.match));
  }
  json->EndObject();
}

void AppendMatch(const app::FindMatch& match, PrettyJson* json) {
  const auto add = [json](std::string_view name, const std::optional<std::string>& value) {
    if (value) {
      json->Key(name).String(*value);
    }
  };
  json->BeginObject();
  json->Key("source_path").String(match.source_path);
  json->Key("document_id").String(match.document_id);
  add("run_id", match.run_id);
  json->Key("session_id").String(match.session_id);
  if (match.step_id) {
    json->Key("step_id").Raw(std::to_string(*match.step_id));
  }
  add("step_source", match.step_source);
  add("effective_kind", match.effective_kind);
  add("timestamp", StepTime(match));
  add("preview", match.preview);
  json->EndObject();
}

std::string FindJson(const app::FindPlan& plan, const app::FindOutcome& outcome,
                     const app::DatasetLocation& location, const catalog::Snapshot& snapshot) {
  PrettyJson json;
  json.BeginObject();
  json.Key("dataset_uri").String(location.given);
  json.Key("snapshot_id").String(snapshot.id());
  AppendQuery(plan, &json);
  json.Key("search").BeginObject();
  json.Key("mode").String(plan.mode);
  json.Key("scope").String(plan.scope == app::FindScope::kRuns ? "runs" : "steps");
  json.Key("fts_available").Bool(false);
  json.Key("fts_reason").String(kNoIndex);
  json.Key("tokenizer").Null();
  json.EndObject();
  json.Key("truncated").Bool(outcome.truncated);
  json.Key("complete").Bool(outcome.problems.empty());
  json.Key("matches").BeginArray();
  for (const app::FindMatch& match : outcome.matches) {
    AppendMatch(match, &json);
  }
  json.EndArray().EndObject();
  return json.Take();
}

Table::Column WholeColumn(std::string name) { return {std::move(name), false, SIZE_MAX, true}; }

std::string FindTable(const app::FindPlan& plan, const app::FindOutcome& outcome,
                      const Console& console) {
  if (outcome.matches.empty()) {
    return "(0 matches)\n";
  }
  const bool steps = plan.scope == app::FindScope::kSteps;
  std::vector<Table::Column> columns = {WholeColumn("SOURCE"), WholeColumn("DOCUMENT ID"),
                                        WholeColumn("RUN ID"), WholeColumn("SESSION ID")};
  if (steps) {
    columns.insert(columns.end(), {{"STEP ID", true}, {"STEP SOURCE"}, {"KIND"}, {"TIMESTAMP"}});
  }
  columns.push_back({"PREVIEW", false, kPreviewCell});
  Table table(std::move(columns));
  for (const app::FindMatch& match : outcome.matches) {
    std::vector<std::string> row = {match.source_path, match.document_id,
                                    match.run_id.value_or("-"), match.session_id};
    if (steps) {
      row.push_back(std::to_string(match.step_id.value_or(0)));
      row.push_back(match.step_source.value_or("-"));
      row.push_back(match.effective_kind.value_or("-"));
      row.push_back(StepTime(match).value_or("-"));
    }
    row.push_back(match.preview.value_or("-"));
    table.AddRow(std::move(row));
  }
  return RenderTable(table, console) + (outcome.truncated ? "(truncated)\n" : "");
}

// An explicit Source that cannot have matches says why.
void ExplainSource(const app::FindPlan& plan, const catalog::CatalogDataset& dataset,
                   Console& console) {
  if (!plan.options.source) {
    return;
  }
  const catalog::Source* source = dataset.Find(*plan.options.source);
  const app::SourceState state = app::StateOf(*source, catalog::KnownContent(*source));
  if (state.status == "ignored" || state.status == "empty" || state.status == "open") {
    console.Notice(fmt::format("{} is {}: {}", source->file, state.status, state.reason));
  }
}

}  // namespace

Status RunFind(const FindArguments& arguments, Session& session) {
  Console& console = session.console;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const app::FindPlan plan,
      app::PlanFind({arguments.source, arguments.document_id, arguments.run_id,
                     arguments.session_id, arguments.step_id, arguments.matches,
                     arguments.max_results}));
  const bool strict = arguments.errors == Errors::kStrict;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const OpenedDataset opened,
      OpenDataset(arguments.dataset, arguments.errors, arguments.limits, session));
  const auto& [location, snapshot] = opened;
  const InterruptibleContext context(arguments.limits.timeout);
  catalog::QueryScope scope(*snapshot, !strict, context.get());
  Progress progress(console, "reading");
  const auto outcome = app::RunFind(scope, plan);
  progress.Finish();
  if (!outcome.ok()) {
    return outcome.status();
  }
  const std::string text = WantsTable(arguments.format, console)
                               ? FindTable(plan, *outcome, console)
                               : FindJson(plan, *outcome, location, *snapshot);
  if (text.size() > arguments.max_output_bytes) {
    return Status::ResourceExhausted(
        "the output has {} bytes, more than max_output_bytes {}; ask for fewer --max-results",
        text.size(), arguments.max_output_bytes);
  }
  PCHRONICLE_RETURN_IF_ERROR(console.Write(text));
  WarnProblems(outcome->problems, outcome->problem_count, console);
  ExplainSource(plan, snapshot->datasets().front(), console);
  console.Info(fmt::format("snapshot_id={} matches={} truncated={} mode={} complete={} errors={}",
                           snapshot->id(), outcome->matches.size(), outcome->truncated, plan.mode,
                           outcome->problems.empty(), outcome->problem_count));
  return Status::Ok();
}

}  // namespace pchronicle::cli
