#include "pchronicle/json/value.h"

#include <gtest/gtest.h>

#include "pchronicle/json/compare.h"
#include "pchronicle/json/pointer.h"
#include "pchronicle/json/writer.h"

namespace pchronicle::json {
namespace {

TEST(Value, TreeKeepsOrderNumberTextAndDuplicates_BR35) {
  const Result<Tree> tree =
      Tree::Parse(R"({"b":1.50,"a":[1,{"x\n":"y\u0041"}, null],"b":2,"A":true})");
  ASSERT_TRUE(tree.ok());
  const Value& root = tree->root();
  ASSERT_EQ(root.size(), 4u);
  EXPECT_EQ(root.members()[0].key, "b");
  EXPECT_EQ(root.members()[0].value.raw().text, "1.50");
  EXPECT_EQ(root.Find("b").raw().text, "2");
  EXPECT_TRUE(root.Find("A").boolean());
  const Value& a = root.Find("a");
  EXPECT_EQ(a.raw().text, R"([1,{"x\n":"y\u0041"}, null])");
  EXPECT_EQ(a.At(1).Find("x\n").string(), "yA");
  EXPECT_EQ(a.At(2).kind(), Kind::kNull);
  EXPECT_FALSE(a.At(3).present());
  EXPECT_FALSE(root.Find("zz").Find("deeper").present());
  EXPECT_EQ(Tree::Parse("[1] x").status().message(), "trailing data after JSON document");
  EXPECT_FALSE(Tree::Parse("").ok());
  EXPECT_FALSE(Tree::Parse("[1,").ok());
}

TEST(Compare, NumbersByExactDecimalValue) {
  for (const auto& [a, b] : {std::pair{"1", "1.0"},
                             {"1", "1e0"},
                             {"100", "1E+2"},
                             {"0.001", "1e-3"},
                             {"-0", "0.0e5"},
                             {"18446744073709551616", "18446744073709551616.0"},
                             {"12.50", "125e-1"}}) {
    EXPECT_TRUE(SameNumber(a, b)) << a << " " << b;
  }
  for (const auto& [a, b] : {std::pair{"1", "2"},
                             {"1", "-1"},
                             {"18446744073709551616", "18446744073709551617"},
                             {"1", "10"},
                             {"1e999999999999999999999", "1e999999999999999999998"}}) {
    EXPECT_FALSE(SameNumber(a, b)) << a << " " << b;
  }
}

TEST(Compare, NullMembersCountAsAbsent) {
  EXPECT_TRUE(SameMeaning(R"({"a":null,"b":{"c":null,"d":1}})", R"({ "b" : {"d":1.0} })"));
  EXPECT_TRUE(SameMeaning(R"({"a":1,"b":"x"})", R"({"b":"\u0078","a":1e0})"));
  EXPECT_FALSE(SameMeaning("[null]", "[]"));
  EXPECT_FALSE(SameMeaning(R"({"a":false})", "{}"));
  EXPECT_FALSE(SameMeaning(R"({"a":{}})", "{}"));
  EXPECT_FALSE(SameMeaning("{}", "[]"));
  EXPECT_TRUE(SameMeaning(R"({"a":1,"a":2})", R"({"a":2})"));
}

TEST(Compare, GoldenCasesMatchSubsets) {
  std::string why;
  EXPECT_TRUE(
      Matches(R"({"a":[{"b":1}],"$absent":["z"]})", R"({"x":0,"a":[{"b":1.0,"c":2}]})", &why))
      << why;
  EXPECT_FALSE(Matches(R"({"$absent":["z"]})", R"({"z":null})", &why));
  EXPECT_EQ(why, "at '': member 'z' must not exist");
  EXPECT_FALSE(Matches(R"({"a":[1,2]})", R"({"a":[1]})", &why));
  EXPECT_EQ(why, "at '/a': expected 2 elements, found 1");
  EXPECT_FALSE(Matches(R"({"a":[1,{"b":2}]})", R"({"a":[1,{"b":3}]})", &why));
  EXPECT_EQ(why, "at '/a/1/b': expected 2, found 3");
  EXPECT_FALSE(Matches(R"({"a":null})", R"({})", &why));
  EXPECT_TRUE(Matches(R"({"a":null})", R"({"a":null})", &why));
}

TEST(Writer, CompactAndPretty) {
  const auto write = [](Writer w) {
    w.BeginObject();
    w.Key("a\n");
    w.BeginArray();
    w.Int(-7);
    w.Double(0.1);
    w.Double(3);
    w.Null();
    w.RawText(R"({"x":[1.50,{}]})");
    w.EndArray();
    w.Key("e");
    w.BeginObject();
    w.EndObject();
    w.Key("s");
    w.String("/\"\x01");
    w.EndObject();
    return w.Take();
  };
  const std::string compact = write(Writer());
  EXPECT_EQ(compact, R"({"a\n":[-7,0.1,3.0,null,{"x":[1.50,{}]}],"e":{},"s":"/\"\u0001"})");
  const std::string pretty = R"({
  "a\n": [
    -7,
    0.1,
    3.0,
    null,
    {
      "x": [
        1.50,
        {}
      ]
    }
  ],
  "e": {},
  "s": "/\"\u0001"
})";
  EXPECT_EQ(write(Writer(Writer::Style::kPretty)), pretty);
  EXPECT_EQ(Pretty(compact), pretty);
  EXPECT_EQ(Pretty(pretty + "\n"), pretty);
  EXPECT_EQ(Pretty(" [ ] "), "[]");
}

TEST(Pointer, EncodesAndDecodes) {
  std::string pointer;
  AppendPointerToken("a/b~c", pointer);
  AppendPointerToken("", pointer);
  EXPECT_EQ(pointer, "/a~1b~0c/");
  EXPECT_EQ(*ParsePointer(pointer), (std::vector<std::string>{"a/b~c", ""}));
  EXPECT_TRUE(ParsePointer("")->empty());
  EXPECT_EQ(ParsePointer("a").status().message(), "JSON Pointer must be empty or start with '/'");
  EXPECT_EQ(ParsePointer("/a~2").status().message(), "JSON Pointer contains an invalid '~' escape");
  EXPECT_FALSE(ParsePointer("/~").ok());
  uint64_t index = 0;
  EXPECT_TRUE(PointerIndex("0", &index) && PointerIndex("17", &index));
  EXPECT_EQ(index, 17u);
  for (const char* bad : {"", "01", "-1", "+1", "1x", "18446744073709551616"}) {
    EXPECT_FALSE(PointerIndex(bad, &index)) << bad;
  }
}

}  // namespace
}  // namespace pchronicle::json
