#include "pchronicle/model/outcome.h"

#include <gtest/gtest.h>

#include <string>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

/// Document with a task result, and what the last response said.
class Judged {
 public:
  explicit Judged(std::string result, std::string metrics = "")
      : result_(std::move(result)), metrics_(std::move(metrics)) {
    if (!result_.empty()) {
      task_ = R"({"result":)" + result_ + "}";
      document.task = json::RawFromText(task_);
    }
    if (!metrics_.empty()) {
      last.Take(testing::ScriptedWalk::ToTurn({.metrics = metrics_}, 4));
    }
  }
  Outcome Derive() { return DeriveOutcome(document, last, arena); }
  std::string Status() { return std::string(Derive().status); }

  Document document;
  LastResponse last;
  SidecarOutcome sidecar;
  Arena arena;

 private:
  std::string result_, metrics_, task_;
};

TEST(Outcome, TheFirstRuleThatHoldsGivesTheStatus_ADD05) {
  EXPECT_EQ(Judged(R"({"correct":true,"status":"timeout"})").Status(), "succeeded");
  EXPECT_EQ(Judged(R"({"correct":false,"status":"RUN_ERROR"})").Status(), "errored");
  EXPECT_EQ(Judged(R"({"status":"completed","error":"boom"})").Status(), "errored");
  EXPECT_EQ(Judged(R"({"status":"Max_Turns"})").Status(), "truncated");
  EXPECT_EQ(Judged(R"({"correct":false,"status":"x"})", R"({"is_truncated":true})").Status(),
            "truncated");
  EXPECT_EQ(Judged(R"({"correct":false,"status":"cancelled"})").Status(), "incomplete");
  EXPECT_EQ(Judged(R"({"correct":false,"status":"completed"})").Status(), "failed");
  EXPECT_EQ(Judged(R"({"status":"completed","error":"","score":1})").Status(), "unknown");
  EXPECT_EQ(Judged("").Status(), "unknown");
}

TEST(Outcome, SuccessIsNeverDerivedFromStatusOrScore_D11) {
  const Outcome outcome = Judged(R"({"status":"error","score":0,"correct":"yes"})").Derive();
  EXPECT_EQ(outcome.success, std::nullopt);
  EXPECT_EQ(outcome.score, 0.0);
}

TEST(Outcome, SourceNamesTheMemberThatDecided_D11) {
  Judged correct(R"({"correct":false,"status":"failed"})");
  correct.document.outcome_pointer = "/attempts/1/correct";
  EXPECT_EQ(correct.Derive().outcome_source, "/attempts/1/correct");
  Judged status(R"({"status":"timeout"})");
  status.document.outcome_pointer = "/attempts/1/correct";
  EXPECT_EQ(status.Derive().outcome_source, "/attempts/1/status");
  EXPECT_EQ(Judged(R"({"error":"x"})").Derive().outcome_source, "/task/result/error");
  EXPECT_EQ(Judged("", R"({"is_truncated":true})").Derive().outcome_source,
            "/steps/4/metrics/is_truncated");
  EXPECT_EQ(Judged(R"({"score":1})").Derive().outcome_source, std::nullopt);
}

TEST(Outcome, TerminationReasonIsTheStatusElseWhatTheLastResponseSays) {
  EXPECT_EQ(
      Judged(R"({"status":"Done"})", R"({"finish_reason":"stop"})").Derive().termination_reason,
      "Done");
  EXPECT_EQ(Judged("", R"({"stop_reason":"s","finish_reason":"f","truncate_reason":""})")
                .Derive()
                .termination_reason,
            "f");
  EXPECT_EQ(Judged("", "{}").Derive().termination_reason, std::nullopt);
}

TEST(Outcome, ErrorMessageIsTheErrorAsText) {
  EXPECT_EQ(Judged(R"({"error":"a\nb"})").Derive().error_message, "a\nb");
  EXPECT_EQ(Judged(R"({"error":{"code": 3}})").Derive().error_message, R"({"code":3})");
}

TEST(Outcome, AnExceptionWithoutRewardIsErrored_HAR05) {
  Judged judged("");
  judged.sidecar.has_exception = true;
  judged.sidecar.error_kind = "TimeoutError";
  judged.document.sidecar = &judged.sidecar;
  const Outcome outcome = judged.Derive();
  EXPECT_EQ(outcome.status, "errored");
  EXPECT_EQ(outcome.outcome_source, "result.json:/exception_info");
  EXPECT_EQ(outcome.error_kind, "TimeoutError");
  EXPECT_EQ(outcome.success, std::nullopt);
}

TEST(Outcome, WithARewardTheRewardDecidesAndTheExceptionStaysVisible_HAR05) {
  Judged judged("");
  judged.sidecar.success = true;
  judged.sidecar.score = 1.0;
  judged.sidecar.has_exception = judged.sidecar.has_reward = true;
  judged.sidecar.outcome_source = "result.json:/verifier_result/rewards/reward";
  judged.sidecar.error_message = "late";
  judged.document.sidecar = &judged.sidecar;
  Outcome outcome = judged.Derive();
  EXPECT_EQ(outcome.status, "succeeded");
  EXPECT_EQ(outcome.score, 1.0);
  EXPECT_EQ(outcome.outcome_source, "result.json:/verifier_result/rewards/reward");
  EXPECT_EQ(outcome.error_message, "late");
  judged.sidecar.success = false;
  EXPECT_EQ(judged.Status(), "failed");
  judged.sidecar.success.reset();
  EXPECT_EQ(judged.Status(), "unknown");
}

TEST(Outcome, TheLastAgentTurnIsTheLastResponse) {
  LastResponse last;
  last.Take(testing::ScriptedWalk::ToTurn(
      {.metrics = R"({"finish_reason":"length","is_truncated":true})"}, 0));
  last.Take(
      testing::ScriptedWalk::ToTurn({.source = "user", .metrics = R"({"finish_reason":"no"})"}, 1));
  EXPECT_EQ(last.reason(), "length");
  EXPECT_TRUE(last.is_truncated());
  last.Take(testing::ScriptedWalk::ToTurn({.source = "agent"}, 2));
  EXPECT_EQ(last.reason(), "");
  EXPECT_FALSE(last.is_truncated());
}

}  // namespace
}  // namespace pchronicle::model
