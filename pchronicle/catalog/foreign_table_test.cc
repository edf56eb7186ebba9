#include "pchronicle/catalog/foreign_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

namespace fs = std::filesystem;
using testing::Take;
using testing::TempDataset;

constexpr const char* kLastVersion = "18446744073709551613.manifest";  // 2

/// A copy of a bundled table with two versions, of 10 and of 15 rows.
void CopyTable(const std::string& to) {
  fs::create_directories(fs::path(to).parent_path());
  fs::copy(fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data/lance14_tags/t.lance", to,
           fs::copy_options::recursive);
}

uint64_t RowsOf(const Snapshot& snapshot) {
  const Source* source = snapshot.datasets()[0].ForeignTableSource();
  if (source == nullptr) {
    return UINT64_MAX;
  }
  const auto rows = source->table->CountRows();
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  return rows.ok() ? *rows : UINT64_MAX;
}

/// Rows by a scan of one column, with what the query counted.
uint64_t ScanRows(QueryScope& scope, columnar::PredicatePtr filter = nullptr) {
  RowScanRequest request;
  request.columns = {"id"};
  request.filter = std::move(filter);
  const auto scan = CreateRowScan(scope, request);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  uint64_t rows = 0;
  while (scan.ok()) {
    auto task = (*scan)->NextTask();
    EXPECT_TRUE(task.ok()) << task.status().ToString();
    if (!task.ok() || *task == nullptr) {
      break;
    }
    columnar::RecordBatch batch;
    for (auto more = (*task)->Next(&batch); more.ok() && *more; more = (*task)->Next(&batch)) {
      rows += static_cast<uint64_t>(batch.rows);
    }
  }
  return rows;
}

TEST(ForeignTable, TheVersionIsThatOfTheSnapshot_DSC17_PIN03) {
  TempDataset dir;
  const std::string table = dir.path() + "/t.lance";
  CopyTable(table);
  const fs::path newest = fs::path(table) / "_versions" / kLastVersion;
  fs::rename(newest, dir.path() + "/later");
  const auto before = Take(table);
  fs::rename(dir.path() + "/later", newest);  // somebody commits
  EXPECT_EQ(before->datasets()[0].store->counters().opens, 0U) << "pinning opens nothing (PIN-02)";
  EXPECT_EQ(RowsOf(*before), 10U);
  const auto after = Take(table);
  EXPECT_EQ(RowsOf(*after), 15U);
  EXPECT_NE(before->id(), after->id()) << "SID-03";
  EXPECT_EQ(Take(table)->id(), after->id());
}

TEST(ForeignTable, ARefreshKeepsAnUnchangedTableOpen_BR29) {
  TempDataset dir;
  CopyTable(dir.path() + "/t.lance");
  const auto first = Take(dir.path() + "/t.lance");
  const auto second = Take(dir.path() + "/t.lance", {}, first.get());
  EXPECT_EQ(first->datasets()[0].sources[0].table, second->datasets()[0].sources[0].table);
}

TEST(ForeignTable, ARootOfAnyNameIsOneAndAFolderInsideIsNot_DSC17) {
  TempDataset dir;
  CopyTable(dir.path() + "/plain");
  EXPECT_EQ(RowsOf(*Take(dir.path() + "/plain")), 15U);
  CopyTable(dir.path() + "/inside/t.lance");
  const auto snapshot = Take(dir.path() + "/inside");
  EXPECT_EQ(snapshot->datasets()[0].ForeignTableSource(), nullptr);
  EXPECT_EQ(KnownContent(snapshot->datasets()[0].sources[0]).status, ContentStatus::kIgnored);
  // A folder of that name alone makes no table.
  dir.Write("other/_versions/note.txt", "");
  dir.Write("other/a.json", testing::Atif("a"));
  EXPECT_EQ(testing::Files(Take(dir.path() + "/other")->datasets()[0]),
            std::vector<std::string>{"a.json"});
}

TEST(ForeignTable, WithoutAVersionOpeningSaysSo_DSC17) {
  TempDataset dir;
  dir.Write("t.lance/data/x.lance", "");
  const auto snapshot = Take(dir.path() + "/t.lance");
  const Source* source = snapshot->datasets()[0].ForeignTableSource();
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->table->Columns().status().code(), StatusCode::kNotFound);
}

TEST(ForeignTable, ThreadsOpenItOnce_LZY02) {
  TempDataset dir;
  CopyTable(dir.path() + "/t.lance");
  const auto snapshot = Take(dir.path() + "/t.lance");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(RowsOf(*snapshot), 15U); });
  }
  threads.clear();
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 1U);
}

TEST(ForeignTable, ScansCountWhatTheyDo_LZY07) {
  TempDataset dir;
  CopyTable(dir.path() + "/t.lance");
  const auto snapshot = Take(dir.path() + "/t.lance");
  const Context context;
  QueryScope scope(*snapshot, false, context);
  scope.KeepCosts();
  EXPECT_EQ(ScanRows(scope), 15U);
  EXPECT_EQ(scope.metrics().sources_opened, 1U);
  EXPECT_EQ(scope.metrics().rows_emitted, 15U);
  EXPECT_EQ(scope.metrics().rows_pruned, 0U);
  EXPECT_GT(scope.metrics().pages_decoded, 0U);
  EXPECT_GT(scope.metrics().bytes_read, 0U);
  EXPECT_EQ(ScanRows(scope, columnar::Compare("id", columnar::CompareOp::kLt, int64_t{3})), 3U);
  EXPECT_EQ(scope.metrics().rows_emitted, 18U);
  EXPECT_EQ(scope.metrics().rows_pruned, 12U);
  ASSERT_EQ(scope.SlowestSources(3).size(), 1U);
  EXPECT_EQ(scope.SlowestSources(3)[0].file, ".");
}

TEST(ForeignTable, CancellationEndsAScan) {
  TempDataset dir;
  CopyTable(dir.path() + "/t.lance");
  const auto snapshot = Take(dir.path() + "/t.lance");
  Context context;
  QueryScope scope(*snapshot, false, context);
  RowScanRequest request;
  request.columns = {"id"};
  const auto scan = CreateRowScan(scope, request);
  ASSERT_TRUE(scan.ok());
  const auto task = (*scan)->NextTask();
  ASSERT_TRUE(task.ok() && *task != nullptr);
  context.Cancel();
  columnar::RecordBatch batch;
  EXPECT_EQ((*task)->Next(&batch).status().code(), StatusCode::kCancelled);
  EXPECT_EQ((*scan)->NextTask().status().code(), StatusCode::kCancelled);
}

TEST(ForeignTable, UnknownColumnsAndDatasetsAreErrors) {
  TempDataset dir;
  CopyTable(dir.path() + "/t.lance");
  const auto snapshot = Take(dir.path() + "/t.lance");
  const Context context;
  QueryScope scope(*snapshot, false, context);
  RowScanRequest request;
  request.columns = {"nope"};
  EXPECT_EQ(CreateRowScan(scope, request).status().code(), StatusCode::kInvalidArgument);
  request.dataset = 7;
  EXPECT_EQ(CreateRowScan(scope, request).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace pchronicle::catalog
