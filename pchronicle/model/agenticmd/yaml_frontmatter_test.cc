#include "pchronicle/model/agenticmd/yaml_frontmatter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "pchronicle/json/raw.h"
#include "pchronicle/model/agenticmd/yaml_writer.h"

namespace pchronicle::model::agenticmd {
namespace {

std::string Json(std::string_view yaml) {
  const Result<std::string> json = YamlToJson(yaml);
  return json.ok() ? *json : "! " + json.status().ToString();
}

std::string Scalar(const std::string& scalar) {
  const std::string json = Json("k: " + scalar + "\n");
  return json.starts_with("{\"k\":") ? json.substr(5, json.size() - 6) : json;
}

TEST(YamlFrontmatter, PlainScalarsFollowTheCoreSchema) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"true", "true"},
      {"FALSE", "false"},
      {"yes", "\"yes\""},
      {"on", "\"on\""},
      {"7", "7"},
      {"-0", "-0"},
      {"+12", "12"},
      {"007", "7"},
      {"0x1F", "31"},
      {"0o17", "15"},
      {"0b1", "\"0b1\""},
      {"1_000", "\"1_000\""},
      {"1.50", "1.50"},
      {".5", "0.5"},
      {"-.5e3", "-0.5e3"},
      {"1.", "1.0"},
      {"1e3", "1e3"},
      {"1E+3", "1E+3"},
      {"1e", "\"1e\""},
      {".", "\".\""},
      {"-x", "\"-x\""},
      {".inf", "Infinity"},
      {"-.INF", "-Infinity"},
      {".nan", "NaN"},
      {"NaN", "\"NaN\""},
      {"1.2.3", "\"1.2.3\""},
      {"2026-01-02", "\"2026-01-02\""},
      {"0xFFFFFFFFFFFFFFFFF", "\"0xFFFFFFFFFFFFFFFFF\""},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"persisting:1.0", "\"persisting:1.0\""},
      {"\"7\"", "\"7\""},
      {"'true'", "\"true\""}};
  for (const auto& [yaml, json] : kCases) {
    EXPECT_EQ(Scalar(yaml), json) << yaml;
  }
}

TEST(YamlFrontmatter, Tags) {
  EXPECT_EQ(Scalar("!!str 7"), "\"7\"");
  EXPECT_EQ(Scalar("!!str null"), "\"null\"");
  EXPECT_EQ(Scalar("!!int \"7\""), "7");
  EXPECT_EQ(Scalar("!!float 1"), "1");
  EXPECT_EQ(Scalar("!mine 7"), "\"7\"");
  EXPECT_EQ(Scalar("!json '\"\\ud83d\"'"), "\"\\ud83d\"");
  EXPECT_NE(Scalar("!!int x").find("does not fit its tag !!int"), std::string::npos);
  EXPECT_NE(Scalar("!!bool 1").find("does not fit"), std::string::npos);
  EXPECT_NE(Scalar("!json '{'").find("is no JSON value"), std::string::npos);
}

TEST(YamlFrontmatter, StructureKeepsOrderAndRepeats) {
  EXPECT_EQ(Json(""), "{}");
  EXPECT_EQ(Json("# only\n"), "{}");
  EXPECT_EQ(Json("b: [1, {c: }]\na:\n- x\n-\n  - y\n1: z\nnull: w\nb: 2\n"),
            R"({"b":[1,{"c":null}],"a":["x",["y"]],"1":"z","null":"w","b":2})");
  EXPECT_EQ(Json("t: |\n  a\n  b\nf: >-\n  a\n  b\n"), R"({"t":"a\nb\n","f":"a b"})");
}

TEST(YamlFrontmatter, AnchorsAreCopied) {
  EXPECT_EQ(Json("a: &x {k: 1}\nb: *x\n"), R"({"a":{"k":1},"b":{"k":1}})");
  EXPECT_EQ(Json("a: &x n\n*x : 1\n"), R"({"a":"n","n":1})");
  EXPECT_NE(Json("a: &x [*x]\n").find("inside what it names"), std::string::npos);
  EXPECT_TRUE(Json("a: *x\n").starts_with("! invalid_argument: line 1 column 4"));
}

TEST(YamlFrontmatter, AliasBombsAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  }
  EXPECT_NE(Json(bomb).find("resource_exhausted"), std::string::npos);
  EXPECT_NE(Json(bomb).find("aliases expand beyond"), std::string::npos);
}

