#include "pchronicle/catalog/scan_group.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::CellText;
using testing::Take;
using testing::TempDataset;

using Rows = std::vector<std::string>;

ScanRequest Wants(Relation relation, const std::vector<std::string>& columns) {
  ScanRequest request;
  request.relation = relation;
  for (const std::string& name : columns) {
    request.columns.push_back(model::FindColumn(relation, name).value());
  }
  return request;
}

/// Several scans of one query that take turns, one batch at a time.
class Scans {
 public:
  Scans(QueryScope& scope, std::vector<ScanRequest> requests, bool announce) : scope_(scope) {
    if (announce) {
      scope.Announce(requests);
    }
    for (size_t i = 0; i < requests.size(); ++i) {
      if (announce) {
        requests[i].announced = i;
      }
      auto scan = RelationScan::Create(scope_, requests[i]);
      EXPECT_TRUE(scan.ok()) << scan.status().ToString();
      runs_.push_back({std::move(scan).value(), nullptr, {}, false, Status()});
    }
  }

  /// One batch, or the next task, of a scan; false at its end.
  bool Step(size_t index) {
    Run& run = runs_[index];
    if (run.ended) {
      return false;
    }
    if (run.task == nullptr) {
      auto task = run.scan->NextTask();
      run.status = task.status();
      run.ended = !task.ok() || *task == nullptr;
      run.task = task.ok() ? std::move(*task) : nullptr;
      return !run.ended;
    }
    auto batch = run.task->Next();
    if (!batch.ok()) {
      run.status = batch.status();
      run.ended = true;
    } else if (*batch == nullptr) {
      run.task.reset();
    } else {
      for (size_t row = 0; row < (*batch)->rows; ++row) {
        std::string text;
        for (const columnar::Column& column : (*batch)->columns) {
          text += CellText(column, row) + "|";
        }
        run.rows.push_back(std::move(text));
      }
    }
    return !run.ended;
  }
  void Finish(size_t index) {
    while (Step(index)) {
    }
  }
  /// The consumer of a scan has had enough.
  void Drop(size_t index) {
    runs_[index].task.reset();
    runs_[index].ended = true;
  }
  const Rows& rows(size_t index) const { return runs_[index].rows; }
  const Status& status(size_t index) const { return runs_[index].status; }

 private:
  struct Run {
    std::unique_ptr<RelationScan> scan;
    std::unique_ptr<ScanTask> task;
    Rows rows;
    bool ended;
    Status status;
  };
  QueryScope& scope_;
  std::vector<Run> runs_;
};

uint64_t Lines(const TempDataset& dir, const std::string& name, size_t documents, size_t padding) {
  std::string text;
  for (size_t i = 0; i < documents; ++i) {
    std::string line = Atif(fmt::format("{}-{}", name, i), static_cast<int>(i % 3) + 1);
    line.pop_back();
    text += line + R"(,"notes":")" + std::string(padding, 'x') + "\"}\n";
  }
  dir.Write(name, text);
  return text.size();
}

TEST(ScanGroup, ScansOfOneQueryReadTheFilesOnce) {
  TempDataset dir;
  const uint64_t large = Lines(dir, "large.jsonl", 2000, 9000);  // several ranges
  uint64_t small = 0;
  for (int i = 0; i < 20; ++i) {
    small += Lines(dir, fmt::format("s{:02}.jsonl", i), 3, 0);
  }
  const auto snapshot = Take(dir.path());
  const std::vector<ScanRequest> wants = {
      Wants(Relation::kSteps, {"_file_", "document_id", "step_id"}),
      Wants(Relation::kRuns, {"session_id"}), Wants(Relation::kToolCalls, {})};
  Context context;
  QueryScope alone(*snapshot, false, context), together(*snapshot, false, context);
  Scans apart(alone, wants, false), shared(together, wants, true);
  for (size_t i = 0; i < wants.size(); ++i) {
    apart.Finish(i);
    shared.Finish(i);
    EXPECT_TRUE(shared.status(i).ok()) << shared.status(i).ToString();
    EXPECT_EQ(apart.rows(i), shared.rows(i));
  }
  EXPECT_EQ(shared.rows(1).size(), 2060u);
  EXPECT_EQ(together.metrics().sources_opened, 21u);
  EXPECT_EQ(alone.metrics().sources_opened, 63u);
  EXPECT_LT(together.metrics().bytes_read, (large + small) * 11 / 10);
  EXPECT_GT(alone.metrics().bytes_read, (large + small) * 29 / 10);
  EXPECT_EQ(together.metrics().rows_emitted, alone.metrics().rows_emitted);
  EXPECT_FALSE(together.restart_requested());
}

