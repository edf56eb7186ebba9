#include "pchronicle/base/status.h"

#include <gtest/gtest.h>

#include "pchronicle/base/result.h"

namespace pchronicle {
namespace {

TEST(Status, OkHasNoCodeAndNoMessage) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::kOk);
  EXPECT_EQ(status.ToString(), "ok");
  EXPECT_TRUE(status.WithContext("open").ok());
}

TEST(Status, ContextStandsBeforeTheCause) {
  const Status status =
      Status::Corruption("byte {}", 7).WithContext("read x").WithContext("open y");
  EXPECT_EQ(status.ToString(), "corruption: open y: read x: byte 7");
}

TEST(Status, CopiesAreIndependent) {
  Status first = Status::NotFound("a");
  Status second = first;
  first = Status::Ok();
  EXPECT_EQ(second.message(), "a");
  second = second.WithContext("b");
  EXPECT_EQ(second.message(), "b: a");
}

Result<int> Half(int value) {
  if (value % 2 != 0) {
    return Status::InvalidArgument("{} is odd", value);
  }
  return value / 2;
}

Result<int> Quarter(int value) {
  PCHRONICLE_ASSIGN_OR_RETURN(const int half, Half(value));
  return Half(half);
}

TEST(Result, MacroPassesValuesAndErrorsOn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().message(), "3 is odd");
  EXPECT_EQ(Quarter(5).status().message(), "5 is odd");
}

TEST(ResultDeathTest, ValueOfAFailureAborts) {
  const Result<int> result = Half(1);
  EXPECT_DEATH((void)result.value(), "broken invariant");
}

}  // namespace
}  // namespace pchronicle
