#include "pchronicle/catalog/harbor.h"

#include "pchronicle/catalog/count.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::RunScan;
using testing::Take;
using testing::TempDataset;

using Strings = std::vector<std::string>;

std::string TrialResult(std::string_view name, std::string_view more) {
  return fmt::format(
      R"({{"task_name":"sort","trial_name":"{}","agent_info":{{"name":"terminus","version":"2",)"
      R"("model_info":{{"name":"gpt"}}}},"config":{{"job_id":"job-1"}}{}}})",
      name, more);
}

/// A scan of the trajectories of a Dataset, reporting.
Strings Trajectories(const Snapshot& snapshot, const Strings& columns) {
  Context context;
  QueryScope scope(snapshot, true, context);
  const testing::Scanned scanned = RunScan(scope, Relation::kTrajectories, columns);
  EXPECT_TRUE(scanned.status.ok()) << scanned.status.ToString();
  return scanned.rows;
}

SourceContent Checked(const Snapshot& snapshot, std::string_view file) {
  Context context;
  EXPECT_TRUE(CheckAll(snapshot, context).ok());
  const Source* source = snapshot.datasets()[0].Find(file);
  EXPECT_NE(source, nullptr) << file;
  return source == nullptr ? SourceContent() : KnownContent(*source);
}

TEST(Harbor, OnlyTheTrajectoryIsARunAndGetsTheReward_HAR01_HAR02_HAR03_HAR04) {
  TempDataset dir;
  dir.Write("job/result.json", R"({"n_total_trials":1,"stats":{}})");
  dir.Write("job/config.json", R"({"job_name":"j","jobs_dir":"d"})");
  dir.Write(
      "job/t__1/result.json",
      TrialResult("t__1",
                  R"(,"verifier_result":{"rewards":{"reward":1.0,"speed":0.5}},)"
                  R"("started_at":"2026-01-01T00:00:00Z","finished_at":"2026-01-01T00:00:10Z")"));
  dir.Write("job/t__1/config.json", R"({"trial_name":"t__1","trials_dir":"d"})");
  dir.Write("job/t__1/agent/trajectory.json", Atif("s"));
  dir.Write("job/t__1/verifier/ctrf.json", R"({"results":{}})");
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(
      Trajectories(*snapshot, {"_file_", "run_id", "success", "score", "status", "outcome_source"}),
      Strings{"job/t__1/agent/trajectory.json|job-1|1|1|succeeded|"
              "result.json:/verifier_result/rewards/reward"});
  EXPECT_EQ(Trajectories(*snapshot, {"attempt_id", "duration_ms"}), Strings{"t__1|10000"});
  EXPECT_EQ(Checked(*snapshot, "job/t__1/result.json").reason, "harbor trial result");
  EXPECT_EQ(Checked(*snapshot, "job/result.json").reason, "harbor job result");
  EXPECT_EQ(Checked(*snapshot, "job/config.json").reason, "harbor job config");
  EXPECT_EQ(Checked(*snapshot, "job/t__1/config.json").reason, "harbor trial config");
  EXPECT_EQ(Checked(*snapshot, "job/t__1/verifier/ctrf.json").status, ContentStatus::kIgnored);
}

TEST(Harbor, SidecarsAreReadOnlyForLiftedColumns_HAR02) {
  TempDataset dir;
  dir.Write("t/result.json", TrialResult("t", ""));
  dir.Write("t/agent/trajectory.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  FilePredicate predicate;
  predicate.kind = FilePredicate::Kind::kEq;
  predicate.values = {"t/agent/trajectory.json"};
  ASSERT_EQ(RunScan(scope, Relation::kSteps, {"step_id"}, predicate).rows.size(), 1u);
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 1u);
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {"run_id"}, predicate).rows, Strings{"job-1"});
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 3u);
}

TEST(Harbor, SidecarBelongsToTheFingerprint_HAR02) {
  TempDataset dir;
  dir.Write("t/result.json", TrialResult("t", ""));
  dir.Write("t/agent/trajectory.json", Atif("s"));
  const auto before = Take(dir.path());
  dir.Write("t/result.json", TrialResult("t", R"(,"source":"x")"));
  const auto after = Take(dir.path());
  EXPECT_NE(before->datasets()[0].sources[0].revision.fingerprint,
            after->datasets()[0].sources[0].revision.fingerprint);
  Context context;
  QueryScope scope(*before, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"run_id"}).status.code(), StatusCode::kConflict)
      << "CAT-18";
}

