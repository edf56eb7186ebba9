#include <gtest/gtest.h>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/create_index.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/manifest_bytes.h"
#include "pchronicle/lance/edit/table_fixture_test.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/feature_flags.h"
#include "pchronicle/lance/table/verify.h"

// Changes on a branch, whose files lie partly in its parent (lance.md A10).

namespace pchronicle::lance {
namespace {

using namespace testing_support;  // NOLINT: the fixture of this directory
using io::StoreCall;
using StorePtr = std::shared_ptr<io::Store>;

columnar::PredicatePtr Below(int64_t id) {
  return columnar::Compare("id", columnar::CompareOp::kLt, id);
}

/// The base path of a table is the store itself.
BaseOpener BaseIs(const StorePtr& store) {
  return [store](const std::string& path) -> Result<std::shared_ptr<const io::Store>> {
    EXPECT_EQ(path, "/base");
    return std::shared_ptr<const io::Store>(store);
  };
}

EditOptions On(const StorePtr& store, const std::string& branch) {
  EditOptions options;
  options.branch = branch;
  options.open_base = BaseIs(store);
  return options;
}

/// A branch of a version of main as official writers make it: everything stays in the parent.
void MakeBranch(const StorePtr& store, const std::string& name, uint64_t version) {
  auto file = ReadManifestFile(*store, "_versions/" + ManifestName(version, NameScheme::kV2));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  proto::Manifest& manifest = file->manifest;
  manifest.branch = name;
  manifest.base_paths.push_back({1, "", true, "/base", ""});
  manifest.reader_flags |= kFlagBasePaths;
  manifest.writer_flags |= kFlagBasePaths;
  for (proto::Fragment& fragment : manifest.fragments) {
    for (proto::DataFile& part : fragment.files) {
      part.base_id = 1;
    }
    if (fragment.deletion) {
      fragment.deletion->base_id = 1;
    }
  }
  for (proto::Index& index : file->indices) {
    index.base_id = 1;
  }
  manifest.transaction_file.clear();
  const auto bytes = EncodeManifestFile(manifest, file->indices, "");
  ASSERT_TRUE(bytes.ok());
  ASSERT_TRUE(store
                  ->Put(BranchRoot(name) + "_versions/" + ManifestName(version, NameScheme::kV2),
                        *bytes, true)
                  .ok());
  ASSERT_TRUE(store
                  ->Put("_refs/branches/" + name + ".json",
                        fmt::format(R"({{"parentBranch":null,"parentVersion":{},"createAt":1,)"
                                    R"("manifestSize":{}}})",
                                    version, bytes->size()),
                        true)
                  .ok());
}

/// Rows 2 to 29 in two fragments, one with deletions, an index; branch "work" at version 4.
StorePtr NewTable() {
  const StorePtr store = io::MakeMemoryStore("memory://t.lance");
  EXPECT_TRUE(CreateTable(store, RowSchema(), Source(Numbered(0, 20))).ok());
  EXPECT_TRUE(AppendRows(store, Source(Numbered(20, 30))).ok());
  EXPECT_TRUE(DeleteRows(store, Below(2)).ok());
  EXPECT_TRUE(CreateIndex(store, "id", IndexKind::kBTree).ok());
  MakeBranch(store, "work", 4);
  return store;
}

Rows RowsOn(const StorePtr& store, const std::string& branch,
            std::optional<uint64_t> version = {}) {
  OpenOptions open;
  open.branch = branch;
  open.version = version;
  open.open_base = BaseIs(store);
  const auto table = Table::Open(store, open);
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  if (!table.ok()) {
    return {};
  }
  const auto report = Verify(*table, Context());
  EXPECT_TRUE(report.ok() && report->problems.empty());
  const auto batches = ScanAll(*table);
  EXPECT_TRUE(batches.ok()) << batches.status().ToString();
  Rows out;
  for (const columnar::RecordBatch& batch :
       batches.ok() ? *batches : std::vector<columnar::RecordBatch>()) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      out.push_back({batch.columns[0]->Value<int64_t>(i), std::string(batch.columns[1]->Bytes(i))});
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Branch, ChangesLeaveMainAlone_LNC_A10) {
  const StorePtr store = NewTable();
  const EditOptions on = On(store, "work");
  WriteOptions write;
  write.edit = on;
  const auto appended = AppendRows(store, Source(Numbered(30, 40)), write);
  ASSERT_TRUE(appended.ok()) << appended.status().ToString();
  EXPECT_EQ(appended->version, 5u);
  const auto deleted = DeleteRows(store, Below(5), on);
  ASSERT_TRUE(deleted.ok()) << deleted.status().ToString();
  EXPECT_EQ(RowsOn(store, "work"), Numbered(5, 40));
  IndexOptions index;
  index.edit = on;
  const auto extended = ExtendIndex(store, "id_idx", index);
  ASSERT_TRUE(extended.ok()) << extended.status().ToString();
  EXPECT_EQ(extended->entries, 10u);
  const auto merged = MergeIndex(store, "id_idx", index);
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  EXPECT_EQ(RowsOn(store, "work"), Numbered(5, 40));
  CompactOptions compact;
  compact.edit = on;
  compact.deleted_share = 0;
  const auto compacted = CompactTable(store, compact);
  ASSERT_TRUE(compacted.ok()) << compacted.status().ToString();
  EXPECT_EQ(RowsOn(store, "work"), Numbered(5, 40));
  ASSERT_TRUE(RestoreVersion(store, 5, on).ok());
  EXPECT_EQ(RowsOn(store, "work"), Numbered(2, 40));
  EXPECT_EQ(SortedRows(store), Numbered(2, 30));
  EXPECT_EQ((*Table::Open(store))->version(), 4u);
}

TEST(Branch, CleanUpKeepsWhatAnyBranchNeeds_LNC_A10) {
  const StorePtr store = NewTable();
  WriteOptions write;
  write.edit = On(store, "work");
  ASSERT_TRUE(AppendRows(store, Source(Numbered(30, 40)), write).ok());
  // Main moves on: nothing of version 4 is left in its newest version.
  ASSERT_TRUE(OverwriteTable(store, RowSchema(), Source(Numbered(100, 103))).ok());
  CleanupOptions options;
  options.now_ns = INT64_MAX / 2;  // nothing is young
  ASSERT_TRUE(CleanUp(store, options).ok());
  EXPECT_EQ(SortedRows(store), Numbered(100, 103));
  EXPECT_EQ(RowsOn(store, "work"), Numbered(2, 40));
  EXPECT_EQ(SortedRows(store, 4), Numbered(2, 30));  // the version that it began at
  // Even when the parent's version is gone, the files that the branch refers to stay.
  ASSERT_TRUE(store->Delete("_versions/" + ManifestName(4, NameScheme::kV2)).ok());
  ASSERT_TRUE(CleanUp(store, options).ok());
  EXPECT_EQ(RowsOn(store, "work"), Numbered(2, 40));
  // The branch itself: its oldest version goes, files of main do not.
  options.edit = On(store, "work");
  const auto cleaned = CleanUp(store, options);
  ASSERT_TRUE(cleaned.ok()) << cleaned.status().ToString();
  EXPECT_EQ(cleaned->versions, 1u);
  EXPECT_EQ(cleaned->data_files, 0u);
  EXPECT_EQ(RowsOn(store, "work"), Numbered(2, 40));
}

TEST(Branch, TagsKeepVersionsOfTheirBranch_LNC_A10) {
  const StorePtr store = NewTable();
  const EditOptions on = On(store, "work");
  ASSERT_TRUE(DeleteRows(store, Below(9), on).ok());
  ASSERT_TRUE(CreateTag(store, "kept", 5, "work").ok());
  ASSERT_TRUE(DeleteRows(store, Below(12), on).ok());
  CleanupOptions options;
  options.now_ns = INT64_MAX / 2;
  options.edit = on;
  ASSERT_TRUE(CleanUp(store, options).ok());
  EXPECT_EQ(RowsOn(store, "work", 5), Numbered(9, 30));
  EXPECT_EQ(RowsOn(store, "work"), Numbered(12, 30));
  // The version 5 of main is another one.
  ASSERT_TRUE(AppendRows(store, Source(Numbered(50, 51))).ok());
  ASSERT_TRUE(AppendRows(store, Source(Numbered(51, 52))).ok());
  options.edit = {};
  ASSERT_TRUE(CleanUp(store, options).ok());
  OpenOptions of_main;
  of_main.version = 5;
  EXPECT_EQ(Table::Open(store, of_main).status().code(), StatusCode::kNotFound);
}

TEST(Branch, OldOrNewVersionWhateverStoreCallFails_LNC_A6_A10) {
  const std::vector<std::function<Status(const StorePtr&, const EditOptions&)>> operations = {
      [](const StorePtr& s, const EditOptions& on) {
        WriteOptions write;
        write.edit = on;
        return AppendRows(s, Source(Numbered(30, 40)), write).status();
      },
      [](const StorePtr& s, const EditOptions& on) {
        return DeleteRows(s, Below(25), on).status();
      },
      [](const StorePtr& s, const EditOptions& on) {
        CompactOptions compact;
        compact.edit = on;
        compact.deleted_share = 0;
        return CompactTable(s, compact).status();
      },
      [](const StorePtr& s, const EditOptions& on) {
        CleanupOptions cleanup;
        cleanup.now_ns = INT64_MAX / 2;
        cleanup.edit = on;
        return CleanUp(s, cleanup).status();
      }};
  for (const auto& operation : operations) {
    const StorePtr whole = NewTable();
    ASSERT_TRUE(operation(whole, On(whole, "work")).ok());
    const Rows after = RowsOn(whole, "work");
    int n = 1;
    for (bool more = true; more && n < 1000; ++n) {
      const StorePtr base = NewTable();
      int calls = 0;
      const StorePtr store = io::MakeFaultyStore(base, [&](StoreCall, std::string_view) {
        return ++calls == n ? Status::Unavailable("injected") : Status::Ok();
      });
      const Status status = operation(store, On(store, "work"));
      more = calls >= n;
      SCOPED_TRACE(fmt::format("call {}: {}", n, status.ToString()));
      const Rows now = RowsOn(base, "work");
      EXPECT_TRUE(now == after || (!status.ok() && now == Numbered(2, 30)));
      EXPECT_EQ(SortedRows(base), Numbered(2, 30));
    }
    EXPECT_GT(n, 4);
  }
}

}  // namespace
}  // namespace pchronicle::lance
