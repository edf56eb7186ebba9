#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/columns.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/create_index.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/merge_insert.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/update_rows.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/verify.h"

// Every store call of every change fails once (a lost reply among them), and the process dies at
// every store call once: the table opens at the old or at the new version with all rows (lance.md
// A6).

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using io::StoreCall;
using StorePtr = std::shared_ptr<io::Store>;

struct Operation {
  const char* name;
  std::function<Status(const StorePtr&)> run;
  bool creates = false;
  /// With an index, whose addresses a version of its own prepares: it is no change that is seen.
  bool remaps = false;
};

columnar::PredicatePtr Below(int64_t id) {
  return columnar::Compare("id", columnar::CompareOp::kLt, id);
}

Status IndexOf(const StorePtr& store) {
  return CreateIndex(store, "id", IndexKind::kBTree).status();
}

std::vector<Operation> Operations() {
  return {
      {"create",
       [](const StorePtr& s) {
         return CreateTable(s, RowSchema(), Source(Numbered(0, 9))).status();
       },
       true},
      {"append",
       [](const StorePtr& s) { return AppendRows(s, Source(Numbered(30, 39))).status(); }},
      {"overwrite",
       [](const StorePtr& s) {
         return OverwriteTable(s, RowSchema(), Source(Numbered(5, 8))).status();
       }},
      {"delete", [](const StorePtr& s) { return DeleteRows(s, Below(13)).status(); }},
      {"update",
       [](const StorePtr& s) {
         return UpdateRows(s, Below(13), {{"name", columnar::Scalar("new")}}).status();
       }},
      {"merge",
       [](const StorePtr& s) {
         MergeInsertOptions options;
         options.keys = {"id"};
         options.update_matched = false;
         return MergeInsert(s, Source(Numbered(15, 35)), options).status();
       }},
      {"compact", [](const StorePtr& s) { return CompactTable(s).status(); }},
      {"compact with an index", [](const StorePtr& s) { return CompactTable(s).status(); }, false,
       true},
      {"add columns",
       [](const StorePtr& s) {
         const auto same = [](const columnar::RecordBatch& rows) {
           return Result<std::vector<columnar::ArrayPtr>>({rows.columns[0]});
         };
         return AddColumns(s, {{"copy", columnar::MakeType(columnar::TypeId::kInt64), true, {}}},
                           {"id"}, same)
             .status();
       }},
      {"rename", [](const StorePtr& s) { return RenameColumn(s, "name", "title").status(); }},
      {"restore", [](const StorePtr& s) { return RestoreVersion(s, 1).status(); }},
      {"index", IndexOf},
      {"clean up", [](const StorePtr& s) { return CleanUp(s, {}).status(); }},
  };
}

// Two fragments, one with deleted rows, three versions.
StorePtr Before(const Operation& operation) {
  const StorePtr store = io::MakeMemoryStore("memory://t.lance");
  if (!operation.creates) {
    WriteOptions options;
    options.limits.rows = 10;
    EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 20)), options).ok());
    EXPECT_TRUE(DeleteRows(store, Below(2)).ok());
    EXPECT_TRUE(AppendRows(store, Source(Numbered(20, 30))).ok());
  }
  if (operation.remaps) {
    EXPECT_TRUE(IndexOf(store).ok());
  }
  return store;
}

/// What a reader sees: columns and rows of the newest version, empty for no table.
std::string Look(const StorePtr& store, const Operation& operation) {
  const auto table = Table::Open(store);
  if (!table.ok()) {
    return table.status().code() == StatusCode::kNotFound ? "" : table.status().ToString();
  }
  std::string out = operation.remaps ? fmt::format("{} fragments", (*table)->fragments().size())
                                     : fmt::format("version {}", (*table)->version());
  for (const auto& field : (*table)->schema()) {
    out += " " + field.name;
  }
  for (const proto::Index& index : (*table)->indices()) {
    const auto covered = RoaringBitmap::Decode(*index.fragment_bitmap);
    const auto fragments = std::count_if(
        (*table)->fragments().begin(), (*table)->fragments().end(), [&](const auto& fragment) {
          return covered->Contains(static_cast<uint32_t>(fragment.id));
        });
    out += fmt::format(" {} over {}", index.name, fragments);
  }
  const auto batches = ScanAll(*table);
  if (!batches.ok()) {
    return batches.status().ToString();
  }
  std::vector<std::string> rows;
  for (const columnar::RecordBatch& batch : *batches) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      std::string row;
      for (const columnar::ArrayPtr& column : batch.columns) {
        row += column->IsNull(i) ? "|null"
               : column->type->id == columnar::TypeId::kInt64
                   ? fmt::format("|{}", column->Value<int64_t>(i))
                   : fmt::format("|{}", column->Bytes(i));
      }
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end());
  for (const std::string& row : rows) {
    out += "\n" + row;
  }
  return out;
}

