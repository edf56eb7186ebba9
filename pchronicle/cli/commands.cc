#include "pchronicle/cli/commands.h"

#include <type_traits>

#include "pchronicle/app/inventory.h"
#include "pchronicle/cli/interrupt.h"

namespace pchronicle::cli {

Result<app::Configuration> Session::Configuration() const {
  PCHRONICLE_ASSIGN_OR_RETURN(std::string path, app::Configuration::FindPath(global.config));
  return app::Configuration::Load(std::move(path));
}

Result<app::DatasetLocation> ResolveDataset(const std::optional<std::string>& dataset,
                                            const Session& session) {
  if (dataset && (dataset->empty() || dataset->front() != '@')) {
    return app::ResolveDataset(dataset, app::Configuration());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const app::Configuration configuration, session.Configuration());
  return app::ResolveDataset(dataset, configuration);
}

catalog::Limits ToLimits(const LimitArguments& arguments) {
  catalog::Limits limits;
  limits.max_files = arguments.max_files;
  limits.max_entries = arguments.max_entries;
  limits.max_decompressed_bytes = arguments.max_decompressed_bytes;
  limits.max_decompression_ratio = arguments.max_decompression_ratio;
  limits.max_decompression_window_bytes = arguments.max_decompression_window_bytes;
  return limits;
}

Status RunCommand(const Arguments& arguments, Console& console) {
  Session session{console, arguments.global};
  return std::visit(
      [&](const auto& command) {
        using T = std::decay_t<decltype(command)>;
        if constexpr (std::is_same_v<T, OnboardArguments>) {
          return RunOnboard(command, session);
        } else if constexpr (std::is_same_v<T, ListArguments>) {
          return RunList(command, session);
        } else if constexpr (std::is_same_v<T, ShowArguments>) {
          return RunShow(command, session);
        } else if constexpr (std::is_same_v<T, StatsArguments>) {
          return RunStats(command, session);
        } else if constexpr (std::is_same_v<T, FindArguments>) {
          return RunFind(command, session);
        } else if constexpr (std::is_same_v<T, QueryArguments>) {
          return RunQuery(command, session);
        } else if constexpr (std::is_same_v<T, ImportArguments>) {
          return RunImport(command, session);
        } else if constexpr (std::is_same_v<T, ExportArguments>) {
          return RunExport(command, session);
        } else if constexpr (std::is_same_v<T, DatasetArguments>) {
          return RunDataset(command, session);
        } else if constexpr (std::is_same_v<T, LanceArguments>) {
          return RunLance(command, session);
        } else if constexpr (std::is_same_v<T, CompletionArguments>) {
          return RunCompletion(command, session);
        } else {
          return Status::Internal("no command");
        }
      },
      arguments.command);
}

Result<OpenedDataset> OpenDataset(const std::optional<std::string>& dataset,
                                  std::optional<Errors> errors, const LimitArguments& limits,
                                  const Session& session) {
  OpenedDataset opened;
  PCHRONICLE_ASSIGN_OR_RETURN(opened.location, ResolveDataset(dataset, session));
  const catalog::SnapshotOptions options{
      errors == Errors::kStrict ? catalog::ErrorPolicy::kStrict : catalog::ErrorPolicy::kReport,
      ToLimits(limits)};
  const InterruptibleContext context;
  PCHRONICLE_ASSIGN_OR_RETURN(opened.snapshot,
                              app::OpenDataset(opened.location, options, context.get()));
  return opened;
}

}  // namespace pchronicle::cli
