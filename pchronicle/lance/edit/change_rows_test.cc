#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/columns.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/literal_array.h"
#include "pchronicle/lance/edit/merge_insert.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/update_rows.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using testing::HasSubstr;

std::shared_ptr<io::Store> NewTable(bool stable = false, uint64_t rows_per_file = 10) {
  const auto store = io::MakeMemoryStore("memory://t.lance");
  WriteOptions options;
  options.limits.rows = rows_per_file;
  options.stable_row_ids = stable;
  EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 30)), options).ok());
  return store;
}

columnar::PredicatePtr Id(columnar::CompareOp op, int64_t value) {
  return columnar::Compare("id", op, value);
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

/// The row id of each id.
std::map<int64_t, uint64_t> RowIds(const std::shared_ptr<io::Store>& store) {
  ScanOptions options;
  options.columns = {"id"};
  options.row_id = true;
  const auto batches = ScanAll(*Table::Open(store), options);
  EXPECT_TRUE(batches.ok()) << batches.status().ToString();
  std::map<int64_t, uint64_t> out;
  for (const auto& batch : *batches) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      out[batch.columns[0]->Value<int64_t>(i)] = batch.columns[1]->Value<uint64_t>(i);
    }
  }
  return out;
}

/// Version of creation and of the last update of each id.
std::map<int64_t, std::pair<uint64_t, uint64_t>> RowTimes(const std::shared_ptr<io::Store>& store) {
  const auto table = *Table::Open(store);
  ScanOptions options;
  options.columns = {"id"};
  options.row_address = true;
  const auto batches = ScanAll(table, options);
  std::map<int64_t, std::pair<uint64_t, uint64_t>> out;
  for (const auto& batch : *batches) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      const RowAddress place = RowAddress::FromU64(batch.columns[1]->Value<uint64_t>(i));
      const proto::Fragment& fragment = table->fragments()[*table->FindFragment(place.fragment)];
      const auto at = [&](const proto::Sequence& sequence) {
        return RowVersions::Decode(*sequence.inline_bytes, fragment.physical_rows)
            ->At(place.offset);
      };
      out[batch.columns[0]->Value<int64_t>(i)] = {at(fragment.created_at),
                                                  at(fragment.last_updated_at)};
    }
  }
  return out;
}

TEST(UpdateRows, MovesRowsToNewFragments_LNC_A5) {
  const auto store = NewTable();
  const auto done =
      UpdateRows(store, Id(columnar::CompareOp::kGe, 15), {{"name", columnar::Scalar("new")}});
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->rows, 15u);
  Rows expected = Numbered(0, 30);
  for (int64_t i = 15; i < 30; ++i) {
    expected[static_cast<size_t>(i)].name = "new";
  }
  EXPECT_EQ(SortedRows(store), expected);
  const auto table = *Table::Open(store);
  EXPECT_FALSE(table->FindFragment(2).has_value());  // all of its rows moved
  ASSERT_TRUE(UpdateRows(store, nullptr, {{"name", std::nullopt}}).ok());
  for (const Row& row : SortedRows(store)) {
    EXPECT_FALSE(row.name.has_value());
  }
  EXPECT_EQ(UpdateRows(store, Id(columnar::CompareOp::kEq, 99), {{"name", std::nullopt}})->rows,
            0u);
  ExpectVerified(store);
  const auto error = [&](const ColumnValue& value) {
    return UpdateRows(store, nullptr, {value}).status().ToString();
  };
  EXPECT_THAT(error({"other", std::nullopt}), HasSubstr("no column 'other'"));
  EXPECT_THAT(error({"name", columnar::Scalar(int64_t{5})}), HasSubstr("no value of type utf8"));
  EXPECT_THAT(error({"id", std::nullopt}), HasSubstr("nulls in a field that has none"));
}

TEST(UpdateRows, ChangesBatchesByCallback) {
  const auto store = NewTable();
  const BatchChange negate = [](columnar::RecordBatch* rows) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < rows->rows; ++i) {
      ids.push_back(-rows->columns[0]->Value<int64_t>(i));
    }
    rows->columns[0] = Int64s(ids);
    return Status::Ok();
  };
  ASSERT_TRUE(UpdateRows(store, Id(columnar::CompareOp::kLt, 3), negate).ok());
  EXPECT_EQ(SortedRows(store).front(), (Row{-2, "row 2"}));
  const BatchChange shrink = [](columnar::RecordBatch* rows) {
    rows->rows = 0;
    return Status::Ok();
  };
  EXPECT_EQ(UpdateRows(store, nullptr, shrink).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(store->ListDirectory("data")->size(), 4u);
}

