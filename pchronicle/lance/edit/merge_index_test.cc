#include <gtest/gtest.h>

#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/edit/create_index.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory

// Official releases index tables with stable row ids by address and say so with version 1.
TEST(MergeIndex, TakesAddressesOfOfficialSegmentsForTheRowIdsTheyStandFor_LNC_D1_D4) {
  WriteOptions options;
  options.limits.rows = 10;
  const auto by_address = io::MakeMemoryStore("memory://a.lance");
  ASSERT_TRUE(CreateTable(by_address, RowSchema(), Source(Numbered(0, 30)), options).ok());
  ASSERT_TRUE(CreateIndex(by_address, "id", IndexKind::kBTree).ok());
  proto::Index index = (*Table::Open(by_address))->indices().at(0);
  options.stable_row_ids = true;
  const auto store = io::MakeMemoryStore("memory://t.lance");
  ASSERT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 30)), options).ok());
  const auto files = by_address->ListDirectory("_indices/" + index.UuidText());
  ASSERT_TRUE(files.ok());
  for (const io::Entry& file : *files) {
    ASSERT_TRUE(store->Put(file.path, *io::ReadAll(*by_address, file.path, 1 << 20), true).ok());
  }
  index.index_version = 1;
  Change change;
  change.transaction.operation = proto::Transaction::Operation::kCreateIndex;
  change.transaction.read_version = 1;
  change.transaction.new_indices = {index};
  UnpublishedFiles none(store);
  const auto committed = Commit(store, std::move(change), {}, &none);
  ASSERT_TRUE(committed.ok()) << committed.status().ToString();

  options.stable_row_ids = false;
  ASSERT_TRUE(AppendRows(store, Source(Numbered(30, 35)), options).ok());
  const auto low = columnar::Compare("id", columnar::CompareOp::kLt, int64_t{3});
  ASSERT_TRUE(DeleteRows(store, low).ok());
  const auto merged = MergeIndex(store, "id_idx");
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  EXPECT_EQ(merged->entries, 32u);
  ScanOptions all;
  all.filter = columnar::Compare("id", columnar::CompareOp::kGe, int64_t{0});
  EXPECT_EQ(*ReadRows(store, {}, all), Numbered(3, 35));
  EXPECT_TRUE(Verify(*Table::Open(store), Context())->problems.empty());
}

}  // namespace
}  // namespace pchronicle::lance
