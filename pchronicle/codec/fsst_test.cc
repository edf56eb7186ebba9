#include "pchronicle/codec/fsst.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace pchronicle::codec {
namespace {

/// A symbol table in Lance's layout.
std::vector<uint8_t> Table(const std::vector<std::string>& symbols, bool coding = true) {
  std::vector<uint8_t> bytes(2312);
  const uint64_t header = symbols.size() | uint64_t{coding} << 24 | uint64_t{0x46535354} << 32;
  std::memcpy(bytes.data(), &header, 8);
  for (size_t i = 0; i < symbols.size(); ++i) {
    std::memcpy(bytes.data() + 8 + i * 8, symbols[i].data(), symbols[i].size());
    bytes[8 + symbols.size() * 8 + i] = static_cast<uint8_t>(symbols[i].size());
  }
  return bytes;
}

std::string Decode(const FsstTable& table, const std::vector<uint8_t>& coded) {
  std::vector<uint8_t> out(FsstTable::MaxDecoded(coded.size()));
  const uint8_t* end = table.Decode(coded, out.data());
  return end == nullptr ? "damaged" : std::string(out.data(), const_cast<uint8_t*>(end));
}

TEST(Fsst, EmitsSymbolsAndEscapes_LNCB7) {
  const auto table = FsstTable::FromLance(Table({"a", "the ", "12345678"}));
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE(table->coding());
  EXPECT_EQ(Decode(*table, {}), "");
  EXPECT_EQ(Decode(*table, {0, 1, 2}), "athe 12345678");
  EXPECT_EQ(Decode(*table, {0, 0, 0, 0, 1}), "aaaathe ");
  EXPECT_EQ(Decode(*table, {255, 'x', 2, 2, 2, 2, 255, 0xff, 1}),
            "x12345678123456781234567812345678\xffthe ");
  EXPECT_EQ(Decode(*table, {0, 0, 0, 255, 'y', 0}), "aaaya");
}

TEST(Fsst, RefusesCodesWithoutASymbolAndCutEscapes_LNCB7) {
  for (const size_t count : {1U, 127U, 128U, 129U, 254U}) {
    const auto table = FsstTable::FromLance(Table(std::vector<std::string>(count, "z")));
    ASSERT_TRUE(table.ok());
    const auto last = static_cast<uint8_t>(count - 1), beyond = static_cast<uint8_t>(count);
    EXPECT_EQ(Decode(*table, {last, last, last, last, last}), "zzzzz") << count;
    EXPECT_EQ(Decode(*table, {0, 0, beyond, 0, 0}), "damaged") << count;
    EXPECT_EQ(Decode(*table, {beyond}), "damaged") << count;
    EXPECT_EQ(Decode(*table, {0, 0, 0, 255}), "damaged") << count;
    EXPECT_EQ(Decode(*table, {0, 255}), "damaged") << count;
  }
}

TEST(Fsst, ReadsLengthsBehindTheLastSymbol_LNCF1_7) {
  std::vector<uint8_t> bytes = Table({"ab", "c"});
  bytes.resize(8 + 2 * 9);  // nothing behind the second length
  const auto table = FsstTable::FromLance(bytes);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(Decode(*table, {0, 1}), "abc");
  bytes.pop_back();
  EXPECT_EQ(FsstTable::FromLance(bytes).status().code(), StatusCode::kCorruption);
}

TEST(Fsst, KnowsWhenCodingIsOff_LNCF1_6) {
  const auto table = FsstTable::FromLance(Table({}, false));
  ASSERT_TRUE(table.ok());
  EXPECT_FALSE(table->coding());
}

TEST(Fsst, RefusesDamagedTables_LNCB7) {
  std::vector<uint8_t> bytes = Table({"abc"});
  std::vector<uint8_t> bad = bytes;
  bad[5] ^= 1;  // magic
  EXPECT_FALSE(FsstTable::FromLance(bad).ok());
  bad = bytes;
  bad[8 + 8] = 9;  // a symbol of nine bytes
  EXPECT_FALSE(FsstTable::FromLance(bad).ok());
  bad[8 + 8] = 0;
  EXPECT_FALSE(FsstTable::FromLance(bad).ok());
  EXPECT_FALSE(FsstTable::FromLance({bytes.data(), 7}).ok());
}

}  // namespace
}  // namespace pchronicle::codec