TEST(Harbor, RewardFilesAreTheNextPlaces_HAR04) {
  TempDataset dir;
  dir.Write("a/agent/trajectory.json", Atif("a"));
  dir.Write("a/verifier/reward.txt", " 0.0\n");
  dir.Write("b/agent/trajectory.json", Atif("b"));
  dir.Write("b/verifier/reward.json", R"({"accuracy":0.25})");
  dir.Write("b/verifier/reward.txt", "1");
  dir.Write("c/agent/trajectory.json", Atif("c"));
  dir.Write("c/verifier/reward.json", R"({"x":1,"y":2})");
  dir.Write("d/agent/trajectory.json", Atif("d"));
  dir.Write("d/verifier/reward.txt", "not a number");
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(Trajectories(*snapshot, {"session_id", "success", "score", "outcome_source"}),
            (Strings{"a|0|0|verifier/reward.txt", "b|NULL|0.25|NULL", "c|NULL|NULL|NULL",
                     "d|NULL|NULL|NULL"}));
  EXPECT_NE(Checked(*snapshot, "d/agent/trajectory.json").diagnostics.ToJson().find("bad_sidecar"),
            std::string::npos);
  EXPECT_EQ(Checked(*snapshot, "d/agent/trajectory.json").status, ContentStatus::kReady);
}

TEST(Harbor, ExceptionWithoutRewardIsErrored_HAR05) {
  TempDataset dir;
  const std::string exception =
      R"(,"exception_info":{"exception_type":"AgentTimeoutError","exception_message":"too slow","exception_traceback":"tb"})";
  dir.Write("a/result.json", TrialResult("a", exception));
  dir.Write("a/agent/trajectory.json", Atif("a"));
  dir.Write("b/result.json",
            TrialResult("b", exception + R"(,"verifier_result":{"rewards":{"reward":1}})"));
  dir.Write("b/agent/trajectory.json", Atif("b"));
  EXPECT_EQ(
      Trajectories(*Take(dir.path()), {"session_id", "status", "error_kind", "error_message"}),
      (Strings{"a|errored|AgentTimeoutError|too slow", "b|succeeded|AgentTimeoutError|too slow"}));
}

TEST(Harbor, AgentResultIsReportedWhenTheTrajectoryHasNoTotals_HAR06) {
  TempDataset dir;
  const std::string totals =
      R"(,"agent_result":{"n_input_tokens":100,"n_cache_tokens":40,"n_output_tokens":7,"cost_usd":0.5})";
  dir.Write("a/result.json", TrialResult("a", totals));
  dir.Write("a/agent/trajectory.json", Atif("a"));
  std::string with_totals = Atif("b");
  with_totals.pop_back();
  dir.Write("b/result.json", TrialResult("b", totals));
  dir.Write("b/agent/trajectory.json",
            with_totals + R"(,"final_metrics":{"total_prompt_tokens":1}})");
  EXPECT_EQ(Trajectories(*Take(dir.path()), {"reported_prompt_tokens", "reported_completion_tokens",
                                             "reported_cached_tokens", "reported_cost_usd"}),
            (Strings{"100|7|40|0.5", "1|NULL|NULL|NULL"}));
}

TEST(Harbor, TrialsWithoutATrajectoryAreRunsWithoutTurns_HAR07_BR09) {
  TempDataset dir;
  dir.Write(
      "a/result.json",
      TrialResult("a__1", R"(,"exception_info":{"exception_type":"T","exception_message":"m"})"));
  dir.Write("a/agent/trajectory.json", "");
  dir.Write("b/result.json", TrialResult("b__1", R"(,"verifier_result":{"rewards":{"reward":0}})"));
  dir.Write("job/result.json", R"({"n_total_trials":2,"stats":{}})");
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(Trajectories(*snapshot, {"_file_", "document_id", "run_id", "agent_name",
                                     "agent_model_name", "status", "step_count"}),
            (Strings{"a/agent/trajectory.json|a__1|job-1|terminus|gpt|errored|0",
                     "b/result.json|b__1|job-1|terminus|gpt|failed|0"}));
  for (const char* file : {"a/agent/trajectory.json", "b/result.json"}) {
    const SourceContent content = Checked(*snapshot, file);
    EXPECT_EQ(content.status, ContentStatus::kEmpty) << file;
    EXPECT_EQ(content.runs, 1u) << file;
    EXPECT_EQ(content.format, model::Format::kAtif) << file;
  }
  EXPECT_EQ(Checked(*snapshot, "a/result.json").status, ContentStatus::kIgnored);
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {}).rows.size(), 0u);
  const Strings extras = RunScan(scope, Relation::kRuns, {"extra"}).rows;
  ASSERT_EQ(extras.size(), 2u);
  EXPECT_TRUE(extras[0].starts_with(R"({"trajectory":"empty","harbor":{"task_name":"sort")"))
      << extras[0];
  EXPECT_TRUE(extras[1].starts_with(R"({"trajectory":"missing","harbor":{)")) << extras[1];
}

