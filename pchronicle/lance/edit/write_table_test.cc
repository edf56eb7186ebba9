#include "pchronicle/lance/edit/write_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using testing::HasSubstr;

columnar::PredicatePtr IdIs(columnar::CompareOp op, int64_t value) {
  return columnar::Compare("id", op, value);
}

std::shared_ptr<io::Store> NewTable(const Rows& rows, WriteOptions options = {}) {
  const auto store = io::MakeMemoryStore("memory://t.lance");
  const auto created = CreateTable(store, RowSchema(), Source(rows), options);
  EXPECT_TRUE(created.ok()) << created.status().ToString();
  return store;
}

void ExpectVerified(const std::shared_ptr<io::Store>& store) {
  const auto table = Table::Open(store);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  const auto report = Verify(*table, Context());
  ASSERT_TRUE(report.ok());
  for (const auto& problem : report->problems) {
    ADD_FAILURE() << problem.place << ": " << problem.text;
  }
}

TEST(WriteTable, CreatesAppendsAndOverwrites_LNC_A5) {
  const auto store = NewTable(Numbered(0, 10));
  const auto appended = AppendRows(store, Source({{10, std::nullopt}, {11, ""}}));
  ASSERT_TRUE(appended.ok()) << appended.status().ToString();
  EXPECT_EQ(appended->version, 2u);
  Rows expected = Numbered(0, 10);
  expected.push_back({10, std::nullopt});
  expected.push_back({11, ""});
  EXPECT_EQ(*ReadRows(store), expected);
  EXPECT_EQ(*ReadRows(store, 1), Numbered(0, 10));
  ExpectVerified(store);

  const auto replaced = OverwriteTable(store, RowSchema(), Source({{7, "seven"}}));
  ASSERT_TRUE(replaced.ok()) << replaced.status().ToString();
  EXPECT_EQ(*ReadRows(store), (Rows{{7, "seven"}}));
  // Fragment ids go on, so that nothing that names the old ones can mean the new one.
  EXPECT_EQ((*Table::Open(store))->fragments().front().id, 2u);
  EXPECT_EQ(*ReadRows(store, 2), expected);
}

TEST(WriteTable, EveryVersionTellsWhatItDid_LNC_A6) {
  const auto store = NewTable(Numbered(0, 5));
  WriteOptions options;
  options.edit.properties = {{"job", "7"}};
  ASSERT_TRUE(AppendRows(store, Source(Numbered(5, 6)), options).ok());
  const auto table = *Table::Open(store);
  const proto::Manifest& manifest = table->manifest();
  EXPECT_EQ(manifest.writer.library, "pchronicle");
  EXPECT_EQ(manifest.max_fragment_id, 1u);
  EXPECT_EQ(manifest.file_version, "2.1");
  EXPECT_EQ(manifest.reader_flags, 0u);
  ASSERT_TRUE(table->manifest_file().transaction.has_value());
  EXPECT_EQ(table->manifest_file().transaction->properties.at("job"), "7");
  // The file says the same as the section in the manifest, for releases that read only one of them.
  const auto file = io::ReadAll(*store, "_transactions/" + manifest.transaction_file, 1 << 20);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*proto::ParseTransaction(*file), *table->manifest_file().transaction);
  EXPECT_EQ(*io::ReadAll(*store, "_versions/latest_version_hint.json", 100), "{\"version\":2}");
}

TEST(WriteTable, FilesAreCutAtTheLimits) {
  WriteOptions options;
  options.limits.rows = 7;
  const auto store = NewTable(Numbered(0, 20), options);
  const auto table = *Table::Open(store);
  ASSERT_EQ(table->fragments().size(), 3u);
  EXPECT_EQ(table->fragments()[0].physical_rows, 7u);
  EXPECT_EQ(table->fragments()[2].physical_rows, 6u);
  EXPECT_EQ(*ReadRows(store), Numbered(0, 20));
  options.limits = {.rows = 1000, .bytes = 1};
  ASSERT_TRUE(AppendRows(store, FromBatches({ToBatch(Numbered(20, 22)), ToBatch(Numbered(22, 23))}),
                         options)
                  .ok());
  EXPECT_EQ(*ReadRows(store), Numbered(0, 23));
}

