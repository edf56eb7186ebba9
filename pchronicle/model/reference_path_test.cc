#include "pchronicle/model/reference_path.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

TEST(ReferencePath, IsRelativeToTheFolderOfTheReferringFile_ADD06) {
  EXPECT_EQ(ResolveReferencePath("a/b/c.json", "d.json"), "a/b/d.json");
  EXPECT_EQ(ResolveReferencePath("a/b/c.json", "./../x//d.json"), "a/x/d.json");
  EXPECT_EQ(ResolveReferencePath("c.json", "sub/d.json"), "sub/d.json");
}

TEST(ReferencePath, NeverLeavesTheMount) {
  EXPECT_EQ(ResolveReferencePath("a/c.json", "../../d.json"), std::nullopt);
  EXPECT_EQ(ResolveReferencePath("a/c.json", "/etc/passwd"), std::nullopt);
  EXPECT_EQ(ResolveReferencePath("a/c.json", "s3://bucket/d.json"), std::nullopt);
  EXPECT_EQ(ResolveReferencePath("a/c.json", ""), std::nullopt);
  EXPECT_EQ(ResolveReferencePath("a/c.json", "b/"), std::nullopt);
  EXPECT_EQ(ResolveReferencePath("a/c.json", ".."), std::nullopt);
}

}  // namespace
}  // namespace pchronicle::model
