// Reports from the field about sizes and odd JSON (BR-...), with memory and reading told by
// counters. Giant files are made up as they are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pchronicle/catalog/generated_store_test.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::GeneratedText;
using testing::RunScan;
using testing::Scanned;
using testing::TempDataset;
using Strings = std::vector<std::string>;

/// Files of any size.
std::shared_ptr<const Snapshot> TakeGenerated(std::map<std::string, GeneratedText> files,
                                              SnapshotOptions options = {}) {
  options.limits.max_file_bytes = UINT64_MAX;
  options.limits.max_detection_bytes = UINT64_MAX;
  return testing::TakeStore(std::make_shared<testing::GeneratedStore>(std::move(files)),
                            std::move(options));
}

constexpr uint64_t kMiB = 1 << 20;

/// One ATIF document on one line: `steps` steps of about `step_bytes`.
GeneratedText GiantRun(uint64_t steps, size_t step_bytes) {
  GeneratedText file;
  const std::string text(step_bytes, 'x');
  file.head =
      R"({"schema_version":"ATIF-v1.4","session_id":"giant","agent":{"name":"a","version":"1"},"steps":[)";
  file.fill = R"({"step_id":1,"source":"user","message":")" + text + R"("},)";
  file.fills = steps;
  file.tail = R"({"step_id":2,"source":"agent","message":"end"}]})";
  return file;
}

/// Counts rows of a scan without keeping them.
struct Counted {
  uint64_t rows = 0;
  Status status;
};

Counted CountRows(QueryScope& scope, Relation relation, const std::vector<std::string>& columns,
                  uint64_t most = UINT64_MAX) {
  ScanRequest request;
  request.relation = relation;
  for (const std::string& name : columns) {
    request.columns.push_back(*model::FindColumn(relation, name));
  }
  Counted counted;
  auto scan = RelationScan::Create(scope, request);
  EXPECT_TRUE(scan.ok());
  for (auto task = (*scan)->NextTask(); task.ok() && *task != nullptr; task = (*scan)->NextTask()) {
    while (counted.rows < most) {
      auto batch = (*task)->Next();
      counted.status = batch.status();
      if (!batch.ok() || *batch == nullptr) {
        break;
      }
      counted.rows += (*batch)->rows;
    }
    if (!counted.status.ok() || counted.rows >= most) {
      break;
    }
  }
  return counted;
}

TEST(Reports, LimitTenOnAGigabyteReadsLessThan16MiB) {
  for (const std::string name : {"big.jsonl", "big.json"}) {
    GeneratedText file;
    const std::string run = Atif("s", 3);
    const bool lines = name.ends_with("l");
    file.head = lines ? "" : "[";
    file.fill = run + (lines ? "\n" : ",");
    file.fills = (1 << 30) / file.fill.size();
    file.tail = lines ? "" : run + "]";
    const auto snapshot = TakeGenerated({{name, file}});
    Context context;
    QueryScope scope(*snapshot, false, context);
    EXPECT_GE(CountRows(scope, Relation::kSteps, {"session_id", "message_value"}, 10).rows, 10U);
    EXPECT_LT(scope.metrics().bytes_read, 16 * kMiB);
    EXPECT_LT(snapshot->datasets()[0].store->counters().bytes_read, 16 * kMiB) << name;
  }
}

