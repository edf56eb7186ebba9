#include "pchronicle/model/openai/embedded_call.h"

#include <gtest/gtest.h>

namespace pchronicle::model::openai {
namespace {

TEST(EmbeddedCall, NameEndsAtBracketOrLineFeed) {
  EXPECT_EQ(FindEmbeddedCall("x <tool_call> run > y")->name, "run");
  EXPECT_EQ(FindEmbeddedCall("<tool_call>run\nz")->name, "run");
  EXPECT_EQ(FindEmbeddedCall("<function= go >")->name, "go");
  EXPECT_EQ(FindEmbeddedCall("<tool_call>run")->arguments, "{}");
}

TEST(EmbeddedCall, ToolCallWithAFunctionInsideTakesItsName) {
  EXPECT_EQ(FindEmbeddedCall("<tool_call>\n<function=f>\n<parameter=a>1</parameter>")->name, "f");
  EXPECT_FALSE(FindEmbeddedCall("<tool_call>\n> <function=f>").has_value());
}

TEST(EmbeddedCall, NothingWithoutMarkerOrName) {
  EXPECT_FALSE(FindEmbeddedCall("").has_value());
  EXPECT_FALSE(FindEmbeddedCall("<tool_call>").has_value());
  EXPECT_FALSE(FindEmbeddedCall("<function=>").has_value());
  EXPECT_FALSE(FindEmbeddedCall("tool_call>f").has_value());
}

TEST(EmbeddedCall, ParametersAreTrimmedStrings) {
  EXPECT_EQ(
      FindEmbeddedCall("<function=f><parameter=a> x\"y </parameter><parameter=b>open")->arguments,
      R"({"a":"x\"y","b":"open"})");
  EXPECT_EQ(FindEmbeddedCall("<function=f><parameter=a>1</parameter><parameter=a>2</parameter>")
                ->arguments,
            R"({"a":"2"})");
  EXPECT_EQ(FindEmbeddedCall("<function=f><parameter=a")->arguments, "{}");
}

TEST(EmbeddedCall, IdNamesStepAndFunction) { EXPECT_EQ(EmbeddedCallId(7, "f"), "embedded-7-f"); }

}  // namespace
}  // namespace pchronicle::model::openai
