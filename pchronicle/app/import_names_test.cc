#include "pchronicle/app/import_names.h"

#include <gtest/gtest.h>

namespace pchronicle::app {
namespace {

TEST(DerivedDatasetName, FollowsTheInputName) {
  EXPECT_EQ(DerivedDatasetName("Support Ticket (1).json"), "support-ticket-1");
  EXPECT_EQ(DerivedDatasetName("repair.actf.json"), "repair");
  EXPECT_EQ(DerivedDatasetName("a--b__C.jsonl"), "a-b__c");
  EXPECT_EQ(DerivedDatasetName("...json"), "imported");
  EXPECT_EQ(DerivedDatasetName("日本.json"), "imported");
  EXPECT_EQ(DerivedDatasetName(""), "imported");
}

}  // namespace
}  // namespace pchronicle::app
