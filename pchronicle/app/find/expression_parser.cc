#include "pchronicle/app/find/expression_parser.h"

#include <algorithm>
#include <utility>

#include "pchronicle/app/find/condition_parser.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::app {
namespace {

using Keyword = ExpressionInput::Keyword;

class Parser {
 public:
  explicit Parser(std::string_view text) : in_{text} {}

  Result<FindExpression> Parse() {
    if (const size_t bad = json::FindInvalidUtf8(in_.text); bad != std::string_view::npos) {
      return in_.Fail(bad, Status::InvalidArgument("the expression is not UTF-8"));
    }
    groups_.emplace_back();
    while (true) {
      PCHRONICLE_RETURN_IF_ERROR(ParseOperand());
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, ParseOperator());
      if (!more) {
        PCHRONICLE_ASSIGN_OR_RETURN(Node node, CloseGroup());
        return std::move(node.expression);
      }
    }
  }

 private:
  // A node and a bound of its levels, so that no tree gets deeper than it may.
  struct Node {
    FindExpression expression;
    size_t depth = 1;
  };
  // What stands between two parentheses: alternatives done, and factors of the last one.
  struct Group {
    size_t begin = 0;  // of the '('
    bool negated = false;
    std::vector<FindExpression> alternatives, factors;
    size_t alternatives_depth = 0, factors_depth = 0;
  };

  /// NOT, '(' and one condition.
  Status ParseOperand() {
    bool negated = false;
    while (true) {
      in_.SkipBlanks();
      const Keyword keyword = in_.PeekKeyword();
      if (keyword == Keyword::kNot) {
        negated = !negated;
        in_.at += 3;
      } else if (in_.at < in_.text.size() && in_.text[in_.at] == '(') {
        groups_.emplace_back();
        groups_.back().begin = in_.at++;
        groups_.back().negated = std::exchange(negated, false);
      } else if (in_.at == in_.text.size() || in_.text[in_.at] == ')' ||
                 keyword != Keyword::kNone) {
        return MissingOperand();
      } else {
        PCHRONICLE_ASSIGN_OR_RETURN(FindExpression condition, ParseCondition(in_));
        return AddFactor({std::move(condition), 1}, negated);
      }
    }
  }

  Status MissingOperand() {
    if (in_.at == in_.text.size() &&
        in_.text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      return Status::InvalidArgument("the expression is empty; give a text to look for");
    }
    return in_.Fail(in_.at,
                    in_.at == in_.text.size()
                        ? Status::InvalidArgument("a condition is missing at the end")
                        : Status::InvalidArgument("a condition is missing here; to look for the "
                                                  "words and, or, not or for ')', quote them"));
  }

  /// AND, OR or ')' behind a condition. False at the end of the expression.
  Result<bool> ParseOperator() {
    while (true) {
      in_.SkipBlanks();
      if (in_.at == in_.text.size()) {
        if (groups_.size() > 1) {
          return in_.Fail(groups_.back().begin,
                          Status::InvalidArgument("this '(' is not closed; add ')'"));
        }
        return false;
      }
      if (in_.text[in_.at] == ')') {
        PCHRONICLE_RETURN_IF_ERROR(CloseParenthesis());
        continue;
      }
      switch (in_.PeekKeyword()) {
        case Keyword::kAnd:
          in_.at += 3;
          return true;
        case Keyword::kOr:
          in_.at += 2;
          EndAlternative(groups_.back());
          return true;
        case Keyword::kNot:
        case Keyword::kNone:
          return in_.Fail(in_.at, Status::InvalidArgument(
                                      "expected AND, OR or the end; text with blanks, quotes or "
                                      "parentheses is written \"...\""));
      }
    }
  }

  Status CloseParenthesis() {
    if (groups_.size() == 1) {
      return in_.Fail(in_.at,
                      Status::InvalidArgument("this ')' has no '('; quote it to look for it"));
    }
    ++in_.at;
    const bool negated = groups_.back().negated;
    PCHRONICLE_ASSIGN_OR_RETURN(Node node, CloseGroup());
    return AddFactor(std::move(node), negated);
  }

  Status AddFactor(Node node, bool negated) {
    Group& group = groups_.back();
    group.factors.push_back(negated ? Not(std::move(node.expression)) : std::move(node.expression));
    group.factors_depth = std::max(group.factors_depth, node.depth + (negated ? 1 : 0));
    return CheckDepth(group.factors_depth);
  }

  static void EndAlternative(Group& group) {
    const size_t depth = group.factors_depth + (group.factors.size() > 1 ? 1 : 0);
    group.alternatives.push_back(AllOf(std::exchange(group.factors, {})));
    group.alternatives_depth = std::max(group.alternatives_depth, depth);
    group.factors_depth = 0;
  }

  Result<Node> CloseGroup() {
    Group group = std::move(groups_.back());
    groups_.pop_back();
    EndAlternative(group);
    const size_t depth = group.alternatives_depth + (group.alternatives.size() > 1 ? 1 : 0);
    PCHRONICLE_RETURN_IF_ERROR(CheckDepth(depth));
    return Node{AnyOf(std::move(group.alternatives)), depth};
  }

  Status CheckDepth(size_t depth) const {
    return depth <= kMaxMatchDepth
               ? Status::Ok()
               : in_.Fail(in_.at,
                          Status::ResourceExhausted(
                              "AND, OR and NOT are nested deeper than {} levels", kMaxMatchDepth));
  }

  ExpressionInput in_;
  std::vector<Group> groups_;  // the whole expression and the open parentheses
};

}  // namespace

Result<FindExpression> ParseFindExpression(std::string_view text) { return Parser(text).Parse(); }

}  // namespace pchronicle::app
