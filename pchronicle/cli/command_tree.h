#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/cli/arguments.h"

namespace pchronicle::cli {

/// The whole command tree, bound to the structs it fills. Built once per process; stays where it
/// is, because CLI11 keeps pointers.
class CommandTree {
 public:
  CommandTree();

  CLI::App& root() { return root_; }

  /// The struct of the command that was typed.
  Arguments Take();

  /// The innermost command typed, and how its usage line starts.
  CLI::App* Innermost(std::string* path);

 private:
  using Take1 = std::function<CommandArguments(const CLI::App*)>;

  CLI::App* Command(CLI::App* parent, const std::string& name, const char* group,
                    const std::string& description, const std::string& examples);

  template <typename T>
  void Returns(const CLI::App* app, const T* arguments) {
    take_[app] = [arguments](const CLI::App*) -> CommandArguments { return *arguments; };
  }

  void Common(CLI::App* app);

  void AddLearn();
  void AddInspect();
  void AddList();
  void AddShow();
  void AddStatsOptions(CLI::App* app, bool report);
  void AddStats(CLI::App* parent, const std::string& name, const char* group);
  void AddFind();
  void AddAnalyze();

  CLI::Option* AddRepeatable(CLI::App* app, const std::string& name,
                             std::vector<std::string>* target, const std::string& value,
                             const std::string& description);

  void AddExchange();
  void AddImport();
  void AddExport();
  void AddLance();
  void AddLanceCommand(CLI::App* parent, const std::string& name, LanceArguments::Action action,
                       const std::string& description);
  void AddConfigure();

  CLI::App* AddPinCommand(CLI::App* parent, const std::string& name,
                          DatasetArguments::Action action, const std::string& description,
                          const std::string& example);

  // Spellings of earlier programs (cli.md 2.3): parse, never shown.
  void AddHiddenForms();

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

}  // namespace pchronicle::cli
