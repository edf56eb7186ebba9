#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/lance/edit/commit_indices.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/create_index.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/index_files.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/index/row_moves.h"
#include "pchronicle/lance/table/verify.h"

// Compaction of tables with indices (lance.md A10).

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using columnar::CompareOp;
using testing::ElementsAre;
using testing::IsEmpty;
using StorePtr = std::shared_ptr<io::Store>;

constexpr int64_t kNames = 7;

// Every name many times, some rows without one.
Rows Named(int64_t begin, int64_t end) {
  Rows out = Numbered(begin, end);
  for (Row& row : out) {
    row.name = row.id % 11 == 3 ? std::optional<std::string>()
                                : fmt::format("name {}", row.id * 5 % kNames);
  }
  return out;
}

StorePtr TableOf(const Rows& rows, uint64_t rows_per_fragment, bool stable = false) {
  auto store = io::MakeMemoryStore();
  WriteOptions options;
  options.limits.rows = rows_per_fragment;
  options.stable_row_ids = stable;
  const auto made = CreateTable(store, RowSchema(), Source(rows), options);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return store;
}

void Index(const StorePtr& store) {
  const auto ids = CreateIndex(store, "id", IndexKind::kBTree);
  EXPECT_TRUE(ids.ok()) << ids.status().ToString();
  const auto names = CreateIndex(store, "name", IndexKind::kBitmap);
  EXPECT_TRUE(names.ok()) << names.status().ToString();
}

std::shared_ptr<const Table> Newest(const StorePtr& store) { return Table::Open(store).value(); }

struct Found {
  std::vector<int64_t> ids;
  uint64_t examined = 0;
};
Found Find(const StorePtr& store, const columnar::PredicatePtr& filter, bool use_indices = true) {
  Found out;
  ScanOptions options;
  options.columns = {"id"};
  options.filter = filter;
  options.use_indices = use_indices;
  const auto scan = Scan::Plan(Newest(store), options).value();
  for (size_t i = 0; i < scan->tasks().size(); ++i) {
    const auto reader = scan->OpenTask(i).value();
    for (columnar::RecordBatch batch; reader->Next(&batch, Context()).value();) {
      for (int64_t row = 0; row < batch.rows; ++row) {
        out.ids.push_back(batch.columns[0]->Value<int64_t>(row));
      }
    }
  }
  std::sort(out.ids.begin(), out.ids.end());
  out.examined = scan->counters().rows_examined;
  return out;
}

columnar::PredicatePtr Is(int64_t id) { return columnar::Compare("id", CompareOp::kEq, id); }
columnar::PredicatePtr HasName(int64_t name) {
  return columnar::Compare("name", CompareOp::kEq, fmt::format("name {}", name));
}

std::vector<std::string> Problems(const StorePtr& store) {
  const auto report = Verify(Newest(store), Context());
  EXPECT_TRUE(report.ok());
  std::vector<std::string> out;
  for (const auto& problem : report->problems) {
    out.push_back(problem.place + ": " + problem.text);
  }
  return out;
}

std::set<uint64_t> Covered(const Table& table, const std::string& name) {
  std::set<uint64_t> out;
  for (const proto::Index& index : table.indices()) {
    if (index.name == name) {
      for (const uint32_t id : RoaringBitmap::Decode(*index.fragment_bitmap)->Values()) {
        out.insert(id);
      }
    }
  }
  return out;
}

std::set<uint64_t> Fragments(const Table& table) {
  std::set<uint64_t> out;
  for (const proto::Fragment& fragment : table.fragments()) {
    out.insert(fragment.id);
  }
  return out;
}

std::vector<std::string> IndexDirectories(const StorePtr& store) {
  std::vector<std::string> out;
  const auto folders = store->ListDirectory("_indices");
  for (const io::Entry& folder : folders.ok() ? *folders : std::vector<io::Entry>()) {
    if (!store->ListDirectory(folder.path)->empty()) {
      out.push_back(folder.path);
    }
  }
  return out;
}

