#include "pchronicle/cli/command_tree.h"

#include <fmt/core.h>

#include <CLI/Formatter.hpp>

#include "pchronicle/cli/option_adder.h"
#include "pchronicle/cli/version.h"

namespace pchronicle::cli {
namespace {

constexpr const char* kGlobalGroup = "Global options";

}  // namespace

CommandTree::CommandTree()
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

Arguments CommandTree::Take() {
  Arguments arguments;
  arguments.global = global_;
  const CLI::App* command = root_.get_subcommands().front();
  arguments.command = take_.at(command)(command);
  return arguments;
}

CLI::App* CommandTree::Innermost(std::string* path) {
  CLI::App* app = &root_;
  *path = "pchronicle";
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().back();
    *path += " " + app->get_name();
  }
  return app;
}

CLI::App* CommandTree::Command(CLI::App* parent, const std::string& name, const char* group,
                               const std::string& description, const std::string& examples) {
  CLI::App* app = parent->add_subcommand(name, description)->group(group);
  if (!examples.empty()) {
    app->footer("Examples:\n" + examples);
  }
  Common(app);
  return app;
}

void CommandTree::Common(CLI::App* app) {
  app->set_help_flag("-h,--help", "print this help")->group(kGlobalGroup);
  OptionAdder add(app);
  add.Text("-c,--config", &global_.config, "FILE", "user configuration file")->group(kGlobalGroup);
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

void CommandTree::AddLearn() {
  CLI::App* app =
      Command(&root_, "onboard", "Learn", "Learn by real commands and their output on sample data",
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

CLI::Option* CommandTree::AddRepeatable(CLI::App* app, const std::string& name,
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

}  // namespace pchronicle::cli
