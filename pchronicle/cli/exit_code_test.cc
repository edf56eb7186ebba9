#include "pchronicle/cli/exit_code.h"

#include <gtest/gtest.h>

namespace pchronicle::cli {
namespace {

TEST(ExitCodes, FollowTheTable) {
  const std::pair<StatusCode, int> kTable[] = {{StatusCode::kOk, 0},
                                               {StatusCode::kInvalidArgument, 2},
                                               {StatusCode::kUnsupported, 2},
                                               {StatusCode::kCorruption, 2},
                                               {StatusCode::kPermissionDenied, 2},
                                               {StatusCode::kNotFound, 3},
                                               {StatusCode::kAlreadyExists, 4},
                                               {StatusCode::kConflict, 4},
                                               {StatusCode::kResourceExhausted, 5},
                                               {StatusCode::kUnavailable, 6},
                                               {StatusCode::kCancelled, 130},
                                               {StatusCode::kIo, 1},
                                               {StatusCode::kInternal, 1}};
  for (const auto& [code, exit] : kTable) {
    EXPECT_EQ(Classify(code).exit_code, exit) << StatusCodeName(code);
  }
  EXPECT_EQ(Classify(StatusCode::kUnsupported).name, "unsupported");
  EXPECT_EQ(Classify(StatusCode::kCorruption).name, "invalid_request");
}

TEST(ErrorLine, IsOneHarmlessLine_BR51) {
  EXPECT_EQ(ErrorLine("not_found", "a\nb\x1b[0m"), "error[not_found]: a\\u000ab\\u001b[0m");
}

}  // namespace
}  // namespace pchronicle::cli