/// Runs `operation` with the store call number `n` failing; `dies`: all later ones, too. Gives
/// whether there was such a call.
bool FailAt(const Operation& operation, int n, bool dies, const std::string& before,
            const std::string& after) {
  const StorePtr base = Before(operation);
  int calls = 0;
  StoreCall at = StoreCall::kList;
  std::string path;
  const StorePtr store = io::MakeFaultyStore(base, [&](StoreCall call, std::string_view p) {
    ++calls;
    if (calls == n) {
      at = call;
      path = p;
    }
    return calls == n || (dies && calls > n) ? Status::Unavailable("injected") : Status::Ok();
  });
  const Status status = operation.run(store);
  const std::string now = Look(base, operation);
  SCOPED_TRACE(fmt::format("{}: call {} ({} {}), dies: {}, {}", operation.name, n,
                           static_cast<int>(at), path, dies, status.ToString()));
  EXPECT_TRUE(now == before || now == after) << now;
  if (status.ok()) {
    EXPECT_EQ(now, after);
  } else if (now == after && before != after) {
    // It took effect although it failed: then that must not have been denied.
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  }
  // Whatever was left behind is no obstacle: the same change, or the rest of it, can be made.
  if (now == before) {
    const Status again = operation.run(base);
    EXPECT_TRUE(again.ok()) << again.ToString();
    EXPECT_EQ(Look(base, operation), after);
  }
  return calls >= n;
}

TEST(Faults, OldOrNewVersionWhateverStoreCallFails_LNC_A6) {
  for (const Operation& operation : Operations()) {
    const StorePtr whole = Before(operation);
    const std::string before = Look(whole, operation);
    ASSERT_TRUE(operation.run(whole).ok()) << operation.name;
    const std::string after = Look(whole, operation);
    for (const bool dies : {false, true}) {
      int n = 1;
      while (FailAt(operation, n, dies, before, after) && n < 1000) {
        ++n;
      }
      EXPECT_GT(n, 4) << operation.name;
      EXPECT_LT(n, 1000) << operation.name;
    }
  }
}

TEST(Faults, AFailedChangeLeavesNoFilesBehind) {
  for (const Operation& operation : Operations()) {
    if (std::string_view(operation.name) == "clean up") {
      continue;
    }
    const StorePtr base = Before(operation);
    const auto files = [&] {
      std::vector<std::string> out;
      std::vector<std::string> directories = {"data", "_deletions", "_transactions", "_versions"};
      const auto indices = base->ListDirectory("_indices");
      for (const io::Entry& index : indices.ok() ? *indices : std::vector<io::Entry>()) {
        directories.push_back(index.path);
      }
      for (const std::string& directory : directories) {
        const auto entries = base->ListDirectory(directory);
        for (const io::Entry& entry : entries.ok() ? *entries : std::vector<io::Entry>()) {
          out.push_back(entry.path);
        }
      }
      return out;
    };
    const auto before = files();
    const StorePtr store = io::MakeFaultyStore(base, [](StoreCall call, std::string_view path) {
      return call == StoreCall::kPut && path.ends_with(".manifest") ? Status::Io("full")
                                                                    : Status::Ok();
    });
    EXPECT_EQ(operation.run(store).code(), StatusCode::kIo) << operation.name;
    EXPECT_EQ(files(), before) << operation.name;
  }
}

// Several writers append rows of their own, one row at a time.
void Race(const std::function<StorePtr()>& open, int writers, int rows) {
  ASSERT_TRUE(CreateTable(open(), RowSchema(), Source({})).ok());
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      const StorePtr store = open();
      WriteOptions options;
      options.edit.attempts = 1000;
      options.edit.first_wait = std::chrono::milliseconds(1);
      options.edit.longest_wait = std::chrono::milliseconds(20);
      for (int i = 0; i < rows; ++i) {
        const auto done =
            AppendRows(store, Source(Numbered(w * 1000 + i, w * 1000 + i + 1)), options);
        failed += done.ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failed, 0);
  Rows expected;
  for (int w = 0; w < writers; ++w) {
    const Rows own = Numbered(w * 1000, w * 1000 + rows);
    expected.insert(expected.end(), own.begin(), own.end());
  }
  EXPECT_EQ(SortedRows(open()), expected);
  EXPECT_EQ((*Table::Open(open()))->version(), 1u + static_cast<uint64_t>(writers * rows));
}

TEST(Races, AppendsLoseNoRowInMemory_LNC_A6) {
  const StorePtr store = io::MakeMemoryStore();
  Race([&] { return store; }, 4, 40);
}

TEST(Races, AppendsLoseNoRowInADirectory_LNC_A6) {
  std::string name = (std::filesystem::temp_directory_path() / "pchronicle-race-XXXXXX").string();
  const std::string directory = ::mkdtemp(name.data());
  Race([&] { return *io::CreateLocalStore(directory + "/t.lance"); }, 4, 12);
  std::filesystem::remove_all(directory);
}

TEST(Races, DeletesAndUpdatesOfOtherRowsAllCount_LNC_A7) {
  const StorePtr store = io::MakeMemoryStore();
  ASSERT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 60))).ok());
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int w = 0; w < 3; ++w) {
    threads.emplace_back([&, w] {
      EditOptions options;
      options.attempts = 1000;
      options.first_wait = std::chrono::milliseconds(1);
      for (int64_t id = w; id < 60; id += 3) {
        const auto where = columnar::Compare("id", columnar::CompareOp::kEq, id);
        const Status status =
            id % 2 == 0
                ? DeleteRows(store, where, options).status()
                : UpdateRows(store, where, {{"name", columnar::Scalar("odd")}}, options).status();
        failed += status.ok() ? 0 : 1;
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failed, 0);
  Rows expected;
  for (int64_t id = 1; id < 60; id += 2) {
    expected.push_back({id, "odd"});
  }
  EXPECT_EQ(SortedRows(store), expected);
}

}  // namespace
}  // namespace pchronicle::lance
