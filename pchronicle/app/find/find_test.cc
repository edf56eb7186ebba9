#include "pchronicle/app/find/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "pchronicle/app/find/expression_parser.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::app {
namespace {

using catalog::testing::Atif;
using catalog::testing::Child;
using catalog::testing::Reporting;
using catalog::testing::Take;
using catalog::testing::TempDataset;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One run that has something in every searched column.
constexpr std::string_view kRich =
    R"({"schema_version":"ATIF-v1.7","session_id":"rich","trajectory_id":"doc-1",
"agent":{"name":"a","version":"1","model_name":"north-7b","extra":{"tier":"gold","n":18446744073709551617}},
"final_metrics":{"total_prompt_tokens":300,"total_cost_usd":0.25},
"extra":{"team":"red","tags":["x","y"],"flag":null,"n":18446744073709551616},
"steps":[
{"step_id":1,"source":"system","message":"You are careful."},
{"step_id":2,"source":"user","message":"My REFUND is late, \"really\"\nlate.","timestamp":"2026-01-02T03:04:05Z"},
{"step_id":3,"source":"agent","message":[{"type":"text","text":"I check the refund"},{"type":"text","text":"ÜBER alles"}],
 "model_name":"south-70b","reasoning_content":"A timeout is likely.",
 "metrics":{"prompt_tokens":100,"cost_usd":0.125,"extra":{"cache":"warm"}},
 "tool_calls":[{"tool_call_id":"c1","function_name":"lookup","arguments":{"order":7}}],
 "observation":{"results":[{"source_call_id":"c1","content":"Order seven: Timeout \u00e9tage"}]},
 "extra":{"team":"blue","depth":{"list":[1,2,{"k":"v"}]}}},
{"step_id":4,"source":"agent","message":"Done.","metrics":{"prompt_tokens":200}}]})";

FindPlan Plan(std::vector<std::string> matches, FindOptions options = {}) {
  options.matches = std::move(matches);
  Result<FindPlan> plan = PlanFind(std::move(options));
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return std::move(plan).value();
}

std::string Refusal(FindOptions options) {
  const Result<FindPlan> plan = PlanFind(std::move(options));
  EXPECT_FALSE(plan.ok());
  return plan.ok() ? "" : plan.status().message();
}

// A snapshot with one scope, so that counters can be read.
class Searched {
 public:
  explicit Searched(const std::string& path, bool report = true)
      : snapshot_(Take(path, report ? Reporting() : catalog::SnapshotOptions())),
        scope_(*snapshot_, report, context_) {}

  FindOutcome Run(const FindPlan& plan) {
    Result<FindOutcome> outcome = RunFind(scope_, plan);
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? std::move(outcome).value() : FindOutcome();
  }
  Result<FindOutcome> Try(const FindPlan& plan) { return RunFind(scope_, plan); }
  catalog::ScanMetrics& metrics() { return scope_.metrics(); }

 private:
  Context context_;
  std::shared_ptr<const catalog::Snapshot> snapshot_;
  catalog::QueryScope scope_;
};

class FindTest : public ::testing::Test {
 protected:
  void SetUp() override { data_.Write("rich.json", kRich); }

  std::vector<FindMatch> Matches(const std::string& match) {
    return Searched(data_.path()).Run(Plan({match})).matches;
  }
  // Ids of the steps found, `run` for runs.
  std::vector<std::string> Found(const std::string& match) {
    std::vector<std::string> out;
    for (const FindMatch& found : Matches(match)) {
      out.push_back(found.step_id ? std::to_string(*found.step_id) : "run");
    }
    return out;
  }

  TempDataset data_;
};

TEST_F(FindTest, RepeatedMatchesMustAllHold_FND02) {
  const FindPlan plan = Plan({"refund OR done", "#agent(refund) OR #agent(done)"});
  EXPECT_EQ(
      CanonicalText(*plan.match),
      R"((#content("refund") OR #content("done")) AND (#assistant("refund") OR #assistant("done")))");
  EXPECT_EQ(Searched(data_.path()).Run(plan).matches.size(), 2U);
}

