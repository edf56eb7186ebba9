#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pchronicle/cli/arguments.h"

namespace pchronicle::cli {

/// What a command line asks for: a command, or text for stdout (help, version), or a usage error.
struct ParseOutcome {
  std::optional<Arguments> arguments;
  std::string text;         // help or version
  std::string usage_error;  // message; `usage` says how it is written
  std::string usage;
};

/// Parses everything behind the program name (cli.md 2). Hidden older spellings of cli.md 2.3 are
/// read here and leave no trace in Arguments.
ParseOutcome ParseCommandLine(std::vector<std::string> arguments);

/// One command of the visible tree, for completions and for tests that walk it.
struct CommandDescription {
  struct Option {
    std::vector<std::string> names;    // with dashes
    std::vector<std::string> choices;  // values, empty: free text
    bool takes_value = false;
    bool file = false;  // value is a path
    std::string description;
  };
  std::string name;
  std::vector<std::string> aliases;
  std::string description, help;
  std::vector<Option> options;
  std::vector<std::string> positional_choices;
  bool positional_path = false;
  std::vector<CommandDescription> commands;
};
CommandDescription DescribeCommands();

}  // namespace pchronicle::cli