TEST(WriteTable, TablesMayBeEmpty_STL002) {
  const auto store = NewTable({});
  EXPECT_EQ(*ReadRows(store), Rows{});
  EXPECT_FALSE((*Table::Open(store))->manifest().max_fragment_id.has_value());
  const auto again = CreateTable(store, RowSchema(), Source({}));
  EXPECT_EQ(again.status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(AppendRows(store, Source({})).ok());
  EXPECT_EQ((*Table::Open(store))->version(), 2u);
  ASSERT_TRUE(AppendRows(store, Source(Numbered(1, 2))).ok());
  EXPECT_EQ((*Table::Open(store))->manifest().max_fragment_id, 0u);
}

TEST(WriteTable, ColumnsAreMatchedByName) {
  const auto store = NewTable(Numbered(0, 2));
  columnar::RecordBatch only_id{{RowSchema()[0]}, {Int64s({5})}, 1};
  ASSERT_TRUE(AppendRows(store, FromBatches({only_id})).ok());
  columnar::RecordBatch swapped{{RowSchema()[1], RowSchema()[0]}, {Texts({"six"}), Int64s({6})}, 1};
  ASSERT_TRUE(AppendRows(store, FromBatches({swapped})).ok());
  Rows expected = Numbered(0, 2);
  expected.push_back({5, std::nullopt});
  expected.push_back({6, "six"});
  EXPECT_EQ(*ReadRows(store), expected);

  const auto error = [&](const columnar::RecordBatch& batch) {
    return AppendRows(store, FromBatches({batch})).status().ToString();
  };
  EXPECT_THAT(error({{RowSchema()[1]}, {Texts({"x"})}, 1}), HasSubstr("'id' is missing"));
  columnar::DataField other = RowSchema()[1];
  other.name = "extra";
  EXPECT_THAT(error({{RowSchema()[0], other}, {Int64s({1}), Texts({"x"})}, 1}),
              HasSubstr("no column 'extra'"));
  other = RowSchema()[1];
  other.name = "id";
  EXPECT_THAT(error({{other}, {Texts({"x"})}, 1}), HasSubstr("has type"));
  // Nothing of these is left behind.
  EXPECT_EQ(store->ListDirectory("data")->size(), 3u);
  EXPECT_EQ((*Table::Open(store))->version(), 3u);
}

TEST(DeleteRows, WritesBitmapsAndDropsEmptyFragments_LNC_A9) {
  WriteOptions options;
  options.limits.rows = 10;
  const auto store = NewTable(Numbered(0, 30), options);
  auto deleted = DeleteRows(store, IdIs(columnar::CompareOp::kLt, 12));
  ASSERT_TRUE(deleted.ok()) << deleted.status().ToString();
  EXPECT_EQ(deleted->rows, 12u);
  EXPECT_EQ(deleted->committed.version, 2u);
  const auto table = *Table::Open(store);
  ASSERT_EQ(table->fragments().size(), 2u);
  EXPECT_EQ(table->manifest().reader_flags, 1u);
  EXPECT_EQ(table->manifest_file().transaction->predicate, "id < 12");
  EXPECT_EQ(*ReadRows(store), Numbered(12, 30));
  // The next file lists the earlier rows, too.
  ASSERT_TRUE(DeleteRows(store, IdIs(columnar::CompareOp::kEq, 15)).ok());
  EXPECT_EQ((*Table::Open(store))->fragments()[0].deletion->deleted_rows, 3u);
  ExpectVerified(store);
  EXPECT_EQ(DeleteRows(store, IdIs(columnar::CompareOp::kEq, 15))->rows, 0u);
  EXPECT_EQ((*Table::Open(store))->version(), 3u);
  ASSERT_TRUE(DeleteRows(store, IdIs(columnar::CompareOp::kGe, 0)).ok());
  EXPECT_EQ(*ReadRows(store), Rows{});
}

TEST(RestoreVersion, BringsBackContentAsANewVersion_STL005) {
  const auto store = NewTable(Numbered(0, 5));
  ASSERT_TRUE(AppendRows(store, Source(Numbered(5, 9))).ok());
  ASSERT_TRUE(DeleteRows(store, IdIs(columnar::CompareOp::kEq, 1)).ok());
  const auto restored = RestoreVersion(store, 1);
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(restored->version, 4u);
  EXPECT_EQ(*ReadRows(store), Numbered(0, 5));
  EXPECT_EQ((*Table::Open(store))->manifest().reader_flags, 0u);
  // Ids of fragments that were there meanwhile are not used again.
  ASSERT_TRUE(AppendRows(store, Source(Numbered(5, 6))).ok());
  EXPECT_EQ((*Table::Open(store))->fragments().back().id, 2u);
  EXPECT_EQ(RestoreVersion(store, 77).status().code(), StatusCode::kNotFound);
}

TEST(Tags, NameVersionsUntilTheyAreDeleted_LNC_A10) {
  const auto store = NewTable(Numbered(0, 5));
  ASSERT_TRUE(AppendRows(store, Source(Numbered(5, 9))).ok());
  ASSERT_TRUE(CreateTag(store, "v1.0", 1).ok());
  EXPECT_EQ(CreateTag(store, "v1.0", 2).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(CreateTag(store, "other", 9).code(), StatusCode::kNotFound);
  EXPECT_EQ(CreateTag(store, "a/b", 1).code(), StatusCode::kInvalidArgument);
  OpenOptions open;
  open.tag = "v1.0";
  EXPECT_EQ((*Table::Open(store, open))->version(), 1u);
  ASSERT_TRUE(UpdateTag(store, "v1.0", 2).ok());
  EXPECT_EQ((*Table::Open(store, open))->version(), 2u);
  ASSERT_TRUE(DeleteTag(store, "v1.0").ok());
  EXPECT_EQ(DeleteTag(store, "v1.0").code(), StatusCode::kNotFound);
}

TEST(UpdateConfig, SetsAndRemovesPairs_LNC_A4) {
  const auto store = NewTable(Numbered(0, 1));
  ConfigChange change;
  change.config = {{"lance.auto_cleanup.interval", "20"}, {"mine", "1"}};
  change.table_metadata = {{"owner", "x"}};
  ASSERT_TRUE(UpdateConfig(store, change).ok());
  EXPECT_EQ((*Table::Open(store))->manifest().writer_flags, 8u);
  change.config = {{"mine", std::nullopt}};
  ASSERT_TRUE(UpdateConfig(store, change).ok());
  const auto table = *Table::Open(store);
  EXPECT_EQ(table->manifest().config, (proto::Metadata{{"lance.auto_cleanup.interval", "20"}}));
  EXPECT_EQ(table->manifest().table_metadata.at("owner"), "x");
}

TEST(StableRowIds, AreGivenOutOnceAndKept_LNC_A8) {
  WriteOptions options;
  options.stable_row_ids = true;
  const auto store = NewTable(Numbered(0, 5), options);
  ASSERT_TRUE(AppendRows(store, Source(Numbered(5, 9))).ok());
  const auto table = *Table::Open(store);
  EXPECT_EQ(table->manifest().reader_flags, 2u);
  EXPECT_EQ(table->manifest().writer_flags, 2u);
  EXPECT_EQ(table->manifest().next_row_id, 9u);
  EXPECT_EQ((*table->RowIds(1))->At(0), 5u);
  const auto created = RowVersions::Decode(*table->fragments()[1].created_at.inline_bytes, 4);
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->At(3), 2u);
  ExpectVerified(store);
}

}  // namespace
}  // namespace pchronicle::lance
