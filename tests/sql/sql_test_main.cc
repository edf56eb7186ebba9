// Runs SQL tests written as text (see sql_test_file.h): sql_test FILE.test ...

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pchronicle/app/query.h"
#include "sql_test_file.h"

namespace pchronicle::sql_test {
namespace {

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

class Runner {
 public:
  explicit Runner(std::filesystem::path file) : file_(std::move(file)) {}

  /// Number of failed records.
  int Run() {
    std::ifstream stream(file_);
    std::stringstream text;
    text << stream.rdbuf();
    const auto records = ParseTestFile(text.str());
    if (!stream || !records.ok()) {
      fmt::print("{}: {}\n", file_.string(),
                 records.ok() ? "cannot be read" : records.status().message());
      return 1;
    }
    for (const Record& record : *records) {
      Apply(record);
    }
    fmt::print("{}: {} records, {} failed\n", file_.filename().string(), records->size(), failed_);
    return failed_;
  }

 private:
  void Fail(const Record& record, const std::string& reason) {
    ++failed_;
    fmt::print("{}:{}: {}\n{}\n", file_.string(), record.line, reason, record.sql);
  }

  void Apply(const Record& record) {
    if (record.kind == "dataset") {
      mounts_ = {catalog::PositionalMount(Path(record.words.at(0)))};
      session_.reset();
    } else if (record.kind == "mount") {
      auto mount = catalog::ParseMount(record.words.at(0), Path(record.words.at(1)));
      if (!mount.ok()) {
        return Fail(record, mount.status().ToString());
      }
      std::erase_if(mounts_, [](const catalog::Mount& other) { return other.is_default; });
      mounts_.push_back(*mount);
      session_.reset();
    } else if (record.kind == "option") {
      SetOption(record);
    } else {
      Check(record);
    }
  }

  std::string Path(const std::string& relative) const {
    return (file_.parent_path() / relative).string();
  }

  void SetOption(const Record& record) {
    const std::string& name = record.words.at(0);
    const std::string& value = record.words.at(1);
    if (name == "errors") {
      report_ = value == "report";
      session_.reset();
    } else if (name == "threads") {
      engine_.threads = static_cast<uint32_t>(std::stoul(value));
      session_.reset();
    } else if (name == "max_rows") {
      max_rows_ = std::stoul(value);
    } else {
      Fail(record, "unknown option");
    }
  }

  Status Open() {
    if (session_) {
      return Status::Ok();
    }
    loader_ = std::make_unique<app::EngineLoader>(engine_);
    PCHRONICLE_ASSIGN_OR_RETURN(
        auto snapshot,
        catalog::Snapshot::Build(
            mounts_, {report_ ? catalog::ErrorPolicy::kReport : catalog::ErrorPolicy::kStrict, {}},
            context_));
    PCHRONICLE_ASSIGN_OR_RETURN(session_, app::QuerySession::Create(std::move(snapshot), *loader_));
    return Status::Ok();
  }

  Result<app::QueryOutcome> Query(const std::string& sql, app::QueryFormat format) {
    PCHRONICLE_RETURN_IF_ERROR(Open());
    app::QueryOptions options;
    options.sql = sql;
    options.encoder.format = format;
    options.report_errors = report_;
    options.max_rows = max_rows_;
    return session_->Run(options, context_);
  }

  static std::vector<std::string> LinesOf(const app::Spool& spool) {
    std::string text;
    const Status status = spool.ForEach([&](std::string_view piece) {
      text += piece;
      return Status::Ok();
    });
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
    return status.ok() ? lines : std::vector<std::string>{status.ToString()};
  }

  void Check(const Record& record) {
    if (record.kind == "explain") {
      return CheckText(record, Query("EXPLAIN " + record.sql, app::QueryFormat::kTable));
    }
    auto outcome = Query(record.sql, app::QueryFormat::kCsv);
    if (record.kind == "error") {
      return CheckError(record, outcome.status());
    }
    if (!outcome.ok()) {
      return Fail(record, "failed: " + outcome.status().ToString());
    }
    std::vector<std::string> rows;
    if (record.kind == "problems") {
      for (const catalog::SourceProblem& problem : outcome->problems) {
        rows.push_back(problem.ToString());
      }
    } else {
      rows = LinesOf(outcome->result);
      if (record.kind == "query" && !rows.empty()) {
        rows.erase(rows.begin());
      }
    }
    std::vector<std::string> expected = record.expected;
    if (!record.words.empty() && record.words[0] == "rowsort") {
      std::sort(rows.begin(), rows.end());
      std::sort(expected.begin(), expected.end());
    }
    if (rows != expected) {
      Fail(record, "expected\n" + Join(expected) + "got\n" + Join(rows));
    }
  }

  void CheckText(const Record& record, const Result<app::QueryOutcome>& outcome) {
    if (!outcome.ok()) {
      return Fail(record, "failed: " + outcome.status().ToString());
    }
    const std::string plan = Join(LinesOf(outcome->result));
    for (const std::string& line : record.expected) {
      const bool absent = line.starts_with('!');
      if ((plan.find(absent ? line.substr(1) : line) == std::string::npos) != absent) {
        Fail(record, "'" + line + "' does not hold for\n" + plan);
      }
    }
  }

  void CheckError(const Record& record, const Status& status) {
    if (status.ok()) {
      return Fail(record, "did not fail");
    }
    for (const std::string& line : record.expected) {
      const std::string wanted = line.starts_with("code: ") ? line.substr(6) : line;
      const std::string text = line.starts_with("code: ")
                                   ? std::string(StatusCodeName(status.code()))
                                   : status.message();
      if (text.find(wanted) == std::string::npos ||
          (line.starts_with("code: ") && text != wanted)) {
        Fail(record, "'" + line + "' does not stand in\n" + status.ToString());
      }
    }
  }

  const std::filesystem::path file_;
  Context context_;
  std::vector<catalog::Mount> mounts_;
  bool report_ = false;
  uint64_t max_rows_ = 100'000;
  sql::EngineOptions engine_;
  std::unique_ptr<app::EngineLoader> loader_;
  std::unique_ptr<app::QuerySession> session_;
  int failed_ = 0;
};

}  // namespace
}  // namespace pchronicle::sql_test

int main(int argc, char** argv) {
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    failed += pchronicle::sql_test::Runner(argv[i]).Run();
  }
  return failed == 0 ? 0 : 1;
}
