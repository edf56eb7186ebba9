#include "pchronicle/cli/parser.h"

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>

#include "pchronicle/app/find/expression.h"
#include "pchronicle/cli/quantities.h"
#include "pchronicle/cli/version.h"

namespace pchronicle::cli {
namespace {

using Names = std::initializer_list<std::string_view>;

// Commands of the full product that later versions bring; typing one says so instead of "unknown".
constexpr std::array<std::string_view, 7> kLaterCommands = {"sync",  "drop", "project", "agent",
                                                            "serve", "dev",  "maintain"};

constexpr const char* kGlobalGroup = "Global options";
constexpr const char* kHidden = "";

std::string Join(Names names, std::string_view separator) {
  std::string out;
  for (const std::string_view name : names) {
    out += (out.empty() ? "" : std::string(separator)) + std::string(name);
  }
  return out;
}

void Require(const Status& status) {
  if (!status.ok()) {
    throw CLI::ValidationError(status.message());
  }
}

// Adds the options of one command; each method is one kind of value.
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App* app) : app_(app) {}

  CLI::Option* Text(const std::string& names, std::optional<std::string>* target,
                    const std::string& value, const std::string& description) {
    return Label(app_->add_option_function<std::string>(
                     names, [target](const std::string& text) { *target = text; }, description),
                 value);
  }
  CLI::Option* Flag(const std::string& names, bool* target, const std::string& description) {
    return app_->add_flag(names, *target, description);
  }
  CLI::Option* Number(const std::string& names, uint64_t* target, uint64_t smallest,
                      uint64_t largest, const std::string& description,
                      const std::string& fallback) {
    return Parsed(
        names, "N", description, fallback, [target, smallest, largest](const std::string& text) {
          uint64_t value = 0;
          const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
          if (error != std::errc() || end != text.data() + text.size() || value < smallest ||
              value > largest) {
            return largest == UINT64_MAX
                       ? Status::InvalidArgument("'{}' is no integer of at least {}", text,
                                                 smallest)
                       : Status::InvalidArgument("'{}' is no integer from {} to {}", text, smallest,
                                                 largest);
          }
          *target = value;
          return Status::Ok();
        });
  }
  CLI::Option* Bytes(const std::string& names, uint64_t* target, bool zero_allowed,
                     const std::string& description, const std::string& fallback) {
    return Parsed(names, "BYTES", description, fallback,
                  [target, zero_allowed](const std::string& text) {
                    PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseByteSize(text, zero_allowed));
                    return Status::Ok();
                  });
  }
  CLI::Option* OptionalBytes(const std::string& names, std::optional<uint64_t>* target,
                             const std::string& description, const std::string& fallback) {
    return Parsed(names, "BYTES", description, fallback, [target](const std::string& text) {
      PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseByteSize(text, /*zero_allowed=*/false));
      return Status::Ok();
    });
  }
  CLI::Option* Duration(const std::string& names, std::chrono::seconds* target,
                        const std::string& description, const std::string& fallback) {
    return Parsed(names, "DURATION", description, fallback, [target](const std::string& text) {
      PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseDuration(text));
      return Status::Ok();
    });
  }
  /// One of a few words; `set` gets its position.
  CLI::Option* Choice(const std::string& names, Names choices, const std::string& description,
                      const std::string& fallback, std::function<void(size_t)> set) {
    const std::vector<std::string> words(choices.begin(), choices.end());
    return Parsed(names, Join(choices, "|"), description, fallback,
                  [words, set = std::move(set)](const std::string& text) {
                    const auto it = std::find(words.begin(), words.end(), text);
                    if (it == words.end()) {
                      std::string known;
                      for (const std::string& word : words) {
                        known += (known.empty() ? "" : ", ") + word;
                      }
                      return Status::InvalidArgument("'{}' is not one of {}", text, known);
                    }
                    set(static_cast<size_t>(it - words.begin()));
                    return Status::Ok();
                  });
  }
  CLI::Option* Format(Names choices, OutputFormat* target) {
    static const std::map<std::string, OutputFormat, std::less<>> kFormats = {
        {"auto", OutputFormat::kAuto},
        {"table", OutputFormat::kTable},
        {"json", OutputFormat::kJson},
        {"jsonl", OutputFormat::kJsonl},
        {"csv", OutputFormat::kCsv}};
    const std::vector<std::string> words(choices.begin(), choices.end());
    return Choice("--format", choices, "form of the output", "auto",
                  [target, words](size_t i) { *target = kFormats.find(words[i])->second; });
  }
  CLI::Option* ErrorPolicy(std::optional<Errors>* target, const std::string& fallback) {
    return Choice("--errors", {"strict", "report"}, "fail on the first error, or go on and report",
                  fallback,
                  [target](size_t i) { *target = i == 0 ? Errors::kStrict : Errors::kReport; });
  }
  void Limits(LimitArguments* limits, bool with_timeout) {
    Number("--max-files", &limits->max_files, 1, UINT64_MAX, "most Sources of a Dataset",
           "1000000");
    Number("--max-entries", &limits->max_entries, 1, UINT64_MAX, "most directory entries looked at",
           "2000000");
    DecompressionLimits(limits);
    if (with_timeout) {
      Duration("--timeout", &limits->timeout, "longest time after discovery", "30s");
      std::chrono::seconds* timeout = &limits->timeout;
      Parsed("--timeout-seconds", "N", "", "", [timeout](const std::string& text) {
        PCHRONICLE_ASSIGN_OR_RETURN(*timeout, ParseDuration(text));
        return Status::Ok();
      })->group(kHidden);
    }
  }
  void DecompressionLimits(LimitArguments* limits) {
    Bytes("--max-decompressed-bytes", &limits->max_decompressed_bytes, false,
          "most text in a .gz or .zst file", "64GiB");
    Number("--max-decompression-ratio", &limits->max_decompression_ratio, 1, UINT64_MAX,
           "most text for each byte of a .gz or .zst file", "1000");
    Bytes("--max-decompression-window-bytes", &limits->max_decompression_window_bytes, false,
          "most memory that a .zst frame may ask for", "128MiB");
  }
  CLI::Option* Parsed(const std::string& names, const std::string& value,
                      const std::string& description, const std::string& fallback,
                      std::function<Status(const std::string&)> parse) {
    const std::string name = names.substr(names.find("--"));
    CLI::Option* option = app_->add_option_function<std::string>(
        names,
        [parse = std::move(parse), name](const std::string& text) {
          const Status status = parse(text);
          Require(status.ok() ? status : status.WithContext(name));
        },
        fallback.empty() ? description : fmt::format("{} [{}]", description, fallback));
    return Label(option, value);
  }
  CLI::Option* Positional(const std::string& name, std::string* target,
                          const std::string& description) {
    return app_->add_option(name, *target, description)->option_text(" ");
  }
  CLI::Option* Positional(const std::string& name, std::optional<std::string>* target,
                          const std::string& description) {
    return app_
        ->add_option_function<std::string>(
            name, [target](const std::string& text) { *target = text; }, description)
        ->option_text(" ");
  }

 private:
  static CLI::Option* Label(CLI::Option* option, const std::string& value) {
    return option->option_text(value);
  }

  CLI::App* app_;
};