TEST_F(FindTest, FieldsLookAtTheirColumns_FND04) {
  EXPECT_THAT(Found("#message(refund)"), ElementsAre("2", "3"));
  EXPECT_THAT(Found("#user(refund)"), ElementsAre("2"));
  EXPECT_THAT(Found("#assistant(refund)"), ElementsAre("3"));
  EXPECT_THAT(Found("#agent(careful)"), IsEmpty());
  EXPECT_THAT(Found("#system(careful)"), ElementsAre("1"));
  EXPECT_THAT(Found("#system(refund)"), IsEmpty());
  EXPECT_THAT(Found("#reasoning(TIMEOUT)"), ElementsAre("3"));
  EXPECT_THAT(Found("#observation(timeout)"), ElementsAre("3"));
  EXPECT_THAT(Found("#observation('étage')"), ElementsAre("3"));
  EXPECT_THAT(Found("#model(70B)"), ElementsAre("3"));
  EXPECT_THAT(Found("#prompt(refund)"), ElementsAre("2", "3"));
  EXPECT_THAT(Found("#all(timeout)"), ElementsAre("3"));
  EXPECT_THAT(Found("#all(south)"), ElementsAre("3"));
}

TEST_F(FindTest, PromptAndEnvAreSearched_FND04) {
  data_.Write("task.storyline.json",
              R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[)"
              R"({"id":0,"src":"user","msg":"hi","prompt":{"system":"Obey the MANUAL","user":"q"},)"
              R"("env":{"name":"sandbox-9","state":{"cwd":"/srv/app"}}}]})");
  EXPECT_THAT(Found("#prompt(manual)"), ElementsAre("0"));
  EXPECT_THAT(Found("#env('SANDBOX-9')"), ElementsAre("0"));
  EXPECT_THAT(Found("#env('/srv/APP')"), ElementsAre("0"));
  EXPECT_THAT(Found("#env(cwd)"), IsEmpty()) << "names of members are no text";
  EXPECT_THAT(Found("#all(manual) AND #all(sandbox)"), ElementsAre("0"));
}

TEST_F(FindTest, PlainTextLooksAtMessagesOnly_FND05) {
  EXPECT_THAT(Found("timeout"), IsEmpty());
  EXPECT_THAT(Found("#content(timeout)"), IsEmpty());
  EXPECT_THAT(Found("refund"), ElementsAre("2", "3"));
}

