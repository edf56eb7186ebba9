#include <gtest/gtest.h>
#include <sys/types.h>

#include <thread>

#include "pchronicle/catalog/count.h"
#include "pchronicle/catalog/generated_store_test.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::GeneratedStore;
using testing::GeneratedText;
using testing::RunScan;
using testing::Scanned;
using testing::TakeStore;
using testing::TempDataset;

using Strings = std::vector<std::string>;

constexpr uint64_t kMiB = 1 << 20;
constexpr std::string_view kHead =
    R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},)";

/// One document on one line whose only message has `bytes` characters.
GeneratedText GiantMessage(uint64_t bytes) {
  return {std::string(kHead) + R"("steps":[{"step_id":1,"source":"user","message":")", "x", bytes,
          "\"}]}\n"};
}

/// Many small documents, a line each.
GeneratedText ManyLines(uint64_t bytes) {
  const std::string line = Atif("s", 4) + "\n";
  return {line, line, bytes / line.size(), line};
}

TEST(Giant, ADocumentAboveFourGiBStreams_BR42_D14) {
  const auto store = std::make_shared<GeneratedStore>(
      "a.json", GeneratedText{std::string(kHead) + R"("extra":{"pad":")", "x", (4ULL << 30) + 77,
                              R"("},"steps":[{"step_id":7,"source":"user","message":"after"}]})"});
  ASSERT_GT(store->size(), UINT32_MAX);
  const auto snapshot = TakeStore(store);
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned steps = RunScan(scope, Relation::kSteps, {"_file_", "step_id", "message_text"});
  ASSERT_TRUE(steps.status.ok()) << steps.status.ToString();
  EXPECT_EQ(steps.rows, Strings{"a.json|7|after"});
  EXPECT_LE(scope.metrics().buffer_peak_bytes.load(), kMiB);
}

TEST(Giant, AGiantLineIsCountedInAWindowAndHeldWithinItsLimit_BR18_CAT25_LIM02) {
  const auto store = std::make_shared<GeneratedStore>("a.jsonl", GiantMessage(1ULL << 30));
  SnapshotOptions options;
  options.limits.max_record_bytes = 16 * kMiB;
  const auto snapshot = TakeStore(store, options);
  Context context;
  QueryScope counting(*snapshot, false, context);
  const Scanned steps = RunScan(counting, Relation::kSteps, {});
  ASSERT_TRUE(steps.status.ok()) << steps.status.ToString();
  EXPECT_EQ(steps.rows.size(), 1u);
  EXPECT_LE(counting.metrics().buffer_peak_bytes.load(), kMiB);
  QueryScope holding(*snapshot, true, context);
  const Scanned message = RunScan(holding, Relation::kSteps, {"message_text"});
  EXPECT_EQ(message.status.code(), StatusCode::kResourceExhausted) << "also under report";
  EXPECT_NE(message.status.message().find("max_record_bytes 16777216"), std::string::npos)
      << message.status.message();
  // A growing buffer is copied while the old one is still there.
  EXPECT_LE(holding.metrics().buffer_peak_bytes.load(), 4 * options.limits.max_record_bytes);
}

