#include "pchronicle/app/query_spool.h"

#include <gtest/gtest.h>

namespace pchronicle::app {
namespace {

std::string AllOf(const Spool& spool) {
  std::string text;
  EXPECT_TRUE(spool
                  .ForEach([&](std::string_view piece) {
                    text += piece;
                    return Status::Ok();
                  })
                  .ok());
  return text;
}

TEST(Spool, SmallResultsStayInMemory) {
  Spool spool(100);
  ASSERT_TRUE(spool.Append("abc").ok());
  EXPECT_FALSE(spool.in_file());
  EXPECT_EQ(AllOf(spool), "abc");
  EXPECT_EQ(spool.size(), 3u);
}

TEST(Spool, LargeResultsGoToAFileAndComeBackInOrder_D22) {
  Spool spool(1000);
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    const std::string piece = std::to_string(i) + ",";
    ASSERT_TRUE(spool.Append(piece).ok());
    expected += piece;
  }
  EXPECT_TRUE(spool.in_file());
  EXPECT_EQ(spool.size(), expected.size());
  EXPECT_EQ(AllOf(spool), expected);
  EXPECT_EQ(AllOf(spool), expected);
  Spool moved = std::move(spool);
  EXPECT_EQ(AllOf(moved), expected);
  moved.Clear();
  EXPECT_EQ(moved.size(), 0u);
  ASSERT_TRUE(moved.Append("x").ok());
  EXPECT_EQ(AllOf(moved), "x");
}

TEST(Spool, StopsAtTheFirstErrorOfTheSink) {
  Spool spool(10);
  ASSERT_TRUE(spool.Append(std::string(5 << 20, 'x')).ok());
  int calls = 0;
  const Status status = spool.ForEach([&](std::string_view) {
    ++calls;
    return Status::Io("closed");
  });
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(calls, 1);
}

TEST(Spool, ACancelledReaderGetsNoMorePieces_D22) {
  for (const uint64_t in_memory : {uint64_t{0}, uint64_t{64} << 20}) {
    Spool spool(in_memory);
    ASSERT_TRUE(spool.Append(std::string(5 << 20, 'x')).ok());
    Context context;
    int pieces = 0;
    const Status status = spool.ForEach(
        [&](std::string_view piece) {
          EXPECT_LE(piece.size(), size_t{1} << 20);
          if (++pieces == 2) {
            context.Cancel();
          }
          return Status::Ok();
        },
        &context);
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
    EXPECT_EQ(pieces, 2);
  }
}

}  // namespace
}  // namespace pchronicle::app
