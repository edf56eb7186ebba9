#include "pchronicle/app/find/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pchronicle/app/find/expression_parser.h"
#include "pchronicle/app/find/expression_test_support.h"

namespace pchronicle::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Canonical(std::string_view text) {
  const Result<FindExpression> expression = ParseFindExpression(text);
  return expression.ok() ? CanonicalText(*expression) : expression.status().ToString();
}

std::string Error(std::string_view text) {
  const Result<FindExpression> expression = ParseFindExpression(text);
  EXPECT_FALSE(expression.ok()) << text << " became " << CanonicalText(*expression);
  return expression.ok() ? "" : expression.status().message();
}

TEST(FindExpression, NotBindsBeforeAndBeforeOr_FND01) {
  EXPECT_EQ(Canonical("a OR b AND NOT c"),
            R"(#content("a") OR #content("b") AND NOT (#content("c")))");
  EXPECT_EQ(Canonical("(a OR b) AND c"), R"((#content("a") OR #content("b")) AND #content("c"))");
  EXPECT_EQ(Canonical("NOT (a AND b)"), R"(NOT (#content("a") AND #content("b")))");
  EXPECT_EQ(Canonical("NOT a AND b"), R"(NOT (#content("a")) AND #content("b"))");
}

TEST(FindExpression, KeywordsEndAtTokenBoundaries_FND01) {
  EXPECT_EQ(Canonical("android or order"), R"(#content("android") OR #content("order"))");
  EXPECT_EQ(Canonical("and_x"), R"(#content("and_x"))");
  EXPECT_EQ(Canonical("not-found"), R"(#content("not-found"))");
  EXPECT_EQ(Canonical("not#user(x)and$.a=1"), R"(NOT (#user("x")) AND #json("$.a") = 1)");
  EXPECT_EQ(Canonical("a aNd(b)oR\"c\""), R"(#content("a") AND #content("b") OR #content("c"))");
}

TEST(FindExpression, NormalisesWhatMeansTheSame_FND15) {
  EXPECT_EQ(Canonical("((a))"), R"(#content("a"))");
  EXPECT_EQ(Canonical("NOT NOT a"), R"(#content("a"))");
  EXPECT_EQ(Canonical("not (not (not a))"), R"(NOT (#content("a")))");
  EXPECT_EQ(Canonical("(a AND b) AND (c AND d)"),
            R"(#content("a") AND #content("b") AND #content("c") AND #content("d"))");
  EXPECT_EQ(Canonical("(a AND b) OR c"), R"(#content("a") AND #content("b") OR #content("c"))");
}

TEST(FindExpression, KnowsItsFields_FND03) {
  EXPECT_EQ(Canonical("#agent(x) OR #model_name(y)"), R"(#assistant("x") OR #model("y"))");
  for (const char* name : {"content", "message", "user", "assistant", "system", "reasoning",
                           "observation", "prompt", "model", "env", "all"}) {
    EXPECT_EQ(Canonical(fmt::format("#{}(x)", name)), fmt::format("#{}(\"x\")", name));
  }
  EXPECT_THAT(Error("a AND #mesage(x)"),
              AllOf(StartsWith("character 7: unknown field '#mesage'"), HasSubstr("reasoning"),
                    HasSubstr("model (or model_name)"), HasSubstr("json")));
}

TEST(FindExpression, ABareTermIsContent_FND05) {
  EXPECT_EQ(Canonical("timeout"), R"(#content("timeout"))");
  EXPECT_EQ(Canonical("'a b'"), R"(#content("a b"))");
}

