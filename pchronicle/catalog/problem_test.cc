#include "pchronicle/catalog/problem.h"

#include <gtest/gtest.h>

#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::RunScan;
using testing::TempDataset;

constexpr size_t kMost = QueryScope::kMostProblems;

TEST(Problems, OfManyBadLinesTheFirstAreKeptAndTheRestIsCounted_ERR03) {
  constexpr size_t kBad = 5000;
  TempDataset dir;
  std::string text;
  for (size_t i = 0; i < kBad; ++i) {
    text += "{\"bad\n";
  }
  dir.Write("a.jsonl", Atif("first") + "\n" + text + Atif("last") + "\n");
  dir.Write("b.jsonl", Atif("b") + "\n{\"bad\n{\"bad\n");
  const auto snapshot = testing::Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"session_id"}).rows.size(), 3U);
  EXPECT_EQ(scope.problem_count(), kBad + 2);
  const std::vector<SourceProblem> problems = scope.problems();
  ASSERT_EQ(problems.size(), kMost + 2);
  for (size_t i = 0; i < kMost; ++i) {
    EXPECT_EQ(problems[i].file, "a.jsonl");
    EXPECT_EQ(problems[i].line, i + 2);
  }
  EXPECT_EQ(problems.back().line, 3U);
  // Another scan of the query meets the same ones.
  RunScan(scope, Relation::kSteps, {"step_id"});
  EXPECT_EQ(scope.problem_count(), kBad + 2);
  EXPECT_EQ(scope.problems().size(), kMost + 2);
  scope.BeginRestart();
  EXPECT_EQ(scope.problem_count(), 0U);
}

TEST(Problems, RangesOfOneFileKeepItsFirstOnesTogether_ERR03) {
  // Five in each range, but for two with many.
  constexpr size_t kBad = 700;
  TempDataset dir;
  const std::string padding = Atif(std::string(1 << 20, 'p')) + "\n";
  std::string text, bad;
  for (size_t i = 0; i < kBad; ++i) {
    bad += "{\"bad\n";
  }
  for (int i = 0; i < 30; ++i) {
    text += padding + (i == 10 || i == 20 ? bad : "{\"bad\n");
  }
  dir.Write("a.jsonl", text);
  const auto snapshot = testing::Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope scope(*snapshot, true, context);
  RunScan(scope, Relation::kSteps, {"step_id"});
  EXPECT_EQ(scope.problem_count(), 2 * kBad + 28);
  const std::vector<SourceProblem> problems = scope.problems();
  ASSERT_EQ(problems.size(), kMost);
  EXPECT_EQ(problems.front().line, 2U);
  // 10 and kBad of the first eleven records, 9 more, and then those of record 20.
  const size_t of_second = kMost - 10 - kBad - 9;
  EXPECT_EQ(problems.back().line, 2 * 10 + (1 + kBad) + 2 * 9 + 1 + of_second);
}

TEST(Problems, TheTreeOfRunsKeepsTheFirstAndCountsTheRest_ERR03) {
  // Read whole for the tree and in ranges for steps: neither count is added to the other.
  constexpr size_t kBad = 3000;
  TempDataset dir;
  std::string text;
  for (size_t i = 0; i < kBad; ++i) {
    text += "{\"bad\n";
  }
  for (int i = 0; i < 12; ++i) {
    text += Atif(std::string(1 << 20, 'p')) + "\n{\"bad\n";
  }
  dir.Write("a.jsonl", text);
  const auto snapshot = testing::Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRunTree, {"document_id"}).rows.size(), 12U);
  EXPECT_EQ(scope.problems().size(), kMost);
  EXPECT_EQ(scope.problems().back().line, kMost);
  EXPECT_EQ(scope.problem_count(), kBad + 12);
  RunScan(scope, Relation::kSteps, {"step_id"});
  EXPECT_EQ(scope.problems().size(), kMost);
  EXPECT_EQ(scope.problem_count(), kBad + 12);
}

TEST(Problems, AStrictReaderStopsAtTheFirst_ERR01) {
  TempDataset dir;
  dir.Write("a.jsonl", Atif("first") + "\n{\"bad\n{\"worse\n");
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const auto scanned = RunScan(scope, Relation::kSteps, {"step_id"});
  EXPECT_NE(scanned.status.message().find("a.jsonl: line 2"), std::string::npos)
      << scanned.status.message();
}

}  // namespace
}  // namespace pchronicle::catalog
