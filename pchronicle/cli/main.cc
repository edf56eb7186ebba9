#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/exit_code.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/parser.h"
#include "pchronicle/cli/version.h"

namespace pchronicle::cli {
namespace {

int Finish(const Status& status, Console& console) {
  if (console.stdout_closed()) {
    return kExitOk;  // the reader has seen enough
  }
  if (status.ok()) {
    return kExitOk;
  }
  const Failure failure = Classify(status.code());
  std::string message = status.message();
  if (status.code() == StatusCode::kUnavailable &&
      message.find("deadline passed") != std::string::npos) {
    message += "; raise --timeout, or ask for less";
  }
  console.Error(ErrorLine(failure.name, message));
  console.Debug(
      fmt::format("  status={} exit_code={}", StatusCodeName(status.code()), failure.exit_code));
  return failure.exit_code == kExitInterrupted && InterruptSignal() == SIGTERM ? kExitTerminated
                                                                               : failure.exit_code;
}

int Main(std::vector<std::string> words) {
  if (words.size() == 1 && (words[0] == "--version" || words[0] == "-V")) {
    const std::string line = VersionLine() + "\n";
    return std::fwrite(line.data(), 1, line.size(), stdout) == line.size() ? kExitOk
                                                                           : kExitInternal;
  }
  InstallSignalHandlers();
  const ParseOutcome parsed = ParseCommandLine(std::move(words));
  Console console =
      Console::Detect(parsed.arguments ? parsed.arguments->global.log_level : LogLevel::kInfo);
  if (!parsed.usage_error.empty()) {
    std::fwrite(parsed.usage.data(), 1, parsed.usage.size(), stderr);
    console.Error(ErrorLine("invalid_request", parsed.usage_error));
    return kExitInvalidRequest;
  }
  if (!parsed.arguments) {
    return Finish(console.Write(parsed.text), console);
  }
  return Finish(RunCommand(*parsed.arguments, console), console);
}

}  // namespace
}  // namespace pchronicle::cli

int main(int argc, char** argv) {
  try {
    const int exit_code =
        pchronicle::cli::Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    std::fflush(nullptr);
    // Nothing is left to destroy but the engine, and taking that apart costs more than a small
    // query.
    std::_Exit(exit_code);
  } catch (const std::bad_alloc&) {
    std::fputs("error[resource_exhausted]: out of memory\n", stderr);
    return 5;
  }
}
