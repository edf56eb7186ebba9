#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "pchronicle/app/sample_data.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/guide.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/parser.h"

namespace pchronicle::cli {
namespace {

// A folder below the system's temporary folder that is removed at the end.
class Workspace {
 public:
  static Result<std::unique_ptr<Workspace>> Create() {
    std::error_code error;
    std::string pattern =
        (std::filesystem::temp_directory_path(error) / "pchronicle-onboard-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
      return Status::Io("cannot create a temporary folder ({})", pattern);
    }
    return std::unique_ptr<Workspace>(new Workspace(std::move(pattern)));
  }
  ~Workspace() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit Workspace(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

// Runs a command in this process; the user's configuration is never touched.
Result<std::string> RunCaptured(std::vector<std::string> words, const std::string& configuration) {
  words.insert(words.begin(), {"--config", configuration});
  const ParseOutcome parsed = ParseCommandLine(std::move(words));
  if (!parsed.arguments) {
    return Status::Internal("{}", parsed.usage_error);
  }
  std::string out;
  Console console = Console::Captured(&out);
  PCHRONICLE_RETURN_IF_ERROR(RunCommand(*parsed.arguments, console));
  return out;
}

// False: the reader has had enough.
bool WaitForEnter() {
  std::cout << "— Enter: next section, q: quit — " << std::flush;
  std::string answer;
  return static_cast<bool>(std::getline(std::cin, answer)) && answer != "q";
}

}  // namespace

Status RunOnboard(const OnboardArguments& arguments, Session& session) {
  Console& console = session.console;
  const bool all = arguments.section == "all";
  if (arguments.dataset && !all && !SectionTakesDataset(arguments.section)) {
    return Status::InvalidArgument("section {} takes no Dataset", arguments.section);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<Workspace> workspace, Workspace::Create());
  PCHRONICLE_RETURN_IF_ERROR(app::WriteSamples(workspace->path() + "/samples"));
  GuidePlace place{workspace->path(), std::nullopt};
  if (arguments.dataset) {
    PCHRONICLE_ASSIGN_OR_RETURN(place.dataset, [&]() -> Result<std::string> {
      PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation location,
                                  ResolveDataset(arguments.dataset, session));
      return location.path;
    }());
  }
  const CommandRunner run = [&](const std::vector<std::string>& words) {
    return RunCaptured(words, workspace->path() + "/config.toml");
  };
  const bool pause =
      all && !arguments.no_pause && console.stdin_terminal() && console.stdout_terminal();
  const std::vector<std::string> sections =
      all ? GuideSections() : std::vector<std::string>{arguments.section};
  std::string held;  // without pauses everything is known to work before anything is printed
  for (size_t i = 0; i < sections.size(); ++i) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string markdown, GuideSection(sections[i], place, run));
    const std::string text =
        console.stdout_terminal() ? RenderMarkdown(markdown, console.color()) : markdown;
    if (!pause) {
      held += text;
      continue;
    }
    PCHRONICLE_RETURN_IF_ERROR(console.Write(text));
    if (i + 1 < sections.size() && !WaitForEnter()) {
      return InterruptSignal() == 0 ? Status::Ok() : Status::Cancelled("cancelled");
    }
  }
  return console.Write(held);
}

}  // namespace pchronicle::cli