TEST(Harbor, NativeLogsBesideATrajectoryAreNotCountedTwice_HAR08) {
  TempDataset dir;
  dir.Write("t__9/result.json", TrialResult("t__9", ""));
  dir.Write("t__9/agent/trajectory.json", Atif("s"));
  dir.Write("t__9/agent/sessions/x.jsonl", R"({"type":"session_meta","payload":{}})"
                                           "\n");
  dir.Write("t__9/agent/chat.json", R"({"messages":[{"role":"user","content":"x"}]})");
  dir.Write("free/agent/chat.json", R"({"messages":[{"role":"user","content":"x"}]})");
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(Trajectories(*snapshot, {"_file_"}),
            (Strings{"free/agent/chat.json", "t__9/agent/trajectory.json"}));
  EXPECT_EQ(Checked(*snapshot, "t__9/agent/sessions/x.jsonl").reason, "native log of t__9");
  EXPECT_EQ(Checked(*snapshot, "t__9/agent/chat.json").reason, "native log of t__9");
}

TEST(Harbor, RewardBelongsToTheFirstFileOfAChain_HAR09) {
  TempDataset dir;
  dir.Write("t/result.json", TrialResult("t", R"(,"verifier_result":{"rewards":{"reward":1}})"));
  dir.Write("t/agent/trajectory.json", Atif("s"));
  dir.Write("t/agent/trajectory.cont-1.json", Atif("s"));
  EXPECT_EQ(
      Trajectories(*Take(dir.path()), {"_file_", "run_id", "success"}),
      (Strings{"t/agent/trajectory.cont-1.json|job-1|NULL", "t/agent/trajectory.json|job-1|1"}));
}

TEST(Harbor, StepsOfATrialHaveTheirOwnPlaces_HAR10) {
  TempDataset dir;
  dir.Write("m/result.json", TrialResult("m", R"(,"verifier_result":{"rewards":{"reward":1}})"));
  dir.Write("m/steps/one/agent/trajectory.json", Atif("one"));
  dir.Write("m/steps/one/verifier/reward.txt", "0");
  dir.Write("m/steps/two/agent/trajectory.json", Atif("two"));
  dir.Write("n/result.json", TrialResult("n", R"(,"verifier_result":{"rewards":{"reward":1}})"));
  dir.Write("n/steps/only/agent/trajectory.json", Atif("only"));
  EXPECT_EQ(Trajectories(*Take(dir.path()), {"session_id", "attempt_id", "success"}),
            (Strings{"one|m|0", "two|m|NULL", "only|n|1"}));
}

TEST(Harbor, RolloutDetailsFillTheTokenLanes_HAR13) {
  TempDataset dir;
  const std::string trajectory =
      R"({"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[)"
      R"({"step_id":1,"source":"user","message":"u"},{"step_id":2,"source":"agent","message":"x"},)"
      R"({"step_id":3,"source":"agent","message":"y","metrics":{"prompt_tokens":4}}]})";
  const std::string details =
      R"(,"agent_result":{"rollout_details":[{"prompt_token_ids":[[1],[2]],"completion_token_ids":[[10,11],[12]],)"
      R"("logprobs":[[-0.5,-0.25],[-1]]}]})";
  dir.Write("a/result.json", TrialResult("a", details));
  dir.Write("a/agent/trajectory.json", trajectory);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(
      RunScan(scope, Relation::kSteps, {"step_id", "metrics"}).rows,
      (Strings{
          "1|NULL",
          R"(2|{"prompt_token_ids":[1],"completion_token_ids":[10,11],"logprobs":[-0.5,-0.25]})",
          R"(3|{"prompt_tokens":4,"prompt_token_ids":[2],"completion_token_ids":[12],"logprobs":[-1]})"}));
  dir.Write("a/agent/trajectory.json", Atif("s"));
  const auto other = Take(dir.path());
  const SourceContent content = Checked(*other, "a/agent/trajectory.json");
  EXPECT_NE(content.diagnostics.ToJson().find("rollout_details_unmatched"), std::string::npos);
  QueryScope again(*other, false, context);
  EXPECT_NE(RunScan(again, Relation::kRuns, {"extra"})
                .rows[0]
                .find(R"("rollout_details":[{"prompt_token_ids")"),
            std::string::npos);
}

}  // namespace
}  // namespace pchronicle::catalog
