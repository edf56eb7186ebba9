#include "pchronicle/cli/parser.h"

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>

#include "pchronicle/cli/command_tree.h"
#include "pchronicle/cli/version.h"

namespace pchronicle::cli {
namespace {

// Commands of the full product that later versions bring; typing one says so instead of "unknown".
constexpr std::array<std::string_view, 7> kLaterCommands = {"sync",  "drop", "project", "agent",
                                                            "serve", "dev",  "maintain"};

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
