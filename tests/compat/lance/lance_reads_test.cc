// What reading official tables costs, and what damaged bytes of them do (lance.md C3, issue bars).

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fixture_table.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/io/faulty_store.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/table/arrow_stream.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/take.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance {
namespace {

namespace fs = std::filesystem;

// The files of a fixture in a memory store; null when the fixture is not there.
std::shared_ptr<io::Store> LoadFixture(const std::string& name) {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  for (const fs::path& root :
       {fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data",
        fs::path(shared != nullptr ? shared : PCHRONICLE_SHARED_DIR) / "fixtures/lance"}) {
    const fs::path table = root / name / "t.lance";
    if (!fs::exists(table)) {
      continue;
    }
    auto store = io::MakeMemoryStore("memory://" + name);
    for (const auto& entry : fs::recursive_directory_iterator(table)) {
      if (entry.is_regular_file()) {
        const Status put = store->Put(fs::relative(entry.path(), table).string(),
                                      testing_support::ReadFile(entry.path().string()), false);
        EXPECT_TRUE(put.ok()) << put.ToString();
      }
    }
    return store;
  }
  return nullptr;
}

struct Answer {
  uint64_t rows = 0;
  ScanCounters counters;
  io::Store::Counters store;
};

Result<Answer> ReadTable(const std::shared_ptr<io::Store>& store, ScanOptions options) {
  const io::Store::Counters before = store->counters();
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, Table::Open(store));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto scan, Scan::Plan(table, std::move(options)));
  const Context context;
  Answer out;
  {
    const auto stream = ScanStream::Start(scan, 1, true, context);
    for (;;) {
      columnar::RecordBatch batch;
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
      if (!more) {
        break;
      }
      out.rows += static_cast<uint64_t>(batch.rows);
    }
  }
  out.counters = scan->counters();
  const io::Store::Counters after = store->counters();
  out.store.reads = after.reads - before.reads;
  out.store.bytes_read = after.bytes_read - before.bytes_read;
  out.store.opens = after.opens - before.opens;
  out.store.lists = after.lists - before.lists;
  return out;
}

ScanOptions Point(std::vector<std::string> columns, int64_t id, bool indexed) {
  ScanOptions options;
  options.columns = std::move(columns);
  options.filter = columnar::Compare("id", columnar::CompareOp::kEq, id);
  options.use_indices = indexed;
  return options;
}

// Rows of fragments behind the last one of the first index, built before them.
uint64_t Uncovered(const Table& table) {
  const auto covered = RoaringBitmap::Decode(*table.indices().at(0).fragment_bitmap);
  uint64_t rows = 0;
  for (const proto::Fragment& fragment : table.fragments()) {
    rows += covered->Contains(static_cast<uint32_t>(fragment.id)) ? 0 : fragment.physical_rows;
  }
  return rows;
}

TEST(LanceReads, APointReadThroughAnIndexTakesFewCalls_LNC_5) {
  for (const char* name : {"lance14_index_btree", "lance12_index_btree_pages"}) {
    SCOPED_TRACE(name);
    const std::shared_ptr<io::Store> store = LoadFixture(name);
    if (store == nullptr) {
      GTEST_SKIP() << "no fixture " << name;
    }
    const auto none = ReadTable(store, Point({}, 7, true));
    ASSERT_TRUE(none.ok()) << none.status().ToString();
    ASSERT_EQ(none->rows, 1u);
    const auto all = Table::Open(store);
    std::vector<std::string> columns;
    for (const FieldNode& field : (*all)->schema()) {
      columns.push_back(field.name);
      const auto point = ReadTable(store, Point(columns, 7, true));
      ASSERT_TRUE(point.ok()) << point.status().ToString();
      EXPECT_EQ(point->rows, 1u);
      EXPECT_EQ(point->counters.index_rows, 1u);
      // One row by the index, and those that no index covers.
      EXPECT_LE(point->counters.rows_examined, 1 + Uncovered(**all));
      // What columns add to manifest and index: opening the data file, then the column.
      EXPECT_LE(point->store.reads - none->store.reads, 1 + 3 * columns.size());
      RecordProperty(fmt::format("{}_{}_reads", name, columns.size()),
                     static_cast<int>(point->store.reads));
    }
    // Manifest, the two files of the index, and its columns where they lie outside the tails.
    EXPECT_LE(none->store.reads, 4u * 2);
  }
}

