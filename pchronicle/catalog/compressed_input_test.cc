#include "pchronicle/catalog/compressed_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "pchronicle/catalog/parallel.h"
#include "pchronicle/json/compress_test_support.h"

namespace pchronicle::catalog {
namespace {

using json::testing_support::Gzip;
using json::testing_support::Zstd;

std::string Text(size_t bytes) {
  std::mt19937_64 random(11);
  std::string text;
  while (text.size() < bytes) {
    text += std::to_string(random()) + "\n";
  }
  return text;
}

std::unique_ptr<CompressedInput> Make(const std::string& compressed,
                                      CompressedInput::Options options) {
  const auto bytes = std::make_shared<json::MemoryInput>(compressed);
  return std::make_unique<CompressedInput>([bytes] { return bytes->Open(0, json::kToEnd); },
                                           json::CompressionOf(compressed), options);
}

std::string Read(json::ByteSource& source, size_t most = SIZE_MAX) {
  std::string text;
  std::string piece(10'000, '\0');
  while (text.size() < most) {
    const auto got =
        source.Read(std::span(piece).first(std::min(piece.size(), most - text.size())));
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    if (!got.ok() || *got == 0) {
      break;
    }
    text.append(piece, 0, *got);
  }
  return text;
}

TEST(CompressedInput, GivesAnyRangeOfTheText) {
  const std::string text = Text(3 << 20);
  for (const std::string& compressed : {Gzip(text, 1), Zstd(text)}) {
    CompressedInput::Options options;
    options.history_bytes = 256 << 10;
    const auto input = Make(compressed, options);
    std::mt19937 random(3);
    for (int i = 0; i < 30; ++i) {
      const uint64_t offset = random() % (text.size() + 1000);
      const uint64_t length = i % 3 == 0 ? json::kToEnd : random() % 500'000;
      auto source = input->Open(offset, length);
      ASSERT_TRUE(source.ok());
      EXPECT_EQ(Read(**source),
                offset > text.size() ? "" : text.substr(static_cast<size_t>(offset), length));
    }
    EXPECT_EQ(input->size(), std::nullopt);
    EXPECT_LT(input->counters().peak_bytes, 4U << 20);
  }
}

TEST(CompressedInput, DecodesOnceForASecondLookAtTheRecordAtHand) {
  const std::string text = Text(8 << 20);
  const auto input = Make(Gzip(text, 1), {});
  auto stream = input->Open(0);
  ASSERT_TRUE(stream.ok());
  for (uint64_t at = 0; at < text.size(); at += 100'000) {
    EXPECT_EQ(Read(**stream, 100'000), text.substr(at, 100'000));
    auto again = input->Open(at, 100'000);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(Read(**again), text.substr(at, 100'000));
  }
  EXPECT_EQ(input->counters().decoders, 1U);
  EXPECT_EQ(input->counters().decompressed_bytes, text.size());
}

TEST(CompressedInput, SkipsAheadWithTheDecoderOfAReaderThatLeft) {
  const std::string text = Text(8 << 20);
  const auto input = Make(Zstd(text), {});
  for (uint64_t at = 0; at < text.size(); at += 1'000'000) {
    auto source = input->Open(at, 1000);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(Read(**source), text.substr(at, 1000));
  }
  EXPECT_EQ(input->counters().decoders, 1U);
}

TEST(CompressedInput, SpoolsTheTextWhenGoingBackAddsUp) {
  const std::string text = Text(4 << 20);
  CompressedInput::Options options;
  options.history_bytes = 128 << 10;
  options.max_repeated_bytes = 10 << 20;
  const auto input = Make(Gzip(text, 1), options);
  for (int i = 0; i < 200; ++i) {
    const uint64_t at = text.size() - 1000 - static_cast<uint64_t>(i) * 20'000;
    auto source = input->Open(at, 500);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(Read(**source), text.substr(at, 500)) << i;
  }
  const CompressedInput::Counters counters = input->counters();
  EXPECT_GT(counters.spooled_bytes, text.size() - 400'000);
  EXPECT_LT(counters.decompressed_bytes, options.max_repeated_bytes + 3 * text.size());
  EXPECT_LT(counters.decoders, 6U);
}

TEST(CompressedInput, ReadersOfOneFileDisturbNobody) {
  const std::string text = Text(4 << 20);
  CompressedInput::Options options;
  options.history_bytes = 128 << 10;
  const auto input = Make(Gzip(text, 1), options);
  std::vector<std::string> got(4);
  ParallelFor(4, 4, [&](size_t i) {
    auto source = input->Open(i * 1'000'000);
    ASSERT_TRUE(source.ok());
    got[i] = Read(**source);
  });
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i] == text.substr(i * 1'000'000)) << i;
  }
}

TEST(CompressedInput, ApproachesInStepsSoThatACallerCanStop) {
  const std::string text = Text(2 << 20);
  const auto input = Make(Gzip(text, 1), {});
  auto source = input->Open(1'500'000, 10);
  ASSERT_TRUE(source.ok());
  int steps = 0;
  while (true) {
    const auto near = (*source)->Approach();
    ASSERT_TRUE(near.ok());
    if (*near) {
      break;
    }
    ++steps;
  }
  EXPECT_GT(steps, 10);
  EXPECT_EQ(Read(**source), text.substr(1'500'000, 10));
}

TEST(CompressedInput, TellsOfACutAndOfDamageBehindGoodText_BR11) {
  const std::string text = Text(1 << 20);
  const std::string compressed = Gzip(text, 1);
  CompressedInput::Options options;
  options.decompress.cut_is_end = true;
  const auto cut = Make(compressed.substr(0, compressed.size() / 2), options);
  EXPECT_FALSE(cut->truncated());
  auto source = cut->Open(0);
  const std::string half = Read(**source);
  EXPECT_EQ(half, text.substr(0, half.size()));
  EXPECT_TRUE(cut->truncated());

  std::string damaged = compressed;
  damaged.replace(damaged.size() - 8, 4, "xxxx");
  const auto input = Make(damaged, {});
  auto reader = input->Open(0);
  std::string piece(text.size(), '\0');
  size_t done = 0;
  Status status;
  while (status.ok()) {
    const auto got = (*reader)->Read(std::span(piece).subspan(done));
    status = got.status();
    done += got.ok() ? *got : 0;
    ASSERT_TRUE(!got.ok() || *got != 0 || done == text.size());
    if (done == text.size()) {
      std::string rest(10, '\0');
      status = (*reader)->Read(rest).status();
    }
  }
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_EQ(piece, text);
}

}  // namespace
}  // namespace pchronicle::catalog
