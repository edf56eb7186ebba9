#include <gtest/gtest.h>

#include <string>

#include "tests/golden/golden_case.h"
#include "tests/golden/golden_run.h"

namespace pchronicle::golden {
namespace {

void Check(const Case& golden) {
  const Outcome outcome = RunCase(golden);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << golden.id << " " << golden.title << "\n"
                                                  << outcome.why;
}

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.id; }

class OwnCases : public testing::TestWithParam<Case> {};
TEST_P(OwnCases, Holds) { Check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(
    Golden, OwnCases,
    testing::ValuesIn(LoadCases(PCHRONICLE_SOURCE_DIR "/tests/golden/cases.jsonl", "{\"id\":")),
    NameOf);

class SharedCases : public testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedCases);
TEST_P(SharedCases, Holds) { Check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Golden, SharedCases,
                         testing::ValuesIn(LoadCases(SharedFolder() + "/specs/formats.md",
                                                     "{\"id\":\"G")),
                         NameOf);

TEST(Golden, OwnCasesAreThere) {
  EXPECT_GE(LoadCases(PCHRONICLE_SOURCE_DIR "/tests/golden/cases.jsonl", "{\"id\":").size(), 100u);
}

TEST(Golden, SharedCasesAreThere) {
  if (SharedFolder().empty()) {
    GTEST_SKIP() << "no shared folder (PCHRONICLE_SHARED): only our own cases ran";
  }
  EXPECT_EQ(LoadCases(SharedFolder() + "/specs/formats.md", "{\"id\":\"G").size(), 108u);
}

}  // namespace
}  // namespace pchronicle::golden