TEST(RowMoves, FindsTheNewPlaceOfEveryLiveRow_LNC_A10) {
  RowMoves moves;
  const auto deleted = std::make_shared<const RoaringBitmap>(
      RoaringBitmap::FromValues(std::vector<uint32_t>{0, 2, 3}));
  ASSERT_TRUE(moves.Add({{1, 5, deleted}, {2, 3, nullptr}}, {{7, 4}, {8, 1}}).ok());
  EXPECT_EQ(moves.Find({1, 0}), std::nullopt);
  EXPECT_EQ(moves.Find({1, 1}), (RowAddress{7, 0}));
  EXPECT_EQ(moves.Find({1, 4}), (RowAddress{7, 1}));
  EXPECT_EQ(moves.Find({1, 5}), std::nullopt);
  EXPECT_EQ(moves.Find({2, 0}), (RowAddress{7, 2}));
  EXPECT_EQ(moves.Find({2, 2}), (RowAddress{8, 0}));
  EXPECT_EQ(moves.Find({3, 0}), std::nullopt);
  EXPECT_TRUE(moves.Contains(2));
  EXPECT_FALSE(moves.Contains(7));
  EXPECT_EQ(moves.Add({{4, 2, nullptr}}, {{9, 1}}).code(), StatusCode::kInternal);
}

TEST(CompactIndex, PointLookupsUseTheIndexBehindIt_LNC_A10) {
  const auto store = TableOf(Named(0, 300), 50);
  Index(store);
  const auto before = Newest(store);
  ASSERT_TRUE(DeleteRows(store, columnar::In("id", {int64_t{3}, int64_t{77}, int64_t{299}})).ok());
  CompactOptions options;
  options.target_rows = 120;
  const auto done = CompactTable(store, options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->indices_remapped, 2u);
  EXPECT_EQ(done->index_entries, 2 * 297u);
  const auto table = Newest(store);
  EXPECT_EQ(table->version(), before->version() + 3) << "delete, reserve, rewrite";
  EXPECT_EQ(Covered(*table, "id_idx"), Fragments(*table));
  EXPECT_EQ(Covered(*table, "name_idx"), Fragments(*table));
  ASSERT_EQ(table->indices().size(), 2u);
  EXPECT_NE(table->indices()[0].uuid, before->indices()[0].uuid);
  for (int64_t id = 0; id < 300; ++id) {
    const bool gone = id == 3 || id == 77 || id == 299;
    const Found found = Find(store, Is(id));
    EXPECT_EQ(found.ids, gone ? std::vector<int64_t>() : std::vector<int64_t>{id});
    EXPECT_EQ(found.examined, gone ? 0u : 1u);
  }
  for (int64_t name = 0; name < kNames; ++name) {
    const Found found = Find(store, HasName(name));
    EXPECT_EQ(found.ids, Find(store, HasName(name), false).ids);
    EXPECT_EQ(found.examined, found.ids.size());
  }
  EXPECT_EQ(Find(store, columnar::IsNull("name")).examined, 26u);
  EXPECT_THAT(Problems(store), IsEmpty());
  // What was read says what was written.
  EXPECT_EQ(Newest(store)->version(), CompactTable(store, options)->committed.version);
}

// Brute force: the rows of a scan without indices.
void CheckAnswers(const StorePtr& store) {
  const auto table = Newest(store);
  for (int i = 0; i < 6; ++i) {
    const int64_t id = *rc::gen::inRange<int64_t>(-2, 90);
    const auto op = *rc::gen::element(CompareOp::kEq, CompareOp::kLt, CompareOp::kGe);
    for (const auto& filter :
         {columnar::Compare("id", op, id), HasName(id % kNames), columnar::IsNull("name")}) {
      RC_ASSERT(Find(store, filter).ids == Find(store, filter, false).ids);
    }
  }
  RC_ASSERT(Problems(store).empty());
}

