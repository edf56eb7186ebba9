#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <map>
#include <string>

#include "fixture_table.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/table.h"
#include "pchronicle/lance/table/verify.h"

// Small tables with every byte of every file changed: an error, or some rows, never more.

namespace pchronicle::lance {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

Files Load(const std::string& fixture) {
  const fs::path root =
      fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data" / fixture / "t.lance";
  Files files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), root).string()] =
          testing_support::ReadFile(entry.path().string());
    }
  }
  return files;
}

std::shared_ptr<io::Store> StoreOf(const Files& files) {
  auto store = io::MakeMemoryStore("memory://t.lance");
  for (const auto& [path, bytes] : files) {
    EXPECT_TRUE(store->Put(path, bytes, false).ok());
  }
  return store;
}

/// Rows of a table by a scan and its own account, with an index where a column is named.
Status ReadAllRows(const std::shared_ptr<io::Store>& store, const columnar::PredicatePtr& filter,
                   uint64_t* rows) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, Table::Open(store));
  ScanOptions options;
  options.filter = filter;
  options.reader.max_batch_bytes = 16 << 20;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto scan, Scan::Plan(table, std::move(options)));
  const Context context;
  for (size_t task = 0; task < scan->tasks().size(); ++task) {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, scan->OpenTask(task));
    columnar::RecordBatch batch;
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, context));
      if (!more) {
        break;
      }
      *rows += static_cast<uint64_t>(batch.rows);
      if (*rows > 100'000) {  // a count that was flipped upwards: constants take no bytes
        return Status::ResourceExhausted("enough");
      }
    }
  }
  return Status::Ok();
}

struct Outcome {
  uint64_t errors = 0, answers = 0, found_by_verify = 0;
};

/// Every `stride`-th byte of the files whose paths start with `below`, changed in two ways.
Outcome FlipBytes(const std::string& fixture, const std::string& below, size_t stride,
                  const columnar::PredicatePtr& filter = nullptr) {
  const Files files = Load(fixture);
  EXPECT_FALSE(files.empty()) << fixture;
  const auto store = StoreOf(files);
  const Context context;
  uint64_t whole = 0;
  EXPECT_TRUE(ReadAllRows(store, filter, &whole).ok()) << fixture;
  Outcome outcome;
  for (const auto& [path, bytes] : files) {
    for (size_t at = 0; path.starts_with(below) && at < bytes.size(); at += stride) {
      for (const uint8_t mask : {uint8_t{0x01}, uint8_t{0xff}}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(static_cast<uint8_t>(changed[at]) ^ mask);
        EXPECT_TRUE(store->Put(path, changed, false).ok());
        uint64_t rows = 0;
        ++(ReadAllRows(store, filter, &rows).ok() ? outcome.answers : outcome.errors);
        if (const auto table = Table::Open(store); table.ok() && (*table)->CountRows() < 100'000) {
          const auto report = Verify(*table, context);
          outcome.found_by_verify += report.ok() && !report->problems.empty() ? 1 : 0;
        }
      }
    }
    EXPECT_TRUE(store->Put(path, bytes, false).ok());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20) << "KiB; " << fixture;
  return outcome;
}

TEST(LanceFlippedBytes, SmallTablesGiveErrorsOrAnswers_LNC_C3) {
  for (const char* fixture :
       {"lance8_tiny_utf8_v2_0", "lance8_tiny_utf8_v2_1", "lance12_tiny_utf8_v2_2",
        "lance12_tiny_int64_v2_2", "lance14_one_row"}) {
    const Outcome outcome = FlipBytes(fixture, "", 1);
    EXPECT_GT(outcome.errors, 100U) << fixture;
    EXPECT_GT(outcome.answers, 100U) << fixture;  // in values, and in what nobody reads
  }
}

TEST(LanceFlippedBytes, DeletionFilesGiveErrorsOrAnswers_LNC_A9) {
  for (const char* fixture : {"lance14_delete_sparse", "lance14_delete_dense"}) {
    EXPECT_GT(FlipBytes(fixture, "_deletions", 3).errors, 10U) << fixture;
  }
}

TEST(LanceFlippedBytes, IndexFilesGiveErrorsOrAnswers_LNC_D) {
  EXPECT_GT(FlipBytes("lance14_index_zonemap", "_indices", 11,
                      columnar::Compare("id", columnar::CompareOp::kLt, int64_t{10}))
                .errors,
            10U);
  const Outcome filters =
      FlipBytes("lance14_index_bloom", "_indices", 29,
                columnar::Compare("name", columnar::CompareOp::kEq, std::string("nobody")));
  EXPECT_GT(filters.errors, 10U);
  EXPECT_GT(filters.found_by_verify, 10U);
  const Outcome labels = FlipBytes("lance14_index_label_list", "_indices", 2);
  EXPECT_GT(labels.found_by_verify, 10U);
}

TEST(LanceFlippedBytes, NestedDataGivesErrorsOrAnswers_LNC_B) {
  for (const char* fixture : {"lance14_nested_v2_0", "lance12_nested_v2_2", "lance14_json_ext"}) {
    EXPECT_GT(FlipBytes(fixture, "data", 23).errors, 10U) << fixture;
  }
}

TEST(LanceText, InvalidTextIsCorruptionWithItsRow_LNC_C3) {
  Files files = Load("lance8_tiny_utf8_v2_1");
  bool changed = false;
  for (auto& [path, bytes] : files) {
    if (const size_t at = bytes.find("beta"); path.starts_with("data") && at != std::string::npos) {
      bytes[at + 1] = '\xc3';  // starts a character of two bytes
      changed = true;
    }
  }
  ASSERT_TRUE(changed);
  const auto store = StoreOf(files);
  uint64_t rows = 0;
  const Status status = ReadAllRows(store, nullptr, &rows);
  EXPECT_EQ(status.code(), StatusCode::kCorruption) << status.ToString();
  EXPECT_NE(status.message().find("fragment 0, column s, row 3: the text is not UTF-8"),
            std::string::npos)
      << status.ToString();
  const Context context;
  const auto table = Table::Open(store);
  ASSERT_TRUE(table.ok());
  const auto report = Verify(*table, context);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->problems.size(), 1U);
  EXPECT_EQ(report->problems[0].place, "fragment 0, column s");
  EXPECT_EQ(report->problems[0].text, "row 3: s: the text is not UTF-8");
}

}  // namespace
}  // namespace pchronicle::lance
