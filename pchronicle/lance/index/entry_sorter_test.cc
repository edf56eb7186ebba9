#include "pchronicle/lance/index/entry_sorter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

namespace pchronicle::lance {
namespace {

using Entries = std::vector<std::pair<std::string, uint64_t>>;

Entries ReadAll(EntrySorter* sorter) {
  const auto cursor = sorter->Read();
  EXPECT_TRUE(cursor.ok());
  Entries out;
  IndexEntry entry;
  while ((*cursor)->Next(&entry).value()) {
    out.emplace_back(entry.key, entry.number);
  }
  return out;
}

TEST(EntrySorter, GivesEveryEntryInOrderWhateverFitsInMemory_LNC_D2) {
  EXPECT_TRUE(rc::check([] {
    const auto prefix = *rc::gen::element<std::string>("", "a", std::string("\0\xff", 2), "run-");
    auto entries = *rc::gen::container<Entries>(
        rc::gen::pair(rc::gen::container<std::string>(rc::gen::element('\0', 'a', 'b', '\xff')),
                      rc::gen::inRange<uint64_t>(0, 50)));
    EntrySorter sorter(*rc::gen::element<uint64_t>(1, 200, 1 << 20));
    for (auto& [key, number] : entries) {
      key = prefix + key;
      RC_ASSERT(sorter.Add(key, number).ok());
    }
    std::sort(entries.begin(), entries.end());
    RC_ASSERT(sorter.size() == entries.size());
    RC_ASSERT(ReadAll(&sorter) == entries);
    RC_ASSERT(ReadAll(&sorter) == entries);  // once more
  }));
}

TEST(EntrySorter, SortsManyEntriesLikeComparisonsDo_LNC_D2) {
  std::mt19937_64 random(11);
  // Few values, more than prefixes tell apart, and sizes that only zeros tell apart.
  const std::vector<std::function<std::string()>> kinds = {
      [&] { return std::string(1, static_cast<char>('a' + random() % 4)); },
      [&] { return "session-" + std::to_string(random() % 3) + std::string(random() % 3, '\0'); },
      [&] { return "run-0000000" + std::to_string(random()); },
      [&] { return std::string(random() % 20, static_cast<char>(random() % 2)); }};
  for (const auto& kind : kinds) {
    EntrySorter sorter(1 << 20);
    Entries entries;
    for (int i = 0; i < 3000; ++i) {
      entries.emplace_back(kind(), random() % 2 == 0 ? random() : random() % 1000);
      ASSERT_TRUE(sorter.Add(entries.back().first, entries.back().second).ok());
    }
    std::sort(entries.begin(), entries.end());
    EXPECT_EQ(ReadAll(&sorter), entries);
  }
}

TEST(EntrySorter, SpillsWhenMemoryIsFullAndMergesAllPieces_LNC_D2) {
  EntrySorter sorter(64 << 10);
  constexpr uint64_t kEntries = 20'000;
  for (uint64_t i = 0; i < kEntries; ++i) {
    ASSERT_TRUE(sorter.Add("key " + std::to_string(i * 7919 % kEntries + 100'000), i).ok());
  }
  const Entries entries = ReadAll(&sorter);
  EXPECT_GT(sorter.spilled(), 10u);
  ASSERT_EQ(entries.size(), kEntries);
  EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end()));
  EXPECT_EQ(entries.front().first, "key 100000");
}

TEST(EntrySorter, ReadsNothingFromNothing_LNC_D2) {
  EntrySorter sorter(1);
  EXPECT_TRUE(ReadAll(&sorter).empty());
}

}  // namespace
}  // namespace pchronicle::lance