TEST(LanceReads, FragmentsThatAnIndexRulesOutAreNotOpened_LNC_5) {
  const auto store = LoadFixture("lance14_index_segments");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  const auto absent = ReadTable(store, Point({"id"}, -5, true));
  ASSERT_TRUE(absent.ok()) << absent.status().ToString();
  EXPECT_EQ(absent->rows, 0u);
  const auto table = *Table::Open(store);
  const auto scanned = ReadTable(store, Point({"id"}, -5, false));
  ASSERT_TRUE(scanned.ok());
  EXPECT_EQ(scanned->counters.fragments_pruned, 0u);
  EXPECT_EQ(scanned->counters.rows_examined, table->CountRows());
  EXPECT_GT(absent->counters.fragments_pruned, 0u);
  EXPECT_LT(absent->counters.rows_examined, scanned->counters.rows_examined);
}

TEST(LanceReads, AProjectionReadsOnlyItsColumns_LNC_5) {
  const auto store = LoadFixture("lance14_large_default");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  const auto table = *Table::Open(store);
  ScanOptions narrow;
  narrow.columns = std::vector<std::string>{table->schema()[0].name};
  const auto one = ReadTable(store, narrow);
  const auto all = ReadTable(store, {});
  ASSERT_TRUE(one.ok() && all.ok());
  EXPECT_EQ(one->rows, all->rows);
  // The tail of each file is read in any case.
  EXPECT_LT(one->store.bytes_read, all->store.bytes_read);
  EXPECT_LT(one->counters.reads.chunks_decoded * 2, all->counters.reads.chunks_decoded);
}

TEST(LanceReads, RowsThatTheFilterRejectsAreNotReadInOtherColumns_LNC_5) {
  const auto store = LoadFixture("lance14_large_default");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  const auto table = *Table::Open(store);
  const std::string first = table->schema()[0].name;
  ScanOptions options;
  options.filter = columnar::And({});
  const auto all = ReadTable(store, options);
  options.filter = columnar::IsNull(first);
  const auto few = ReadTable(store, options);
  ASSERT_TRUE(few.ok()) << few.status().ToString();
  ASSERT_TRUE(all.ok());
  EXPECT_LT(few->rows, all->rows);
  EXPECT_LT(few->store.bytes_read, all->store.bytes_read);
}

TEST(LanceReads, LeavesAsAnArrowStream_LNC_5) {
  const auto store = LoadFixture("lance14_many_fragments");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  const auto table = *Table::Open(store);
  for (const size_t threads : {1, 3}) {
    const auto scan = *Scan::Plan(table, {});
    ArrowArrayStream stream;
    ExportScan(scan, threads, true, &stream);
    ArrowSchema schema;
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_EQ(static_cast<size_t>(schema.n_children), table->schema().size());
    schema.release(&schema);
    uint64_t rows = 0;
    std::vector<ArrowArray> kept;
    for (;;) {
      ArrowArray batch;
      ASSERT_EQ(stream.get_next(&stream, &batch), 0);
      if (batch.release == nullptr) {
        break;
      }
      rows += static_cast<uint64_t>(batch.length);
      kept.push_back(batch);
    }
    EXPECT_EQ(rows, table->CountRows());
    EXPECT_EQ(stream.get_last_error(&stream), nullptr);
    stream.release(&stream);
    for (ArrowArray& batch : kept) {
      batch.release(&batch);
    }
  }
  // Given up in the middle: threads end, nothing leaks.
  ArrowArrayStream stream;
  ExportScan(*Scan::Plan(table, {}), 2, false, &stream);
  ArrowArray batch;
  ASSERT_EQ(stream.get_next(&stream, &batch), 0);
  stream.release(&stream);
  batch.release(&batch);
}

