#include "pchronicle/model/residual_insert.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

std::string Insert(std::string document, std::vector<PlacedField> fields,
                   InsertOptions options = {}, std::vector<std::string>* dangling = nullptr) {
  const Result<std::string> out =
      InsertFields(std::move(document), std::move(fields), options, dangling);
  return out.ok() ? *out : "error: " + out.status().message();
}

TEST(InsertFields, NewMembersStandBehindTheOthers_G30) {
  EXPECT_EQ(Insert(R"({"a":1})", {{"/z", "2"}, {"/b", "null"}}), R"({"a":1,"b":null,"z":2})");
  EXPECT_EQ(Insert("{}", {{"/x~1y", "[1]"}, {"/", "0"}}), R"({"":0,"x/y":[1]})");
  EXPECT_EQ(Insert(R"({"s":[{"a":1},{}],"t":{"u":{}}})",
                   {{"/s/1/v", "1"}, {"/t/u/v", "2"}, {"/s/0/v", "3"}}),
            R"({"s":[{"a":1,"v":3},{"v":1}],"t":{"u":{"v":2}}})");
}

TEST(InsertFields, OneResidualMayStandInsideAnother) {
  EXPECT_EQ(Insert("{}", {{"/a/b", "1"}, {"/a", R"({"c":0})"}}), R"({"a":{"c":0,"b":1}})");
}

TEST(InsertFields, AValueIsNeverCovered) {
  EXPECT_EQ(Insert(R"({"a":1})", {{"/a", "2"}}),
            "error: JSON Pointer '/a' collides with a canonical value");
  EXPECT_EQ(Insert(R"({"a":1})", {{"/a", "1"}}), R"({"a":1})");
  EXPECT_EQ(Insert(R"({"a":1})", {{"", "2"}}),
            "error: JSON Pointer '' collides with a canonical value");
  PlacedField owned{"/a", "2", true};
  EXPECT_EQ(Insert(R"({"a":1,"b":2})", {owned}), R"({"a":2,"b":2})");
}

TEST(InsertFields, ALoneSurrogateReplacesItsReplacementCharacter_G98) {
  EXPECT_EQ(Insert("{\"a\":\"x\xef\xbf\xbd\",\"b\":0}", {{"/a", R"("x\ud800")"}}),
            R"({"a":"x\ud800","b":0})");
  EXPECT_EQ(Insert(R"({"a":"y"})", {{"/a", R"("x\ud800")"}}),
            "error: JSON Pointer '/a' collides with a canonical value");
}

TEST(InsertFields, PointersWithoutAPlaceAreReportedOrRefused) {
  std::vector<std::string> dangling;
  EXPECT_EQ(Insert(R"({"s":[{}],"n":3})",
                   {{"/s/4/v", "1"}, {"/q/r", "1"}, {"/n/x", "1"}, {"/s/0/v", "1"}}, {}, &dangling),
            R"({"s":[{"v":1}],"n":3})");
  EXPECT_EQ(dangling, (std::vector<std::string>{"/s/4/v", "/n/x", "/q/r"}));
  const InsertOptions strict{.skip_dangling = false};
  EXPECT_EQ(Insert(R"({"s":[]})", {{"/s/0", "1"}}, strict),
            "error: JSON Pointer '/s/0' references a missing array slot");
  EXPECT_EQ(Insert("{}", {{"/a/b", "1"}}, strict),
            "error: JSON Pointer '/a/b' has a missing object parent");
  EXPECT_EQ(Insert("{}", {{"/a/b", "1"}, {"/a/c", "2"}}, {.create_parents = true}),
            R"({"a":{"b":1,"c":2}})");
}

TEST(InsertFields, HostilePointersAreHarmless) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) {
    deep += "/0";
  }
  std::vector<std::string> dangling;
  EXPECT_EQ(Insert("{}", {{deep, "1"}}, {}, &dangling), "{}");
  EXPECT_EQ(dangling.size(), 1u);
  EXPECT_EQ(Insert("{}", {{"/~", "1"}}), "error: JSON Pointer contains an invalid '~' escape");
}

TEST(FirstMissing, NamesTheFirstPointerWithoutAValue) {
  const std::string pointers[] = {"", "/a/0", "/a/1", "/b"};
  EXPECT_EQ(FirstMissing(R"({"a":[1]})", pointers), "/a/1");
  EXPECT_EQ(FirstMissing(R"({"a":[1,2],"b":null})", pointers), std::nullopt);
  EXPECT_EQ(FirstMissing("3", {}), std::nullopt);
}

}  // namespace
}  // namespace pchronicle::model