TEST_F(FindTest, MessagesAreSearchedAsPeopleReadThem_FND05) {
  EXPECT_THAT(Found(R"("\"really\"\nlate")"), ElementsAre("2"));
  EXPECT_THAT(Found("über ALLES"), ElementsAre("3"));
  EXPECT_THAT(Found(R"("refund\n\nÜber")"), ElementsAre("3")) << "parts are joined by a blank line";
  EXPECT_THAT(Found("type"), IsEmpty()) << "the envelope is no text";
  EXPECT_THAT(Found("nlate"), IsEmpty()) << "\\n is no letter";
}

TEST_F(FindTest, MessagesWithoutTextHaveTheirValues_FND05) {
  data_.Write(
      "odd.json",
      R"({"schema_version":"ATIF-v1.4","session_id":"odd","agent":{"name":"a","version":"1"},"steps":[)"
      R"({"step_id":9,"source":"user","message":[{"type":"image","source":{"type":"url","path":"Pic.PNG"}}]}]})");
  EXPECT_THAT(Found("pic.png"), ElementsAre("9"));
  EXPECT_THAT(Found("image"), IsEmpty());
}

TEST_F(FindTest, JsonOperatorsCompareExactly_FND07) {
  EXPECT_THAT(Found("$.total_prompt_tokens >= 300"), ElementsAre("run"));
  EXPECT_THAT(Found("$.total_prompt_tokens > 300"), IsEmpty());
  EXPECT_THAT(Found("$.total_prompt_tokens = 3e2"), ElementsAre("run"));
  EXPECT_THAT(Found("#json.extra($.n) = 18446744073709551616"), ElementsAre("run"));
  EXPECT_THAT(Found("#json.extra($.n) = 18446744073709551617"), IsEmpty());
  EXPECT_THAT(Found("#json.agent_extra($.n) > 18446744073709551616"), ElementsAre("run"));
  EXPECT_THAT(Found("$.team = red"), ElementsAre("run"));
  EXPECT_THAT(Found("$.team != red"), IsEmpty());
  EXPECT_THAT(Found("$.team != blue"), ElementsAre("run"));
  EXPECT_THAT(Found("$.tags = [\"x\", \"y\"]"), ElementsAre("run"));
  EXPECT_THAT(Found("$.tags[1] = y"), ElementsAre("run"));
  EXPECT_THAT(Found("$.nothing != x"), IsEmpty()) << "there is no value to compare";
  EXPECT_THAT(Found("NOT $.nothing = x"), ElementsAre("run"));
  EXPECT_THAT(Found("$.team > 1"), IsEmpty()) << "a text has no order";
  EXPECT_THAT(Found("$.tier = gold AND NOT $.tier = silver"), ElementsAre("run"));
}

TEST_F(FindTest, UnqualifiedPathsLookAtTheColumnsOfTheScope_FND10) {
  EXPECT_THAT(Found("$.tier = gold"), ElementsAre("run"));
  EXPECT_THAT(Found("$.team = blue"), IsEmpty()) << "runs: the step's extra is not searched";
  EXPECT_THAT(Found("$.team = blue AND refund"), ElementsAre("3"));
  EXPECT_THAT(Found("$.team = red AND refund"), IsEmpty()) << "steps: nor the run's";
  EXPECT_THAT(Found("#json.metrics($.cost_usd) = 0.1250"), ElementsAre("3"));
  EXPECT_THAT(Found("$.prompt_tokens >= 100 AND #all(o)"), ElementsAre("3", "4"));
}

TEST_F(FindTest, ColumnsOfTheOtherScopeAreRefused_FND10) {
  EXPECT_THAT(Refusal({.matches = {"refund AND #json.agent_extra($.tier) = gold"}}),
              HasSubstr("character 12: 'agent_extra' is a column of runs"));
  EXPECT_THAT(Refusal({.matches = {"#json.meta($.a) = 1", "refund"}}),
              HasSubstr("--match '#json.meta($.a) = 1': character 1: 'meta'"));
  EXPECT_THAT(Refusal({.matches = {"#json.mesage($.a) = 1"}}),
              HasSubstr("'mesage' is no JSON column to search; runs have agent_extra"));
}

TEST_F(FindTest, ScopeAndModeFollowFromTheConditions_FND11) {
  const auto names = [](const FindPlan& plan) {
    return plan.mode + (plan.scope == FindScope::kRuns ? " runs" : " steps");
  };
  EXPECT_EQ(names(Plan({"a"})), "scan steps");
  EXPECT_EQ(names(Plan({"$.a = 1"})), "json runs");
  EXPECT_EQ(names(Plan({"#json.extra($.a) = 1"})), "json runs");
  EXPECT_EQ(names(Plan({"#json.metrics($.a) = 1"})), "json steps");
  EXPECT_EQ(names(Plan({"a AND $.a = 1"})), "scan+json steps");
  EXPECT_EQ(names(Plan({"a", "$.a = 1"})), "scan+json steps");
  EXPECT_EQ(names(Plan({}, {.document_id = "d"})), "identity runs");
  EXPECT_EQ(names(Plan({}, {.session_id = "s", .step_id = 1})), "identity steps");
  EXPECT_EQ(names(Plan({"$.a = 1"}, {.session_id = "s", .step_id = 1})), "json steps");
}

TEST_F(FindTest, NotIsTheComplementInsideTheScope_FND12) {
  EXPECT_THAT(Found("NOT refund"), ElementsAre("1", "4"));
  EXPECT_THAT(Found("NOT #user(refund)"), ElementsAre("1", "3", "4"));
  EXPECT_THAT(Found("NOT (refund AND #model(south))"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(Found("NOT $.team = red"), IsEmpty());
  EXPECT_THAT(Found("NOT #reasoning(x)"), ElementsAre("1", "2", "3", "4"))
      << "also of no reasoning";
}

TEST_F(FindTest, MatchesSayWhereTheyStand_FND14) {
  const FindMatch step = Matches("#user(refund)").front();
  EXPECT_EQ(step.source_path, "rich.json");
  EXPECT_EQ(step.document_id, "doc-1");
  EXPECT_EQ(step.session_id, "rich");
  EXPECT_EQ(step.run_id, std::nullopt);
  EXPECT_EQ(step.step_source, "user");
  EXPECT_EQ(step.effective_kind, "dialogue");
  EXPECT_EQ(step.timestamp_ns, 1'767'323'045'000'000'000);
  EXPECT_EQ(step.preview, "My REFUND is late, \"really\"\nlate.");
  const FindMatch run = Matches("$.tier = gold").front();
  EXPECT_EQ(run.step_id, std::nullopt);
  EXPECT_EQ(run.step_source, std::nullopt);
  EXPECT_EQ(run.preview, "My REFUND is late, \"really\"\nlate.") << "its task";
}

TEST_F(FindTest, PreviewsHave320Characters_FND14) {
  std::string long_text;
  for (int i = 0; i < 500; ++i) {
    long_text += "é";
  }
  data_.Write(
      "long.json",
      R"({"schema_version":"ATIF-v1.4","session_id":"l","agent":{"name":"a","version":"1"},"steps":[)"
      R"({"step_id":1,"source":"user","message":")" +
          long_text + R"("}]})");
  EXPECT_EQ(Matches("éé").front().preview->size(), 640U);
}