TEST(LanceReads, ShortReadsOfTheStoreChangeNothing_LNC_8) {
  const auto store = LoadFixture("lance14_delete_sparse");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  const auto whole = ReadTable(store, {});
  const auto cut =
      ReadTable(io::MakeFaultyStore(
                    store, [](io::StoreCall, std::string_view) { return Status::Ok(); }, 7),
                {});
  ASSERT_TRUE(whole.ok());
  ASSERT_TRUE(cut.ok()) << cut.status().ToString();
  EXPECT_EQ(whole->rows, cut->rows);
}

// The nth call fails, whichever it is: the failure comes back, with no rows taken for all.
TEST(LanceReads, AFailureOfAnyCallComesBack_LNC_8) {
  const auto store = LoadFixture("lance14_index_btree");
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture";
  }
  bool done = false;
  for (int nth = 0; !done && nth < 200; ++nth) {
    int calls = 0;
    const auto faulty = io::MakeFaultyStore(store, [&](io::StoreCall, std::string_view) {
      return calls++ == nth ? Status::Io("injected") : Status::Ok();
    });
    const auto answer = ReadTable(faulty, Point({"id"}, 7, true));
    done = calls <= nth;
    EXPECT_EQ(answer.ok(), done) << "call " << nth;
    if (!answer.ok()) {
      EXPECT_EQ(answer.status().code(), StatusCode::kIo) << answer.status().ToString();
    }
  }
  EXPECT_TRUE(done);
}

// Every byte of what describes a table is changed: an error or rows, never a crash or a hang.
void FlipEveryByte(const std::string& fixture, const std::string& directory) {
  const auto store = LoadFixture(fixture);
  if (store == nullptr) {
    GTEST_SKIP() << "no fixture " << fixture;
  }
  const auto whole = ReadTable(store, {});
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  const auto entries = store->ListDirectory(directory);
  ASSERT_TRUE(entries.ok());
  uint64_t refused = 0, read = 0;
  for (const io::Entry& entry : *entries) {
    if (directory == "_versions" && entry.path != entries->front().path) {
      break;  // the newest is the first
    }
    const std::string bytes = *io::ReadAll(*store, entry.path, 1 << 20);
    for (size_t i = 0; i < bytes.size(); i += i < 1024 ? 1 : 61) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ mask);
        ASSERT_TRUE(store->Put(entry.path, changed, false).ok());
        ScanOptions options;
        options.row_id = true;
        const auto answer = ReadTable(store, options);
        ++(answer.ok() ? read : refused);
        if (!answer.ok()) {
          EXPECT_NE(answer.status().code(), StatusCode::kInternal) << answer.status().ToString();
          EXPECT_NE(answer.status().message().find("memory://"), std::string::npos)
              << answer.status().ToString();
        }
        const auto table = Table::Open(store);
        if (table.ok()) {
          const Context context;
          EXPECT_TRUE(Verify(*table, context).ok());
        }
      }
    }
    ASSERT_TRUE(store->Put(entry.path, bytes, false).ok());
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(read, 0u);
}

TEST(LanceBytes, EveryByteOfAManifestMayBeWrong_LNC_8) {
  FlipEveryByte("lance14_tags", "_versions");
}
TEST(LanceBytes, EveryByteOfAManifestWithRowIdsMayBeWrong_LNC_8) {
  FlipEveryByte("lance8_stable_rowids", "_versions");
}
TEST(LanceBytes, EveryByteOfArrowDeletionsMayBeWrong_LNC_8) {
  FlipEveryByte("lance14_delete_sparse", "_deletions");
}
TEST(LanceBytes, EveryByteOfRoaringDeletionsMayBeWrong_LNC_8) {
  FlipEveryByte("lance14_delete_runs", "_deletions");
}

}  // namespace
}  // namespace pchronicle::lance
