#include "pchronicle/model/first_problems.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pchronicle::model {
namespace {

Problem At(uint64_t offset) {
  Problem problem;
  problem.status = Status::InvalidArgument("bad");
  problem.offset = offset;
  return problem;
}

TEST(FirstProblems, KeepsTheSmallestOffsetsWhateverTheirOrderAndCountsTheRest) {
  FirstProblems problems;
  constexpr uint64_t kAll = 3 * FirstProblems::kMost + 7;
  for (uint64_t i = 0; i < kAll; ++i) {
    problems.Add(At(i * 1'000'003 % kAll));  // every offset once
  }
  ASSERT_EQ(problems.kept().size(), FirstProblems::kMost);
  EXPECT_EQ(problems.left_out(), kAll - FirstProblems::kMost);
  uint64_t largest = 0;
  for (const Problem& problem : problems.kept()) {
    largest = std::max(largest, problem.offset);
  }
  EXPECT_EQ(largest, FirstProblems::kMost - 1);
}

TEST(FirstProblems, AnErrorThatIsNoneOfTheDataIsNeverLeftOut) {
  FirstProblems problems;
  for (uint64_t i = 0; i < 2 * FirstProblems::kMost; ++i) {
    problems.Add(At(i));
  }
  Problem limit = At(1'000'000);
  limit.status = Status::ResourceExhausted("too large");
  problems.Add(limit);
  EXPECT_TRUE(std::any_of(problems.kept().begin(), problems.kept().end(), [](const Problem& p) {
    return p.status.code() == StatusCode::kResourceExhausted;
  }));
  EXPECT_EQ(problems.kept().size(), FirstProblems::kMost);
}

}  // namespace
}  // namespace pchronicle::model
