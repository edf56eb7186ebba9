#include <fmt/core.h>

#include "pchronicle/app/document_selection.h"
#include "pchronicle/app/durable_file.h"
#include "pchronicle/app/export.h"
#include "pchronicle/app/inventory.h"
#include "pchronicle/app/query_spool.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/progress.h"

namespace pchronicle::cli {
namespace {

constexpr size_t kMaxWhereBytes = 16 << 10;
constexpr size_t kMaxIdBytes = 4096;

Status CheckArguments(const ExportArguments& arguments) {
  if (!arguments.from) {
    return Status::InvalidArgument("export needs --from DATASET");
  }
  if (!arguments.to) {
    return Status::InvalidArgument("export needs --to PATH, or --to - for stdout");
  }
  if (*arguments.to == "-" && arguments.overwrite) {
    return Status::InvalidArgument("--overwrite makes no sense with --to -");
  }
  for (const auto& id :
       {arguments.source, arguments.run_id, arguments.document_id, arguments.session_id}) {
    if (id && (id->empty() || id->size() > kMaxIdBytes)) {
      return Status::InvalidArgument("ids and --source take 1 to {} bytes", kMaxIdBytes);
    }
  }
  if (arguments.where && (arguments.where->empty() || arguments.where->size() > kMaxWhereBytes)) {
    return Status::InvalidArgument("--where takes 1 to {} bytes", kMaxWhereBytes);
  }
  return Status::Ok();
}

void WarnLossy(const model::EncodeReport& report, Console& console) {
  for (const auto& [field, count] : report.lossy) {
    console.Warn(fmt::format("lossy_export field={} values={}", LogValue(field), count));
  }
  for (const auto& [kind, note] : report.notes) {
    console.Notice(fmt::format("{}: {}", kind, note));
  }
}

// Exports to a staged file that appears when all is written, or to stdout, which stays empty on
// failure.
Result<app::ExportOutcome> ExportTo(const std::string& target, bool overwrite,
                                    const catalog::Snapshot& snapshot,
                                    const app::ExportOptions& options, const Context& context,
                                    Console& console, Progress& progress) {
  if (target == "-") {
    app::Spool bytes;
    const auto collect = [&](std::string_view piece) { return bytes.Append(piece); };
    PCHRONICLE_ASSIGN_OR_RETURN(app::ExportOutcome outcome,
                                app::ExportRuns(snapshot, options, collect, context));
    progress.Finish();
    PCHRONICLE_RETURN_IF_ERROR(
        bytes.ForEach([&](std::string_view piece) { return console.Write(piece); }, &context));
    return outcome;
  }
  using IfExists = app::StagedFile::IfExists;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const auto file,
      app::StagedFile::Create(target, overwrite ? IfExists::kReplace : IfExists::kFail));
  PCHRONICLE_ASSIGN_OR_RETURN(
      app::ExportOutcome outcome,
      app::ExportRuns(
          snapshot, options, [&](std::string_view piece) { return file->Write(piece); }, context));
  PCHRONICLE_RETURN_IF_ERROR(file->Publish());
  return outcome;
}

}  // namespace

Status RunExport(const ExportArguments& arguments, Session& session) {
  Console& console = session.console;
  PCHRONICLE_RETURN_IF_ERROR(CheckArguments(arguments));
  app::ExportOptions options;
  PCHRONICLE_ASSIGN_OR_RETURN(options.format, app::ParseExportFormat(arguments.output_format));
  std::string target = *arguments.to;
  if (target != "-") {
    PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation place,
                                app::ParseDataset(target, app::Configuration()));
    target = place.path;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      const OpenedDataset opened,
      OpenDataset(arguments.from, Errors::kStrict, arguments.limits, session));
  const auto& snapshot = opened.snapshot;
  const InterruptibleContext context(arguments.limits.timeout);
  options.source = arguments.source;
  options.run_id = arguments.run_id;
  options.document_id = arguments.document_id;
  options.session_id = arguments.session_id;
  options.strict = arguments.strict;
  options.max_trajectories = arguments.max_trajectories;
  options.max_output_bytes = arguments.max_output_bytes;
  Progress progress(console, "reading");
  if (arguments.where) {
    PCHRONICLE_ASSIGN_OR_RETURN(options.selected,
                                app::SelectDocuments(snapshot, *arguments.where,
                                                     arguments.max_trajectories, context.get()));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      const app::ExportOutcome outcome,
      ExportTo(target, arguments.overwrite, *snapshot, options, context.get(), console, progress));
  progress.Finish();
  WarnLossy(outcome.report, console);
  console.Info(fmt::format("snapshot_id={} format={} trajectories={} output_bytes={} exact={}",
                           snapshot->id(), model::FormatName(options.format), outcome.trajectories,
                           outcome.output_bytes, outcome.exact));
  return Status::Ok();
}

}  // namespace pchronicle::cli
