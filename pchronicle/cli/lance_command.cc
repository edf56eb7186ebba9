#include <fmt/core.h>

#include "pchronicle/app/lance_inspect.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/presentation.h"
#include "pchronicle/cli/progress.h"

namespace pchronicle::cli {
namespace {

using Action = LanceArguments::Action;

std::string Render(const app::LanceAnswer& answer, OutputFormat format, const Console& console) {
  if (!WantsTable(format, console)) {
    return answer.json;
  }
  std::vector<Table::Column> columns;
  for (const app::LanceAnswer::Column& column : answer.columns) {
    columns.push_back({column.name, column.number, Table::kMaxCell});
  }
  Table table(std::move(columns));
  for (const std::vector<std::string>& row : answer.rows) {
    table.AddRow(row);
  }
  return RenderTable(table, console);
}

std::string RenderRows(const app::LanceRows& rows, OutputFormat format, const Console& console) {
  if (WantsTable(format, console)) {
    std::vector<Table::Column> columns;
    for (const std::string& name : rows.names) {
      columns.push_back({name});
    }
    Table table(std::move(columns));
    for (const std::vector<std::string>& row : rows.cells) {
      table.AddRow(row);
    }
    return RenderTable(table, console);
  }
  std::string out;
  for (size_t i = 0; i < rows.cells.size(); ++i) {
    out += app::LanceRowJson(rows, i) + "\n";
  }
  return out;
}

Status RunVerify(const std::shared_ptr<const lance::Table>& table, const LanceArguments& arguments,
                 Session& session) {
  const InterruptibleContext context;
  Progress progress(session.console, "verifying");
  PCHRONICLE_ASSIGN_OR_RETURN(
      const app::LanceCheck check,
      app::CheckLanceTable(table, context.get(),
                           [&](size_t done, size_t total) { progress.Update(done, total); }));
  progress.Finish();
  if (!check.ok) {
    // A failed command writes nothing to stdout (cli.md 1); what is wrong goes to stderr.
    for (const std::vector<std::string>& row : check.answer.rows) {
      session.console.Warn(fmt::format("{}: {}: {}", row[0], row[1], row[2]));
    }
    return check.damaged
               ? Status::Corruption("{}: the table is damaged: {}", arguments.path, check.summary)
               : Status::Unsupported("{}: a part of the table cannot be read: {}", arguments.path,
                                     check.summary);
  }
  PCHRONICLE_RETURN_IF_ERROR(
      session.console.Write(Render(check.answer, arguments.format, session.console)));
  session.console.Info(fmt::format("table={} {}", LogValue(arguments.path), check.summary));
  return Status::Ok();
}

Result<std::string> Answer(const std::shared_ptr<const lance::Table>& table,
                           const LanceArguments& arguments, const Console& console) {
  const InterruptibleContext context;
  switch (arguments.action) {
    case Action::kSchema:
      return Render(app::DescribeLanceSchema(table), arguments.format, console);
    case Action::kCount:
      return Render(app::CountLanceRows(table), arguments.format, console);
    case Action::kPages: {
      PCHRONICLE_ASSIGN_OR_RETURN(const app::LanceAnswer answer,
                                  app::DescribeLancePages(table, context.get()));
      return Render(answer, arguments.format, console);
    }
    case Action::kHistory: {
      PCHRONICLE_ASSIGN_OR_RETURN(const app::LanceAnswer answer,
                                  app::DescribeLanceHistory(table, arguments.limit, context.get()));
      return Render(answer, arguments.format, console);
    }
    case Action::kHead: {
      PCHRONICLE_ASSIGN_OR_RETURN(const app::LanceRows rows,
                                  app::ReadLanceRows(table, arguments.columns, arguments.limit,
                                                     arguments.max_output_bytes, context.get()));
      return RenderRows(rows, arguments.format, console);
    }
    case Action::kInfo:
    case Action::kVerify:
      break;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const app::LanceAnswer answer, app::DescribeLanceTable(table));
  return Render(answer, arguments.format, console);
}

}  // namespace

Status RunLance(const LanceArguments& arguments, Session& session) {
  app::LanceChoice choice;
  choice.path = arguments.path;
  choice.version = arguments.version;
  choice.tag = arguments.tag.value_or("");
  choice.branch = arguments.branch.value_or("");
  choice.at = arguments.at;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, app::OpenLanceTable(choice));
  if (arguments.action == Action::kVerify) {
    return RunVerify(table, arguments, session);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, Answer(table, arguments, session.console));
  PCHRONICLE_RETURN_IF_ERROR(session.console.Write(text));
  session.console.Info(
      fmt::format("table={} version={}", LogValue(arguments.path), app::LanceVersion(table)));
  return Status::Ok();
}

}  // namespace pchronicle::cli