TEST(Giant, DetectionHoldsNoMoreThanItsLimitAndReadsOnce_DSC09_DSC10_LZY03_CAT25) {
  // The value that names the format is what detection has to hold.
  const auto store = std::make_shared<GeneratedStore>(
      "a.json", GeneratedText{R"({"schema_version":")", "x", 64 * kMiB, R"("})"});
  SnapshotOptions options;
  options.limits.max_detection_bytes = 2 * kMiB;
  const auto snapshot = TakeStore(store, options);
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(store->counters().bytes_read, 0u) << "the build reads nothing";
  const Status first = Resolve(dataset, dataset.sources[0], options.limits).status();
  EXPECT_EQ(first.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(first.message().find("exceeding max_detection_bytes 2097152"), std::string::npos)
      << first.message();
  const uint64_t read = store->counters().bytes_read;
  EXPECT_LE(read, 4 * kMiB);
  EXPECT_EQ(Resolve(dataset, dataset.sources[0], options.limits).status().ToString(),
            first.ToString());
  EXPECT_EQ(store->counters().bytes_read, read) << "cached";
}

TEST(Giant, ASparseFileCostsTheListingNothing_BR19_CAT17) {
  TempDataset dir;
  dir.Write("giant.jsonl", "");
  ASSERT_EQ(::truncate((dir.path() + "/giant.jsonl").c_str(), off_t{20} << 30), 0);
  constexpr int kSmall = 1000;
  for (int i = 0; i < kSmall; ++i) {
    dir.Write(fmt::format("d{}/f{}.json", i % 10, i), Atif(fmt::format("s{}", i)));
  }
  const auto snapshot = testing::Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(dataset.store->counters().stats, uint64_t{kSmall} + 1);
  EXPECT_EQ(dataset.store->counters().opens, 0u);
  EXPECT_EQ(dataset.Find("giant.jsonl")->size_bytes, uint64_t{20} << 30);
  // The giant is 20 GiB of NUL: an error of its own, found at its start; the rest answers.
  Context context;
  QueryScope scope(*snapshot, true, context);
  const Scanned runs = RunScan(scope, Relation::kRuns, {"session_id"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  EXPECT_EQ(runs.rows.size(), size_t{kSmall});
  EXPECT_LE(dataset.store->counters().bytes_read, 600 * kMiB);
  const SourceContent giant = KnownContent(*dataset.Find("giant.jsonl"));
  EXPECT_TRUE(giant.status == ContentStatus::kError || giant.status == ContentStatus::kIgnored)
      << ContentStatusName(giant.status);
}

/// Stops a context in the middle of a reading and counts what is read from then on.
struct Stop {
  explicit Stop(uint64_t after, std::unique_ptr<Context> made)
      : at(after), context(std::move(made)) {}

  std::function<void(uint64_t)> hook() {
    return [this](uint64_t bytes) {
      if (bytes >= at && stopped_at == 0) {
        stopped_at = bytes;
        if (context->deadline()) {
          std::this_thread::sleep_until(*context->deadline() + std::chrono::milliseconds(1));
        } else {
          context->Cancel();
        }
      }
    };
  }

  const uint64_t at;
  const std::unique_ptr<Context> context;
  uint64_t stopped_at = 0;
};

std::unique_ptr<Context> Unlimited() { return std::make_unique<Context>(); }
std::unique_ptr<Context> Within(std::chrono::milliseconds time) {
  return std::make_unique<Context>(std::chrono::steady_clock::now() + time);
}

/// The most that is read of one source after the context ended: the read that noticed nothing yet.
constexpr uint64_t kReadAfterStop = 4 * kMiB;

TEST(Cancellation, EveryScanStopsWithinOneRead_SQL05_LZY04) {
  struct Case {
    const char* name;
    GeneratedText text;
    Relation relation;
    Strings columns;
  };
  const Case cases[] = {
      {"a.jsonl", GiantMessage(600 * kMiB), Relation::kSteps, {}},
      {"a.jsonl", GiantMessage(600 * kMiB), Relation::kSteps, {"message_text"}},
      {"a.json", GiantMessage(600 * kMiB), Relation::kRuns, {"session_id", "extra"}},
      {"a.json", GiantMessage(600 * kMiB), Relation::kTrajectories, {"messages_value"}},
      {"a.json", GiantMessage(600 * kMiB), Relation::kRunTree, {"depth"}},
      {"a.jsonl", ManyLines(200 * kMiB), Relation::kSteps, {"message_text", "timestamp"}},
      {"a.jsonl", ManyLines(200 * kMiB), Relation::kToolCalls, {}},
      {"a.jsonl", ManyLines(200 * kMiB), Relation::kTrajectories, {"step_count", "diagnostics"}},
      {"a.jsonl", ManyLines(200 * kMiB), Relation::kRunTree, {"depth", "total_cost_usd"}},
  };
  for (const Case& c : cases) {
    Stop stop(c.text.fill.size() == 1 ? 20 * kMiB : 4 * kMiB, Unlimited());
    const auto store = std::make_shared<GeneratedStore>(c.name, c.text, stop.hook());
    const auto snapshot = TakeStore(store);
    QueryScope scope(*snapshot, true, *stop.context);
    const Scanned scanned = RunScan(scope, c.relation, c.columns);
    EXPECT_EQ(scanned.status.code(), StatusCode::kCancelled)
        << model::RelationName(c.relation) << scanned.status.ToString();
    for (const SourceProblem& problem : scope.problems()) {
      ADD_FAILURE() << model::RelationName(c.relation) << ": " << problem.ToString();
    }
    ASSERT_GT(stop.stopped_at, 0u) << model::RelationName(c.relation) << " of " << c.name;
    EXPECT_LE(store->counters().bytes_read - stop.stopped_at, kReadAfterStop)
        << model::RelationName(c.relation) << " of " << c.name;
  }
}

TEST(Cancellation, ADeadlineStopsScansTheSameWay_SQL05) {
  for (const GeneratedText& text : {GiantMessage(600 * kMiB), ManyLines(200 * kMiB)}) {
    // The reading has to get to the place where it waits for the deadline: a busy machine needs
    // more time for that.
    for (auto time = std::chrono::milliseconds(100);; time *= 2) {
      Stop stop(kMiB, Within(time));
      const auto store = std::make_shared<GeneratedStore>("a.jsonl", text, stop.hook());
      const auto snapshot = TakeStore(store);
      QueryScope scope(*snapshot, true, *stop.context);
      const Scanned scanned = RunScan(scope, Relation::kSteps, {"step_id"});
      EXPECT_EQ(scanned.status.code(), StatusCode::kUnavailable) << scanned.status.ToString();
      if (stop.stopped_at != 0) {
        EXPECT_LE(store->counters().bytes_read - stop.stopped_at, kReadAfterStop);
        break;
      }
    }
  }
}

TEST(Cancellation, FullReadsStopAsWell) {
  for (const bool count : {false, true}) {
    Stop stop(3 * kMiB, Unlimited());
    const auto store =
        std::make_shared<GeneratedStore>("a.jsonl", ManyLines(200 * kMiB), stop.hook());
    const auto snapshot = TakeStore(store);
    const Status status = count ? CountAll(*snapshot, *stop.context, nullptr).status()
                                : CheckAll(*snapshot, *stop.context, nullptr);
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << status.ToString();
    EXPECT_LE(store->counters().bytes_read - stop.stopped_at, kReadAfterStop);
  }
}

TEST(Cancellation, DetectionStopsAndIsNotPoisoned_LZY04) {
  Stop stop(kMiB, Unlimited());
  const auto store = std::make_shared<GeneratedStore>(
      "a.json", GeneratedText{"", " ", 100 * kMiB, Atif("s")}, stop.hook());
  const auto snapshot = TakeStore(store);
  QueryScope scope(*snapshot, false, *stop.context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {}).status.code(), StatusCode::kCancelled);
  EXPECT_LE(store->counters().bytes_read - stop.stopped_at, kReadAfterStop);
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_TRUE(Resolve(dataset, dataset.sources[0], {}).ok()) << "the next one tries again";
}

TEST(Cancellation, DiscoveryStopsInsideOneDirectory) {
  TempDataset dir;
  for (int i = 0; i < 600; ++i) {
    dir.Write(fmt::format("f{}.json", i), "{}");
  }
  Context context;
  context.Cancel();
  const auto store = io::OpenLocalStore(dir.path());
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->ListDirectory("", UINT64_MAX, context).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ((*store)->counters().stats, 0u);
  EXPECT_EQ(Snapshot::Build({PositionalMount(dir.path())}, {}, context).status().code(),
            StatusCode::kCancelled);
}

}  // namespace
}  // namespace pchronicle::catalog