TEST(ScanGroup, RowsBeyondTheBudgetAreReadAgain) {
  TempDataset dir;
  for (int i = 0; i < 200; ++i) {
    Lines(dir, fmt::format("f{:03}.jsonl", i), 30, 0);
  }
  const auto snapshot = Take(dir.path());
  const std::vector<ScanRequest> wants = {Wants(Relation::kRuns, {"session_id"}),
                                          Wants(Relation::kSteps, {"session_id", "message_value"})};
  Context context;
  uint64_t read[3];
  Rows rows[3];
  const uint64_t budgets[] = {0, 300'000, 64 << 20};
  for (int i = 0; i < 3; ++i) {
    QueryScope scope(*snapshot, false, context, budgets[i]);
    Scans scans(scope, wants, true);
    scans.Finish(0);
    scans.Finish(1);
    read[i] = scope.metrics().bytes_read;
    rows[i] = scans.rows(1);
  }
  EXPECT_EQ(rows[0].size(), 200u * 60);
  EXPECT_EQ(rows[1], rows[0]);
  EXPECT_EQ(rows[2], rows[0]);
  EXPECT_EQ(read[0], 2 * read[2]);
  EXPECT_LT(read[1], read[0]);
  EXPECT_GT(read[1], read[2]);
}

TEST(ScanGroup, MemoryStaysBoundedWhenTheReaderFindsNoRowsOfItsOwn) {
  TempDataset dir;
  std::string array = "[";
  for (int i = 0; i < 4000; ++i) {
    array += (i == 0 ? "" : ",") + Atif(fmt::format("s{}-{}", i, std::string(2000, 'x')), 3);
  }
  dir.Write("one.json", array + "]");
  const auto snapshot = Take(dir.path());
  std::vector<ScanRequest> wants = {Wants(Relation::kRuns, {"session_id"}),
                                    Wants(Relation::kSteps, {"session_id"})};
  wants[0].predicates.push_back({model::FindColumn(Relation::kRuns, "session_id").value(),
                                 model::RowPredicate::Op::kEq,
                                 {std::string("absent")}});
  constexpr uint64_t kBudget = 1 << 20;
  Context context;
  QueryScope scope(*snapshot, false, context, kBudget);
  Scans scans(scope, wants, true);
  wants[0].announced = 0;
  const auto group = scope.MembershipOf(wants[0]).group;
  ASSERT_NE(group, nullptr);
  scans.Finish(0);
  scans.Finish(1);
  EXPECT_TRUE(scans.rows(0).empty());
  EXPECT_EQ(scans.rows(1).size(), 12000u);
  EXPECT_GT(group->peak_bytes(), kBudget);
  EXPECT_LT(group->peak_bytes(), 2 * kBudget);
}

TEST(ScanGroup, AScanThatEndsEarlyLeavesTheOthersComplete_STL120) {
  TempDataset dir;
  Lines(dir, "a.jsonl", 2000, 9000);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  Scans scans(scope,
              {Wants(Relation::kRuns, {"session_id"}), Wants(Relation::kSteps, {"session_id"})},
              true);
  scans.Step(0);
  scans.Step(0);
  scans.Drop(0);
  scans.Finish(1);
  EXPECT_TRUE(scans.status(1).ok());
  EXPECT_EQ(scans.rows(1).size(), 3999u);
}

TEST(ScanGroup, IdsThatCollideAcrossRangesAreSeenWhoeverReads_STL128) {
  TempDataset dir;
  std::string text;
  while (text.size() < 20 << 20) {
    std::string line = Atif("same");
    line.pop_back();
    text += line + R"(,"notes":")" + std::string(100'000, 'x') + "\"}\n";
  }
  dir.Write("a.jsonl", text);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  // Only the second scan looks at ids; the first, which reads for it, stops after one range.
  const std::vector<ScanRequest> wants = {Wants(Relation::kSteps, {"step_id"}),
                                          Wants(Relation::kRuns, {"document_id"})};
  Scans first(scope, wants, true);
  for (int i = 0; i < 3; ++i) {
    first.Step(0);
  }
  first.Drop(0);
  first.Finish(1);
  EXPECT_TRUE(scope.restart_requested());
  scope.BeginRestart();
  Scans again(scope, wants, true);
  again.Finish(0);
  again.Finish(1);
  EXPECT_FALSE(scope.restart_requested());
  ASSERT_GT(again.rows(1).size(), 100u);
  EXPECT_EQ(again.rows(1)[0], "same|");
  EXPECT_EQ(again.rows(1)[1], "same~2|");
}

