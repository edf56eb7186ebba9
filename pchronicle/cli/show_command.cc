#include <fmt/core.h>

#include "pchronicle/app/inventory.h"
#include "pchronicle/app/show.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/problems.h"
#include "pchronicle/cli/progress.h"
#include "pchronicle/cli/show_text.h"

namespace pchronicle::cli {

Status RunShow(const ShowArguments& arguments, Session& session) {
  Console& console = session.console;
  if (arguments.positionals.empty()) {
    return Status::InvalidArgument("show needs the id of a run: pchronicle show [DATASET] RUN");
  }
  const bool has_dataset = arguments.positionals.size() > 1;
  const bool strict = arguments.errors == Errors::kStrict;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const OpenedDataset opened,
      OpenDataset(has_dataset ? std::optional(arguments.positionals.front()) : std::nullopt,
                  arguments.errors, arguments.limits, session));
  const auto& snapshot = opened.snapshot;
  const InterruptibleContext context(arguments.limits.timeout);
  catalog::QueryScope scope(*snapshot, !strict, context.get());
  Progress progress(console, "reading");
  const auto run = app::FindRun(scope, {arguments.positionals.back(), arguments.source});
  progress.Finish();
  WarnProblems(scope.problems(), scope.problem_count(), console);
  if (!run.ok()) {
    return run.status();
  }
  const ShowTextOptions text{arguments.from_step, arguments.steps, arguments.max_chars,
                             console.stdout_terminal()};
  PCHRONICLE_RETURN_IF_ERROR(console.Write(RenderRun(*run, text)));
  console.Info(fmt::format("snapshot_id={} source={} document_id={} steps={} errors={}",
                           snapshot->id(), LogValue(run->address.file),
                           LogValue(run->address.document_id), run->storyline.turns.size(),
                           scope.problem_count()));
  return Status::Ok();
}

}  // namespace pchronicle::cli