TEST_F(FindTest, RefusesOptionsThatMakeNoSense_FND17) {
  EXPECT_THAT(Refusal({}), HasSubstr("nothing to look for"));
  EXPECT_THAT(Refusal({.document_id = "a", .session_id = "b"}), HasSubstr("exclude each other"));
  EXPECT_THAT(Refusal({.document_id = "a", .step_id = 1}),
              HasSubstr("--step-id needs --session-id"));
  EXPECT_THAT(Refusal({.run_id = ""}), HasSubstr("--run-id takes 1 to 4096 bytes"));
  EXPECT_THAT(Refusal({.run_id = std::string(4097, 'a')}), HasSubstr("1 to 4096 bytes"));
  EXPECT_THAT(Refusal({.run_id = "\xff"}), HasSubstr("UTF-8"));
  EXPECT_THAT(Refusal({.matches = {"a"}, .max_results = 0}), HasSubstr("--max-results"));
  for (const char* source : {"/a", "a/../b", "..", "file://a", "s3://b/c", " a", "a "}) {
    EXPECT_THAT(Refusal({.source = source, .matches = {"a"}}), HasSubstr("relative to the Dataset"))
        << source;
  }
  EXPECT_THAT(Refusal({.source = std::string("a\0b", 3), .matches = {"a"}}), HasSubstr("NUL"));
  EXPECT_TRUE(PlanFind({.source = "a/..b/c:d.json", .matches = {"a"}}).ok());
  EXPECT_THAT(Refusal({.matches = {std::string(4097, 'a')}}),
              HasSubstr("4097 bytes are more than max_match_bytes 4096"));
  EXPECT_TRUE(PlanFind({.matches = {std::string(4096, 'a')}}).ok());
  EXPECT_THAT(Refusal({.matches = std::vector<std::string>(65, "a")}), HasSubstr("max_matches 64"));
}

TEST_F(FindTest, IdentityOpensNothingElse_FND17) {
  data_.Write("other.json", Atif("rich", 3));
  data_.Write("third.json", Atif("third", 3));
  Searched searched(data_.path());
  const FindOutcome found = searched.Run(Plan({}, {.source = "other.json", .session_id = "rich"}));
  ASSERT_EQ(found.matches.size(), 1U);
  EXPECT_EQ(found.matches.front().source_path, "other.json");
  EXPECT_EQ(searched.metrics().sources_opened.load(), 1U);
}

TEST_F(FindTest, IdentityPrunesDocumentsAndSteps_FND11) {
  data_.Write("lines.jsonl", Atif("one", 50) + "\n" + Atif("two", 50) + "\n" + Atif("three", 50));
  Searched searched(data_.path());
  const FindOutcome found =
      searched.Run(Plan({}, {.source = "lines.jsonl", .session_id = "two", .step_id = 7}));
  ASSERT_EQ(found.matches.size(), 1U);
  EXPECT_EQ(found.matches.front().preview, "m7");
  EXPECT_EQ(searched.metrics().documents_pruned.load(), 2U);
  EXPECT_EQ(searched.metrics().rows_emitted.load(), 1U);
}

TEST_F(FindTest, FindsByEveryIdentity_FND11) {
  data_.Write("child.json", Child("c-9"));
  data_.Write(
      "run.storyline.json",
      R"({"schema_version":"storyline/v1","session":"s","run":"r-1","agent":{"id":"a"},"turns":[]})");
  const auto files = [&](FindOptions options) {
    std::vector<std::string> out;
    for (const FindMatch& match :
         Searched(data_.path()).Run(Plan({}, std::move(options))).matches) {
      out.push_back(match.source_path);
    }
    return out;
  };
  EXPECT_THAT(files({.document_id = "doc-1"}), ElementsAre("rich.json"));
  EXPECT_THAT(files({.session_id = "rich"}), ElementsAre("rich.json"));
  EXPECT_THAT(files({.document_id = "c-9"}), ElementsAre("child.json"));
  EXPECT_THAT(files({.run_id = "r-1"}), ElementsAre("run.storyline.json"));
  EXPECT_THAT(files({.run_id = "rich' OR 1=1 --"}), IsEmpty());
}