TEST(CompactIndex, AnswersAreThoseOfAScanThroughDeletesAndCompactions_LNC_A10) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange<int64_t>(1, 80);
    const bool stable = *rc::gen::inRange(0, 4) == 0;
    const auto store = TableOf(Named(0, rows), *rc::gen::inRange<uint64_t>(1, 30), stable);
    int64_t next = rows;
    bool indexed = false;
    for (int step = *rc::gen::inRange(2, 8); step > 0; --step) {
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          Index(store);
          indexed = true;
          break;
        case 1: {
          const auto gone =
              *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 80));
          RC_ASSERT(DeleteRows(store, columnar::In("id", {gone.begin(), gone.end()})).ok());
          break;
        }
        case 2:
          RC_ASSERT(AppendRows(store, Source(Named(next, next + 9))).ok());
          next += 9;
          if (indexed && *rc::gen::arbitrary<bool>()) {
            RC_ASSERT(ExtendIndex(store, "id_idx").ok());
          }
          break;
        default: {
          const auto all = columnar::Compare("id", CompareOp::kGe, int64_t{0});
          const auto before = Find(store, all, false).ids;
          const auto covered = [&] {
            const auto table = Newest(store);
            uint64_t count = 0;
            const std::set<uint64_t> ids = Covered(*table, "id_idx");
            for (const proto::Fragment& fragment : table->fragments()) {
              const uint64_t deleted = fragment.deletion ? fragment.deletion->deleted_rows : 0;
              count += ids.contains(fragment.id) ? fragment.physical_rows - deleted : 0;
            }
            return count;
          };
          const uint64_t rows_covered = covered();
          CompactOptions options;
          options.target_rows = *rc::gen::inRange<uint64_t>(1, 60);
          options.deleted_share = *rc::gen::element(0.0, 0.3);
          const auto done = CompactTable(store, options);
          RC_ASSERT(done.ok());
          RC_ASSERT(Find(store, all, false).ids == before);
          RC_ASSERT(covered() == rows_covered);  // no row falls out of the index
        }
      }
      CheckAnswers(store);
    }
  }));
}

TEST(CompactIndex, StableRowIdsNeedNoNewFiles_LNC_A10) {
  const auto store = TableOf(Named(0, 100), 20, /*stable=*/true);
  Index(store);
  const auto before = Newest(store);
  const auto done = CompactTable(store);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->indices_remapped, 0u);
  const auto table = Newest(store);
  EXPECT_EQ(table->version(), before->version() + 1);
  EXPECT_EQ(table->indices()[0].uuid, before->indices()[0].uuid);
  EXPECT_EQ(Find(store, Is(77)).examined, 1u);
}

// As release 14 writes BTrees.
void IndexByAddress(const StorePtr& store) {
  const auto table = Newest(store);
  UnpublishedFiles files(store);
  BuildIndexOptions options;
  options.uuid[0] = 77;
  options.addresses = true;
  IndexFiles output(&files, table->paths(), options.uuid);
  const auto built = BuildIndex(table, "id", IndexKind::kBTree, options, &output);
  ASSERT_TRUE(built.ok()) << built.status().ToString();
  EXPECT_EQ(built->index.index_version, 1);
  ASSERT_TRUE(CommitIndices(store, {table->version(), {built->index}, {}}, {}, &files).ok());
}

TEST(CompactIndex, AddressesAreWrittenAgainInTablesWithStableRowIds_LNC_D1) {
  const auto store = TableOf(Named(0, 100), 20, /*stable=*/true);
  IndexByAddress(store);
  ASSERT_TRUE(DeleteRows(store, Is(3)).ok());
  const auto done = CompactTable(store);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->indices_remapped, 1u);
  EXPECT_EQ(Newest(store)->indices()[0].index_version, 1);
  EXPECT_EQ(Find(store, Is(77)).ids, std::vector<int64_t>{77});
  EXPECT_EQ(Find(store, Is(77)).examined, 1u);
  EXPECT_THAT(Problems(store), IsEmpty());
}