TEST(FindExpression, ArgumentsAreBalancedOrQuoted_FND06) {
  EXPECT_EQ(Canonical("#user(f(x, g(y)))"), R"x(#user("f(x, g(y))"))x");
  EXPECT_EQ(Canonical("#user(  two words  )"), R"(#user("two words"))");
  EXPECT_EQ(Canonical(R"x(#user("say \"hi\")\n\u0041" ))x"), R"x(#user("say \"hi\")\nA"))x");
  EXPECT_EQ(Canonical(R"(#user('say "hi" \n'))"), R"(#user("say \"hi\" \\n"))");
  EXPECT_EQ(Canonical("#user(don't)"), R"(#user("don't"))");
}

TEST(FindExpression, RefusesUnfinishedText_FND06) {
  EXPECT_THAT(Error("#user()"), HasSubstr("character 6: the text to look for is empty"));
  EXPECT_THAT(Error("#user('')"), HasSubstr("is empty"));
  EXPECT_THAT(Error("\"\""), HasSubstr("is empty"));
  EXPECT_THAT(Error(""), HasSubstr("the expression is empty"));
  EXPECT_THAT(Error(" \t\n"), HasSubstr("the expression is empty"));
  EXPECT_THAT(Error("é AND \"abc"), HasSubstr("character 7: this quote is not closed"));
  EXPECT_THAT(Error("'abc"), HasSubstr("character 1: this quote is not closed"));
  EXPECT_THAT(Error("#user(abc"), HasSubstr("character 6: this '(' is not closed"));
  EXPECT_THAT(Error("#user(\"abc\""), HasSubstr("expected ')'"));
  EXPECT_THAT(Error("#user"), HasSubstr("needs '('"));
  EXPECT_THAT(Error("(a AND b"), HasSubstr("character 1: this '(' is not closed"));
  EXPECT_THAT(Error("\"\\x\""), HasSubstr("not a JSON string"));
  EXPECT_THAT(Error("\"a\nb\""), HasSubstr("not a JSON string"));
}

TEST(FindExpression, RefusesTrailingTokens_FND06) {
  EXPECT_THAT(Error("a)"), HasSubstr("character 2: this ')' has no '('"));
  EXPECT_THAT(Error("\"a\" b"), HasSubstr("character 5: expected AND, OR or the end"));
  EXPECT_THAT(Error("#user(x) y"), HasSubstr("character 10: expected AND, OR or the end"));
  EXPECT_THAT(Error("say \"hi\""), HasSubstr("character 5: expected AND, OR or the end"));
  EXPECT_THAT(Error("a NOT b"), HasSubstr("character 3: expected AND, OR or the end"));
  EXPECT_THAT(Error("$.a = 1 2"), HasSubstr("character 9: expected AND, OR or the end"));
  EXPECT_THAT(Error("a AND"), HasSubstr("a condition is missing at the end"));
  EXPECT_THAT(Error("AND a"), HasSubstr("character 1: a condition is missing here"));
  EXPECT_THAT(Error("()"), HasSubstr("character 2: a condition is missing here"));
  EXPECT_THAT(Error("main()"), HasSubstr("character 5: '(' cannot stand"));
}

TEST(FindExpression, ReadsJsonComparisons_FND07) {
  EXPECT_EQ(Canonical("$.a.b[0]>=2"), R"(#json("$.a.b[0]") >= 2)");
  EXPECT_EQ(Canonical("$.a<=2"), R"(#json("$.a") <= 2)");
  EXPECT_EQ(Canonical("$.a!=x"), R"(#json("$.a") != "x")");
  EXPECT_EQ(Canonical("#json.extra($.a)=true"), R"(#json.extra("$.a") = true)");
  EXPECT_EQ(Canonical(R"x(#json("$['x y']") = { "k" : [ 1, ")" ] })x"),
            R"x(#json("$[\"x y\"]") = {"k":[1,")"]})x");
  EXPECT_EQ(Canonical("$=null"), R"(#json("$") = null)");
  EXPECT_EQ(Canonical("$.a='5'"), R"(#json("$.a") = "5")");
  EXPECT_EQ(Canonical("$.a=\"5\""), R"(#json("$.a") = "5")");
  EXPECT_EQ(Canonical("$.a=gpt-4"), R"(#json("$.a") = "gpt-4")");
  EXPECT_EQ(Canonical("$.a=NaN"), R"(#json("$.a") = "NaN")");
  EXPECT_EQ(Canonical("$.a=1.50e3"), R"(#json("$.a") = 1.50e3)") << "digits as written";
  EXPECT_EQ(Canonical("($.a=1)"), R"(#json("$.a") = 1)");
}

