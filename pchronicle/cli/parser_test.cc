#include "pchronicle/cli/parser.h"

#include <gtest/gtest.h>

#include <functional>

namespace pchronicle::cli {
namespace {

template <typename T>
T Parse(const std::vector<std::string>& words) {
  const ParseOutcome outcome = ParseCommandLine(words);
  EXPECT_EQ(outcome.usage_error, "");
  EXPECT_TRUE(outcome.arguments.has_value());
  const T* command = outcome.arguments ? std::get_if<T>(&outcome.arguments->command) : nullptr;
  EXPECT_NE(command, nullptr);
  return command == nullptr ? T() : *command;
}

std::string UsageErrorOf(const std::vector<std::string>& words) {
  const ParseOutcome outcome = ParseCommandLine(words);
  EXPECT_FALSE(outcome.arguments.has_value());
  return outcome.usage_error;
}

TEST(Parser, GlobalOptionsBeforeAndAfterTheCommand) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--log-level", "warn", "-c", "x.toml", "list", "d"},
        {"list", "d", "--log-level=warn", "--config", "x.toml"}}) {
    const ParseOutcome outcome = ParseCommandLine(words);
    ASSERT_TRUE(outcome.arguments.has_value()) << outcome.usage_error;
    EXPECT_EQ(outcome.arguments->global.log_level, LogLevel::kWarn);
    EXPECT_EQ(outcome.arguments->global.config, "x.toml");
  }
}

TEST(Parser, DefaultsOfList) {
  const auto list = Parse<ListArguments>({"list"});
  EXPECT_FALSE(list.dataset.has_value());
  EXPECT_EQ(list.limits.max_files, 1'000'000U);
  EXPECT_EQ(list.limits.max_entries, 2'000'000U);
  EXPECT_FALSE(list.errors.has_value());
  EXPECT_EQ(list.format, OutputFormat::kAuto);
}

TEST(Parser, AliasesAreTheSameCommand) {
  EXPECT_TRUE(Parse<ListArguments>({"ls", "d", "--check", "--sources"}).check);
  EXPECT_EQ(Parse<StatsArguments>({"status", "d"}).report, StatsArguments::Report::kHealth);
  EXPECT_EQ(Parse<StatsArguments>({"stats", "summary", "d"}).report,
            StatsArguments::Report::kOverview);
  EXPECT_EQ(Parse<StatsArguments>({"stats", "tool-calls", "d", "--limit", "7"}).limit, 7U);
  EXPECT_EQ(Parse<StatsArguments>({"analysis", "models", "d"}).report,
            StatsArguments::Report::kModels);
  EXPECT_EQ(Parse<DatasetArguments>({"ds"}).action, DatasetArguments::Action::kList);
}

TEST(Parser, DatasetNamesThatLookLikeCommandsAreArguments) {
  EXPECT_EQ(Parse<ListArguments>({"list", "show"}).dataset, "show");
  EXPECT_EQ(Parse<ListArguments>({"list", "--", "-odd"}).dataset, "-odd");
}

TEST(Parser, OlderSpellings) {
  EXPECT_EQ(
      Parse<QueryArguments>({"query", "--dataset", "a=x", "--dataset", "b=y", "--sql", "S"}).mounts,
      (std::vector<std::string>{"a=x", "b=y"}));
  EXPECT_EQ(Parse<QueryArguments>({"query", "d", "SELECT 1"}).positionals,
            (std::vector<std::string>{"d", "SELECT 1"}));
  EXPECT_EQ(Parse<QueryArguments>({"query", "d", "--sql", "S", "--timeout-seconds", "9"})
                .limits.timeout.count(),
            9);
  EXPECT_EQ(
      Parse<ImportArguments>({"import", "-f", "a", "--output", "b", "--format", "atif", "--stream"})
          .to,
      "b");
  EXPECT_EQ(Parse<ExportArguments>({"export", "-f", "a", "--output", "b", "--format", "atif"})
                .output_format,
            "atif");
  EXPECT_EQ(Parse<DatasetArguments>({"alias", "get-url", "prod"}).action,
            DatasetArguments::Action::kShow);
  EXPECT_EQ(Parse<DatasetArguments>({"alias", "add", "prod", "/x"}).action,
            DatasetArguments::Action::kPin);
  EXPECT_EQ(Parse<DatasetArguments>({"default", "/x"}).action, DatasetArguments::Action::kPin);
  EXPECT_EQ(Parse<DatasetArguments>({"default", "set", "/x"}).dataset, "/x");
  EXPECT_EQ(Parse<DatasetArguments>({"default", "clear"}).action, DatasetArguments::Action::kUnpin);
  EXPECT_EQ(ParseCommandLine({"--debug-errors", "list"}).arguments->global.log_level,
            LogLevel::kDebug);
  EXPECT_EQ(ParseCommandLine({"list", "--settings", "x"}).arguments->global.config, "x");
}