TEST(CompactIndex, SegmentsOfAnIndexHoldOneKindOfNumber_LNC_D1) {
  const auto store = TableOf(Named(0, 40), 20, /*stable=*/true);
  // Ids that are no addresses: the rows that come back changed lie in another fragment.
  ASSERT_TRUE(DeleteRows(store, columnar::Compare("id", CompareOp::kLt, int64_t{10})).ok());
  ASSERT_TRUE(AppendRows(store, Source(Named(100, 120))).ok());
  IndexByAddress(store);
  ASSERT_TRUE(AppendRows(store, Source(Named(120, 130))).ok());
  ASSERT_TRUE(ExtendIndex(store, "id_idx").ok());
  ASSERT_EQ(Newest(store)->indices().size(), 2u);
  EXPECT_EQ(Newest(store)->indices()[1].index_version, 1);
  EXPECT_THAT(Problems(store), IsEmpty());
  ASSERT_TRUE(AppendRows(store, Source(Named(130, 140))).ok());
  const auto merged = MergeIndex(store, "id_idx");
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  EXPECT_EQ(merged->entries, 70u);
  ASSERT_EQ(Newest(store)->indices().size(), 1u);
  EXPECT_EQ(Newest(store)->indices()[0].index_version, 0);
  EXPECT_THAT(Problems(store), IsEmpty());
  for (const int64_t id : {15, 39, 100, 119, 125, 139}) {
    EXPECT_EQ(Find(store, Is(id)).ids, std::vector<int64_t>{id});
    EXPECT_EQ(Find(store, Is(id)).examined, 1u);
  }
}

TEST(CompactIndex, AddressesThatMovedMeanwhileAreAConflict_LNC_A7) {
  const auto store = TableOf(Named(0, 40), 20, /*stable=*/true);
  const auto before = Newest(store);
  ASSERT_TRUE(CompactTable(store).ok());
  UnpublishedFiles files(store);
  IndexChange change;
  change.read_version = before->version();
  proto::Index& index = change.added.emplace_back();
  index.fields = {0};
  index.name = "id_idx";
  index.type_url = "/lance.table.BTreeIndexDetails";
  index.fragment_bitmap = RoaringBitmap::FromValues(std::vector<uint32_t>{0, 1}).Encode();
  index.index_version = 1;
  EXPECT_EQ(CommitIndices(store, change, {}, &files).status().code(), StatusCode::kConflict);
  change.added[0].index_version = 0;
  EXPECT_TRUE(CommitIndices(store, change, {}, &files).ok());
}

TEST(CompactIndex, FragmentsThatOnlySomeSegmentsCoverStayApart_LNC_A10) {
  const auto store = TableOf(Named(0, 40), 20);
  Index(store);
  ASSERT_TRUE(AppendRows(store, Source(Named(40, 50))).ok());
  ASSERT_TRUE(AppendRows(store, Source(Named(50, 60))).ok());
  const auto done = CompactTable(store);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->fragments_removed, 4u);
  EXPECT_EQ(done->fragments_added, 2u);
  EXPECT_EQ(Find(store, Is(5)).examined, 1u + 20u) << "the appended rows are scanned";
  ASSERT_TRUE(ExtendIndex(store, "id_idx").ok());
  EXPECT_EQ(Find(store, Is(5)).examined, 1u);
  EXPECT_EQ(Find(store, Is(55)).examined, 1u);
}

TEST(CompactIndex, AFragmentOfWhichNothingIsLeft_LNC_A10) {
  const auto store = TableOf(Named(0, 40), 20);
  Index(store);
  ASSERT_TRUE(DeleteRows(store, columnar::Compare("id", CompareOp::kLt, int64_t{39})).ok());
  const auto done = CompactTable(store);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(Find(store, Is(39)).ids, std::vector<int64_t>{39});
  EXPECT_THAT(Problems(store), IsEmpty());
}

