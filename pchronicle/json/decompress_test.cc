#include "pchronicle/json/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "pchronicle/json/compress_test_support.h"
#include "pchronicle/json/json_test_support.h"

namespace pchronicle::json {
namespace {

using ::testing::HasSubstr;
using testing_support::ChunkedSource;
using testing_support::Gzip;
using testing_support::SkippableFrame;
using testing_support::Zstd;

struct Reading {
  std::string text;
  Status status;
  bool truncated = false;
  uint64_t memory = 0;
};

/// Reads pieces of `piece` bytes from input that comes in steps of `step`.
Reading Decompress(const std::string& compressed, const DecompressOptions& options = {},
                   size_t piece = 4096, size_t step = SIZE_MAX) {
  const Compression kind = CompressionOf(compressed);
  EXPECT_NE(kind, Compression::kNone);
  const auto source =
      MakeDecompressor(std::make_unique<ChunkedSource>(compressed, step), kind, options);
  Reading reading;
  std::string buffer(piece, '\0');
  while (true) {
    const Result<size_t> got = source->Read(buffer);
    reading.memory = std::max(reading.memory, source->memory_bytes());
    if (!got.ok()) {
      reading.status = got.status();
      EXPECT_EQ(source->Read(buffer).status().message(), reading.status.message());
      break;
    }
    if (*got == 0) {
      EXPECT_EQ(*source->Read(buffer), 0U);
      break;
    }
    reading.text.append(buffer, 0, *got);
  }
  reading.truncated = source->truncated();
  return reading;
}

/// JSON Lines that do not compress to nothing.
std::string Lines(size_t bytes) {
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < bytes) {
    text += "{\"step\":" + std::to_string(random()) + ",\"message\":\"" +
            std::to_string(random() % 97) + " words\"}\n";
  }
  return text;
}

TEST(Decompress, TellsTheCompressionByMagicBytes_BR57) {
  EXPECT_EQ(CompressionOf(Gzip("{}")), Compression::kGzip);
  EXPECT_EQ(CompressionOf(Zstd("{}")), Compression::kZstd);
  EXPECT_EQ(CompressionOf(SkippableFrame("x")), Compression::kZstd);
  EXPECT_EQ(CompressionOf("{\"a\":1}"), Compression::kNone);
  EXPECT_EQ(CompressionOf(""), Compression::kNone);
  EXPECT_EQ(CompressionOf("\x1f\x8b"), Compression::kNone);
}

TEST(Decompress, TakesOnlyTheExtensionsOfJsonOff_DSC16) {
  EXPECT_EQ(NameInside("a/b.jsonl.gz"), "a/b.jsonl");
  EXPECT_EQ(NameInside("B.JSON.GZ"), "B.JSON");
  EXPECT_EQ(NameInside("b.ndjson.zst"), "b.ndjson");
  EXPECT_EQ(NameInside("c.tar.gz"), "c.tar.gz");
  EXPECT_EQ(NameInside("c.gz"), "c.gz");
  EXPECT_EQ(NameInside("c.json"), "c.json");
}

TEST(Decompress, GivesTheTextForEveryPieceAndStepSize) {
  const std::string text = Lines(300'000);
  for (const std::string& compressed : {Gzip(text), Zstd(text), Gzip(text, 0), Zstd(text, 19)}) {
    for (const auto& [piece, step] : std::vector<std::pair<size_t, size_t>>{
             {1 << 20, SIZE_MAX}, {4096, 4096}, {100, 7}, {64, 1}}) {
      const Reading reading = Decompress(compressed, {}, piece, step);
      EXPECT_TRUE(reading.status.ok()) << reading.status.ToString();
      EXPECT_EQ(reading.text, text);
      EXPECT_FALSE(reading.truncated);
    }
  }
}

TEST(Decompress, JoinsMembersAndFramesAndPassesSkippableOnes) {
  EXPECT_EQ(Decompress(Gzip("one\n") + Gzip("") + Gzip("two\n")).text, "one\ntwo\n");
  EXPECT_EQ(Decompress(Gzip("one\n") + std::string(5000, '\0')).text, "one\n");
  const std::string frames = SkippableFrame("") + Zstd("one\n") +
                             SkippableFrame(std::string(100'000, 'x')) + Zstd("") + Zstd("two\n");
  EXPECT_EQ(Decompress(frames).text, "one\ntwo\n");
  EXPECT_EQ(Decompress(frames, {}, 1, 1).text, "one\ntwo\n");
}

TEST(Decompress, ReadsMemberHeadersWithAllOptionalParts) {
  std::string member = Gzip("text");
  std::string header = member.substr(0, 10);
  header[3] = 0x1e;  // header checksum, extra, name, comment
  header += std::string("\x03\x00", 2) + "abc" + std::string("name.json\0", 10) +
            std::string("comment\0", 8) + "hc";
  const std::string whole = header + member.substr(10);
  EXPECT_EQ(Decompress(whole, {}, 64, 1).text, "text");
  header[3] = 0x20;
  EXPECT_THAT(Decompress(header + member.substr(10)).status.message(),
              HasSubstr("unknown header flags"));
}

TEST(Decompress, NamesBothOffsetsOfDamage) {
  const std::string text = Lines(400'000);
  for (std::string compressed : {Gzip(text), Zstd(text)}) {
    const size_t at = compressed.size() / 2;
    for (size_t i = 0; i < 40; ++i) {
      compressed[at + i] = static_cast<char>(~compressed[at + i]);
    }
    const Reading reading = Decompress(compressed);
    EXPECT_EQ(reading.status.code(), StatusCode::kCorruption);
    EXPECT_THAT(reading.status.message(), HasSubstr("damaged at compressed byte "));
    EXPECT_THAT(reading.status.message(), HasSubstr(", decompressed byte "));
    // Nothing before the damage is lost.
    EXPECT_EQ(text.compare(0, std::min<size_t>(reading.text.size(), 50'000), text, 0,
                           std::min<size_t>(reading.text.size(), 50'000)),
              0);
    EXPECT_GT(reading.text.size(), 100'000U);
  }
  std::string checksum = Gzip(text);
  checksum[checksum.size() - 8] = static_cast<char>(~checksum[checksum.size() - 8]);
  EXPECT_THAT(Decompress(checksum).status.message(), HasSubstr("the checksum does not match"));
  std::string length = Gzip(text);
  length[length.size() - 1] = static_cast<char>(~length[length.size() - 1]);
  EXPECT_THAT(Decompress(length).status.message(), HasSubstr("the length does not match"));
  EXPECT_THAT(Decompress(Gzip(text) + "rest").status.message(),
              HasSubstr("no gzip member begins here"));
  EXPECT_THAT(Decompress(Zstd(text) + "rest").status.message(),
              HasSubstr("no zstd frame begins here"));
}

TEST(Decompress, EndsAtACutOrNamesIt_BR11) {
  const std::string text = Lines(200'000);
  DecompressOptions lines;
  lines.cut_is_end = true;
  for (const std::string& compressed :
       {Gzip(text), Zstd(text), Gzip(text) + Gzip(text), SkippableFrame("abc") + Zstd(text)}) {
    const std::string whole = Decompress(compressed).text;
    for (size_t cut = 4; cut < compressed.size(); cut += 1 + compressed.size() / 61) {
      const Reading reading = Decompress(compressed.substr(0, cut), lines, 5000);
      EXPECT_TRUE(reading.status.ok()) << cut << reading.status.ToString();
      EXPECT_EQ(reading.text, whole.substr(0, reading.text.size()));
      const Reading strict = Decompress(compressed.substr(0, cut));
      if (reading.truncated) {
        EXPECT_THAT(strict.status.message(),
                    HasSubstr("is cut off at compressed byte " + std::to_string(cut)));
      } else {
        EXPECT_TRUE(strict.status.ok());  // between two members
      }
      EXPECT_EQ(strict.text, reading.text);
    }
  }
  // Deflate gives everything before the cut; zstd its whole blocks.
  const std::string gzip = Gzip(text);
  EXPECT_GT(Decompress(gzip.substr(0, gzip.size() - 9), lines).text.size(), text.size() - 100);
}

TEST(Decompress, StopsABombAtTheRatioAndAtTheSize_LIM02) {
  const std::string zeros(40 << 20, ' ');
  for (const std::string& bomb : {Gzip(zeros, 9), Zstd(zeros, 19)}) {
    const Reading ratio = Decompress(bomb, {}, 1 << 20);
    EXPECT_EQ(ratio.status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(ratio.status.message(), HasSubstr("max_decompression_ratio 1000"));
    EXPECT_THAT(ratio.status.message(), HasSubstr("--max-decompression-ratio"));
    EXPECT_LT(ratio.text.size(), zeros.size());
    DecompressOptions wide;
    wide.max_decompression_ratio = UINT64_MAX;
    EXPECT_EQ(Decompress(bomb, wide, 1 << 20).text, zeros);
    DecompressOptions narrow;
    narrow.max_decompressed_bytes = 1'000'000;
    const Reading size = Decompress(bomb, narrow);
    EXPECT_EQ(size.status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(size.status.message(), HasSubstr("max_decompressed_bytes 1000000; raise "
                                                 "--max-decompressed-bytes"));
    EXPECT_LE(size.text.size(), 1'000'000U);
  }
}

TEST(Decompress, RefusesAWindowBeforeItIsAllocated_LIM02) {
  const std::string frame = Zstd(Lines(1000), 3, 27);
  DecompressOptions narrow;
  narrow.max_decompression_window_bytes = 8 << 20;
  const Reading refused = Decompress(frame, narrow);
  EXPECT_EQ(refused.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status.message(), HasSubstr("needs a window of 134217728 bytes, more than "
                                                  "max_decompression_window_bytes 8388608; raise "
                                                  "--max-decompression-window-bytes"));
  EXPECT_LT(refused.memory, 1U << 20);
  EXPECT_EQ(Decompress(frame).text, Lines(1000));
}

TEST(Decompress, RefusesAFrameThatNeedsADictionary) {
  // Magic, descriptor: single segment with a dictionary id of one byte; id 7, content size 0.
  const std::string frame("\x28\xb5\x2f\xfd\x21\x07\x00\x01\x00\x00", 10);
  const Reading reading = Decompress(frame);
  EXPECT_EQ(reading.status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(reading.status.message(), HasSubstr("needs the dictionary 7"));
}

}  // namespace
}  // namespace pchronicle::json
