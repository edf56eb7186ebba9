#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog::testing {

/// A new empty directory with files, removed at the end.
class TempDataset {
 public:
  TempDataset() {
    std::string name =
        (std::filesystem::temp_directory_path() / "pchronicle-catalog-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempDataset() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }
  void Write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

/// One ATIF document with `steps` steps of one user message each, on one line.
inline std::string Atif(std::string_view session, int steps = 1) {
  std::string text = fmt::format(
      R"({{"schema_version":"ATIF-v1.4","session_id":"{}","agent":{{"name":"a","version":"1"}},"steps":[)",
      session);
  for (int i = 1; i <= steps; ++i) {
    text += fmt::format(R"({}{{"step_id":{},"source":"user","message":"m{}"}})", i == 1 ? "" : ",",
                        i, i);
  }
  return text + "]}";
}

/// The like as an embedded child.
inline std::string Child(std::string_view id, int steps = 1) {
  std::string text = Atif(id, steps);
  text.pop_back();
  return text + fmt::format(R"(,"trajectory_id":"{}"}})", id);
}

/// A CURRENT that pins a Storyline store; `projection`: its lineage, as JSON.
inline std::string Current(std::string_view generation = "gen-1-1-0",
                           std::string_view projection = "") {
  return fmt::format(
      R"({{"control_version":1,"revision":4,"committed":{{"schema_version":1,"generation":"{}",)"
      R"("table_generation":"gen-1-1-0","runs_version":1,"steps_version":2,"tool_calls_version":3,)"
      R"("objects_version":4{}{}}}}})",
      generation, projection.empty() ? "" : R"(,"projection":)", projection);
}

/// The manifest of an events store with one segment.
inline std::string EventsManifest(uint64_t revision = 9, uint64_t facts = 7, uint64_t rows = 120) {
  return fmt::format(
      R"({{"revision":{},"fact_version":{},"fact_rows":{},"active_writer":{{"epoch":1,"writer_id":"w"}},)"
      R"("segments":[{{"id":"e1-a","version":8,"rows":{},"level":0,"sealed":false}}]}})",
      revision, facts, rows, rows);
}

inline std::shared_ptr<const Snapshot> Take(const std::string& path, SnapshotOptions options = {},
                                            const Snapshot* previous = nullptr) {
  Context context;
  auto snapshot = Snapshot::Build({PositionalMount(path)}, std::move(options), context, previous);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  return snapshot.ok() ? *snapshot : nullptr;
}

inline SnapshotOptions Reporting() {
  SnapshotOptions options;
  options.errors = ErrorPolicy::kReport;
  return options;
}

inline std::vector<std::string> Files(const CatalogDataset& dataset) {
  std::vector<std::string> files;
  for (const Source& source : dataset.sources) {
    files.push_back(source.file);
  }
  return files;
}

/// Rows of a scan as text, cells joined by '|', with what went wrong.
struct Scanned {
  std::vector<std::string> rows;
  Status status;
  size_t total = 0, matched = 0;
};

inline std::string CellText(const columnar::Column& column, size_t row) {
  if (column.is_null(row)) {
    return "NULL";
  }
  switch (column.type()) {
    case columnar::Type::kBigint:
    case columnar::Type::kUbigint:
    case columnar::Type::kTimestampNs:
    case columnar::Type::kBoolean:
      return std::to_string(column.ints()[row]);
    case columnar::Type::kDouble:
      return fmt::format("{}", column.doubles()[row]);
    case columnar::Type::kVarchar:
    case columnar::Type::kJson:
      return std::string(column.texts()[row]);
    default:
      return "[list]";
  }
}

inline Scanned RunScan(QueryScope& scope, model::Relation relation,
                       const std::vector<std::string>& columns, FilePredicate predicate = {}) {
  ScanRequest request;
  request.relation = relation;
  request.file_predicate = std::move(predicate);
  for (const std::string& name : columns) {
    const auto column = model::FindColumn(relation, name);
    EXPECT_TRUE(column) << name;
    request.columns.push_back(column.value_or(0));
  }
  Scanned scanned;
  auto scan = RelationScan::Create(scope, request);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  scanned.total = (*scan)->sources_total();
  scanned.matched = (*scan)->sources_matched();
  while (true) {
    auto task = (*scan)->NextTask();
    if (!task.ok() || *task == nullptr) {
      scanned.status = task.status();
      return scanned;
    }
    while (true) {
      auto batch = (*task)->Next();
      if (!batch.ok()) {
        scanned.status = batch.status();
        return scanned;
      }
      if (*batch == nullptr) {
        break;
      }
      for (size_t row = 0; row < (*batch)->rows; ++row) {
        std::string text;
        for (const columnar::Column& column : (*batch)->columns) {
          text += (text.empty() ? "" : "|") + CellText(column, row);
        }
        scanned.rows.push_back(std::move(text));
      }
    }
  }
}

}  // namespace pchronicle::catalog::testing