// The whole command tree, bound to the structs it fills. Built once per process, on the heap
// because CLI11 keeps pointers.
class CommandTree {
 public:
  CommandTree()
      : root_("Find, query, keep and show AI-agent trajectories where they lie.", "pchronicle") {
    root_.get_formatter()->column_width(38);
    root_.require_subcommand(1);
    root_.footer(
        "Examples:\n"
        "  pchronicle ls ./runs\n"
        "  pchronicle query ./runs --sql 'SELECT function_name, count(*) FROM tool_calls GROUP BY "
        "ALL'\n"
        "  pchronicle show ./runs RUN_ID\n\n"
        "`pchronicle COMMAND --help` explains a command.");
    Common(&root_);
    AddLearn();
    AddInspect();
    AddAnalyze();
    AddExchange();
    AddLance();
    AddConfigure();
    AddHiddenForms();
  }

  CLI::App& root() { return root_; }

  // The struct of the command that was typed.
  Arguments Take() {
    Arguments arguments;
    arguments.global = global_;
    const CLI::App* command = root_.get_subcommands().front();
    arguments.command = take_.at(command)(command);
    return arguments;
  }

  /// The innermost command typed, and how its usage line starts.
  CLI::App* Innermost(std::string* path) {
    CLI::App* app = &root_;
    *path = "pchronicle";
    while (!app->get_subcommands().empty()) {
      app = app->get_subcommands().back();
      *path += " " + app->get_name();
    }
    return app;
  }

 private:
  using Take1 = std::function<CommandArguments(const CLI::App*)>;

  CLI::App* Command(CLI::App* parent, const std::string& name, const char* group,
                    const std::string& description, const std::string& examples) {
    CLI::App* app = parent->add_subcommand(name, description)->group(group);
    if (!examples.empty()) {
      app->footer("Examples:\n" + examples);
    }
    Common(app);
    return app;
  }

  template <typename T>
  void Returns(const CLI::App* app, const T* arguments) {
    take_[app] = [arguments](const CLI::App*) -> CommandArguments { return *arguments; };
  }

  void Common(CLI::App* app) {
    app->set_help_flag("-h,--help", "print this help")->group(kGlobalGroup);
    OptionAdder add(app);
    add.Text("-c,--config", &global_.config, "FILE", "user configuration file")
        ->group(kGlobalGroup);
    add.Choice("--log-level", {"error", "warn", "info", "debug"}, "how much goes to stderr", "info",
               [this](size_t i) { global_.log_level = static_cast<LogLevel>(i); })
        ->group(kGlobalGroup);
    add.Text("--settings", &global_.config, "FILE", "")->group(kHidden);
    app->add_flag_callback("--debug-errors", [this] { global_.log_level = LogLevel::kDebug; })
        ->group(kHidden);
    app->add_flag_callback(
           "-V,--version", [] { throw CLI::CallForVersion(VersionLine(), 0); }, "print the version")
        ->group(kGlobalGroup);
  }

