#include "pchronicle/lance/edit/create_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/write_table.h"

namespace pchronicle::lance {
namespace {

using testing_support::Numbered;
using testing_support::ReadRows;
using testing_support::Rows;
using testing_support::RowSchema;
using testing_support::Source;

std::shared_ptr<io::Store> TableOf(int64_t rows) {
  auto store = io::MakeMemoryStore();
  EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, rows))).ok());
  return store;
}

void Append(const std::shared_ptr<io::Store>& store, int64_t begin, int64_t end) {
  EXPECT_TRUE(AppendRows(store, Source(Numbered(begin, end))).ok());
}

/// Rows with that id, and how many rows a scan had to look at for them.
struct Found {
  Rows rows;
  uint64_t examined = 0;
};
Found Find(const std::shared_ptr<io::Store>& store, int64_t id) {
  Found out;
  ScanOptions options;
  options.columns = {"id", "name"};
  options.filter = columnar::Compare("id", columnar::CompareOp::kEq, columnar::Scalar(id));
  const auto table = Table::Open(store).value();
  const auto scan = Scan::Plan(table, options).value();
  for (size_t i = 0; i < scan->tasks().size(); ++i) {
    const auto reader = scan->OpenTask(i).value();
    for (columnar::RecordBatch batch; reader->Next(&batch, Context()).value();) {
      for (int64_t row = 0; row < batch.rows; ++row) {
        out.rows.push_back(
            {batch.columns[0]->Value<int64_t>(row), std::string(batch.columns[1]->Bytes(row))});
      }
    }
  }
  out.examined = scan->counters().rows_examined;
  return out;
}

std::vector<std::string> Files(const std::shared_ptr<io::Store>& store, const std::string& folder) {
  std::vector<std::string> out;
  const auto entries = store->ListDirectory(folder);
  for (const io::Entry& entry : entries.ok() ? *entries : std::vector<io::Entry>()) {
    out.push_back(entry.path);
  }
  return out;
}

TEST(CreateIndex, PointReadsLookAtOneRow_LNC_D2_D3) {
  for (const IndexKind kind : {IndexKind::kBTree, IndexKind::kBitmap}) {
    const auto store = TableOf(3000);
    EXPECT_EQ(Find(store, 77).examined, 3000u);
    const auto made = CreateIndex(store, "id", kind);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    EXPECT_EQ(made->entries, 3000u);
    EXPECT_EQ(made->committed.version, 2u);
    const Found found = Find(store, 77);
    EXPECT_EQ(found.rows, Numbered(77, 78));
    EXPECT_EQ(found.examined, 1u);
  }
}

TEST(CreateIndex, ANewSegmentForWhatWasAppendedAndOneOutOfAll_LNC_D4) {
  const auto store = TableOf(100);
  ASSERT_TRUE(CreateIndex(store, "id", IndexKind::kBTree).ok());
  Append(store, 100, 160);
  EXPECT_EQ(Find(store, 130).examined, 60u) << "the new fragment is not covered";
  const auto extended = ExtendIndex(store, "id_idx");
  ASSERT_TRUE(extended.ok()) << extended.status().ToString();
  EXPECT_EQ(extended->entries, 60u);
  EXPECT_EQ(extended->replaced, 0u);
  EXPECT_EQ(Table::Open(store).value()->indices().size(), 2u);
  EXPECT_EQ(Find(store, 130).examined, 1u);
  EXPECT_EQ(Find(store, 30).rows, Numbered(30, 31)) << "the first segment stays";
  EXPECT_EQ(Find(store, 30).examined, 1u);
  const uint64_t version = Table::Open(store).value()->version();
  EXPECT_EQ(ExtendIndex(store, "id_idx")->committed.version, version) << "nothing to do";
  const auto merged = MergeIndex(store, "id_idx");
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  EXPECT_EQ(merged->replaced, 2u);
  EXPECT_EQ(Table::Open(store).value()->indices().size(), 1u);
  EXPECT_EQ(Find(store, 130).examined, 1u);
}

TEST(CreateIndex, TheSecondOfThatNameTakesThePlaceOfTheFirst_LNC_D1) {
  const auto store = TableOf(50);
  ASSERT_TRUE(CreateIndex(store, "id", IndexKind::kBTree).ok());
  const auto again = CreateIndex(store, "id", IndexKind::kBitmap);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->replaced, 1u);
  const auto indices = Table::Open(store).value()->indices();
  ASSERT_EQ(indices.size(), 1u);
  EXPECT_EQ(indices[0].Kind(), "bitmapindexdetails");
}

TEST(CreateIndex, RowsAppendedMeanwhileAreFoundWithoutIt_LNC_A7) {
  const auto store = TableOf(50);
  IndexOptions options;
  options.edit.read_version = 1;
  Append(store, 50, 60);
  const auto made = CreateIndex(store, "id", IndexKind::kBTree, options);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->committed.version, 3u);
  EXPECT_EQ(Find(store, 55).rows, Numbered(55, 56));
  EXPECT_EQ(Find(store, 5).examined, 11u) << "one row by the index, and the new fragment";
}

TEST(CreateIndex, FragmentsCompactedMeanwhileAreAConflictThatLeavesNoFile_LNC_A7) {
  const auto store = TableOf(50);
  Append(store, 50, 60);
  IndexOptions options;
  options.edit.read_version = 2;
  ASSERT_TRUE(CompactTable(store, {}).ok());
  EXPECT_EQ(CreateIndex(store, "id", IndexKind::kBTree, options).status().code(),
            StatusCode::kConflict);
  for (const std::string& folder : Files(store, "_indices")) {
    EXPECT_EQ(Files(store, folder), std::vector<std::string>()) << folder;
  }
}

TEST(CreateIndex, WhatCannotBeIndexedIsSaidByName) {
  const auto store = TableOf(5);
  const Status missing = CreateIndex(store, "nope", IndexKind::kBTree).status();
  EXPECT_EQ(missing.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(missing.message().find("nope"), std::string::npos) << missing.message();
  EXPECT_EQ(ExtendIndex(store, "nope").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(MergeIndex(store, "nope").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace pchronicle::lance
