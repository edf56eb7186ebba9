#include "pchronicle/model/document_ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <vector>

namespace pchronicle::model {
namespace {

std::vector<std::string> TakeAll(const std::vector<std::string>& own) {
  DocumentIds ids;
  std::vector<std::string> taken;
  for (const std::string& id : own) {
    taken.emplace_back(ids.Take(id).id);
  }
  return taken;
}

TEST(DocumentIds, LaterHoldersGetTheSmallestFreeNumber_D8) {
  EXPECT_EQ(TakeAll({"s", "s", "t", "s"}), (std::vector<std::string>{"s", "s~2", "t", "s~3"}));
}

TEST(DocumentIds, AProducersOwnSuffixIsAnIdLikeAnother_G104) {
  EXPECT_EQ(TakeAll({"s", "s", "s~2"}), (std::vector<std::string>{"s", "s~2", "s~2~2"}));
  EXPECT_EQ(TakeAll({"s~2", "s", "s", "s"}), (std::vector<std::string>{"s~2", "s", "s~3", "s~4"}));
}

TEST(DocumentIds, TellsWhetherItRenamed) {
  DocumentIds ids;
  EXPECT_FALSE(ids.Take("").renamed);
  EXPECT_TRUE(ids.Taken(""));
  EXPECT_FALSE(ids.Taken("~2"));
  const DocumentIds::Id second = ids.Take("");
  EXPECT_TRUE(second.renamed);
  EXPECT_EQ(second.id, "~2");
}

TEST(DocumentIds, HandsOutEachIdOnce) {
  EXPECT_TRUE(rc::check("unique, first holder keeps its id", [] {
    const auto own = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "a~2", "a~2~2", "a~3", "b"));
    const std::vector<std::string> taken = TakeAll(own);
    const std::set<std::string> unique(taken.begin(), taken.end());
    RC_ASSERT(unique.size() == own.size());
    for (size_t i = 0; i < own.size(); ++i) {
      RC_ASSERT(taken[i].starts_with(own[i]));
    }
  }));
}

TEST(DocumentIds, ManyEqualIdsStayCheap) {
  DocumentIds ids;
  for (int i = 0; i < 200'000; ++i) {
    ids.Take("same");
  }
  EXPECT_EQ(ids.Take("same").id, "same~200001");
}

}  // namespace
}  // namespace pchronicle::model