  void AddLearn() {
    CLI::App* app = Command(&root_, "onboard", "Learn",
                            "Learn by real commands and their output on sample data",
                            "  pchronicle onboard\n  pchronicle onboard query ./runs\n  pchronicle "
                            "onboard formats | less");
    OptionAdder add(app);
    add.Positional("SECTION", &onboard_first_,
                   "all, concepts (basics), inspect, analyze, query, formats, find,\nexchange "
                   "(import-export), serve");
    add.Positional("DATASET", &onboard_.dataset,
                   "your own Dataset instead of the samples, only read");
    add.Flag("--no-pause", &onboard_.no_pause, "do not wait between sections");
    take_[app] = [this](const CLI::App*) -> CommandArguments {
      static const std::map<std::string, std::string> kSections = {{"all", "all"},
                                                                   {"concepts", "concepts"},
                                                                   {"basics", "concepts"},
                                                                   {"inspect", "inspect"},
                                                                   {"analyze", "analyze"},
                                                                   {"query", "query"},
                                                                   {"formats", "formats"},
                                                                   {"find", "find"},
                                                                   {"serve", "serve"},
                                                                   {"exchange", "exchange"},
                                                                   {"import-export", "exchange"}};
      if (onboard_first_) {
        const auto it = kSections.find(*onboard_first_);
        if (it != kSections.end()) {
          onboard_.section = it->second;
        } else if (!onboard_.dataset) {
          onboard_.dataset = onboard_first_;
        } else {
          throw CLI::ValidationError("SECTION", fmt::format("'{}' is no section", *onboard_first_));
        }
      }
      return onboard_;
    };
  }

  void AddInspect() {
    AddList();
    AddShow();
    AddStats(&root_, "stats", "Inspect");
    AddFind();
  }

  void AddList() {
    CLI::App* app = Command(&root_, "list", "Inspect", "List every Source of a Dataset, honestly",
                            "  pchronicle list ./runs\n  pchronicle ls ./runs --check\n"
                            "  pchronicle ls @prod --format json | jq '.sources[].source_path'");
    app->alias("ls");
    OptionAdder add(app);
    add.Positional("DATASET", &list_.dataset, "folder, file, URI or @PIN [@default]");
    add.Flag("--check", &list_.check, "read every Source: state, reason, runs, diagnostics");
    add.Flag("--shallow", &list_.shallow, "one directory level, nothing below it");
    add.Flag("--physical", &list_.physical, "add size, time and version columns");
    add.Flag("--sources", &ignored_flag_, "")->group(kHidden);
    add.Format({"auto", "table", "json"}, &list_.format);
    add.ErrorPolicy(&list_.errors, "report");
    add.Limits(&list_.limits, false);
    Returns(app, &list_);
  }

  void AddShow() {
    CLI::App* app = Command(&root_, "show", "Inspect", "Print one run as readable text",
                            "  pchronicle show ./runs support-001\n  pchronicle show ./runs "
                            "support-001 --max-chars 4000\n"
                            "  pchronicle show ./runs support-001 --from-step 40 --steps 10");
    OptionAdder add(app);
    add.Positional("DATASET", &show_first_, "folder, file, URI or @PIN [@default]");
    add.Positional("RUN", &show_second_, "document, session or run id");
    add.Text("--source", &show_.source, "SOURCE_PATH", "only this Source");
    add.Number("--from-step", &show_.from_step, 0, UINT64_MAX, "first step, by position from 0",
               "0");
    add.Number("--steps", &show_steps_, 1, UINT64_MAX, "most steps shown", "all")
        ->each([this](const std::string&) { show_has_steps_ = true; });
    add.Number("--max-chars", &show_.max_chars, 0, UINT64_MAX,
               "budget of the body in characters, 0: none", "20000");
    add.ErrorPolicy(&show_.errors, "report");
    add.Limits(&show_.limits, true);
    take_[app] = [this](const CLI::App*) -> CommandArguments {
      for (const auto& word : {show_first_, show_second_}) {
        if (word) {
          show_.positionals.push_back(*word);
        }
      }
      if (show_has_steps_) {
        show_.steps = show_steps_;
      }
      return show_;
    };
  }

