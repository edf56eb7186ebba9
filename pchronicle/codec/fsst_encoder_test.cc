#include "pchronicle/codec/fsst_encoder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>

#include "pchronicle/codec/fsst.h"
#include "pchronicle/codec/fsst_trainer.h"

namespace pchronicle::codec {
namespace {

FsstEncoder::Text Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Encode(const FsstEncoder& encoder, const std::string& text) {
  std::string coded(FsstEncoder::MaxCoded(text.size()), '\0');
  auto* const out = reinterpret_cast<uint8_t*>(coded.data());
  coded.resize(static_cast<size_t>(encoder.Encode(Bytes(text), out) - out));
  return coded;
}

std::string Decode(const FsstEncoder& encoder, const std::string& coded) {
  const std::string table = encoder.LanceTable();
  EXPECT_EQ(table.size(), 2312U);
  const auto symbols = FsstTable::FromLance(Bytes(table));
  EXPECT_TRUE(symbols.ok() && symbols->coding());
  std::string text(FsstTable::MaxDecoded(coded.size()), '\0');
  auto* const out = reinterpret_cast<uint8_t*>(text.data());
  const uint8_t* const end = symbols->Decode(Bytes(coded), out);
  EXPECT_NE(end, nullptr);
  text.resize(static_cast<size_t>(end - out));
  return text;
}

FsstEncoder TrainOn(const std::vector<std::string>& texts) {
  std::vector<FsstEncoder::Text> sample;
  for (const std::string& text : texts) {
    sample.push_back(Bytes(text));
  }
  return FsstTrainer().Train(sample);
}

RC_GTEST_PROP(Fsst, DecodingGivesWhatWasEncoded_LNCB7,
              (const std::vector<std::string>& sample, const std::vector<std::string>& texts)) {
  const FsstEncoder encoder = TrainOn(sample);
  for (const std::vector<std::string>* some : {&sample, &texts}) {
    for (const std::string& text : *some) {
      const std::string coded = Encode(encoder, text);
      RC_ASSERT(coded.size() <= 2 * text.size());
      RC_ASSERT(Decode(encoder, coded) == text);
    }
  }
}

/// Words from a small vocabulary, with bytes of zero and bytes that no sample had.
std::string RandomText(size_t length, std::mt19937_64* random) {
  static constexpr const char* kWords[] = {
      "the ",   "observation", ": ", "{\"path\":\"/src/", "\",", "error", "12",
      "return", "\n    ",      "é"};
  std::string text;
  while (text.size() < length) {
    text += (*random)() % 20 == 0 ? std::string(1, static_cast<char>((*random)() % 256))
                                  : kWords[(*random)() % std::size(kWords)];
  }
  text.resize(length);
  return text;
}

TEST(Fsst, TextsOfEveryLengthSurvive_LNCB7) {
  std::mt19937_64 random(5);
  std::vector<std::string> sample;
  for (int i = 0; i < 50; ++i) {
    sample.push_back(RandomText(400, &random));
  }
  const FsstEncoder encoder = TrainOn(sample);
  EXPECT_GT(encoder.symbols().size(), 20U);
  size_t plain = 0, coded = 0;
  for (size_t length = 0; length < 1200; ++length) {
    const std::string text = RandomText(length, &random);
    const std::string packed = Encode(encoder, text);
    ASSERT_EQ(Decode(encoder, packed), text) << length;
    plain += text.size();
    coded += packed.size();
  }
  EXPECT_LT(coded * 2, plain);
}

RC_GTEST_PROP(Fsst, ManyTextsAtOnceDecodeOneByOne_LNCB7, (uint32_t seed)) {
  std::mt19937_64 random(seed);
  const size_t count = random() % 40, longest = 1 + random() % 300;
  std::string bytes;
  std::vector<uint64_t> starts = {0};
  for (size_t i = 0; i < count; ++i) {
    bytes += RandomText(random() % 4 == 0 ? 0 : random() % longest, &random);
    starts.push_back(bytes.size());
  }
  const FsstEncoder encoder = TrainOn({bytes.substr(0, bytes.size() / 2)});
  std::string coded(FsstEncoder::MaxCoded(bytes.size()), '\0');
  auto* const out = reinterpret_cast<uint8_t*>(coded.data());
  std::vector<uint64_t> ends(count);
  const std::string readable = bytes + std::string(FsstEncoder::kSlack, '\xff');
  const uint8_t* const end = encoder.EncodeAll(Bytes(readable).data(), starts, out, ends);
  RC_ASSERT(static_cast<size_t>(end - out) == (ends.empty() ? 0 : ends.back()));
  uint64_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = bytes.substr(starts[i], starts[i + 1] - starts[i]);
    RC_ASSERT(Decode(encoder, coded.substr(begin, ends[i] - begin)) == text);
    if (text.size() < 100) {  // longer ones are coded in pieces when alone
      RC_ASSERT(coded.substr(begin, ends[i] - begin) == Encode(encoder, text));
    }
    begin = ends[i];
  }
}

TEST(Fsst, TheSameSampleGivesTheSameTable_LNCB7) {
  const std::vector<std::string> sample = {"one two three", "two three four", "three four five"};
  EXPECT_EQ(TrainOn(sample).LanceTable(), TrainOn(sample).LanceTable());
  FsstTrainer used;
  used.Train(std::vector<FsstEncoder::Text>{Bytes("something else, something else, something")});
  std::vector<FsstEncoder::Text> again;
  for (const std::string& text : sample) {
    again.push_back(Bytes(text));
  }
  EXPECT_EQ(used.Train(again).LanceTable(), TrainOn(sample).LanceTable());
  EXPECT_EQ(TrainOn({}).symbols().size(), 0U);
}

}  // namespace
}  // namespace pchronicle::codec
