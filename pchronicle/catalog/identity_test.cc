// What a scan remembers to tell documents apart grows with their number, never with their bytes
// (STL-126 to 129).
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/json/compress_test_support.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::TempDataset;

/// Makes record `number` with `bytes` of filling.
using Record = std::function<std::string(size_t number, size_t bytes)>;

std::string AtifRecord(size_t number, size_t bytes) {
  return fmt::format(
      R"({{"schema_version":"ATIF-v1.4","session_id":"session-{:08}","agent":{{"name":"a","version":"1"}},)"
      R"("steps":[{{"step_id":1,"source":"user","message":"{}"}}]}})",
      number, std::string(bytes, 'x'));
}

std::string StorylineRecord(size_t number, size_t bytes) {
  return fmt::format(
      R"({{"schema_version":"storyline/v1","session":"session-{:08}","agent":{{"id":"a"}},)"
      R"("turns":[{{"id":1,"src":"user","msg":"{}"}}]}})",
      number, std::string(bytes, 'x'));
}

std::string ActfRecord(size_t number, size_t bytes) {
  constexpr std::string_view kTimes =
      R"("started_at":"2026-01-01 00:00:00+00:00","finished_at":"2026-01-01 00:00:01+00:00")";
  return fmt::format(
      R"({{"task_id":"task-{:08}","category":"c","k":1,"correct":true,"attempts_tried":1,"attempts":{{)"
      R"("1":{{"correct":true,"trajectory":{{"schema_version":"ACTF_v1.0",{},"steps":[{{"step_id":1,)"
      R"("assistant_content":{{"content":"{}"}},"metric":{{}},{}}}]}}}}}}}})",
      number, kTimes, std::string(bytes, 'x'), kTimes);
}

std::string ChatRecord(size_t number, size_t bytes) {
  return fmt::format(R"({{"id":"chat-{:08}","messages":[{{"role":"user","content":"{}"}}]}})",
                     number, std::string(bytes, 'x'));
}

/// Rows of half as many sessions, the second ones after all the first.
Record InterleavedOpenAi(size_t rows) {
  return [rows](size_t number, size_t bytes) {
    const size_t sessions = rows / 2;
    const size_t step = number / sessions + 1;
    const std::string first = R"({"role":"user","content":"q"})";
    const std::string more =
        step == 1 ? "" : R"(,{"role":"assistant","content":"a"},{"role":"user","content":"q"})";
    return fmt::format(
        R"({{"session_id":"session-{:08}","step_id":{},"messages":[{}{}],"response":)"
        R"({{"role":"assistant","content":"a"}},"vendor":"{}"}})",
        number % sessions, step, first, more, std::string(bytes, 'x'));
  };
}

std::string Lines(const Record& record, size_t count, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += record(i, bytes) + "\n";
  }
  return text;
}

struct Seen {
  uint64_t id_peak_bytes = 0, rows = 0, restarts = 0;
};

/// A scan that gives every row its document, by several threads.
Seen ScanIds(const std::string& path, Relation relation, const std::vector<std::string>& columns) {
  const auto snapshot = testing::Take(path);
  const Context context;
  QueryScope scope(*snapshot, false, context);
  ScanRequest request;
  request.relation = relation;
  for (const std::string& name : columns) {
    request.columns.push_back(model::FindColumn(relation, name).value());
  }
  Seen run;
  for (int pass = 0; pass < 2; ++pass) {
    auto scan = RelationScan::Create(scope, request);
    EXPECT_TRUE(scan.ok());
    std::atomic<uint64_t> rows{0};
    const auto work = [&] {
      for (auto task = (*scan)->NextTask(); task.ok() && *task != nullptr;
           task = (*scan)->NextTask()) {
        while (true) {
          auto batch = (*task)->Next();
          EXPECT_TRUE(batch.ok()) << batch.status().ToString();
          if (!batch.ok() || *batch == nullptr) {
            break;
          }
          rows += (*batch)->rows;
        }
      }
    };
    std::thread other(work);
    work();
    other.join();
    run.rows = rows;
    if (!scope.restart_requested()) {
      break;
    }
    scope.BeginRestart();
  }
  run.id_peak_bytes = scope.metrics().id_peak_bytes;
  run.restarts = scope.metrics().restarts;
  return run;
}

Seen ScanLines(const std::string& name, const std::string& text,
               Relation relation = Relation::kRuns,
               const std::vector<std::string>& columns = {"document_id"}) {
  TempDataset dir;
  dir.Write(name, text);
  return ScanIds(dir.path(), relation, columns);
}

struct Format {
  std::string name;  // of the file
  std::function<Record(size_t count)> records;
};