  void AddStatsOptions(CLI::App* app, bool report) {
    OptionAdder add(app);
    add.Positional("DATASET", &stats_.dataset, "folder, file, URI or @PIN [@default]");
    if (report) {
      add.Format({"auto", "table", "jsonl", "csv"}, &stats_.format);
      add.Parsed("--limit", "N", "most rows, 1 to 10000", "100", [this](const std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 1 ||
            value > 10'000) {
          return Status::InvalidArgument(
              "'{}' is no integer from 1 to 10000; for more rows use: pchronicle query --sql",
              text);
        }
        stats_.limit = value;
        return Status::Ok();
      });
      add.Bytes("--max-output-bytes", &stats_.max_output_bytes, false, "most bytes of output",
                "8MiB");
    } else {
      add.Format({"auto", "table", "json"}, &stats_.format);
    }
    add.ErrorPolicy(&stats_.errors, "report");
    add.Limits(&stats_.limits, true);
    Returns(app, &stats_);
  }

  void AddStats(CLI::App* parent, const std::string& name, const char* group) {
    CLI::App* app =
        Command(parent, name, group, "Health and counts of a Dataset, or one of four reports",
                "  pchronicle stats ./runs\n  pchronicle stats tools ./runs --limit 20\n"
                "  pchronicle status ./runs --format json");
    if (name == "stats") {
      app->alias("status");
    }
    app->require_subcommand(name == "stats" ? 0 : 1, 1);
    if (name == "stats") {
      AddStatsOptions(app, false);
    } else {
      Returns(app, &stats_);
    }
    struct ReportName {
      StatsArguments::Report report;
      const char* name;
      std::vector<const char*> aliases;
      const char* description;
    };
    const ReportName kReports[] = {
        {StatsArguments::Report::kOverview,
         "overview",
         {"summary"},
         "One row of counts over the whole Dataset"},
        {StatsArguments::Report::kAgents, "agents", {}, "Runs, steps and calls by agent"},
        {StatsArguments::Report::kModels, "models", {}, "Models as declared and as seen on steps"},
        {StatsArguments::Report::kTools,
         "tools",
         {"tool-calls", "toolcalls"},
         "Calls and durations by tool"}};
    for (const ReportName& entry : kReports) {
      CLI::App* report = Command(
          app, entry.name, "Reports", entry.description,
          fmt::format("  pchronicle stats {} ./runs\n  pchronicle stats {} ./runs --format csv",
                      entry.name, entry.name));
      for (const char* alias : entry.aliases) {
        report->alias(alias);
      }
      AddStatsOptions(report, true);
      report->parse_complete_callback([this, value = entry.report] { stats_.report = value; });
    }
  }

  void AddFind() {
    CLI::App* app = Command(
        &root_, "find", "Inspect", "Find runs and steps by id, by text or by a JSON value",
        "  pchronicle find ./runs --match 'quota exceeded'\n"
        "  pchronicle find ./runs --match '#user(refund) AND NOT #model(north)'\n"
        "  pchronicle find ./runs --match '#json.metrics(\"$.cost_usd\") > 0.5'\n"
        "  pchronicle find ./runs --session-id support-001 --step-id 3\n\n"
        "An expression has conditions, AND, OR, NOT and parentheses. A condition is a text\n"
        "(every message that has it, upper and lower case alike), #FIELD(text), or a JSON\n"
        "path with = != > >= < <= and a value: $.a.b >= 2, #json.COLUMN(\"$.a\") = x.\n"
        "Quote a text that has parentheses or the words and, or, not: '\"salt and pepper\"'.\n"
        "Fields: " +
            app::FindFieldNames() + ".");
    OptionAdder add(app);
    add.Positional("DATASET", &find_.dataset, "folder, file, URI or @PIN [@default]");
    add.Text("--source", &find_.source, "SOURCE_PATH", "only this Source");
    add.Text("--run-id", &find_.run_id, "ID", "runs with this run id");
    add.Text("--document-id", &find_.document_id, "ID", "runs with this document id");
    add.Text("--session-id", &find_.session_id, "ID", "runs with this session id");
    add.Parsed("--step-id", "N", "the step with this id, with --session-id", "",
               [this](const std::string& text) {
                 int64_t value = 0;
                 const char* last = text.data() + text.size();
                 const auto [end, error] = std::from_chars(text.data(), last, value);
                 if (error != std::errc() || end != last) {
                   return Status::InvalidArgument("'{}' is no integer", text);
                 }
                 find_.step_id = value;
                 return Status::Ok();
               });
    AddRepeatable(app, "--match", &find_.matches, "EXPR",
                  "what must hold; repeatable, all of them must");
    add.Format({"auto", "table", "json"}, &find_.format);
    add.Number("--max-results", &find_.max_results, 1, UINT64_MAX, "most matches", "100");
    add.Bytes("--max-output-bytes", &find_.max_output_bytes, false, "most bytes of output", "8MiB");
    add.ErrorPolicy(&find_.errors, "report");
    add.Limits(&find_.limits, true);
    Returns(app, &find_);
  }

  void AddAnalyze() {
    CLI::App* app = Command(
        &root_, "query", "Analyze", "Run one read-only SQL statement over Datasets",
        "  pchronicle query ./runs --sql 'SELECT * FROM trajectories LIMIT 5'\n"
        "  pchronicle query --mount a=./monday --mount b=./tuesday --file compare.sql --format "
        "csv\n"
        "  pchronicle query ./runs --sql 'SELECT * FROM steps' --errors report -o steps.jsonl");
    OptionAdder add(app);
    add.Positional("DATASET", &query_first_,
                   "folder, file, URI or @PIN, SQL schema `dataset` [@default]");
    add.Positional("SQL", &query_second_, "")->group(kHidden);
    AddRepeatable(app, "--mount", &query_.mounts, "NAME=DATASET",
                  "Dataset as SQL schema NAME; repeatable");
    AddRepeatable(app, "--dataset", &query_.mounts, "NAME=DATASET", "")->group(kHidden);
    add.Text("--sql", &query_.sql, "SQL", "the statement");
    add.Text("--file", &query_.file, "FILE", "read the statement from a file, - for stdin");
    add.Format({"auto", "table", "jsonl", "csv"}, &query_.format);
    app->add_option("-o,--output", query_.output, "write to a file instead of stdout [-]")
        ->option_text("PATH");
    add.Flag("--overwrite", &query_.overwrite, "replace an existing output file");
    add.Flag("--check", &query_.check,
             "read every Source first, so that sources.content_status is filled");
    add.ErrorPolicy(&query_.errors, "fail on the first error");
    add.Number("--max-output-rows", &query_.max_output_rows, 0, UINT64_MAX,
               "most rows, 0: no limit", "100000");
    add.Bytes("--max-output-bytes", &query_.max_output_bytes, true,
              "most bytes of output, 0: no limit", "64MiB");
    add.OptionalBytes("--max-memory-bytes", &query_.max_memory_bytes,
                      "most memory for sorting, grouping and joining", "80% of the machine");
    add.Text("--spill-directory", &query_.spill_directory, "DIR",
             "existing folder for what does not fit into that memory [off]");
    add.OptionalBytes("--max-spill-bytes", &query_.max_spill_bytes,
                      "most bytes in the spill directory", "free space of the disk");
    add.Flag("--query-metrics", &query_.query_metrics, "print scan counters to stderr");
    add.Limits(&query_.limits, true);
    take_[app] = [this](const CLI::App*) -> CommandArguments {
      for (const auto& word : {query_first_, query_second_}) {
        if (word) {
          query_.positionals.push_back(*word);
        }
      }
      return query_;
    };
  }

  CLI::Option* AddRepeatable(CLI::App* app, const std::string& name,
                             std::vector<std::string>* target, const std::string& value,
                             const std::string& description) {
    return app
        ->add_option_function<std::vector<std::string>>(
            name,
            [target](const std::vector<std::string>& all) {
              target->insert(target->end(), all.begin(), all.end());
            },
            description)
        ->option_text(value)
        ->allow_extra_args(false)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void AddExchange() {
    AddImport();
    AddExport();
  }

  void AddImport() {
    CLI::App* app = Command(
        &root_, "import", "Exchange", "Copy trajectory files into a new Dataset, byte for byte",
        "  pchronicle import --from ./runs --to ./kept\n"
        "  curl -s https://example.org/run.json | pchronicle import -f - -t ./kept -i atif");
    OptionAdder add(app);
    add.Text("-f,--from", &import_.from, "SOURCE", "file, folder or @PIN; - for stdin");
    add.Text("-t,--to", &import_.to, "DATASET", "the new Dataset; must not exist");
    add.Text("-i,--input-format", &import_.input_format,
             "auto|atif|actf|openai-messages|storyline|hf-chat", "format of the input [auto]");
    add.Text("-o,--output-format", &import_.output_format, "preserve",
             "layout of the new Dataset [preserve]");
    add.Flag("--replace", &import_.replace, "replace an existing Dataset");
    add.Flag("-y,--yes", &import_.yes, "do not ask before replacing");
    add.Text("--suggested-format", &import_.suggested_format, "FORMAT",
             "tried when detection cannot decide");
    add.Bytes("--max-input-bytes", &import_max_, false, "most bytes of one Source", "256MiB")
        ->each([this](const std::string&) { import_has_max_ = true; });
    add.DecompressionLimits(&import_.limits);
    add.Flag("--append", &import_.append, "")->group(kHidden);
    add.Text("--mode", &import_.mode, "MODE", "")->group(kHidden);
    add.Text("--on-duplicate", &import_.on_duplicate, "RULE", "")->group(kHidden);
    add.Text("--output", &import_.to, "DATASET", "")->group(kHidden);
    add.Text("--format", &import_.input_format, "FORMAT", "")->group(kHidden);
    add.Flag("--stream", &ignored_flag_, "")->group(kHidden);
    take_[app] = [this](const CLI::App*) -> CommandArguments {
      if (import_has_max_) {
        import_.max_input_bytes = import_max_;
      }
      return import_;
    };
  }

  void AddExport() {
    CLI::App* app =
        Command(&root_, "export", "Exchange", "Write runs as one document of a chosen format",
                "  pchronicle export -f ./runs -t run.json -o atif --document-id support-001\n"
                "  pchronicle export -f ./runs -t - -o openai-messages --where \"score > 0.5\"\n"
                "  pchronicle export -f ./runs -t copy.json -o atif --source a/run.json --strict");
    OptionAdder add(app);
    add.Text("-f,--from", &export_.from, "DATASET", "the Dataset to read");
    add.Text("-t,--to", &export_.to, "PATH", "file to write, - for stdout");
    add.Text("-o,--output-format", &export_.output_format,
             "atif|actf|openai-messages|storyline|agenticmd", "format to write");
    add.Text("--source", &export_.source, "SOURCE_PATH", "only this Source");
    add.Text("--run-id", &export_.run_id, "ID", "only runs with this run id");
    add.Text("--document-id", &export_.document_id, "ID", "only this document");
    add.Text("--session-id", &export_.session_id, "ID", "only this session");
    add.Text("--where", &export_.where, "EXPR", "SQL condition over the relation trajectories");
    add.Flag("--strict", &export_.strict, "only an exact copy of one Source file");
    add.Flag("--overwrite", &export_.overwrite, "replace an existing file");
    add.Number("--max-trajectories", &export_.max_trajectories, 1, UINT64_MAX, "most runs",
               "10000");
    add.Bytes("--max-output-bytes", &export_.max_output_bytes, true,
              "most bytes of output, 0: no limit", "64MiB");
    add.Limits(&export_.limits, true);
    add.Text("--output", &export_.to, "PATH", "")->group(kHidden);
    add.Text("--format", &export_.output_format, "FORMAT", "")->group(kHidden);
    add.Flag("--stream", &ignored_flag_, "")->group(kHidden);
    Returns(app, &export_);
  }

  void AddLance() {
    CLI::App* app =
        Command(&root_, "lance", "Operate", "Look into a Lance table, whoever wrote it",
                "  pchronicle lance info ./steps.lance\n"
                "  pchronicle lance head ./steps.lance --limit 3 --columns id,meta.kind\n"
                "  pchronicle lance verify ./steps.lance --table-version 7");
    app->require_subcommand(1, 1);
    Returns(app, &lance_);
    using Action = LanceArguments::Action;
    AddLanceCommand(app, "info", Action::kInfo, "Versions, sizes, flags, indices, tags, branches");
    AddLanceCommand(app, "schema", Action::kSchema, "Fields with types and metadata");
    AddLanceCommand(app, "head", Action::kHead, "The first rows");
    AddLanceCommand(app, "count", Action::kCount, "Number of rows");
    AddLanceCommand(app, "pages", Action::kPages, "Pages, bytes and encodings of every column");
    AddLanceCommand(app, "verify", Action::kVerify,
                    "Read everything: pages, deletions, row ids, indices against data");
    AddLanceCommand(app, "history", Action::kHistory, "What every version did");
  }

  void AddLanceCommand(CLI::App* parent, const std::string& name, LanceArguments::Action action,
                       const std::string& description) {
    using Action = LanceArguments::Action;
    CLI::App* app = Command(parent, name, "Commands", description,
                            fmt::format("  pchronicle lance {} ./steps.lance", name));
    OptionAdder add(app);
    add.Positional("TABLE", &lance_.path, "folder of the table")->required();
    add.Number("--table-version", &lance_version_, 1, UINT64_MAX, "this version", "the newest")
        ->each([this](const std::string&) { lance_has_version_ = true; });
    add.Text("--tag", &lance_.tag, "NAME", "the version with this tag");
    add.Text("--at", &lance_.at, "TIME", "the newest version that is not younger (RFC 3339)");
    add.Text("--branch", &lance_.branch, "NAME", "a branch instead of main");
    if (action == Action::kHead) {
      app->add_option("--columns", lance_.columns, "columns and members (a.b), comma separated")
          ->option_text("A,B")
          ->delimiter(',');
      add.Number("--limit", &lance_.limit, 1, UINT64_MAX, "most rows", "10");
      add.Bytes("--max-output-bytes", &lance_.max_output_bytes, false, "most bytes of output",
                "8MiB");
      add.Format({"auto", "table", "jsonl"}, &lance_.format);
    } else {
      if (action == Action::kHistory) {
        add.Number("--limit", &lance_.limit, 1, UINT64_MAX, "most versions, newest first", "10");
      }
      add.Format({"auto", "table", "json"}, &lance_.format);
    }
    app->parse_complete_callback([this, action] {
      lance_.action = action;
      if (lance_has_version_) {
        lance_.version = lance_version_;
      }
    });
  }

  void AddConfigure() {
    CLI::App* app = Command(
        &root_, "dataset", "Configure", "Names for Datasets: @NAME",
        "  pchronicle dataset pin default ./runs\n  pchronicle dataset pin prod /data/evals\n"
        "  pchronicle ls @prod");
    app->alias("ds");
    app->require_subcommand(0, 1);
    Returns(app, &dataset_);
    AddPinCommand(app, "list", DatasetArguments::Action::kList, "List all pins",
                  "  pchronicle dataset list --format json")
        ->alias("ls");
    AddPinCommand(app, "show", DatasetArguments::Action::kShow, "Print the Dataset behind a pin",
                  "  pchronicle dataset show prod");
    AddPinCommand(
        app, "pin", DatasetArguments::Action::kPin, "Add a pin",
        "  pchronicle dataset pin prod /data/evals\n  pchronicle dataset pin default ./runs");
    AddPinCommand(app, "set", DatasetArguments::Action::kSet, "Change a pin",
                  "  pchronicle dataset set prod /data/evals-2");
    AddPinCommand(app, "unpin", DatasetArguments::Action::kUnpin,
                  "Remove a pin; no data is deleted", "  pchronicle dataset unpin prod");
    AddPinCommand(app, "rename", DatasetArguments::Action::kRename, "Rename a pin",
                  "  pchronicle dataset rename prod evals");

    CLI::App* completion =
        Command(&root_, "completion", "Configure", "Print a completion script for a shell",
                "  source <(pchronicle completion bash)\n"
                "  pchronicle completion zsh > ~/.zfunc/_pchronicle");
    OptionAdder(completion).Positional("SHELL", &completion_.shell, "bash or zsh")->required();
    Returns(completion, &completion_);
  }

  CLI::App* AddPinCommand(CLI::App* parent, const std::string& name,
                          DatasetArguments::Action action, const std::string& description,
                          const std::string& example) {
    CLI::App* app = Command(parent, name, "Commands", description, example);
    OptionAdder add(app);
    using Action = DatasetArguments::Action;
    if (action == Action::kList) {
      add.Format({"auto", "table", "json"}, &dataset_.format);
    } else {
      add.Positional("NAME", &dataset_.name, "name of the pin, without @")->required();
    }
    if (action == Action::kRename) {
      add.Positional("NEW", &dataset_.new_name, "its new name")->required();
    }
    if (action == Action::kPin || action == Action::kSet) {
      add.Positional("DATASET", &dataset_.dataset, "folder, file or URI")->required();
      add.Text("--endpoint", &dataset_.endpoint, "URL", "s3 only: endpoint");
      add.Text("--region", &dataset_.region, "REGION", "s3 only: region");
      add.Text("--ak", &dataset_.access_key, "KEY", "s3 only: access key");
      add.Text("--sk", &dataset_.secret_key, "KEY", "s3 only: secret key");
    }
    app->parse_complete_callback([this, action] { dataset_.action = action; });
    return app;
  }

  // Spellings of earlier programs (cli.md 2.3): parse, never shown.
  void AddHiddenForms() {
    AddStats(&root_, "analysis", kHidden);
    using Action = DatasetArguments::Action;
    CLI::App* alias = Command(&root_, "alias", kHidden, "", "");
    alias->require_subcommand(1);
    Returns(alias, &dataset_);
    AddPinCommand(alias, "list", Action::kList, "", "");
    AddPinCommand(alias, "add", Action::kPin, "", "");
    AddPinCommand(alias, "remove", Action::kUnpin, "", "");
    AddPinCommand(alias, "rename", Action::kRename, "", "");
    AddPinCommand(alias, "get-url", Action::kShow, "", "");
    AddPinCommand(alias, "set-url", Action::kSet, "", "");

    CLI::App* fallback = Command(&root_, "default", kHidden, "", "");
    fallback->require_subcommand(0, 1);
    OptionAdder(fallback).Positional("DIRECTORY", &default_directory_, "");
    CLI::App* show = Command(fallback, "show", kHidden, "", "");
    CLI::App* set = Command(fallback, "set", kHidden, "", "");
    CLI::App* clear = Command(fallback, "clear", kHidden, "", "");
    OptionAdder(set).Positional("DIRECTORY", &default_directory_, "")->required();
    take_[fallback] = [this, show, clear](const CLI::App* app) -> CommandArguments {
      dataset_.name = "default";
      dataset_.action = Action::kShow;
      if (app->got_subcommand(clear)) {
        dataset_.action = Action::kUnpin;
      } else if (!app->got_subcommand(show) && default_directory_) {
        dataset_.action = Action::kPin;
        dataset_.dataset = *default_directory_;
        dataset_.replace = true;
      }
      return dataset_;
    };
  }

  CLI::App root_;
  std::map<const CLI::App*, Take1> take_;
  GlobalArguments global_;
  bool ignored_flag_ = false;

  OnboardArguments onboard_;
  std::optional<std::string> onboard_first_;
  ListArguments list_;
  ShowArguments show_;
  std::optional<std::string> show_first_, show_second_;
  uint64_t show_steps_ = 0;
  bool show_has_steps_ = false;
  StatsArguments stats_;
  FindArguments find_;
  QueryArguments query_;
  std::optional<std::string> query_first_, query_second_;
  ImportArguments import_;
  uint64_t import_max_ = 0;
  bool import_has_max_ = false;
  ExportArguments export_;
  DatasetArguments dataset_;
  LanceArguments lance_;
  uint64_t lance_version_ = 0;
  bool lance_has_version_ = false;
  CompletionArguments completion_;
  std::optional<std::string> default_directory_;
};