TEST(MergeInsert, UpsertsByKey_STL004) {
  for (const bool stable : {false, true}) {
    const auto store = NewTable(stable);
    const auto ids = RowIds(store);
    MergeInsertOptions options;
    options.keys = {"id"};
    const auto done =
        MergeInsert(store, Source({{40, "new"}, {7, "seven"}, {25, std::nullopt}}), options);
    ASSERT_TRUE(done.ok()) << done.status().ToString();
    EXPECT_EQ(done->updated, 2u);
    EXPECT_EQ(done->inserted, 1u);
    Rows expected = Numbered(0, 30);
    expected[7].name = "seven";
    expected[25].name = std::nullopt;
    expected.push_back({40, "new"});
    EXPECT_EQ(SortedRows(store), expected);
    if (stable) {
      const auto now = RowIds(store);
      EXPECT_EQ(now.at(7), ids.at(7));
      EXPECT_EQ(now.at(25), ids.at(25));
      EXPECT_EQ(now.at(40), 30u);
      EXPECT_EQ((*Table::Open(store))->manifest().next_row_id, 31u);
      const auto times = RowTimes(store);
      EXPECT_EQ(times.at(7), (std::pair<uint64_t, uint64_t>(1, 2)));
      EXPECT_EQ(times.at(40), (std::pair<uint64_t, uint64_t>(2, 2)));
      EXPECT_EQ(times.at(8), (std::pair<uint64_t, uint64_t>(1, 1)));
    }
    ExpectVerified(store);
  }
}

TEST(MergeInsert, HalvesLeaveTheOtherRowsOfTheSourceOut) {
  for (const bool stable : {false, true}) {
    const auto store = NewTable(stable);
    MergeInsertOptions options;
    options.keys = {"id"};
    options.update_matched = false;
    const auto inserted = MergeInsert(store, Source({{5, "x"}, {50, "y"}, {6, "z"}}), options);
    ASSERT_TRUE(inserted.ok()) << inserted.status().ToString();
    EXPECT_EQ(inserted->inserted, 1u);
    EXPECT_EQ(inserted->updated, 0u);
    options.update_matched = true;
    options.insert_new = false;
    const auto updated = MergeInsert(store, Source({{5, "x"}, {51, "y"}}), options);
    ASSERT_TRUE(updated.ok()) << updated.status().ToString();
    EXPECT_EQ(updated->updated, 1u);
    Rows expected = Numbered(0, 30);
    expected[5].name = "x";
    expected.push_back({50, "y"});
    EXPECT_EQ(SortedRows(store), expected);
    ExpectVerified(store);
    // Nothing to do: no version, no file.
    const size_t files = store->ListDirectory("data")->size();
    EXPECT_EQ(MergeInsert(store, Source({{60, "y"}}), options)->committed.version, 3u);
    EXPECT_EQ(store->ListDirectory("data")->size(), files);
  }
}

TEST(MergeInsert, ManyKeysOfSeveralColumnsAndNulls) {
  const auto store = NewTable(false, 1000);
  ASSERT_TRUE(AppendRows(store, Source({{1000, std::nullopt}})).ok());
  MergeInsertOptions options;
  options.keys = {"id", "name"};
  Rows source = Numbered(10, 5000);        // 20 are there
  source.push_back({1, "other"});          // same id, other name
  source.push_back({1000, std::nullopt});  // a null equals nothing
  const auto done = MergeInsert(store, Source(source), options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->updated, 20u);
  EXPECT_EQ(done->inserted, 4972u);
  EXPECT_EQ(SortedRows(store).size(), 30u + 1 + 4972);
  const auto error = [&](const Rows& rows) {
    return MergeInsert(store, Source(rows), options).status();
  };
  EXPECT_THAT(error({{1, "a"}, {2, "b"}, {1, "a"}}).message(),
              HasSubstr("rows 0 and 2 of the source have the same key"));
  options.max_key_bytes = 300;
  EXPECT_EQ(error(Numbered(0, 9)).code(), StatusCode::kResourceExhausted);
  options.keys = {};
  EXPECT_EQ(error({}).code(), StatusCode::kInvalidArgument);
}