TEST(YamlFrontmatter, DepthIsBounded) {
  const auto nested = [](size_t depth) {
    return "a: " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "\n";
  };
  EXPECT_TRUE(YamlToJson(nested(kMaxYamlDepth)).ok());
  EXPECT_EQ(YamlToJson(nested(kMaxYamlDepth + 1)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_FALSE(YamlToJson("a: " + std::string(100000, '[')).ok());
  EXPECT_FALSE(YamlToJson(std::string(1000, '?')).ok());
  std::string by_alias = "b: &b " + std::string(100, '[') + std::string(100, ']') +
                         "\nc: " + std::string(100, '[') + "*b" + std::string(100, ']') + "\n";
  EXPECT_FALSE(YamlToJson(by_alias).ok());
}

TEST(YamlFrontmatter, HostileTextIsAnError) {
  EXPECT_NE(Json("a: [1\n").find("line "), std::string::npos);
  EXPECT_NE(Json("a: b: c\n").find("! invalid_argument"), std::string::npos);
  EXPECT_NE(Json("- 1\n").find("must be a mapping"), std::string::npos);
  EXPECT_NE(Json("text\n").find("must be a mapping"), std::string::npos);
  EXPECT_NE(Json("a: 1\n...\n--- \nb: 2\n").find("more than one YAML document"), std::string::npos);
  EXPECT_NE(Json("[a]: 1\n").find("key must be a scalar"), std::string::npos);
  EXPECT_NE(Json("? {a: b}\n: 1\n").find("key must be a scalar"), std::string::npos);
  EXPECT_NE(Json("a: x\x04y\n").find("control character 0x04"), std::string::npos);
  EXPECT_NE(Json(std::string_view("a\0", 2)).find("control character"), std::string::npos);
  EXPECT_NE(Json("a: \"\\ud83d\"\n").find("! invalid_argument"), std::string::npos);
  EXPECT_EQ(YamlToJson(std::string(kMaxYamlBytes + 1, '#')).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(YamlWriter, WritesBlockStyle) {
  const Result<std::string> yaml = JsonToYaml(
      R"({"a b":"x y","num":-1.50,"e":{},"l":[],"o":{"k":[1,[2,3],{"p":"q","r":null}]},"true":"no","s":"7"})");
  ASSERT_TRUE(yaml.ok());
  EXPECT_EQ(*yaml,
            "a b: x y\nnum: -1.50\ne: {}\nl: []\no:\n  k:\n    - 1\n    - - 2\n      - 3\n"
            "    - p: q\n      r: null\n\"true\": \"no\"\ns: \"7\"\n");
}

TEST(YamlWriter, RefusesWhatIsNoObject) {
  EXPECT_FALSE(JsonToYaml("[1]").ok());
  EXPECT_FALSE(JsonToYaml("{").ok());
  EXPECT_FALSE(JsonToYaml("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}").ok());
  EXPECT_EQ(*JsonToYaml("{ }"), "{}\n");
}

/// JSON as both directions write it.
std::string AnyString() {
  const auto text = *rc::gen::oneOf(
      rc::gen::container<std::string>(
          rc::gen::elementOf(std::string("aZ09 _-./:#'\"\\\n\t[]{},&*!|>%@`?~=\x01\x7f"))),
      rc::gen::element<std::string>(
          "", "null", "~", "yes", "True", "0x1F", "1e3", ".inf", "---", "...", "- a", "? a", "a: b",
          "a #b", "<<", "=", " a", "a ", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xef\xbf\xbe",
          "😀", "日本", "2026-01-02", "12:30:45", "0o7", "!json x", std::string("\0x", 2),
          std::string(600, 'k'), std::string(2000, '"')));
  std::string out;
  json::AppendQuoted(text, out);
  return out;
}

std::string AnyJson(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 5 : 3);
  if (kind == 0) {
    return *rc::gen::element<std::string>("0", "-0", "-1.50", "1e999", "12E-5", "true", "false",
                                          "null", "123456789012345678901234567890", "[]", "{}",
                                          R"("\ud83d")", R"("a\udc00\n")");
  }
  if (kind <= 2) {
    return AnyString();
  }
  std::string out(kind == 3 ? "[" : "{");
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    out += i == 0 ? "" : ",";
    if (kind == 4) {
      out += *rc::gen::inRange(0, 12) == 0 ? std::string(R"("k\ud800")") : AnyString();
      out += ':';
    }
    out += AnyJson(depth - 1);
  }
  return out + (kind == 3 ? "]" : "}");
}

TEST(YamlWriter, EveryValueComesBackByteForByte) {
  EXPECT_TRUE(rc::check("YamlToJson(JsonToYaml(x)) == x", [] {
    const std::string json = "{\"k\":" + AnyJson(4) + "," + AnyString() + ":" + AnyJson(2) + "}";
    const Result<std::string> yaml = JsonToYaml(json);
    if (!yaml.ok()) {
      RC_FAIL(yaml.status().ToString() + "\n" + json);
    }
    const Result<std::string> back = YamlToJson(*yaml);
    if (!back.ok()) {
      RC_FAIL(back.status().ToString() + "\n" + *yaml);
    }
    RC_ASSERT(*back == json);
  }));
}

TEST(YamlFrontmatter, DamagedTextNeitherCrashesNorGivesBadJson) {
  EXPECT_TRUE(rc::check("any bytes", [] {
    const std::string object = "{\"k\":" + AnyJson(3) + "}";
    const Result<std::string> written = JsonToYaml(object);
    if (!written.ok()) {
      RC_FAIL(written.status().ToString() + "\n" + object);
    }
    std::string yaml = *written;
    const size_t at = *rc::gen::inRange<size_t>(0, yaml.size());
    yaml.replace(
        at, *rc::gen::inRange<size_t>(0, 3),
        *rc::gen::element<std::string>("", "*a", "&a ", "[", "{", "- ", "\n", ": ", "!x "));
    const Result<std::string> json = YamlToJson(yaml);
    if (json.ok()) {
      RC_ASSERT(json::RawFromText(*json).kind == json::Kind::kObject);
    }
  }));
}

}  // namespace
}  // namespace pchronicle::model::agenticmd