TEST(FindExpression, RefusesBadComparisons_FND07) {
  EXPECT_THAT(Error("$.a > x"), HasSubstr("character 7: '>' needs a number, not \"x\""));
  EXPECT_THAT(Error("$.a >= \"5\""), HasSubstr("needs a number"));
  EXPECT_THAT(Error("$.a"), HasSubstr("character 4: expected one of = != > >= < <="));
  EXPECT_THAT(Error("$HOME"), HasSubstr("character 2: expected one of"));
  EXPECT_THAT(Error("$.a == 1"), HasSubstr("character 5: expected one of"));
  EXPECT_THAT(Error("$.a <> 1"), HasSubstr("character 5: expected one of"));
  EXPECT_THAT(Error("$.a ="), HasSubstr("character 6: the value to compare with is missing"));
  EXPECT_THAT(Error("$.a = {\"k\":1"), HasSubstr("is not closed"));
  EXPECT_THAT(Error("$.a = [1,]"), HasSubstr("not valid JSON"));
  EXPECT_THAT(Error("$.a = f(x)"), HasSubstr("'(' cannot stand in a value"));
  EXPECT_THAT(Error("$.a[x] = 1"), HasSubstr("character 5: '[' needs an index"));
  EXPECT_THAT(Error("#json(a) = 1"), HasSubstr("character 7: a JSON path starts with '$'"));
  EXPECT_THAT(Error("#json($.a b) = 1"), HasSubstr("the path ends before"));
  EXPECT_THAT(Error("#json. ($.a) = 1"), HasSubstr("needs the name of a column"));
}

TEST(FindExpression, AllowsBlanksAroundOperators_FND08) {
  EXPECT_EQ(Canonical("$.a  >=\t2"), Canonical("$.a>=2"));
  EXPECT_EQ(Canonical(" #json( \"$.a\" )  =  x "), Canonical("#json($.a)=x"));
}

TEST(FindExpression, WordsBesideEachOtherAreOnePhrase_FND09) {
  EXPECT_EQ(Canonical("stock price"), R"(#content("stock price"))");
  EXPECT_EQ(Canonical("  stock  price AND issue #12 costs $5 "),
            R"(#content("stock  price") AND #content("issue #12 costs $5"))");
  EXPECT_EQ(Canonical("C# code a=b x>3 don't"), R"(#content("C# code a=b x>3 don't"))");
}

TEST(FindExpression, DeepTreesAreRefusedWithoutRecursion_FND18) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) {
    deep += "(a AND (b OR ";
  }
  EXPECT_THAT(Error(deep), HasSubstr("a condition is missing at the end"));
  deep += "c" + std::string(200'000, ')');
  EXPECT_THAT(Error(deep), HasSubstr("nested deeper than 100 levels"));
  EXPECT_EQ(Canonical(std::string(100'000, '(') + "a" + std::string(100'000, ')')),
            R"(#content("a"))");
  std::string wide = "a";
  for (int i = 0; i < 10'000; ++i) {
    wide += " AND a";
  }
  EXPECT_EQ(ParseFindExpression(wide)->children.size(), 10'001U);
}

TEST(FindExpression, TakesOnlyUtf8_FND19) {
  EXPECT_THAT(Error("ab\xff"), HasSubstr("character 3: the expression is not UTF-8"));
}

TEST(FindExpression, CanonicalTextParsesToTheSameTree_FND15) {
  EXPECT_TRUE(rc::check([](int seed) {
    (void)seed;
    const FindExpression expression = *find_testing::AnyExpression(5);
    const std::string text = CanonicalText(expression);
    const Result<FindExpression> parsed = ParseFindExpression(text);
    if (!parsed.ok()) {
      RC_FAIL(text + ": " + parsed.status().ToString());
    }
    RC_ASSERT(*parsed == expression);
    RC_ASSERT(CanonicalText(*parsed) == text);
  }));
}

TEST(FindExpression, SurvivesAnyText_FND18) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *find_testing::AnyText();
    const Result<FindExpression> parsed = ParseFindExpression(text);
    if (parsed.ok()) {
      const std::string canonical = CanonicalText(*parsed);
      RC_ASSERT(*ParseFindExpression(canonical) == *parsed);
    } else {
      RC_ASSERT(!parsed.status().message().empty());
    }
  }));
}

}  // namespace
}  // namespace pchronicle::app