TEST(CompactIndex, ASegmentReplacedMeanwhileIsLeftOut_LNC_A7) {
  const auto store = TableOf(Named(0, 100), 20);
  Index(store);
  CompactOptions options;
  options.edit.read_version = Newest(store)->version();
  ASSERT_TRUE(CreateIndex(store, "id", IndexKind::kBTree).ok());  // takes the place of the first
  const auto done = CompactTable(store, options);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  const auto table = Newest(store);
  EXPECT_THAT(Covered(*table, "id_idx"), IsEmpty()) << "its addresses are those of before";
  EXPECT_EQ(Covered(*table, "name_idx"), Fragments(*table));
  EXPECT_EQ(Find(store, Is(77)).ids, std::vector<int64_t>{77});
  EXPECT_THAT(Problems(store), IsEmpty());
}

TEST(CompactIndex, RowsDeletedMeanwhileAreAConflictThatLeavesNoFile_LNC_A7) {
  const auto store = TableOf(Named(0, 100), 20);
  Index(store);
  const auto before = IndexDirectories(store);
  CompactOptions options;
  options.edit.read_version = Newest(store)->version();
  ASSERT_TRUE(DeleteRows(store, Is(7)).ok());
  EXPECT_EQ(CompactTable(store, options).status().code(), StatusCode::kConflict);
  EXPECT_EQ(IndexDirectories(store), before);
  EXPECT_EQ(Find(store, Is(77)).examined, 1u);
}

TEST(CompactIndex, ADamagedSegmentLosesWhatItCovers_LNC_A10) {
  const auto store = TableOf(Named(0, 100), 20);
  Index(store);
  const auto before = Newest(store);
  const std::string path =
      "_indices/" + before->indices()[0].UuidText() + "/" + before->indices()[0].files[0].path;
  ASSERT_TRUE(store->Put(path, "LANC", false).ok());
  const auto done = CompactTable(store);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->indices_remapped, 1u);
  EXPECT_EQ(Covered(*Newest(store), "name_idx"), Fragments(*Newest(store)));
  EXPECT_THAT(Covered(*Newest(store), "id_idx"), IsEmpty());
  EXPECT_EQ(Find(store, HasName(2)).examined, Find(store, HasName(2)).ids.size());
}

TEST(CompactIndex, TheTransactionNamesTheNewFiles_LNC_A10) {
  proto::Transaction transaction;
  transaction.operation = proto::Transaction::Operation::kRewrite;
  transaction.operation_number = 104;
  proto::RewrittenIndex& index = transaction.rewritten_indices.emplace_back();
  index.old_uuid[3] = 7;
  index.uuid[15] = 9;
  index.type_url = "/lance.table.BTreeIndexDetails";
  index.index_version = 1;
  index.files = {{"page_data.lance", 17}, {"page_lookup.lance", 1 << 20}};
  const auto again = proto::ParseTransaction(proto::Write(transaction).bytes());
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(*again, transaction);
  EXPECT_FALSE(proto::ParseRewrittenIndex("\x0a\x03\x0a\x01x").ok()) << "a UUID of one byte";
}

TEST(CompactIndex, AFailedRewriteLeavesNoFiles_LNC_A10) {
  const auto base = TableOf(Named(0, 100), 20);
  Index(base);
  const auto before = IndexDirectories(base);
  const size_t data = base->ListDirectory("data")->size();
  int manifests = 0;
  const StorePtr store = io::MakeFaultyStore(base, [&](io::StoreCall call, std::string_view path) {
    const bool manifest = call == io::StoreCall::kPut && path.ends_with(".manifest");
    return manifest && ++manifests == 2 ? Status::Io("full") : Status::Ok();
  });
  EXPECT_EQ(CompactTable(store).status().code(), StatusCode::kIo);
  EXPECT_EQ(IndexDirectories(base), before);
  EXPECT_EQ(base->ListDirectory("data")->size(), data);
  EXPECT_EQ(Find(base, Is(77)).examined, 1u);
  // The ids that were reserved for nothing are no obstacle.
  ASSERT_TRUE(CompactTable(base).ok());
  EXPECT_EQ(Find(base, Is(77)).examined, 1u);
  EXPECT_THAT(Problems(base), IsEmpty());
}

}  // namespace
}  // namespace pchronicle::lance