TEST_F(FindTest, AConditionOnASourceIsPushedDown_FND04) {
  Searched searched(data_.path());
  EXPECT_EQ(searched.Run(Plan({"#user(refund) AND NOT done"})).matches.size(), 1U);
  EXPECT_EQ(searched.metrics().rows_emitted.load(), 1U);
  EXPECT_EQ(searched.metrics().rows_scanned.load(), 4U);
}

TEST_F(FindTest, TellsAFullAnswerFromACutOne_FND16) {
  data_.Write("many.json", Atif("many", 10));
  const auto cut = [&](uint64_t max) {
    const FindOutcome outcome =
        Searched(data_.path()).Run(Plan({"m"}, {.source = "many.json", .max_results = max}));
    return std::pair(outcome.matches.size(), outcome.truncated);
  };
  EXPECT_EQ(cut(9), std::pair(size_t{9}, true));
  EXPECT_EQ(cut(10), std::pair(size_t{10}, false));
  EXPECT_EQ(cut(11), std::pair(size_t{10}, false));
  EXPECT_EQ(cut(UINT64_MAX), std::pair(size_t{10}, false));
}

TEST_F(FindTest, MatchesComeBySourceSessionAndStep_FND14) {
  data_.Write("b.jsonl", Atif("z", 2) + "\n" + Atif("y", 2));
  data_.Write("a/c.json", Atif("x", 1));
  std::vector<std::string> places;
  for (const FindMatch& match : Matches("m1 OR m2")) {
    places.push_back(fmt::format("{} {} {}", match.source_path, match.session_id, *match.step_id));
  }
  EXPECT_THAT(places, ElementsAre("a/c.json x 1", "b.jsonl y 1", "b.jsonl y 2", "b.jsonl z 1",
                                  "b.jsonl z 2"));
}

TEST_F(FindTest, ACutAnswerIsTheBeginningOfTheWhole_FND14) {
  for (int i = 0; i < 300; ++i) {
    data_.Write(fmt::format("d{}/f{:03}.json", i % 7, i), Atif(fmt::format("s{}", i), i % 5 + 1));
  }
  data_.Write("d3/lines.jsonl", Atif("q", 4) + "\n" + Atif("p", 4) + "\n" + Atif("q", 4));
  const std::vector<FindMatch> all =
      Searched(data_.path()).Run(Plan({"m2 OR m4"}, {.max_results = UINT64_MAX})).matches;
  ASSERT_GT(all.size(), 200U);
  const auto key = [](const FindMatch& m) {
    return fmt::format("{}|{}|{}|{}", m.source_path, m.session_id, m.document_id, m.turn_ordinal);
  };
  for (const uint64_t max : {1UL, 7UL, 100UL, 150UL, all.size() - 1}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const FindOutcome cut = Searched(data_.path()).Run(Plan({"m2 OR m4"}, {.max_results = max}));
      ASSERT_EQ(cut.matches.size(), max);
      EXPECT_TRUE(cut.truncated);
      for (size_t i = 0; i < max; ++i) {
        ASSERT_EQ(key(cut.matches[i]), key(all[i])) << max;
      }
    }
  }
}

TEST_F(FindTest, StopsWhenNothingLaterCanCount_FND14) {
  for (int i = 0; i < 3000; ++i) {
    data_.Write(fmt::format("f{:04}.json", i), Atif(fmt::format("s{}", i)));
  }
  Searched searched(data_.path());
  const FindOutcome found = searched.Run(Plan({"m1"}, {.max_results = 5}));
  EXPECT_EQ(found.matches.size(), 5U);
  EXPECT_TRUE(found.truncated);
  EXPECT_LT(searched.metrics().sources_opened.load(), 1500U);
}