// Edits between two words, for near names.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string UnknownCommand(CLI::App& root, const std::string& word) {
  if (std::find(kLaterCommands.begin(), kLaterCommands.end(), word) != kLaterCommands.end()) {
    return fmt::format("command '{}' is not part of pchronicle {}; a later version brings it", word,
                       VersionNumber());
  }
  std::string nearest;
  size_t best = 3;
  for (const CLI::App* command :
       root.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); })) {
    std::vector<std::string> names = command->get_aliases();
    names.push_back(command->get_name());
    for (const std::string& name : names) {
      if (const size_t distance = Distance(word, name); distance < best) {
        best = distance;
        nearest = name;
      }
    }
  }
  return nearest.empty() ? fmt::format("unknown command '{}'", word)
                         : fmt::format("unknown command '{}'; did you mean '{}'?", word, nearest);
}

ParseOutcome UsageError(CommandTree& tree, std::string message) {
  ParseOutcome outcome;
  std::string path;
  const CLI::App* app = tree.Innermost(&path);
  outcome.usage_error = std::move(message);
  outcome.usage = dynamic_cast<const CLI::Formatter&>(*app->get_formatter()).make_usage(app, path) +
                  fmt::format("`{} --help` explains it.\n", path);
  return outcome;
}

CommandDescription::Option DescribeOption(const CLI::Option* option) {
  CommandDescription::Option out;
  for (const std::string& name : option->get_snames()) {
    out.names.push_back("-" + name);
  }
  for (const std::string& name : option->get_lnames()) {
    out.names.push_back("--" + name);
  }
  out.takes_value = option->get_items_expected_max() > 0;
  const std::string& value = option->get_option_text();
  for (size_t at = 0; value.find('|') != std::string::npos && at <= value.size();) {
    const size_t end = std::min(value.find('|', at), value.size());
    out.choices.push_back(value.substr(at, end - at));
    at = end + 1;
  }
  out.file = value == "FILE" || value == "PATH" || value == "SOURCE" || value == "DATASET";
  out.description = option->get_description();
  return out;
}