TEST(Columns, AddDropAndRename_LNC_A3) {
  const auto store = NewTable();
  ASSERT_TRUE(DeleteRows(store, Id(columnar::CompareOp::kEq, 4)).ok());
  const columnar::DataField twice{"twice", columnar::MakeType(columnar::TypeId::kInt64), true, {}};
  const auto made = AddColumns(store, {twice}, {"id"}, [](const columnar::RecordBatch& rows) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < rows.rows; ++i) {
      values.push_back(2 * rows.columns[0]->Value<int64_t>(i));
    }
    return Result<std::vector<columnar::ArrayPtr>>({Int64s(values)});
  });
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  auto table = *Table::Open(store);
  EXPECT_EQ(table->fragments()[0].files.size(), 2u);
  EXPECT_EQ(table->schema()[2].id, 2);
  ScanOptions scan;
  scan.filter = columnar::Compare("twice", columnar::CompareOp::kEq, int64_t{22});
  EXPECT_EQ((*ScanAll(table, scan))[0].columns[0]->Value<int64_t>(0), 11);

  ASSERT_TRUE(DropColumns(store, {"twice"}).ok());
  EXPECT_EQ((*Table::Open(store))->fragments()[0].files.size(), 1u);
  // An id is not used again while a file may still hold its column.
  ASSERT_TRUE(DropColumns(store, {"name"}).ok());
  const columnar::DataField text{"title", columnar::MakeType(columnar::TypeId::kUtf8), true, {}};
  ASSERT_TRUE(AddNullColumns(store, {text}).ok());
  table = *Table::Open(store);
  EXPECT_EQ(table->schema()[1].id, 2);
  const auto batches = *ScanAll(table);
  EXPECT_TRUE(batches[0].columns[1]->IsNull(0));
  ASSERT_TRUE(RenameColumn(store, "title", "name").ok());
  EXPECT_EQ(SortedRows(store).size(), 29u);
  EXPECT_EQ(RenameColumn(store, "name", "id").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RenameColumn(store, "name", "a.b").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DropColumns(store, {"id", "name"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(DropColumns(store, {"none"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(AddNullColumns(store, {text, text}).status().code(), StatusCode::kInvalidArgument);
  ExpectVerified(store);
}

TEST(CompactTable, KeepsRowsIdsAndTimes_LNC_A10) {
  for (const bool stable : {false, true}) {
    const auto store = NewTable(stable, 4);
    ASSERT_TRUE(DeleteRows(store, Id(columnar::CompareOp::kLt, 6)).ok());
    ASSERT_TRUE(
        UpdateRows(store, Id(columnar::CompareOp::kEq, 20), {{"name", columnar::Scalar("x")}})
            .ok());
    const Rows before = SortedRows(store);
    const auto ids = stable ? RowIds(store) : std::map<int64_t, uint64_t>();
    const auto times =
        stable ? RowTimes(store) : std::map<int64_t, std::pair<uint64_t, uint64_t>>();
    const auto done = CompactTable(store);
    ASSERT_TRUE(done.ok()) << done.status().ToString();
    EXPECT_EQ(done->rows, 24u);
    EXPECT_EQ(done->fragments_added, 1u);
    const auto table = *Table::Open(store);
    ASSERT_EQ(table->fragments().size(), 1u);
    EXPECT_FALSE(table->fragments()[0].deletion.has_value());
    EXPECT_EQ(table->manifest().reader_flags, stable ? 2u : 0u);
    EXPECT_EQ(SortedRows(store), before);
    if (stable) {
      EXPECT_EQ(RowIds(store), ids);
      EXPECT_EQ(RowTimes(store), times);
    }
    ExpectVerified(store);
    EXPECT_EQ(CompactTable(store)->committed.version, done->committed.version);  // nothing to do
  }
}

TEST(CompactTable, LeavesLargeFragmentsAlone) {
  const auto store = NewTable();  // three of ten rows
  CompactOptions options;
  options.target_rows = 10;
  EXPECT_EQ(CompactTable(store, options)->fragments_removed, 0u);
  ASSERT_TRUE(DeleteRows(store, Id(columnar::CompareOp::kLt, 2)).ok());
  options.deleted_share = 0.5;
  EXPECT_EQ(CompactTable(store, options)->fragments_removed, 0u);
  options.deleted_share = 0.1;
  const auto done = CompactTable(store, options);
  EXPECT_EQ(done->fragments_removed, 1u);
  EXPECT_EQ(done->rows, 8u);
  EXPECT_EQ(SortedRows(store), Numbered(2, 30));
}

TEST(CleanUp, KeepsWhatIsTaggedAndWhatIsInFlight_LNC_A10) {
  const auto store = NewTable();
  ASSERT_TRUE(DeleteRows(store, Id(columnar::CompareOp::kLt, 12)).ok());
  ASSERT_TRUE(CreateTag(store, "keep", 2).ok());
  ASSERT_TRUE(CompactTable(store).ok());
  ASSERT_TRUE(AppendRows(store, Source(Numbered(30, 31))).ok());
  ASSERT_TRUE(store->Put("data/in_flight.lance", "x", true).ok());
  ASSERT_TRUE(store->Put("_deletions/9-9-9.bin", "x", true).ok());
  ASSERT_TRUE(store->Put("_versions/.pchronicle-tmp-1", "x", true).ok());
  CleanupOptions options;
  options.now_ns = 0;  // the memory store counts seconds from 0: nothing is so old
  options.dry_run = true;
  const auto plan = CleanUp(store, options);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ((*Table::Open(store))->Versions()->size(), 4u);
  options.dry_run = false;
  const auto done = CleanUp(store, options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->versions, 2u);
  EXPECT_EQ(done->versions, plan->versions);
  EXPECT_EQ(done->bytes, plan->bytes);
  EXPECT_EQ(done->versions_kept, 2u);
  EXPECT_EQ(done->data_files,
            1u);  // of the first version alone: fragment 0, which has no rows later
  EXPECT_EQ(done->young_orphans, 3u);
  EXPECT_EQ(SortedRows(store), Numbered(12, 31));
  EXPECT_EQ(SortedRows(store, 2), Numbered(12, 30));
  EXPECT_TRUE(store->Stat("data/in_flight.lance").ok());
  // Once it is old, what nobody refers to goes, too.
  options.now_ns = INT64_MAX / 2;
  ASSERT_TRUE(DeleteTag(store, "keep").ok());
  const auto rest = CleanUp(store, options);
  EXPECT_EQ(rest->versions, 1u);
  EXPECT_FALSE(store->Stat("data/in_flight.lance").ok());
  EXPECT_FALSE(store->Stat("_versions/.pchronicle-tmp-1").ok());
  EXPECT_EQ(store->ListDirectory("data")->size(), 2u);
  EXPECT_EQ(store->ListDirectory("_transactions")->size(), 1u);
  EXPECT_EQ(SortedRows(store), Numbered(12, 31));
}

TEST(CleanUp, AgeAndNumberOfVersionsToKeep_STL006) {
  const auto store = NewTable();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(AppendRows(store, Source({})).ok());
  }
  CleanupOptions options;
  options.older_than_ns = 0;  // none is
  EXPECT_EQ(CleanUp(store, options)->versions, 0u);
  options.older_than_ns = INT64_MAX;
  options.retain = 3;
  EXPECT_EQ(CleanUp(store, options)->versions, 2u);
  EXPECT_EQ((*Table::Open(store))->Versions()->front().version, 3u);
  // A manifest that cannot be read ends it before anything is deleted.
  ASSERT_TRUE(
      store->Put("_versions/" + ManifestName(4, NameScheme::kV2), "no manifest", false).ok());
  options.retain = 1;
  EXPECT_EQ(CleanUp(store, options).status().code(), StatusCode::kCorruption);
  EXPECT_EQ((*Table::Open(store))->Versions()->size(), 3u);
}

TEST(LiteralArray, RefusesWhatTheTypeCannotHold) {
  using columnar::Scalar;
  using columnar::TypeId;
  const auto fits = [](TypeId type, const Scalar& value) {
    return LiteralArray(columnar::MakeType(type), value, 3).ok();
  };
  EXPECT_TRUE(fits(TypeId::kInt8, int64_t{-128}));
  EXPECT_FALSE(fits(TypeId::kInt8, int64_t{128}));
  EXPECT_FALSE(fits(TypeId::kUint64, int64_t{-1}));
  EXPECT_TRUE(fits(TypeId::kUint64, uint64_t{UINT64_MAX}));
  EXPECT_FALSE(fits(TypeId::kFloat, 1e300));
  EXPECT_TRUE(fits(TypeId::kDouble, int64_t{3}));
  EXPECT_FALSE(fits(TypeId::kBool, int64_t{1}));
  EXPECT_FALSE(fits(TypeId::kUtf8, 1.5));
  EXPECT_FALSE(LiteralArray(columnar::MakeFixedBinary(4), Scalar("abc"), 1).ok());
  const auto bits = LiteralArray(columnar::MakeType(TypeId::kBool), Scalar(true), 10);
  EXPECT_TRUE((*bits)->Bit(9));
  EXPECT_EQ((*LiteralArray(columnar::MakeType(TypeId::kUtf8), Scalar("ab"), 3))->Bytes(2), "ab");
}

}  // namespace
}  // namespace pchronicle::lance
