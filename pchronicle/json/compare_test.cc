#include "pchronicle/json/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace pchronicle::json {
namespace {

TEST(CompareNumbers, OrdersByExactValue_FND07) {
  const std::vector<std::vector<std::string>> ascending = {
      {"-1e99999999999999999999"},
      {"-1e400"},
      {"-18446744073709551617"},
      {"-2", "-2.0", "-20e-1"},
      {"-1.5"},
      {"-1e-400"},
      {"0", "-0", "0.000", "0e99999999999999999999"},
      {"1e-99999999999999999999"},
      {"1e-400"},
      {"0.1", "1e-1", "0.10"},
      {"0.11"},
      {"9", "9.0"},
      {"10", "1E1"},
      {"18446744073709551616"},
      {"18446744073709551617"},
      {"1e400"},
      {"1.01e400"},
      {"1e99999999999999999999"},
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      for (const std::string& a : ascending[i]) {
        for (const std::string& b : ascending[j]) {
          EXPECT_EQ(CompareNumbers(a, b), i <=> j) << a << " " << b;
        }
      }
    }
  }
}

TEST(CompareNumbers, SaysWhenItCannotTell) {
  EXPECT_EQ(CompareNumbers("1e99999999999999999999", "2e99999999999999999999"),
            std::partial_ordering::unordered);
}

TEST(CompareNumbers, AgreesWithIntegers_FND07) {
  EXPECT_TRUE(rc::check([](int64_t a, int64_t b) {
    RC_ASSERT(CompareNumbers(std::to_string(a), std::to_string(b)) == (a <=> b));
  }));
}

}  // namespace
}  // namespace pchronicle::json
