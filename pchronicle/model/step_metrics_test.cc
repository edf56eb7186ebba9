#include "pchronicle/model/step_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace pchronicle::model {
namespace {

using ::testing::ElementsAre;

StepMetrics Read(std::string_view text, uint32_t wanted = kAllMetrics) {
  StepMetrics metrics;
  ReadStepMetrics(json::RawFromText(text), wanted, &metrics);
  return metrics;
}

std::vector<std::string> Bad(const StepMetrics& metrics) {
  std::vector<std::string> bad;
  for (const BadMetric& metric : metrics.bad) {
    bad.push_back(std::string(metric.pointer) + "=" + std::string(metric.value.text));
  }
  return bad;
}

TEST(StepMetrics, ReadsExactTypesOnly_BR05) {
  const StepMetrics metrics = Read(
      R"({"prompt_tokens":"12","completion_tokens":-1,"cached_tokens":3.0,"cost_usd":1e400,"reward":"good"})");
  EXPECT_EQ(metrics.prompt_tokens, std::nullopt);
  EXPECT_EQ(metrics.completion_tokens, std::nullopt);
  EXPECT_EQ(metrics.cached_tokens, std::nullopt);
  EXPECT_EQ(metrics.cost_usd, std::nullopt);
  EXPECT_EQ(metrics.reward, std::nullopt);
  EXPECT_THAT(Bad(metrics),
              ElementsAre(R"(/prompt_tokens="12")", "/completion_tokens=-1", "/cached_tokens=3.0",
                          "/cost_usd=1e400", R"(/reward="good")"));
}

TEST(StepMetrics, MetricsOfAnotherTypeAreOneBadValue_BR05) {
  EXPECT_THAT(Bad(Read(R"("abc")")), ElementsAre(R"(="abc")"));
  EXPECT_THAT(Bad(Read("null")), ElementsAre());
}

TEST(StepMetrics, NullIsAbsentAndTheLastOfRepeatedKeysCounts) {
  const StepMetrics metrics =
      Read(R"({"prompt_tokens":1,"prompt_tok\u0065ns":2,"completion_tokens":null})");
  EXPECT_EQ(metrics.prompt_tokens, 2);
  EXPECT_EQ(metrics.completion_tokens, std::nullopt);
  EXPECT_TRUE(metrics.bad.empty());
}

TEST(StepMetrics, LengthsAreReadWhereTheCountsAreAbsent) {
  EXPECT_EQ(Read(R"({"prompt_tokens_len":5,"completion_tokens_len":7})").completion_tokens, 7);
  EXPECT_EQ(Read(R"({"prompt_tokens_len":5,"prompt_tokens":4})").prompt_tokens, 4);
}

TEST(StepMetrics, TheFirstNumberOfThreePlacesIsTheReward) {
  EXPECT_EQ(Read(R"({"extra":{"reward":3},"step_reward":2,"reward":1})").reward, 1.0);
  EXPECT_EQ(Read(R"({"extra":{"reward":3},"step_reward":2.5})").reward, 2.5);
  EXPECT_EQ(Read(R"({"extra":{"reward":-3}})").reward, -3.0);
  EXPECT_EQ(Read(R"({"reward":null,"extra":"x"})").reward, std::nullopt);
}

TEST(StepMetrics, NothingIsReadThatNobodyWants) {
  const StepMetrics metrics = Read(R"({"prompt_tokens":"x","cost_usd":2})", kCostUsd);
  EXPECT_EQ(metrics.cost_usd, 2.0);
  EXPECT_TRUE(metrics.bad.empty());
}

bool IdsOf(std::string_view text, columnar::Column& column) {
  return AppendTokenIds(json::RawFromText(text), column);
}

TEST(StepMetrics, ALaneIsWholeOrNullNeverShorter) {
  columnar::Column column(columnar::Type::kBigintList);
  EXPECT_TRUE(IdsOf("[1, 2,\n3]", column));
  EXPECT_TRUE(IdsOf("[]", column));
  for (const char* bad : {"[1,2.0]", "[1,null]", "[1,-2]", "[1,\"2\"]", "[9223372036854775808]",
                          "[[1]]", "{}", "\"x\"", "[1,99999999999999999999]", "[1e3]"}) {
    EXPECT_FALSE(IdsOf(bad, column)) << bad;
  }
  EXPECT_TRUE(IdsOf("[9223372036854775807]", column));
  EXPECT_EQ(column.size(), 13u);
  EXPECT_FALSE(column.is_null(1));
  EXPECT_TRUE(column.is_null(2));
  EXPECT_THAT(column.element().ints(), ElementsAre(1, 2, 3, INT64_MAX));
}

TEST(StepMetrics, LogprobsAreNumbersNullsOrObjectsWithTheNumber) {
  columnar::Column column(columnar::Type::kDoubleList);
  const auto append = [&column](std::string_view text) {
    return AppendLogprobs(json::RawFromText(text), column);
  };
  EXPECT_TRUE(
      append(R"([-0.5,null,{"token":"a","logprob":-1e-3},{"logprob":null},-Infinity,1e-400])"));
  EXPECT_FALSE(append(R"([-0.5,{"token":"a"}])"));
  EXPECT_FALSE(append("[-0.5,1e999]"));
  EXPECT_FALSE(append(R"({"content":[]})"));
  const columnar::Column& elements = column.element();
  ASSERT_EQ(elements.size(), 6u);
  EXPECT_EQ(elements.doubles()[0], -0.5);
  EXPECT_TRUE(elements.is_null(1));
  EXPECT_EQ(elements.doubles()[2], -1e-3);
  EXPECT_TRUE(elements.is_null(3));
  EXPECT_TRUE(elements.is_null(4));
  EXPECT_EQ(elements.doubles()[5], 0.0);
}

RC_GTEST_PROP(StepMetrics, TokenIdsComeBackAsWritten, (const std::vector<uint32_t>& ids)) {
  std::string text = "[";
  for (const uint32_t id : ids) {
    text += (text.size() > 1 ? ", " : " ") + std::to_string(id);
  }
  columnar::Column column(columnar::Type::kBigintList);
  RC_ASSERT(IdsOf(text + " ]", column));
  RC_ASSERT(column.element().ints() == std::vector<int64_t>(ids.begin(), ids.end()));
}

TEST(StepMetrics, TotalsAddWhatIsThereAndSaturate) {
  Totals sum{.prompt_tokens = INT64_MAX - 1,
             .completion_tokens = {},
             .cached_tokens = {},
             .cost_usd = 0.5};
  sum.Add({.prompt_tokens = 5, .completion_tokens = 7, .cached_tokens = {}, .cost_usd = 0.25});
  EXPECT_EQ(sum.prompt_tokens, INT64_MAX);
  EXPECT_EQ(sum.completion_tokens, 7);
  EXPECT_EQ(sum.cached_tokens, std::nullopt);
  EXPECT_EQ(sum.cost_usd, 0.75);
}

TEST(StepMetrics, OnlyTheTotalKeysOfFinalMetricsAreTotals) {
  std::vector<BadMetric> bad;
  const Totals totals = ReadReportedTotals(
      json::RawFromText(
          R"({"total_prompt_tokens":9,"prompt_tokens":1,"total_cost_usd":"x","total_steps":4})"),
      &bad);
  EXPECT_EQ(
      totals,
      (Totals{.prompt_tokens = 9, .completion_tokens = {}, .cached_tokens = {}, .cost_usd = {}}));
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].pointer, "/total_cost_usd");
}

}  // namespace
}  // namespace pchronicle::model
