#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/app/query.h"
#include "pchronicle/app/reports.h"
#include "pchronicle/base/terminal_text.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/catalog/count.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/presentation.h"
#include "pchronicle/cli/pretty_json.h"
#include "pchronicle/cli/problems.h"
#include "pchronicle/cli/progress.h"

namespace pchronicle::cli {
namespace {

// Health of one Dataset (cli.md 4.2).
struct Health {
  std::string status;  // ready, degraded, error
  app::SourceCounts sources;
  catalog::DatasetCounts counts;
  std::vector<std::pair<std::string, std::string>> errors;  // source path, text; sorted by path
  bool complete() const { return sources.error == 0; }
};

Health Assess(const catalog::CatalogDataset& dataset, catalog::DatasetCounts counts) {
  Health health;
  health.counts = std::move(counts);
  health.sources = app::CountSources(dataset);
  for (const catalog::Source& source : dataset.sources) {
    const app::SourceState state = app::StateOf(source, catalog::KnownContent(source));
    if (state.status == "error") {
      health.errors.emplace_back(source.file, state.reason);
    }
  }
  const bool any_good = health.sources.ready + health.sources.open > 0;
  health.status = health.sources.error == 0 ? "ready" : any_good ? "degraded" : "error";
  return health;
}

std::string HealthJson(const Health& health, const app::DatasetLocation& location,
                       const catalog::Snapshot& snapshot) {
  PrettyJson json;
  json.BeginObject();
  json.Key("dataset_uri").String(location.given);
  json.Key("snapshot_id").String(snapshot.id());
  json.Key("created_at").String(FormatTimestamp(snapshot.created_at_ns()));
  json.Key("status").String(health.status);
  json.Key("counts_complete").Bool(health.complete());
  const app::SourceCounts& sources = health.sources;
  json.Key("sources").BeginObject();
  json.Key("total")
      .Unsigned(sources.total)
      .Key("ready")
      .Unsigned(sources.ready)
      .Key("error")
      .Unsigned(sources.error);
  json.Key("open")
      .Unsigned(sources.open)
      .Key("empty")
      .Unsigned(sources.empty)
      .Key("ignored")
      .Unsigned(sources.ignored);
  json.EndObject();
  const catalog::RowCounts& rows = health.counts.total;
  json.Key("counts").BeginObject();
  json.Key("runs")
      .Unsigned(rows.runs)
      .Key("trajectories")
      .Unsigned(rows.runs)
      .Key("steps")
      .Unsigned(rows.steps);
  json.Key("tool_calls").Unsigned(rows.tool_calls).Key("events").Unsigned(0);
  json.Key("top_level_runs").Unsigned(health.counts.top_level_runs);
  json.Key("observation_results")
      .Unsigned(rows.observation_results)
      .Key("files")
      .Unsigned(sources.total);
  json.EndObject();
  json.Key("projections").BeginArray().EndArray();
  json.Key("source_errors").BeginArray();
  for (const auto& [path, error] : health.errors) {
    json.BeginObject().Key("source_path").String(path).Key("error").String(error).EndObject();
  }
  json.EndArray();
  json.Key("diagnostics").Raw(health.counts.diagnostics.ToJson());
  json.EndObject();
  return json.Take();
}

std::string HealthTable(const Health& health, const Console& console) {
  Table table({{"FIELD"}, {"VALUE", true}, {"ACCURACY"}});
  const auto add = [&](const char* field, uint64_t value, bool counted) {
    table.AddRow(
        {field, fmt::format("{}", value), counted && !health.complete() ? "partial" : "exact"});
  };
  const app::SourceCounts& sources = health.sources;
  const catalog::RowCounts& rows = health.counts.total;
  table.AddRow({"status", health.status, "exact"});
  add("sources", sources.total, false);
  add("ready_sources", sources.ready, false);
  add("error_sources", sources.error, false);
  add("open_sources", sources.open, false);
  add("empty_sources", sources.empty, false);
  add("ignored_sources", sources.ignored, false);
  add("runs", rows.runs, true);
  add("top_level_runs", health.counts.top_level_runs, true);
  add("trajectories", rows.runs, true);
  add("steps", rows.steps, true);
  add("tool_calls", rows.tool_calls, true);
  add("observation_results", rows.observation_results, true);
  add("events", 0, true);
  std::string text = RenderTable(table, console);
  for (const auto& [path, error] : health.errors) {
    const std::string line = fmt::format("source_error {}: {}", path, error);
    text += (console.stdout_terminal() ? EscapeLine(line) : line) + "\n";
  }
  return text;
}

Status RunHealth(const StatsArguments& arguments, Session& session) {
  Console& console = session.console;
  const bool strict = arguments.errors == Errors::kStrict;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const OpenedDataset opened,
      OpenDataset(arguments.dataset, arguments.errors, arguments.limits, session));
  const auto& [location, snapshot] = opened;
  const InterruptibleContext context(arguments.limits.timeout);
  Progress progress(console, "reading");
  PCHRONICLE_ASSIGN_OR_RETURN(
      std::vector<catalog::DatasetCounts> counts,
      catalog::CountAll(*snapshot, context.get(),
                        [&](size_t done, size_t total) { progress.Update(done, total); }));
  progress.Finish();
  const catalog::CatalogDataset& dataset = snapshot->datasets().front();
  if (strict) {
    PCHRONICLE_RETURN_IF_ERROR(app::FirstError(dataset));
  }
  const Health health = Assess(dataset, std::move(counts.front()));
  PCHRONICLE_RETURN_IF_ERROR(console.Write(WantsTable(arguments.format, console)
                                               ? HealthTable(health, console)
                                               : HealthJson(health, location, *snapshot)));
  console.Info(fmt::format("snapshot_id={} dataset_uri={} status={} counts_complete={}",
                           snapshot->id(), LogValue(location.given), health.status,
                           health.complete()));
  return Status::Ok();
}

app::Report ReportOf(StatsArguments::Report report) {
  switch (report) {
    case StatsArguments::Report::kAgents:
      return app::Report::kAgents;
    case StatsArguments::Report::kModels:
      return app::Report::kModels;
    case StatsArguments::Report::kTools:
      return app::Report::kTools;
    case StatsArguments::Report::kHealth:
    case StatsArguments::Report::kOverview:
      break;
  }
  return app::Report::kOverview;
}

// Rows that the report has in all, as text for the closing line.
Result<std::string> TotalRows(const app::QuerySession& query, app::Report report,
                              bool report_errors, const Context& context) {
  app::QueryOptions options;
  options.sql = app::ReportTotalSql(report);
  options.encoder.format = app::QueryFormat::kCsv;
  options.report_errors = report_errors;
  PCHRONICLE_ASSIGN_OR_RETURN(const app::QueryOutcome outcome, query.Run(options, context));
  std::string csv;
  PCHRONICLE_RETURN_IF_ERROR(outcome.result.ForEach([&](std::string_view piece) {
    csv += piece;
    return Status::Ok();
  }));
  const size_t line = csv.find('\n');
  return line == std::string::npos ? csv
                                   : csv.substr(line + 1, csv.find('\n', line + 1) - line - 1);
}

Status RunReport(const StatsArguments& arguments, Session& session) {
  Console& console = session.console;
  app::EngineLoader loader({});  // loads while the Dataset is discovered
  const bool report_errors = arguments.errors != Errors::kStrict;
  const app::Report report = ReportOf(arguments.report);
  PCHRONICLE_ASSIGN_OR_RETURN(
      const OpenedDataset opened,
      OpenDataset(arguments.dataset, arguments.errors, arguments.limits, session));
  const auto& snapshot = opened.snapshot;
  const InterruptibleContext context(arguments.limits.timeout);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto query, app::QuerySession::Create(snapshot, loader));
  const bool table = WantsTable(arguments.format, console);
  app::QueryOptions options;
  options.sql = app::LimitedReportSql(report, arguments.limit);
  options.encoder.format = table && console.stdout_terminal()       ? app::QueryFormat::kBox
                           : table                                  ? app::QueryFormat::kTable
                           : arguments.format == OutputFormat::kCsv ? app::QueryFormat::kCsv
                                                                    : app::QueryFormat::kJsonl;
  options.encoder.terminal = console.stdout_terminal();
  options.encoder.width = console.width();
  options.encoder.max_bytes = arguments.max_output_bytes;
  options.report_errors = report_errors;
  options.check = report == app::Report::kOverview;
  Progress progress(console, "reading");
  options.check_progress = [&](size_t done, size_t total) { progress.Update(done, total); };
  PCHRONICLE_ASSIGN_OR_RETURN(const app::QueryOutcome outcome, query->Run(options, context.get()));
  std::string cut;
  if (outcome.rows == arguments.limit) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string total,
                                TotalRows(*query, report, report_errors, context.get()));
    if (total != fmt::format("{}", outcome.rows)) {
      cut = " truncated=true total=" + total;
    }
  }
  progress.Finish();
  PCHRONICLE_RETURN_IF_ERROR(
      outcome.result.ForEach([&](std::string_view piece) { return console.Write(piece); }));
  WarnProblems(outcome.problems, outcome.problem_count, console);
  console.Info(fmt::format(
      "snapshot_id={} analysis={} rows={} format={} output_bytes={} complete={} errors={}{}",
      snapshot->id(), app::ReportName(report), outcome.rows,
      table                                    ? "table"
      : arguments.format == OutputFormat::kCsv ? "csv"
                                               : "jsonl",
      outcome.result.size(), outcome.complete, outcome.problem_count, cut));
  loader.Abandon();
  return Status::Ok();
}

}  // namespace

Status RunStats(const StatsArguments& arguments, Session& session) {
  return arguments.report == StatsArguments::Report::kHealth ? RunHealth(arguments, session)
                                                             : RunReport(arguments, session);
}

}  // namespace pchronicle::cli
