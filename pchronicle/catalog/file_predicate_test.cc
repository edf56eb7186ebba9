#include "pchronicle/catalog/file_predicate.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace pchronicle::catalog {
namespace {

using Kind = FilePredicate::Kind;

FilePredicate Leaf(Kind kind, std::vector<std::string> values) {
  FilePredicate predicate;
  predicate.kind = kind;
  predicate.values = std::move(values);
  return predicate;
}
FilePredicate Like(std::string pattern, char32_t escape = 0) {
  FilePredicate predicate = Leaf(Kind::kLike, {std::move(pattern)});
  predicate.escape = escape;
  return predicate;
}
FilePredicate Tree(Kind kind, std::vector<FilePredicate> children) {
  FilePredicate predicate;
  predicate.kind = kind;
  predicate.children = std::move(children);
  return predicate;
}
FilePredicate Literal(Truth value) {
  FilePredicate predicate;
  predicate.kind = Kind::kLiteral;
  predicate.literal = value;
  return predicate;
}

TEST(FilePredicate, ComparisonsWithTextAreExact_PRN00) {
  EXPECT_EQ(Evaluate(Leaf(Kind::kEq, {"a"}), "a"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Leaf(Kind::kEq, {"a"}), "b"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Leaf(Kind::kNe, {"a"}), "a"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Leaf(Kind::kIn, {"a", "b"}), "b"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Leaf(Kind::kNotIn, {"a", "b"}), "b"), Truth::kFalse);
  EXPECT_EQ(Evaluate(FilePredicate(), "a"), Truth::kUnknown);
}

TEST(FilePredicate, LikeWorksOnCharacters_PRN00) {
  EXPECT_EQ(Evaluate(Like("%"), ""), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like(""), ""), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like(""), "a"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Like("a/%.json"), "a/b.json"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like("A/%"), "a/b.json"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Like("_.json"), "\xe4\xb8\xad.json"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like("__.json"), "\xe4\xb8\xad.json"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Like("a!%b", U'!'), "a%b"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like("a!%b", U'!'), "axb"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Like("a!!", U'!'), "a!"), Truth::kTrue);
  EXPECT_EQ(Evaluate(Like("%!", U'!'), "a"), Truth::kUnknown) << "the engine makes an error of it";
  EXPECT_EQ(Evaluate(Like("%a%b%a%b%"), "xaxbxaxb"), Truth::kTrue);
  FilePredicate not_like = Like("a%");
  not_like.kind = Kind::kNotLike;
  EXPECT_EQ(Evaluate(not_like, "abc"), Truth::kFalse);
}

TEST(FilePredicate, ManyWildcardsStayCheap) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) {
    pattern += "%a";
  }
  EXPECT_EQ(Evaluate(Like(pattern + "%b"), std::string(20000, 'a')), Truth::kFalse);
}

TEST(FilePredicate, TruthTablesAreThreeValued_PRN05) {
  const Truth values[] = {Truth::kTrue, Truth::kFalse, Truth::kUnknown};
  const Truth conjunction[3][3] = {{Truth::kTrue, Truth::kFalse, Truth::kUnknown},
                                   {Truth::kFalse, Truth::kFalse, Truth::kFalse},
                                   {Truth::kUnknown, Truth::kFalse, Truth::kUnknown}};
  const Truth disjunction[3][3] = {{Truth::kTrue, Truth::kTrue, Truth::kTrue},
                                   {Truth::kTrue, Truth::kFalse, Truth::kUnknown},
                                   {Truth::kTrue, Truth::kUnknown, Truth::kUnknown}};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      EXPECT_EQ(Evaluate(Tree(Kind::kAnd, {Literal(values[a]), Literal(values[b])}), "x"),
                conjunction[a][b]);
      EXPECT_EQ(Evaluate(Tree(Kind::kOr, {Literal(values[a]), Literal(values[b])}), "x"),
                disjunction[a][b]);
    }
  }
  EXPECT_EQ(Evaluate(Tree(Kind::kNot, {Literal(Truth::kTrue)}), "x"), Truth::kFalse);
  EXPECT_EQ(Evaluate(Tree(Kind::kNot, {Literal(Truth::kUnknown)}), "x"), Truth::kUnknown);
}