TEST_F(FindTest, WhatComesBehindACutDoesNotCount_FND14) {
  for (int i = 0; i < 200; ++i) {
    data_.Write(fmt::format("f{:03}.json", i), Atif(fmt::format("s{}", i)));
  }
  data_.Write("e.json", R"({"schema_version":"ATIF-v1.4","session_id":"e","steps":[{"step_id":1,)");
  data_.Write("f100.json",
              R"({"schema_version":"ATIF-v1.4","session_id":"e","steps":[{"step_id":1,)");
  for (int repeat = 0; repeat < 5; ++repeat) {
    const FindOutcome few = Searched(data_.path()).Run(Plan({"m1"}, {.max_results = 50}));
    ASSERT_EQ(few.problems.size(), 1U);
    EXPECT_EQ(few.problems.front().file, "e.json");
    EXPECT_EQ(Searched(data_.path()).Run(Plan({"m1"}, {.max_results = 150})).problems.size(), 2U);
    // A strict search fails if and only if the error stands before the last match.
    EXPECT_TRUE(Searched(data_.path(), false).Try(Plan({"m1"}, {.source = "f000.json"})).ok());
    EXPECT_FALSE(Searched(data_.path(), false).Try(Plan({"m1"}, {.max_results = 50})).ok());
  }
  data_.Write("e.json", Atif("e"));
  for (int repeat = 0; repeat < 5; ++repeat) {
    EXPECT_TRUE(Searched(data_.path(), false).Try(Plan({"m1"}, {.max_results = 50})).ok());
    EXPECT_FALSE(Searched(data_.path(), false).Try(Plan({"m1"}, {.max_results = 150})).ok());
  }
}

TEST_F(FindTest, AnUnknownSourceIsNamed_FND17) {
  const Result<FindOutcome> outcome =
      Searched(data_.path()).Try(Plan({"m"}, {.source = "nope.json"}));
  EXPECT_EQ(outcome.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(outcome.status().message(), HasSubstr("'nope.json' is not in the Dataset"));
}

TEST_F(FindTest, EndsAtTheDeadlineAndWhenCancelled) {
  const auto snapshot = Take(data_.path());
  const Context late(std::chrono::steady_clock::now() - std::chrono::seconds(1));
  catalog::QueryScope late_scope(*snapshot, true, late);
  EXPECT_EQ(RunFind(late_scope, Plan({"refund"})).status().code(), StatusCode::kUnavailable);
  Context cancelled;
  cancelled.Cancel();
  catalog::QueryScope cancelled_scope(*snapshot, true, cancelled);
  EXPECT_EQ(RunFind(cancelled_scope, Plan({"refund"})).status().code(), StatusCode::kCancelled);
}

TEST_F(FindTest, HostileTextIsOnlyText_FND19) {
  for (const char* match :
       {"'; DROP TABLE steps; --", "\"%' OR '1'='1\"", "\"read_text('/etc/passwd')\""}) {
    const Result<FindPlan> plan = PlanFind({.matches = {match}});
    if (plan.ok()) {
      EXPECT_THAT(Searched(data_.path()).Run(*plan).matches, IsEmpty()) << match;
    }
  }
}

// The text of every step is known, so every expression over texts can be answered by hand.
TEST_F(FindTest, AgreesWithSetAlgebra_FND12) {
  data_.Write("many.json", Atif("many", 12));
  Searched searched(data_.path());
  const auto steps = [&](const FindExpression& expression) {
    std::set<int64_t> out;
    const std::string text = CanonicalText(expression);
    for (const FindMatch& match : searched.Run(Plan({text}, {.source = "many.json"})).matches) {
      out.insert(*match.step_id);
    }
    return out;
  };
  const auto leaf = [](int digit) {
    FindExpression node;
    node.text.text = std::to_string(digit);
    return node;
  };
  const auto by_hand = [](const auto& self, const FindExpression& node, int step) -> bool {
    switch (node.kind) {
      case FindExpression::Kind::kNot:
        return !self(self, node.children.front(), step);
      case FindExpression::Kind::kAnd:
        return std::all_of(node.children.begin(), node.children.end(),
                           [&](const auto& child) { return self(self, child, step); });
      case FindExpression::Kind::kOr:
        return std::any_of(node.children.begin(), node.children.end(),
                           [&](const auto& child) { return self(self, child, step); });
      default:
        return ("m" + std::to_string(step)).find(node.text.text) != std::string::npos;
    }
  };
  EXPECT_TRUE(rc::check([&] {
    const auto random = [&](const auto& self, int depth) -> FindExpression {
      const int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 4);
      if (kind == 0) {
        return leaf(*rc::gen::inRange(0, 4));
      }
      if (kind == 1) {
        return Not(self(self, depth - 1));
      }
      std::vector<FindExpression> children = {self(self, depth - 1), self(self, depth - 1)};
      return kind == 2 ? AllOf(std::move(children)) : AnyOf(std::move(children));
    };
    const FindExpression expression = random(random, 3);
    std::set<int64_t> expected;
    for (int step = 1; step <= 12; ++step) {
      if (by_hand(by_hand, expression, step)) {
        expected.insert(step);
      }
    }
    RC_ASSERT(steps(expression) == expected);
  }));
}

}  // namespace
}  // namespace pchronicle::app