std::vector<Format> Formats() {
  const auto same = [](Record record) { return [record](size_t) { return record; }; };
  return {{"runs.atif.jsonl", same(AtifRecord)},
          {"runs.storyline.jsonl", same(StorylineRecord)},
          {"runs.actf.jsonl", same(ActfRecord)},
          {"chat.jsonl", same(ChatRecord)},
          {"session_steps.jsonl", InterleavedOpenAi}};
}

TEST(Identity, AHundredTimesTheBytesCostNoMoreMemoryForIds_STL126_STL128_STL129) {
  constexpr size_t kRecords = 400;
  for (const Format& format : Formats()) {
    const Record record = format.records(kRecords);
    const std::string small = Lines(record, kRecords, 10);
    const std::string large = Lines(record, kRecords, 100 * small.size() / kRecords);
    ASSERT_GT(large.size(), 100 * small.size());
    const Seen few = ScanLines(format.name, small);
    const Seen many = ScanLines(format.name, large);
    EXPECT_EQ(few.rows, many.rows) << format.name;
    EXPECT_GT(few.id_peak_bytes, 8 * kRecords) << format.name;
    EXPECT_EQ(few.id_peak_bytes, many.id_peak_bytes) << format.name;
  }
}

TEST(Identity, TenTimesTheDocumentsCostAboutTenTimes_STL126_STL128_STL129) {
  constexpr size_t kRecords = 2000;
  for (const Format& format : Formats()) {
    const Seen few = ScanLines(format.name, Lines(format.records(kRecords), kRecords, 10));
    const Seen many =
        ScanLines(format.name, Lines(format.records(10 * kRecords), 10 * kRecords, 10));
    EXPECT_EQ(many.rows, 10 * few.rows) << format.name;
    EXPECT_GT(many.id_peak_bytes, 5 * few.id_peak_bytes) << format.name;
    EXPECT_LT(many.id_peak_bytes, 20 * few.id_peak_bytes) << format.name;
  }
}

TEST(Identity, RangesOfOneFileShareWhatTheyRemember_STL128) {
  constexpr size_t kRecords = 300;
  const std::string text = Lines(AtifRecord, kRecords, 100'000);  // 30 MB: ranges
  const Seen run = ScanLines("runs.atif.jsonl", text);
  EXPECT_EQ(run.rows, kRecords);
  EXPECT_EQ(run.restarts, 0U);
  EXPECT_GT(run.id_peak_bytes, sizeof(Hash128) * kRecords);
  EXPECT_LT(run.id_peak_bytes, 400 * kRecords);
  // An id that comes twice: one reader for the whole file.
  const Seen twice = ScanLines("runs.atif.jsonl", text + AtifRecord(0, 10) + "\n");
  EXPECT_EQ(twice.rows, kRecords + 1);
  EXPECT_EQ(twice.restarts, 1U);
  EXPECT_LT(twice.id_peak_bytes, 400 * kRecords);
}

TEST(Identity, IdsThatReferencesAreLookedUpAmongCount_STL126) {
  const auto continued = [](size_t number, size_t bytes) {
    std::string text = AtifRecord(number, bytes);
    text.pop_back();
    return text + fmt::format(R"(,"continued_trajectory_ref":"session-{:08}"}})", number + 1);
  };
  constexpr size_t kRecords = 400;
  const auto scan = [](const std::string& text) {
    return ScanLines("runs.atif.jsonl", text, Relation::kTrajectories,
                     {"document_id", "continued_by"});
  };
  const Seen few = scan(Lines(continued, kRecords, 10));
  const Seen plain = ScanLines("runs.atif.jsonl", Lines(AtifRecord, kRecords, 10));
  EXPECT_GT(few.id_peak_bytes, plain.id_peak_bytes + 2 * sizeof(Hash128) * kRecords)
      << "those of the sink and of the second look at the file";
  EXPECT_EQ(scan(Lines(continued, kRecords, 10'000)).id_peak_bytes, few.id_peak_bytes);
  const Seen many = scan(Lines(continued, 10 * kRecords, 10));
  EXPECT_GT(many.id_peak_bytes, 5 * few.id_peak_bytes);
  EXPECT_LT(many.id_peak_bytes, 20 * few.id_peak_bytes);
}

TEST(Identity, NothingIsRememberedWhereNobodyAsks_STL128) {
  const std::string text = Lines(AtifRecord, 2000, 10);
  EXPECT_LT(ScanLines("runs.atif.jsonl", text, Relation::kSteps, {"step_id"}).id_peak_bytes, 1000U);
}

TEST(Identity, CompressedFilesRememberAsTheirTextDoes_STL128) {
  const std::string text = Lines(AtifRecord, 1000, 100);
  EXPECT_EQ(ScanLines("runs.atif.jsonl.gz", json::testing_support::Gzip(text)).id_peak_bytes,
            ScanLines("runs.atif.jsonl", text).id_peak_bytes);
}

}  // namespace
}  // namespace pchronicle::catalog