/// LIKE by the definition, exponential and plain.
bool SlowLike(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern.front() == '%') {
    return SlowLike(text, pattern.substr(1)) ||
           (!text.empty() && SlowLike(text.substr(1), pattern));
  }
  return !text.empty() && (pattern.front() == '_' || pattern.front() == text.front()) &&
         SlowLike(text.substr(1), pattern.substr(1));
}

/// Value of the whole condition when each undecidable part has the value that `other` gives.
bool Decided(const FilePredicate& p, std::string_view file, const std::function<bool()>& other) {
  switch (p.kind) {
    case Kind::kUnknown:
      return other();
    case Kind::kLiteral:
      return p.literal == Truth::kUnknown ? other() : p.literal == Truth::kTrue;
    case Kind::kEq:
      return p.values[0] == file;
    case Kind::kNe:
      return p.values[0] != file;
    case Kind::kIn:
    case Kind::kNotIn: {
      bool found = false;
      for (const std::string& value : p.values) {
        found = found || value == file;
      }
      return found == (p.kind == Kind::kIn);
    }
    case Kind::kLike:
      return SlowLike(file, p.values[0]);
    case Kind::kNotLike:
      return !SlowLike(file, p.values[0]);
    case Kind::kAnd: {
      bool all = true;
      for (const FilePredicate& child : p.children) {
        all = Decided(child, file, other) && all;
      }
      return all;
    }
    case Kind::kOr: {
      bool any = false;
      for (const FilePredicate& child : p.children) {
        any = Decided(child, file, other) || any;
      }
      return any;
    }
    case Kind::kNot:
      return !Decided(p.children[0], file, other);
  }
  return false;
}

rc::Gen<std::string> Path() {
  return rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/")));
}

FilePredicate RandomPredicate(int depth) {
  const auto kind = *rc::gen::inRange(0, depth > 0 ? 11 : 8);
  switch (kind) {
    case 0:
      return FilePredicate();
    case 1:
      return Literal(*rc::gen::element(Truth::kTrue, Truth::kFalse, Truth::kUnknown));
    case 2:
      return Leaf(Kind::kEq, {*Path()});
    case 3:
      return Leaf(Kind::kNe, {*Path()});
    case 4:
    case 5:
      return Leaf(kind == 4 ? Kind::kIn : Kind::kNotIn,
                  *rc::gen::container<std::vector<std::string>>(Path()));
    case 6:
    case 7:
      return Leaf(kind == 6 ? Kind::kLike : Kind::kNotLike,
                  {*rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/%_")))});
    case 8:
      return Tree(Kind::kNot, {RandomPredicate(depth - 1)});
    default: {
      std::vector<FilePredicate> children;
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        children.push_back(RandomPredicate(depth - 1));
      }
      return Tree(kind == 9 ? Kind::kAnd : Kind::kOr, std::move(children));
    }
  }
}

RC_GTEST_PROP(FilePredicateProperty, PruningNeverChangesAResult_PRN07, ()) {
  const FilePredicate predicate = RandomPredicate(4);
  const std::string file = *Path();
  const Truth value = Evaluate(predicate, file);
  // Whatever the rest of each row says, a decided condition has that value.
  for (int i = 0; i < 8; ++i) {
    const std::vector<bool> rest =
        *rc::gen::container<std::vector<bool>>(64, rc::gen::arbitrary<bool>());
    size_t next = 0;
    const bool row =
        Decided(predicate, file, [&] { return static_cast<bool>(rest[next++ % rest.size()]); });
    if (value == Truth::kFalse) {
      RC_ASSERT(!row);
    }
    if (value == Truth::kTrue) {
      RC_ASSERT(row);
    }
  }
}

}  // namespace
}  // namespace pchronicle::catalog
