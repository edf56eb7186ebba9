#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "pchronicle/app/import.h"
#include "pchronicle/app/import_names.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/pretty_json.h"
#include "pchronicle/cli/progress.h"
#include "pchronicle/cli/quantities.h"

namespace pchronicle::cli {
namespace {

constexpr uint64_t kDefaultMaxInput = 256ULL << 20;

// Refuses what needs the columnar store (a later version), by the name of the option.
Status CheckSupported(const ImportArguments& arguments) {
  const std::string output = arguments.output_format.value_or("preserve");
  if (output == "storyline" || output == "storyline-lance" || output == "compact-jsonl") {
    return Status::Unsupported(
        "--output-format {} is not available yet: it needs a store, which a later version brings; "
        "this one imports with --output-format preserve",
        output);
  }
  if (output != "preserve") {
    return Status::InvalidArgument("unknown --output-format '{}'; expected preserve", output);
  }
  if (arguments.append || arguments.mode == "append" || arguments.on_duplicate) {
    return Status::Unsupported(
        "--append is not available yet: it needs a store, which a later version brings");
  }
  if (arguments.mode && *arguments.mode != "create" && *arguments.mode != "replace") {
    return Status::InvalidArgument("--mode '{}' is not one of create, append, replace",
                                   *arguments.mode);
  }
  return Status::Ok();
}

Result<std::optional<model::Format>> ParseInputFormat(const std::optional<std::string>& name,
                                                      std::string_view option) {
  if (!name || *name == "auto") {
    return std::optional<model::Format>();
  }
  if (*name == "codex" || *name == "claude-code" || *name == "compact-jsonl") {
    return Status::Unsupported("{} {} is not available yet: a later version reads it", option,
                               *name);
  }
  const std::optional<model::Format> format = model::ParseFormatName(*name);
  if (!format) {
    return Status::InvalidArgument(
        "unknown document format '{}'; expected auto, atif, actf, openai-messages, storyline, "
        "agenticmd or "
        "hf-chat",
        *name);
  }
  return format;
}

Result<std::string> ReadStdin(uint64_t limit) {
  std::string text;
  std::string piece(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n < 0 && errno == EINTR && InterruptSignal() == 0) {
      continue;
    }
    if (n < 0) {
      return InterruptSignal() != 0 ? Status::Cancelled("cancelled")
                                    : Status::Io("read stdin: {}", std::strerror(errno));
    }
    if (n == 0) {
      return text;
    }
    text.append(piece, 0, static_cast<size_t>(n));
    if (text.size() > limit) {
      return Status::ResourceExhausted(
          "stdin is more than the limit max_input_bytes {}; raise --max-input-bytes", limit);
    }
  }
}

// `--to`, or a child of the default Dataset named after the input file.
Result<app::DatasetLocation> Target(const ImportArguments& arguments, const Session& session) {
  if (arguments.to) {
    app::Configuration configuration;
    if (!arguments.to->empty() && arguments.to->front() == '@') {
      PCHRONICLE_ASSIGN_OR_RETURN(configuration, session.Configuration());
    }
    return app::ParseDataset(*arguments.to, configuration);
  }
  if (*arguments.from == "-") {
    return Status::InvalidArgument("import from stdin needs --to DATASET");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation parent,
                              ResolveDataset(std::nullopt, session));
  const std::string name = app::DerivedDatasetName(
      std::filesystem::path(*arguments.from).lexically_normal().filename().string());
  return app::DatasetLocation{parent.path + "/" + name, parent.path + "/" + name};
}

Status Confirm(const ImportArguments& arguments, const app::DatasetLocation& target,
               const Console& console) {
  std::error_code error;
  if (arguments.yes || !std::filesystem::exists(target.path, error)) {
    return Status::Ok();
  }
  if (!console.stdin_terminal() || *arguments.from == "-") {
    return Status::InvalidArgument("replacing {} needs confirmation; pass --yes", target.given);
  }
  std::cerr << fmt::format("Permanently replace Dataset '{}'? [y/N] ", target.given) << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes"
             ? Status::Ok()
             : Status::InvalidArgument("not replaced");
}

std::string OutcomeJson(const app::ImportOutcome& outcome, const std::string& to) {
  PrettyJson json;
  json.BeginObject().Key("dataset_uri").String(to);
  if (outcome.source_path) {
    json.Key("source_path")
        .String(*outcome.source_path)
        .Key("format")
        .String(outcome.format.value_or(""));
  }
  json.Key("output_format").String("preserve");
  json.Key("sources").Unsigned(outcome.sources);
  json.Key("trajectories").Unsigned(outcome.trajectories);
  json.Key("input_bytes").Unsigned(outcome.input_bytes).EndObject();
  return json.Take();
}

}  // namespace

Status RunImport(const ImportArguments& arguments, Session& session) {
  Console& console = session.console;
  if (!arguments.from) {
    return Status::InvalidArgument("import needs --from SOURCE (a file, a folder, or - for stdin)");
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckSupported(arguments));
  app::ImportOptions options;
  PCHRONICLE_ASSIGN_OR_RETURN(options.format,
                              ParseInputFormat(arguments.input_format, "--input-format"));
  PCHRONICLE_ASSIGN_OR_RETURN(options.suggested_format,
                              ParseInputFormat(arguments.suggested_format, "--suggested-format"));
  options.max_input_bytes = arguments.max_input_bytes.value_or(kDefaultMaxInput);
  options.limits = ToLimits(arguments.limits);
  options.replace = arguments.replace || arguments.mode == "replace";
  PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation target, Target(arguments, session));
  options.to = target.path;
  options.to_given = target.given;
  if (options.replace) {
    PCHRONICLE_RETURN_IF_ERROR(Confirm(arguments, target, console));
  }
  if (*arguments.from == "-") {
    if (!options.format) {
      return Status::InvalidArgument("import from stdin needs an explicit --input-format");
    }
    PCHRONICLE_ASSIGN_OR_RETURN(options.text, ReadStdin(options.max_input_bytes));
    options.from = "stdin";
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation from,
                                ResolveDataset(arguments.from, session));
    options.from = from.path;
  }
  const InterruptibleContext context;
  Progress progress(console, "reading");
  PCHRONICLE_ASSIGN_OR_RETURN(
      const app::ImportOutcome outcome,
      app::ImportPreserved(
          options, context.get(),
          [&](std::string_view, size_t done, size_t total) { progress.Update(done, total); }));
  progress.Finish();
  PCHRONICLE_RETURN_IF_ERROR(console.Write(OutcomeJson(outcome, target.given)));
  console.Info(fmt::format(
      "dataset_uri={} output_format=preserve sources={} trajectories={} input_bytes={} skipped={}",
      LogValue(target.given), outcome.sources, outcome.trajectories, outcome.input_bytes,
      outcome.warnings.size()));
  for (const std::string& warning : outcome.warnings) {
    console.Warn(warning);
  }
  return Status::Ok();
}

}  // namespace pchronicle::cli
