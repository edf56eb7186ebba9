#include <gtest/gtest.h>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"

// A restore in the middle of a clean-up that removes the version it brings back (lance.md A10).

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using io::StoreCall;
using StorePtr = std::shared_ptr<io::Store>;

StorePtr NewTable() {
  const StorePtr store = io::MakeMemoryStore("memory://t.lance");
  EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 10))).ok());
  EXPECT_TRUE(OverwriteTable(store, RowSchema(), Source(Numbered(20, 25))).ok());
  return store;
}

/// `inner` runs before call number `n` of `outer`; gives whether there was such a call.
template <typename Outer, typename Inner>
bool Within(const StorePtr& base, int n, const Outer& outer, const Inner& inner) {
  int calls = 0;
  const StorePtr store = io::MakeFaultyStore(base, [&](StoreCall, std::string_view) {
    if (++calls == n) {
      inner(base);
    }
    return Status::Ok();
  });
  outer(store);
  return calls >= n;
}

TEST(CleanUpRace, ARestoreDuringACleanUpKeepsItsFilesOrFails_LNC_A10) {
  int restored = 0, refused = 0;
  for (int n = 1;; ++n) {
    const StorePtr base = NewTable();
    Status restore = Status::Ok();
    const bool more = Within(
        base, n, [](const StorePtr& store) { EXPECT_TRUE(CleanUp(store, {}).ok()); },
        [&](const StorePtr& store) { restore = RestoreVersion(store, 1).status(); });
    if (!more) {
      break;
    }
    SCOPED_TRACE(fmt::format("call {}: {}", n, restore.ToString()));
    EXPECT_EQ(SortedRows(base), restore.ok() ? Numbered(0, 10) : Numbered(20, 25));
    ++(restore.ok() ? restored : refused);
  }
  EXPECT_GT(restored, 3);
  EXPECT_GT(refused, 1);
}

TEST(CleanUpRace, ACleanUpDuringARestoreLosesNothingUnsaid_LNC_A10) {
  int restored = 0, told = 0;
  for (int n = 1;; ++n) {
    const StorePtr base = NewTable();
    Status restore = Status::Ok();
    const bool more = Within(
        base, n, [&](const StorePtr& store) { restore = RestoreVersion(store, 1).status(); },
        [](const StorePtr& store) { EXPECT_TRUE(CleanUp(store, {}).ok()); });
    if (!more) {
      break;
    }
    SCOPED_TRACE(fmt::format("call {}: {}", n, restore.ToString()));
    if (restore.ok()) {
      EXPECT_EQ(SortedRows(base), Numbered(0, 10));
      ++restored;
    } else if ((*Table::Open(base))->version() == 2) {
      EXPECT_EQ(SortedRows(base), Numbered(20, 25));
    } else {
      EXPECT_EQ(restore.code(), StatusCode::kUnavailable);
      ++told;
      EXPECT_TRUE(RestoreVersion(base, 2).ok());
      EXPECT_EQ(SortedRows(base), Numbered(20, 25));
    }
  }
  EXPECT_GT(restored, 0);
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace pchronicle::lance
