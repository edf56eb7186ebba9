#include "pchronicle/lance/edit/conflict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/lance/edit/columns.h"
#include "pchronicle/lance/edit/commit_indices.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/merge_insert.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/update_rows.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using Operation = proto::Transaction::Operation;
using testing::HasSubstr;

// An operation that touches fragment 1 where it can.
proto::Transaction Make(Operation operation) {
  proto::Transaction out;
  out.operation = operation;
  out.read_version = 3;
  proto::Fragment fragment;
  fragment.id = 1;
  switch (operation) {
    case Operation::kDelete:
    case Operation::kUpdate:
      out.updated_fragments = {fragment};
      break;
    case Operation::kRewrite:
      out.groups = {{{fragment}, {}}};
      out.removed_fragments = {1};
      break;
    case Operation::kDataReplacement:
      out.removed_fragments = {1};
      out.replaced_fields = {0};
      break;
    case Operation::kCreateIndex:
      out.new_indices.emplace_back();
      out.new_indices[0].name = "i";
      out.new_indices[0].fields = {0};
      out.new_indices[0].fragment_bitmap =
          RoaringBitmap::FromValues(std::vector<uint32_t>{1}).Encode();
      break;
    case Operation::kUpdateConfig:
      out.config_updates = proto::UpdateMap{{{"k", "v"}}, false};
      break;
    default:
      break;
  }
  return out;
}

TEST(Conflict, EveryPairOfTheTable_LNC_A7) {
  // Rows ours, columns theirs; x: conflict. Deletions of the same fragment pass here.
  constexpr Operation kTheirs[] = {
      Operation::kAppend,          Operation::kDelete,       Operation::kUpdate,
      Operation::kRewrite,         Operation::kMerge,        Operation::kProject,
      Operation::kCreateIndex,     Operation::kOverwrite,    Operation::kRestore,
      Operation::kDataReplacement, Operation::kUpdateConfig, Operation::kReserveFragments,
      Operation::kUnknown,         Operation::kUpdateMemWal, Operation::kClone};
  struct Line {
    Operation ours;
    const char* marks;
  };
  constexpr Line kLines[] = {
      //                       adurmpioRDcrUWC
      {Operation::kAppend, ".......xx...xxx"},
      {Operation::kDelete, "...xx..xxx..xxx"},
      {Operation::kUpdate, "...xx..xxx..xxx"},
      {Operation::kRewrite, ".xxxx..xxx..xxx"},
      {Operation::kCreateIndex, "...x...xxx..xxx"},
      {Operation::kMerge, "xxxxxx.xxx..xxx"},
      {Operation::kProject, "....xx.xx...xxx"},
      {Operation::kOverwrite, ".......xx...xxx"},
      {Operation::kRestore, ".......xx...xxx"},
      {Operation::kUpdateConfig, ".......x..x.xxx"},
      {Operation::kReserveFragments, ".......xx...xxx"},
  };
  for (const Line& line : kLines) {
    for (size_t i = 0; i < std::size(kTheirs); ++i) {
      const Status status = CheckConflict(Make(line.ours), Make(kTheirs[i]), 4, false);
      EXPECT_EQ(status.code() == StatusCode::kConflict, line.marks[i] == 'x')
          << proto::OperationName(line.ours) << " against " << proto::OperationName(kTheirs[i])
          << ": " << status.ToString();
    }
  }
}

TEST(Conflict, OtherFragmentsAndKeysDoNotMeet_LNC_A7) {
  proto::Transaction theirs = Make(Operation::kRewrite);
  theirs.removed_fragments = {2};
  theirs.groups[0].old_fragments[0].id = 2;
  EXPECT_TRUE(CheckConflict(Make(Operation::kDelete), theirs, 4, false).ok());
  EXPECT_TRUE(CheckConflict(Make(Operation::kCreateIndex), theirs, 4, false).ok());
  proto::Transaction index = Make(Operation::kCreateIndex);
  for (proto::Index& added : index.new_indices) {
    added.type_url = "/lance.table.BTreeIndexDetails";
  }
  EXPECT_TRUE(CheckConflict(index, Make(Operation::kRewrite), 4, true).ok()) << "ids, no addresses";
  proto::Transaction config = Make(Operation::kUpdateConfig);
  config.config_updates->entries[0].key = "other";
  EXPECT_TRUE(CheckConflict(Make(Operation::kUpdateConfig), config, 4, false).ok());
  config.config_updates->replace = true;
  EXPECT_FALSE(CheckConflict(Make(Operation::kUpdateConfig), config, 4, false).ok());
  proto::Transaction columns = Make(Operation::kUpdate);
  columns.fields_modified = {0};
  EXPECT_THAT(CheckConflict(Make(Operation::kCreateIndex), columns, 4, false).message(),
              HasSubstr("rewrote the column of index 'i'"));
}

std::shared_ptr<io::Store> NewTable() {
  const auto store = io::MakeMemoryStore("memory://t.lance");
  WriteOptions options;
  options.limits.rows = 10;
  EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 20)), options).ok());
  return store;
}
EditOptions OnVersion(uint64_t version) {
  EditOptions out;
  out.read_version = version;
  return out;
}
columnar::PredicatePtr Is(int64_t id) {
  return columnar::Compare("id", columnar::CompareOp::kEq, id);
}