TEST(ScanGroup, ABadUnitIsReportedOnceAndCountsInNoScan_STL127_D13) {
  TempDataset dir;
  dir.Write("a.jsonl", Atif("s0") + "\n" +
                           R"({"schema_version":"ATIF-v1.4","session_id":"s1","agent":{"name":"a",)"
                           R"("version":"1"},"steps":[{"step_id":1,"source":"user","message":"m"},)"
                           R"({"step_id":2,"source":7,"message":"m"}]})" +
                           "\n" + Atif("s2", 2) + "\n");
  const auto snapshot = Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope scope(*snapshot, true, context);
  const std::vector<ScanRequest> wants = {Wants(Relation::kRuns, {"session_id"}),
                                          Wants(Relation::kSteps, {"session_id", "step_id"})};
  auto scans = std::make_unique<Scans>(scope, wants, true);
  scans->Finish(0);
  scans->Finish(1);
  if (scope.restart_requested()) {
    scope.BeginRestart();
    scans = std::make_unique<Scans>(scope, wants, true);
    scans->Finish(0);
    scans->Finish(1);
  }
  EXPECT_FALSE(scope.restart_requested());
  EXPECT_EQ(scans->rows(0), (Rows{"s0|", "s2|"}));
  EXPECT_EQ(scans->rows(1), (Rows{"s0|1|", "s2|1|", "s2|2|"}));
  ASSERT_EQ(scope.problems().size(), 1u);
  EXPECT_EQ(scope.problems()[0].line, 2u);
}

TEST(ScanGroup, ScansOfOtherSourcesShareNothing) {
  TempDataset dir;
  Lines(dir, "a.jsonl", 3, 0);
  Lines(dir, "b.jsonl", 3, 0);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  std::vector<ScanRequest> wants = {Wants(Relation::kRuns, {"session_id"}),
                                    Wants(Relation::kSteps, {"_file_"})};
  wants[1].file_predicate.kind = FilePredicate::Kind::kEq;
  wants[1].file_predicate.values = {"b.jsonl"};
  Scans scans(scope, wants, true);
  scans.Finish(0);
  scans.Finish(1);
  EXPECT_EQ(scope.metrics().sources_opened, 3u);
  EXPECT_EQ(scans.rows(1), Rows(6, "b.jsonl|"));
}

RC_GTEST_PROP(ScanGroup, SharingNeverChangesRows, ()) {
  TempDataset dir;
  const auto files = *rc::gen::inRange(1, 6);
  for (int i = 0; i < files; ++i) {
    Lines(dir, fmt::format("f{}.jsonl", i), *rc::gen::inRange<size_t>(0, 8), 0);
  }
  const auto snapshot = Take(dir.path());
  const std::vector<std::pair<Relation, std::vector<std::string>>> choices = {
      {Relation::kRuns, {"session_id", "document_id", "storage_ordinal"}},
      {Relation::kRuns, {}},
      {Relation::kSteps, {"_file_", "document_id", "step_id", "message_value"}},
      {Relation::kSteps, {}},
      {Relation::kTrajectories, {"session_id", "status"}},
      {Relation::kObservationResults, {"document_id"}},
  };
  std::vector<ScanRequest> wants;
  const auto count = *rc::gen::inRange<size_t>(2, 5);
  for (size_t i = 0; i < count; ++i) {
    const auto& [relation, columns] = choices[*rc::gen::inRange<size_t>(0, choices.size())];
    wants.push_back(Wants(relation, columns));
  }
  Context context;
  QueryScope alone(*snapshot, false, context);
  QueryScope together(*snapshot, false, context, *rc::gen::element(0u, 9000u, 1u << 20));
  Scans apart(alone, wants, false), shared(together, wants, true);
  const auto turns = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, count));
  for (const size_t scan : turns) {
    shared.Step(scan);
  }
  for (size_t i = 0; i < count; ++i) {
    apart.Finish(i);
    shared.Finish(i);
    RC_ASSERT(shared.status(i).ok());
    RC_ASSERT(apart.rows(i) == shared.rows(i));
  }
  RC_ASSERT(!together.restart_requested());
}

}  // namespace
}  // namespace pchronicle::catalog