TEST(Parser, ValuesThatLookLikeOptionsOrLists) {
  EXPECT_EQ(Parse<QueryArguments>({"query", "d", "--sql", "-- note\nSELECT 1"}).sql,
            "-- note\nSELECT 1");
  EXPECT_EQ(Parse<QueryArguments>({"query", "d", "--sql=[1,2]"}).sql, "[1,2]");
  EXPECT_EQ(Parse<ShowArguments>({"show", "d", "[a,b]"}).positionals,
            (std::vector<std::string>{"d", "[a,b]"}));
  EXPECT_EQ(Parse<ShowArguments>({"show", "{x}"}).positionals, (std::vector<std::string>{"{x}"}));
}

TEST(Parser, BadValuesNameTheOptionAndWhatItTakes) {
  EXPECT_NE(UsageErrorOf({"list", "--format", "xml"})
                .find("--format: 'xml' is not one of auto, table, json"),
            std::string::npos);
  EXPECT_NE(UsageErrorOf({"query", "d", "--timeout", "0"}).find("must not be zero"),
            std::string::npos);
  EXPECT_NE(UsageErrorOf({"list", "--max-files", "0"}).find("--max-files"), std::string::npos);
  EXPECT_NE(UsageErrorOf({"stats", "tools", "--limit", "10001"}).find("pchronicle query"),
            std::string::npos);
  EXPECT_NE(UsageErrorOf({"query", "d", "--max-output-bytes", "5MB"}).find("KiB, MiB or GiB"),
            std::string::npos);
  EXPECT_NE(UsageErrorOf({"list", "--no-such"}).find("--no-such"), std::string::npos);
  EXPECT_NE(UsageErrorOf({"list", "a", "b"}).find("b"), std::string::npos);
}

TEST(Parser, UnknownAndLaterCommandsAreNamed) {
  EXPECT_EQ(UsageErrorOf({"lits"}), "unknown command 'lits'; did you mean 'ls'?");
  EXPECT_EQ(UsageErrorOf({"frobnicate"}), "unknown command 'frobnicate'");
  EXPECT_NE(UsageErrorOf({"serve", "--listen", "x"}).find("a later version brings it"),
            std::string::npos);
  EXPECT_EQ(UsageErrorOf({}), "a command is required");
  EXPECT_EQ(UsageErrorOf({"--nope"}), "unknown option '--nope'");
}

TEST(Parser, HelpAndVersionAnywhere) {
  EXPECT_NE(ParseCommandLine({"--help"}).text.find("Examples:"), std::string::npos);
  EXPECT_NE(ParseCommandLine({"list", "-h"}).text.find("--check"), std::string::npos);
  EXPECT_EQ(ParseCommandLine({"stats", "tools", "--version"}).text, ParseCommandLine({"-V"}).text);
}

TEST(Help, EveryVisibleCommandHasADescriptionAndAnExample) {
  const std::function<void(const CommandDescription&)> check =
      [&](const CommandDescription& command) {
        EXPECT_NE(command.description, "") << command.name;
        EXPECT_NE(command.help.find("Examples:\n  "), std::string::npos) << command.name;
        for (const auto& option : command.options) {
          EXPECT_NE(option.description, "") << command.name << " " << option.names.front();
        }
        for (const CommandDescription& child : command.commands) {
          check(child);
        }
      };
  check(DescribeCommands());
}

TEST(Help, HiddenAndLaterCommandsDoNotShow) {
  const std::string help = ParseCommandLine({"--help"}).text;
  for (const char* word :
       {"analysis", "alias ", "default ", "serve", "sync", "--settings", "--debug-errors"}) {
    EXPECT_EQ(help.find(word), std::string::npos) << word;
  }
}

TEST(Help, GroupsComeInTheirOrder) {
  const std::string help = ParseCommandLine({"--help"}).text;
  size_t last = 0;
  for (const char* group :
       {"\nLearn:", "\nInspect:", "\nAnalyze:", "\nExchange:", "\nConfigure:"}) {
    const size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group;
    EXPECT_GT(at, last) << group;
    last = at;
  }
}

}  // namespace
}  // namespace pchronicle::cli
