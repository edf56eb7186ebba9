#include <fmt/core.h>

#include "pchronicle/app/inventory.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/presentation.h"
#include "pchronicle/cli/pretty_json.h"
#include "pchronicle/cli/progress.h"
#include "pchronicle/cli/quantities.h"
#include "pchronicle/cli/table.h"

namespace pchronicle::cli {
namespace {

constexpr size_t kMaxSourceCell = 64;
constexpr size_t kMaxSnapshotCell = 40;

std::optional<std::string> FormatOf(const catalog::Source& source,
                                    const catalog::SourceContent& content) {
  if (source.format_name) {
    return source.format_name;
  }
  return content.format ? std::optional<std::string>(model::FormatName(*content.format))
                        : std::nullopt;
}

std::optional<std::string> NonEmpty(std::string text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(std::move(text));
}

std::string OrDash(const std::optional<std::string>& text) { return text.value_or("-"); }

std::optional<std::string> ModifiedOf(const catalog::Source& source) {
  return source.modified_ns ? std::optional<std::string>(FormatTimestamp(*source.modified_ns))
                            : std::nullopt;
}

std::string ListJson(const app::DatasetLocation& location, const catalog::Snapshot& snapshot,
                     bool checked) {
  const catalog::CatalogDataset& dataset = snapshot.datasets().front();
  PrettyJson json;
  json.BeginObject();
  json.Key("dataset_uri").String(location.given);
  json.Key("snapshot_id").String(snapshot.id());
  json.Key("created_at").String(FormatTimestamp(snapshot.created_at_ns()));
  json.Key("sources").BeginArray();
  for (const catalog::Source& source : dataset.sources) {
    const catalog::SourceContent content = catalog::KnownContent(source);
    json.BeginObject();
    json.Key("source_path").String(source.file);
    json.Key("format").OptionalString(FormatOf(source, content));
    json.Key("kind").String(source.kind == catalog::SourceKind::kFile ? "file" : "store");
    json.Key("snapshot_ref").OptionalString(NonEmpty(source.revision.display()));
    json.Key("size_bytes").OptionalUnsigned(source.size_bytes);
    json.Key("last_modified").OptionalString(ModifiedOf(source));
    json.Key("status").String(source.error.ok() ? "ready" : "error");
    json.Key("error").OptionalString(
        source.error.ok() ? std::nullopt : std::optional<std::string>(source.error.ToString()));
    if (checked) {
      const app::SourceState state = app::StateOf(source, content);
      json.Key("content_status").String(state.status);
      json.Key("reason").OptionalString(NonEmpty(state.reason));
      json.Key("runs").OptionalUnsigned(content.runs);
      json.Key("diagnostics").Raw(content.diagnostics.ToJson());
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("passed_over").BeginObject();
  for (const auto& [kind, count] : dataset.passed_over) {
    json.Key(kind).Unsigned(count);
  }
  json.EndObject().EndObject();
  return json.Take();
}

std::string ListTable(const catalog::CatalogDataset& dataset, bool physical, bool checked,
                      const Console& console) {
  std::vector<Table::Column> columns = {
      {"SOURCE", false, kMaxSourceCell}, {"FORMAT"}, {"KIND"}, {"STATUS"}};
  if (checked) {
    columns.push_back({"RUNS", true});
  }
  if (physical) {
    columns.insert(columns.end(),
                   {{"SIZE", true}, {"LAST MODIFIED"}, {"SNAPSHOT", false, kMaxSnapshotCell}});
  }
  columns.push_back({checked ? "REASON" : "ERROR"});
  Table table(std::move(columns));
  for (const catalog::Source& source : dataset.sources) {
    const catalog::SourceContent content = catalog::KnownContent(source);
    const app::SourceState state = app::StateOf(source, content);
    std::vector<std::string> row = {source.file, OrDash(FormatOf(source, content)),
                                    source.kind == catalog::SourceKind::kFile ? "file" : "store",
                                    state.status};
    if (checked) {
      row.push_back(content.runs ? fmt::format("{}", *content.runs) : "-");
    }
    if (physical) {
      row.push_back(source.size_bytes ? FormatByteSize(*source.size_bytes) : "-");
      row.push_back(OrDash(ModifiedOf(source)));
      row.push_back(OrDash(NonEmpty(source.revision.display())));
    }
    row.push_back(OrDash(NonEmpty(state.reason)));
    table.AddRow(std::move(row));
  }
  std::string text = RenderTable(table, console);
  if (!dataset.passed_over.empty()) {
    text += "passed over:";
    const char* separator = " ";
    for (const auto& [kind, count] : dataset.passed_over) {
      text += fmt::format("{}{} {}", separator, count, kind);
      separator = ", ";
    }
    text += "\n";
  }
  return text;
}

Status RunShallow(const ListArguments& arguments, const app::DatasetLocation& location,
                  Session& session) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<app::ShallowEntry> entries,
                              app::ListShallow(location, arguments.limits.max_entries));
  size_t datasets = 0;
  size_t directories = 0;
  for (const app::ShallowEntry& entry : entries) {
    datasets += entry.kind == "dataset" ? 1 : 0;
    directories += entry.kind == "directory" ? 1 : 0;
  }
  std::string text;
  if (WantsTable(arguments.format, session.console)) {
    Table table({{"NAME", false, kMaxSourceCell}, {"KIND"}, {"FORMAT"}, {"RECORDS", true}});
    for (const app::ShallowEntry& entry : entries) {
      table.AddRow({entry.name, entry.kind, "-", "-"});
    }
    text = RenderTable(table, session.console);
  } else {
    PrettyJson json;
    json.BeginObject().Key("dataset_uri").String(location.given).Key("entries").BeginArray();
    for (const app::ShallowEntry& entry : entries) {
      json.BeginObject()
          .Key("kind")
          .String(entry.kind)
          .Key("name")
          .String(entry.name)
          .Key("path")
          .String(entry.name)
          .EndObject();
    }
    json.EndArray().EndObject();
    text = json.Take();
  }
  PCHRONICLE_RETURN_IF_ERROR(session.console.Write(text));
  session.console.Info(fmt::format("dataset_uri={} entries={} datasets={} directories={}",
                                   LogValue(location.given), entries.size(), datasets,
                                   directories));
  return Status::Ok();
}

}  // namespace

Status RunList(const ListArguments& arguments, Session& session) {
  Console& console = session.console;
  PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation location,
                              ResolveDataset(arguments.dataset, session));
  if (arguments.shallow) {
    return RunShallow(arguments, location, session);
  }
  const bool strict = arguments.errors == Errors::kStrict;
  const InterruptibleContext context;
  catalog::SnapshotOptions options{
      strict ? catalog::ErrorPolicy::kStrict : catalog::ErrorPolicy::kReport,
      ToLimits(arguments.limits)};
  PCHRONICLE_ASSIGN_OR_RETURN(const auto snapshot,
                              app::OpenDataset(location, options, context.get()));
  const catalog::CatalogDataset& dataset = snapshot->datasets().front();
  if (arguments.check) {
    Progress progress(console, "reading");
    PCHRONICLE_RETURN_IF_ERROR(
        catalog::CheckAll(*snapshot, context.get(),
                          [&](size_t done, size_t total) { progress.Update(done, total); }));
    if (strict) {
      PCHRONICLE_RETURN_IF_ERROR(app::FirstError(dataset));
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(context.get().Check());
  PCHRONICLE_RETURN_IF_ERROR(
      console.Write(WantsTable(arguments.format, console)
                        ? ListTable(dataset, arguments.physical, arguments.check, console)
                        : ListJson(location, *snapshot, arguments.check)));
  const app::SourceCounts counts = app::CountSources(dataset);
  std::string line =
      fmt::format("snapshot_id={} dataset_uri={} sources={} ready={} errors={}", snapshot->id(),
                  LogValue(location.given), counts.total,
                  arguments.check ? counts.ready : counts.total - counts.error, counts.error);
  if (arguments.check) {
    line += fmt::format(" open={} empty={} ignored={}", counts.open, counts.empty, counts.ignored);
  }
  console.Info(line);
  return Status::Ok();
}

}  // namespace pchronicle::cli
