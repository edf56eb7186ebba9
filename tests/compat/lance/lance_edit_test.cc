#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "fixture_table.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/verify.h"

// Changes on top of tables of every official writer: what cannot be written is refused and changes
// nothing, everything else leaves all rows.

namespace pchronicle::compat {
namespace {

namespace fs = std::filesystem;
using lance::testing_support::ReadFile;

std::set<fs::path> Tables() {
  const char* set = std::getenv("PCHRONICLE_SHARED");
  std::set<fs::path> out;
  for (const fs::path& root :
       {fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data",
        fs::path(set != nullptr ? set : PCHRONICLE_SHARED_DIR) / "fixtures/lance"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (fs::exists(entry.path() / "t.lance/_versions")) {
        out.insert(entry.path() / "t.lance");
      }
    }
  }
  return out;
}

std::shared_ptr<io::Store> Copy(const fs::path& folder) {
  auto store = io::MakeMemoryStore("memory://" + folder.parent_path().filename().string());
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      EXPECT_TRUE(store
                      ->Put(fs::relative(entry.path(), folder).string(),
                            ReadFile(entry.path().string()), true)
                      .ok());
    }
  }
  return store;
}

/// Rows of the newest version and what the check of the whole table finds.
std::string Look(const std::shared_ptr<io::Store>& store) {
  const auto table = lance::Table::Open(store);
  if (!table.ok()) {
    return table.status().ToString();
  }
  std::string out = fmt::format("{} rows", (*table)->CountRows());
  const auto report = lance::Verify(*table, Context());
  for (const auto& problem : report->problems) {
    out += "; " + problem.place + ": " + problem.text;
  }
  return out + fmt::format("; {} values, {} unreadable", report->rows, report->unreadable);
}

bool MayRefuse(const Status& status) {
  return status.ok() || status.code() == StatusCode::kUnsupported;
}

TEST(Edits, KeepTheRowsOfEveryFixture_LNC_A6) {
  size_t appended = 0, compacted = 0, restored = 0, tables = 0;
  for (const fs::path& folder : Tables()) {
    SCOPED_TRACE(folder.string());
    const auto store = Copy(folder);
    const std::string before = Look(store);
    ++tables;
    const auto append = lance::AppendRows(store, lance::FromBatches({}));
    EXPECT_TRUE(MayRefuse(append.status())) << append.status().ToString();
    appended += append.ok() ? 1 : 0;
    EXPECT_EQ(Look(store), before);
    lance::ConfigChange config;
    config.config["a"] = "b";
    const auto configured = lance::UpdateConfig(store, config);
    EXPECT_TRUE(MayRefuse(configured.status())) << configured.status().ToString();
    EXPECT_EQ(Look(store), before);
    lance::CompactOptions options;
    options.deleted_share = 0;
    const auto compact = lance::CompactTable(store, options);
    EXPECT_TRUE(MayRefuse(compact.status())) << compact.status().ToString();
    compacted += compact.ok() && compact->fragments_removed > 0 ? 1 : 0;
    const std::string rows = before.substr(0, before.find(';'));
    EXPECT_EQ(Look(store).substr(0, rows.size() + 1), rows + ";");
    EXPECT_EQ(Look(store).find("entries point"), std::string::npos) << Look(store);
    if (!configured.ok()) {
      continue;
    }
    const uint64_t version = configured->version;
    const auto restore = lance::RestoreVersion(store, version);
    ASSERT_TRUE(restore.ok()) << restore.status().ToString();
    EXPECT_EQ(Look(store), before);
    ++restored;
    const auto cleaned = lance::CleanUp(store, {});
    ASSERT_TRUE(MayRefuse(cleaned.status())) << cleaned.status().ToString();
    EXPECT_EQ(Look(store), before);
  }
  std::printf("%zu tables: %zu appended to, %zu compacted, %zu restored\n", tables, appended,
              compacted, restored);
  EXPECT_GE(appended, 40u);
  EXPECT_GE(compacted, 5u);
  EXPECT_GE(restored, 60u);
}

}  // namespace
}  // namespace pchronicle::compat
