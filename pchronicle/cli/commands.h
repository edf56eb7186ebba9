#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pchronicle/app/configuration.h"
#include "pchronicle/app/dataset_location.h"
#include "pchronicle/base/status.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/cli/arguments.h"
#include "pchronicle/cli/console.h"

namespace pchronicle::cli {

/// What every command gets: the streams and the global options.
struct Session {
  Console& console;
  const GlobalArguments& global;

  /// The user configuration; read on first need, so that commands without pins never touch it.
  Result<app::Configuration> Configuration() const;
};

// The commands of cli.md. A command that fails has written nothing to stdout and left no file
// behind; the caller prints the error.
Status RunOnboard(const OnboardArguments& arguments, Session& session);
Status RunList(const ListArguments& arguments, Session& session);
Status RunShow(const ShowArguments& arguments, Session& session);
Status RunStats(const StatsArguments& arguments, Session& session);
Status RunFind(const FindArguments& arguments, Session& session);
Status RunQuery(const QueryArguments& arguments, Session& session);
Status RunImport(const ImportArguments& arguments, Session& session);
Status RunExport(const ExportArguments& arguments, Session& session);
Status RunDataset(const DatasetArguments& arguments, Session& session);
Status RunLance(const LanceArguments& arguments, Session& session);
Status RunCompletion(const CompletionArguments& arguments, Session& session);

/// Calls the command that was parsed.
Status RunCommand(const Arguments& arguments, Console& console);

/// Resolves `dataset` (absent: the default pin) without reading the configuration when it is not
/// needed.
Result<app::DatasetLocation> ResolveDataset(const std::optional<std::string>& dataset,
                                            const Session& session);
/// Limits of `--max-files`, `--max-entries` and `--max-decompress*`.
catalog::Limits ToLimits(const LimitArguments& arguments);

/// A Dataset that a read command has opened: as it was named, and frozen.
struct OpenedDataset {
  app::DatasetLocation location;
  std::shared_ptr<const catalog::Snapshot> snapshot;
};
/// Resolves `dataset` (absent: the default pin) and freezes it. Anything but kStrict lets broken
/// Sources be reported. Ctrl-C ends it; the timeout counts for the reading that follows.
Result<OpenedDataset> OpenDataset(const std::optional<std::string>& dataset,
                                  std::optional<Errors> errors, const LimitArguments& limits,
                                  const Session& session);

}  // namespace pchronicle::cli