TEST(Conflict, DeletionsOfOtherRowsAreMerged_LNC_A7) {
  const auto store = NewTable();
  ASSERT_TRUE(DeleteRows(store, Is(3)).ok());
  ASSERT_TRUE(AppendRows(store, Source(Numbered(20, 22))).ok());
  const auto stale = DeleteRows(store, Is(5), OnVersion(1));
  ASSERT_TRUE(stale.ok()) << stale.status().ToString();
  EXPECT_EQ(stale->committed.version, 4u);
  Rows expected = Numbered(0, 22);
  expected.erase(expected.begin() + 5);
  expected.erase(expected.begin() + 3);
  EXPECT_EQ(SortedRows(store), expected);
  // The same row twice is a conflict, and says so.
  const auto same = DeleteRows(store, Is(3), OnVersion(1));
  EXPECT_EQ(same.status().code(), StatusCode::kConflict);
  EXPECT_THAT(same.status().message(), HasSubstr("fragment 0 lost rows"));
  EXPECT_THAT(same.status().message(), HasSubstr("run it again on the newest version"));
  // Rows that go one by one at last take the fragment with them.
  const auto rest = columnar::Compare("id", columnar::CompareOp::kGe, int64_t{11});
  ASSERT_TRUE(
      DeleteRows(store, columnar::And(
                            {rest, columnar::Compare("id", columnar::CompareOp::kLt, int64_t{20})}))
          .ok());
  const auto last = DeleteRows(store, Is(10), OnVersion(4));
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_FALSE((*Table::Open(store))->FindFragment(1).has_value());
}

TEST(Conflict, WhatIsLostIsToldAndNothingIsLeftBehind_D18) {
  const auto store = NewTable();
  ASSERT_TRUE(UpdateRows(store, Is(3), {{"name", columnar::Scalar("x")}}).ok());
  CompactOptions compact;
  compact.edit = OnVersion(1);
  const size_t files = store->ListDirectory("data")->size();
  const auto lost = CompactTable(store, compact);
  EXPECT_EQ(lost.status().code(), StatusCode::kConflict);
  EXPECT_THAT(lost.status().message(), HasSubstr("version 2 (update "));
  EXPECT_THAT(lost.status().message(), HasSubstr("both change fragment 0"));
  EXPECT_THAT(lost.status().message(), HasSubstr("the rewrite is lost"));
  EXPECT_EQ(store->ListDirectory("data")->size(), files);
  EXPECT_EQ((*Table::Open(store))->version(), 2u);
  // Appends are no obstacle for deletes, nor the other way round.
  WriteOptions append;
  append.edit = OnVersion(1);
  EXPECT_TRUE(AppendRows(store, Source(Numbered(30, 31)), append).ok());
}

TEST(Conflict, MergesThatInsertKeysDoNotPassEachOther_LNC_A7) {
  const auto store = NewTable();
  MergeInsertOptions options;
  options.keys = {"id"};
  ASSERT_TRUE(MergeInsert(store, Source({{50, "a"}}), options).ok());
  options.edit = OnVersion(1);
  EXPECT_EQ(MergeInsert(store, Source({{50, "b"}}), options).status().code(),
            StatusCode::kConflict);
  options.insert_new = false;
  EXPECT_TRUE(MergeInsert(store, Source({{4, "b"}}), options).ok());
}

TEST(Conflict, VersionsWithoutTransactionsOrRemovedOnesAreConflicts_LNC_A6) {
  const auto store = NewTable();
  ASSERT_TRUE(AppendRows(store, Source(Numbered(20, 21))).ok());
  ASSERT_TRUE(AppendRows(store, Source(Numbered(21, 22))).ok());
  ASSERT_TRUE(store->Delete("_versions/" + ManifestName(2, NameScheme::kV2)).ok());
  const auto stale = DeleteRows(store, Is(5), OnVersion(1));
  EXPECT_EQ(stale.status().code(), StatusCode::kConflict);
  EXPECT_THAT(stale.status().message(), HasSubstr("version 2 was removed"));
}

TEST(Conflict, TheLaterIndexOfANameReplacesTheOther_LNC_A7) {
  const auto store = NewTable();
  const auto index = [&](uint8_t id, uint64_t read_version) {
    IndexChange change;
    change.read_version = read_version;
    proto::Index& added = change.added.emplace_back();
    added.uuid[0] = id;
    added.name = "id_idx";
    added.fields = {0};
    added.fragment_bitmap = RoaringBitmap::FromValues(std::vector<uint32_t>{0, 1}).Encode();
    UnpublishedFiles files(store);
    return CommitIndices(store, change, {}, &files);
  };
  ASSERT_TRUE(index(1, 1).ok());
  ASSERT_TRUE(index(2, 1).ok());
  const auto table = *Table::Open(store);
  ASSERT_EQ(table->indices().size(), 1u);
  EXPECT_EQ(table->indices()[0].uuid[0], 2);
  // A second segment that was built knowing of the first stands beside it.
  ASSERT_TRUE(index(3, 3).ok());
  EXPECT_EQ((*Table::Open(store))->indices().size(), 2u);
  // Compaction takes its addresses out of what is covered.
  ASSERT_TRUE(CompactTable(store).ok());
  const auto compacted = *Table::Open(store);
  EXPECT_EQ(compacted->indices().size(), 2u);
  for (const proto::Index& left : compacted->indices()) {
    EXPECT_EQ(RoaringBitmap::Decode(*left.fragment_bitmap)->cardinality(), 0u);
  }
  ASSERT_TRUE(DropColumns(store, {"id"}).ok());
  EXPECT_TRUE((*Table::Open(store))->indices().empty());
}

}  // namespace
}  // namespace pchronicle::lance
