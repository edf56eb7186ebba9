#include "pchronicle/lance/index/entry_sorter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
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