TEST(Reports, OneLineOfAGigabyteIsCountedInASmallWindow_BR18) {
  const auto snapshot = TakeGenerated({{"giant.jsonl", GiantRun(1024, 1 << 20)}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Counted counted = CountRows(scope, Relation::kSteps, {"step_id", "source"});
  EXPECT_TRUE(counted.status.ok()) << counted.status.ToString();
  EXPECT_EQ(counted.rows, 1025U);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 4 * kMiB);
  EXPECT_LT(scope.metrics().bytes_decoded, kMiB);
  EXPECT_GT(scope.metrics().bytes_skipped(), 1000 * kMiB);
}

TEST(Reports, AValueThatDoesNotFitNamesTheLimit_BR18_BR41) {
  SnapshotOptions options;
  options.limits.max_record_bytes = kMiB;
  const auto snapshot = TakeGenerated({{"giant.jsonl", GiantRun(3, 2 << 20)}}, options);
  Context context;
  QueryScope scope(*snapshot, true, context);
  const Counted counted = CountRows(scope, Relation::kSteps, {"message_value"});
  EXPECT_EQ(counted.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(counted.status.message(), ::testing::HasSubstr("max_record_bytes 1048576"));
}

TEST(Reports, ListingAFolderWithAGiantOpensNothing_BR19) {
  std::map<std::string, GeneratedText> files;
  for (int i = 0; i < 10'000; ++i) {
    files[fmt::format("small/{:05}.json", i)] = {Atif("s"), "", 0, ""};
  }
  GeneratedText giant;
  giant.fill = Atif("s") + "\n";
  giant.fills = (20ULL << 30) / giant.fill.size();
  files["giant.jsonl"] = giant;
  const auto snapshot = TakeGenerated(std::move(files));
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(CountRows(scope, Relation::kSources, {"_file_", "size_bytes"}).rows, 10'001U);
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 0U);
}

TEST(Reports, StepsWithImagesCostOnlyWhatIsAskedFor_BR20) {
  const auto snapshot = TakeGenerated({{"images.json", GiantRun(200, 3 << 20)}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(CountRows(scope, Relation::kSteps, {"step_id"}).rows, 201U);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 4 * kMiB);
  EXPECT_LT(scope.metrics().bytes_decoded, kMiB);
}

TEST(Reports, FortyThousandStepsNeedTheMemoryOfFew_BR21) {
  const auto snapshot = TakeGenerated({{"long.json", GiantRun(40'000, 300)}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(CountRows(scope, Relation::kSteps, {"step_id", "message_value"}).rows, 40'001U);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 8 * kMiB);
}

TEST(Reports, LargeValuesLeaveInSmallBatches_BR41) {
  const auto snapshot = TakeGenerated({{"results.json", GiantRun(30, 10 << 20)}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  ScanRequest request;
  request.relation = Relation::kSteps;
  request.columns = {*model::FindColumn(Relation::kSteps, "message_value")};
  auto scan = RelationScan::Create(scope, request);
  ASSERT_TRUE(scan.ok());
  auto task = (*scan)->NextTask();
  ASSERT_TRUE(task.ok());
  uint64_t rows = 0, batches = 0;
  while (true) {
    auto batch = (*task)->Next();
    ASSERT_TRUE(batch.ok()) << batch.status().ToString();
    if (*batch == nullptr) {
      break;
    }
    uint64_t bytes = 0;
    for (const std::string_view text : (*batch)->columns[0].texts()) {
      bytes += text.size();
    }
    EXPECT_LE(bytes, 40 * kMiB);
    rows += (*batch)->rows;
    ++batches;
  }
  EXPECT_EQ(rows, 31U);
  EXPECT_GE(batches, 10U);
  task->reset();
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 64 * kMiB);
}

TEST(Reports, AnObjectOfMoreThanFourGigabytesIsRead_BR42) {
  const auto snapshot = TakeGenerated({{"huge.json", GiantRun(4300, 1 << 20)}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Counted counted = CountRows(scope, Relation::kSteps, {"step_id"});
  EXPECT_TRUE(counted.status.ok()) << counted.status.ToString();
  EXPECT_EQ(counted.rows, 4301U);
  EXPECT_GT(scope.metrics().bytes_read, 1ULL << 32);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 4 * kMiB);
}

TEST(Reports, NonFiniteAndLargeNumbersStayAsWritten_BR15) {
  TempDataset dir;
  dir.Write(
      "a.jsonl",
      R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[)"
      R"({"step_id":1,"source":"user","message":"m","extra":{"n":NaN,"i":-Infinity,"e":1e999,"z":-0,)"
      R"("b":12345678901234567890}}]})"
      "\n");
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned steps = RunScan(scope, Relation::kSteps, {"extra"});
  ASSERT_TRUE(steps.status.ok()) << steps.status.ToString();
  EXPECT_EQ(steps.rows,
            (Strings{R"({"n":null,"i":null,"e":1e999,"z":-0,"b":12345678901234567890})"}));
}

TEST(Reports, KeysThatDifferInCaseAndRepeatedKeysStay_BR35) {
  TempDataset dir;
  dir.Write(
      "a.json",
      R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[)"
      R"({"step_id":1,"source":"agent","message":"m","extra":{"a":1,"A":2,"a":3},"tool_calls":[)"
      R"({"tool_call_id":"c","function_name":"f","arguments":{"a":1,"a":2,"A":3}}]}]})");
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {"extra"}).rows, Strings{R"({"a":1,"A":2,"a":3})"});
  EXPECT_EQ(RunScan(scope, Relation::kToolCalls, {"arguments"}).rows,
            Strings{R"({"a":1,"a":2,"A":3})"});
}

TEST(Reports, RootArraysAreReadElementByElement_BR36) {
  GeneratedText array;
  array.head = "[";
  array.fill = Atif("s", 1) + ",";
  array.fills = 99'999;
  array.tail = Atif("last", 1) + "]";
  const auto snapshot =
      TakeGenerated({{"a.json", array},
                     {"empty.json", {"[]", "", 0, ""}},
                     {"nested.json", {"[[" + Atif("n") + "]]", "", 0, ""}},
                     {"two.json", {"[" + Atif("x") + "," + Atif("y") + "]", "", 0, ""}}});
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Counted runs = CountRows(scope, Relation::kRuns, {"session_id"});
  EXPECT_TRUE(runs.status.ok()) << runs.status.ToString();
  EXPECT_EQ(runs.rows, 100'002U);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 4 * kMiB);
}

}  // namespace
}  // namespace pchronicle::catalog
