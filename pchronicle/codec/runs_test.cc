#include "pchronicle/codec/runs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace pchronicle::codec {
namespace {

TEST(Runs, ExpandToExactlyTheCount_LNCB4) {
  const std::vector<uint8_t> values = {1, 0, 2, 0, 3, 0}, lengths = {2, 1, 3};
  std::vector<uint16_t> out(6);
  auto* bytes = reinterpret_cast<uint8_t*>(out.data());
  EXPECT_TRUE(ExpandRuns(values, 2, lengths, 6, bytes));
  EXPECT_EQ(out, (std::vector<uint16_t>{1, 1, 2, 3, 3, 3}));
  EXPECT_FALSE(ExpandRuns(values, 2, lengths, 5, bytes));
  EXPECT_FALSE(ExpandRuns(values, 4, lengths, 6, bytes));  // too few values
  std::vector<uint16_t> longer(7);
  EXPECT_FALSE(ExpandRuns(values, 2, lengths, 7, reinterpret_cast<uint8_t*>(longer.data())));
  EXPECT_FALSE(ExpandRuns(values, 2, std::vector<uint8_t>{2, 0, 4}, 6, bytes));
  EXPECT_FALSE(ExpandRuns(values, 3, std::vector<uint8_t>{6}, 6, bytes));
}

TEST(Runs, ByteStreamsJoinToWhatWasSplit_LNCB4) {
  EXPECT_TRUE(rc::check([] {
    const auto width = *rc::gen::element<size_t>(2, 4, 8);
    const auto total = *rc::gen::inRange<size_t>(0, 3000);
    std::vector<uint8_t> values(total * width), streams(total * width);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint8_t>(i * 31 + i / 251);
    }
    SplitByteStreams(values.data(), total, width, streams.data());
    const auto from = *rc::gen::inRange<size_t>(0, total + 1);
    const auto count = *rc::gen::inRange<size_t>(0, total - from + 1);
    std::vector<uint8_t> out(count * width);
    JoinByteStreams(streams.data(), total, width, from, count, out.data());
    RC_ASSERT(std::equal(out.begin(), out.end(),
                         values.begin() + static_cast<std::ptrdiff_t>(from * width)));
  }));
}

}  // namespace
}  // namespace pchronicle::codec
