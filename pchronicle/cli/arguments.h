#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pchronicle::cli {

enum class LogLevel : uint8_t { kError, kWarn, kInfo, kDebug };
enum class OutputFormat : uint8_t { kAuto, kTable, kJson, kJsonl, kCsv };
/// `--errors`: absent means the command's own default (catalog.md ERR-01).
enum class Errors : uint8_t { kStrict, kReport };

/// What was typed, checked for form but not resolved against files or configuration. One struct per
/// command of cli.md.
struct GlobalArguments {
  std::optional<std::string> config;
  LogLevel log_level = LogLevel::kInfo;
};

struct LimitArguments {  // cli.md 3.4
  uint64_t max_files = 1'000'000;
  uint64_t max_entries = 2'000'000;
  uint64_t max_decompressed_bytes = 64ULL << 30;
  uint64_t max_decompression_ratio = 1000;
  uint64_t max_decompression_window_bytes = 128ULL << 20;
  std::chrono::seconds timeout{30};
};

struct OnboardArguments {
  std::string section = "all";
  std::optional<std::string> dataset;
  bool no_pause = false;
};

struct ListArguments {
  std::optional<std::string> dataset;
  bool check = false, shallow = false, physical = false;
  OutputFormat format = OutputFormat::kAuto;
  std::optional<Errors> errors;
  LimitArguments limits;
};

struct ShowArguments {
  std::vector<std::string> positionals;  // [DATASET] RUN
  std::optional<std::string> source;
  uint64_t from_step = 0;
  std::optional<uint64_t> steps;
  uint64_t max_chars = 20'000;  // 0: no limit
  std::optional<Errors> errors;
  LimitArguments limits;
};

struct FindArguments {
  std::optional<std::string> dataset, source, run_id, document_id, session_id;
  std::optional<int64_t> step_id;
  std::vector<std::string> matches;
  OutputFormat format = OutputFormat::kAuto;
  uint64_t max_results = 100;
  uint64_t max_output_bytes = 8ULL << 20;
  std::optional<Errors> errors;
  LimitArguments limits;
};

struct StatsArguments {
  enum class Report : uint8_t { kHealth, kOverview, kAgents, kModels, kTools };
  Report report = Report::kHealth;
  std::optional<std::string> dataset;
  OutputFormat format = OutputFormat::kAuto;
  uint64_t limit = 100;
  uint64_t max_output_bytes = 8ULL << 20;
  std::optional<Errors> errors;
  LimitArguments limits;
};

struct QueryArguments {
  std::vector<std::string> positionals;  // [DATASET], formerly also SQL
  std::vector<std::string> mounts;       // NAME=DATASET
  std::optional<std::string> sql, file;
  OutputFormat format = OutputFormat::kAuto;
  std::string output = "-";
  bool overwrite = false, check = false, query_metrics = false;
  uint64_t max_output_rows = 100'000;                         // 0: no limit
  uint64_t max_output_bytes = 64ULL << 20;                    // 0: no limit
  std::optional<uint64_t> max_memory_bytes, max_spill_bytes;  // absent: the engine's own
  std::optional<std::string> spill_directory;
  std::optional<Errors> errors;
  LimitArguments limits;
};

struct ImportArguments {
  std::optional<std::string> from, to, input_format, output_format, mode, on_duplicate,
      suggested_format;
  bool append = false, replace = false, yes = false;
  std::optional<uint64_t> max_input_bytes;
  LimitArguments limits;  // of decompression only
};

struct ExportArguments {
  std::optional<std::string> from, to, output_format;
  std::optional<std::string> source, run_id, document_id, session_id, where;
  bool strict = false, overwrite = false;
  uint64_t max_trajectories = 10'000;
  uint64_t max_output_bytes = 64ULL << 20;  // 0: no limit
  LimitArguments limits;
};

struct DatasetArguments {
  enum class Action : uint8_t { kList, kShow, kPin, kSet, kUnpin, kRename };
  Action action = Action::kList;
  std::string name, dataset, new_name;
  bool replace = false;  // kPin of an existing name changes it (the older `default DIR`)
  std::optional<std::string> endpoint, region, access_key, secret_key;
  OutputFormat format = OutputFormat::kAuto;
};

struct LanceArguments {
  enum class Action : uint8_t { kInfo, kSchema, kHead, kCount, kPages, kVerify, kHistory };
  Action action = Action::kInfo;
  std::string path;
  std::optional<uint64_t> version;
  std::optional<std::string> tag, branch, at;
  std::vector<std::string> columns;  // kHead
  uint64_t limit = 10;               // kHead: rows; kHistory: versions, 0: all
  uint64_t max_output_bytes = 8ULL << 20;
  OutputFormat format = OutputFormat::kAuto;
};

struct CompletionArguments {
  std::string shell;
};

using CommandArguments =
    std::variant<std::monostate, OnboardArguments, ListArguments, ShowArguments, StatsArguments,
                 FindArguments, QueryArguments, ImportArguments, ExportArguments, DatasetArguments,
                 LanceArguments, CompletionArguments>;

struct Arguments {
  GlobalArguments global;
  CommandArguments command;
};

}  // namespace pchronicle::cli