CommandDescription Describe(CLI::App* app, const std::string& path) {
  CommandDescription out;
  out.name = app->get_name();
  out.aliases = app->get_aliases();
  out.description = app->get_description();
  out.help = app->help(path);
  for (const CLI::Option* option :
       app->get_options([](const CLI::Option* o) { return !o->get_group().empty(); })) {
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      out.positional_path = out.positional_path || name == "DATASET" || name == "TABLE";
      if (name == "SHELL") {
        out.positional_choices = {"bash", "zsh"};
      } else if (name == "SECTION") {
        out.positional_choices = {"all",     "concepts", "inspect",  "analyze", "query",
                                  "formats", "find",     "exchange", "serve"};
      }
    } else {
      out.options.push_back(DescribeOption(option));
    }
  }
  for (CLI::App* command :
       app->get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); })) {
    out.commands.push_back(Describe(command, path + " " + app->get_name()));
  }
  return out;
}

}  // namespace

ParseOutcome ParseCommandLine(std::vector<std::string> arguments) {
  CommandTree tree;
  ParseOutcome outcome;
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    tree.root().parse(std::move(arguments));
    outcome.arguments = tree.Take();
  } catch (const CLI::CallForHelp&) {
    outcome.text = tree.root().help();
  } catch (const CLI::CallForVersion& version) {
    outcome.text = std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    if (!tree.root().get_subcommands().empty()) {
      return UsageError(tree, error.what());
    }
    // No command was understood: the first word that is no option was meant as one.
    const std::vector<std::string> rest = tree.root().remaining();
    const auto word = std::find_if(rest.begin(), rest.end(),
                                   [](const std::string& w) { return w.rfind('-', 0) != 0; });
    if (word != rest.end()) {
      return UsageError(tree, UnknownCommand(tree.root(), *word));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && rest.empty()) {
      outcome = UsageError(tree, "a command is required");
      outcome.usage = tree.root().help();
      return outcome;
    }
    return UsageError(
        tree, rest.empty() ? error.what() : fmt::format("unknown option '{}'", rest.front()));
  }
  return outcome;
}

CommandDescription DescribeCommands() {
  CommandTree tree;
  return Describe(&tree.root(), "");
}

}  // namespace pchronicle::cli
