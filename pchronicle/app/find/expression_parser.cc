#include "pchronicle/app/find/expression_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "pchronicle/app/find/quoted.h"
#include "pchronicle/base/terminal_text.h"
#include "pchronicle/json/utf8.h"
#include "pchronicle/json/value.h"

namespace pchronicle::app {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

enum class Keyword : uint8_t { kNone, kAnd, kOr, kNot };

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<FindExpression> Parse() {
    if (const size_t bad = json::FindInvalidUtf8(text_); bad != kNowhere) {
      return Fail(bad, Status::InvalidArgument("the expression is not UTF-8"));
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

  // -- structure --

  /// NOT, '(' and one condition.
  Status ParseOperand() {
    bool negated = false;
    while (true) {
      SkipBlanks();
      const Keyword keyword = PeekKeyword();
      if (keyword == Keyword::kNot) {
        negated = !negated;
        at_ += 3;
      } else if (at_ < text_.size() && text_[at_] == '(') {
        groups_.emplace_back();
        groups_.back().begin = at_++;
        groups_.back().negated = std::exchange(negated, false);
      } else if (at_ == text_.size() || text_[at_] == ')' || keyword != Keyword::kNone) {
        return MissingOperand();
      } else {
        PCHRONICLE_ASSIGN_OR_RETURN(FindExpression condition, ParseCondition());
        return AddFactor({std::move(condition), 1}, negated);
      }
    }
  }

  Status MissingOperand() {
    if (at_ == text_.size() && text_.find_first_not_of(" \t\r\n") == kNowhere) {
      return Status::InvalidArgument("the expression is empty; give a text to look for");
    }
    return Fail(at_, at_ == text_.size()
                         ? Status::InvalidArgument("a condition is missing at the end")
                         : Status::InvalidArgument("a condition is missing here; to look for the "
                                                   "words and, or, not or for ')', quote them"));
  }

  /// AND, OR or ')' behind a condition. False at the end of the expression.
  Result<bool> ParseOperator() {
    while (true) {
      SkipBlanks();
      if (at_ == text_.size()) {
        if (groups_.size() > 1) {
          return Fail(groups_.back().begin,
                      Status::InvalidArgument("this '(' is not closed; add ')'"));
        }
        return false;
      }
      if (text_[at_] == ')') {
        PCHRONICLE_RETURN_IF_ERROR(CloseParenthesis());
        continue;
      }
      switch (PeekKeyword()) {
        case Keyword::kAnd:
          at_ += 3;
          return true;
        case Keyword::kOr:
          at_ += 2;
          EndAlternative(groups_.back());
          return true;
        case Keyword::kNot:
        case Keyword::kNone:
          return Fail(at_, Status::InvalidArgument(
                               "expected AND, OR or the end; text with blanks, quotes or "
                               "parentheses is written \"...\""));
      }
    }
  }

  Status CloseParenthesis() {
    if (groups_.size() == 1) {
      return Fail(at_, Status::InvalidArgument("this ')' has no '('; quote it to look for it"));
    }
    ++at_;
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
               : Fail(at_, Status::ResourceExhausted(
                               "AND, OR and NOT are nested deeper than {} levels", kMaxMatchDepth));
  }

  // -- conditions --

  Result<FindExpression> ParseCondition() {
    const size_t begin = at_;
    if (text_[at_] == '#') {
      return ParseField(begin);
    }
    if (text_[at_] == '$') {
      Result<JsonPath> path = ParseJsonPath(text_, &at_);
      if (!path.ok()) {
        return Fail(at_, path.status());
      }
      return ParseComparison(begin, std::nullopt, std::move(path).value());
    }
    if (IsQuote(text_[at_])) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::string text, ParseQuotedText());
      return MakeText(FindField::kContent, std::move(text), begin);
    }
    return ParsePhrase();
  }

  Result<FindExpression> MakeText(FindField field, std::string text, size_t place) const {
    if (text.empty()) {
      return Fail(place, Status::InvalidArgument("the text to look for is empty"));
    }
    FindExpression node;
    node.text = {field, std::move(text)};
    return node;
  }

  /// `#field(text)`, `#json(path) op value`, `#json.column(path) op value`.
  Result<FindExpression> ParseField(size_t begin) {
    ++at_;
    const std::string_view name = TakeName();
    std::optional<std::string> column;
    if (name == "json" && at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      column = std::string(TakeName());
      if (column->empty()) {
        return Fail(at_, Status::InvalidArgument("'#json.' needs the name of a column"));
      }
    }
    const std::optional<FindField> field = ParseFindField(name);
    if (name != "json" && !field) {
      return Fail(begin, Status::InvalidArgument(
                             "unknown field '#{}'; there are {} and json; quote a text that starts "
                             "with '#'",
                             name, FindFieldNames()));
    }
    if (at_ == text_.size() || text_[at_] != '(') {
      return Fail(at_, Status::InvalidArgument("'#{}' needs '(' and an argument", name));
    }
    const size_t open = at_;
    PCHRONICLE_ASSIGN_OR_RETURN(std::string argument, ParseArgument());
    if (field) {
      return MakeText(*field, std::move(argument), open);
    }
    size_t end = 0;
    Result<JsonPath> path = ParseJsonPath(argument, &end);
    if (path.ok() && end < argument.size()) {
      path = Status::InvalidArgument("the path ends before '{}'", argument.substr(end));
    }
    if (!path.ok()) {
      return Fail(open + 1, path.status());
    }
    return ParseComparison(begin, std::move(column), std::move(path).value());
  }

  /// What stands in parentheses: quoted, or as it is with parentheses balanced.
  Result<std::string> ParseArgument() {
    const size_t open = at_++;
    SkipBlanks();
    if (at_ < text_.size() && IsQuote(text_[at_])) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::string text, ParseQuotedText());
      SkipBlanks();
      if (at_ == text_.size() || text_[at_] != ')') {
        return Fail(at_, Status::InvalidArgument("expected ')' behind the quoted text"));
      }
      ++at_;
      return text;
    }
    const size_t begin = at_;
    for (size_t depth = 1; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '(' ? 1 : 0;
      depth -= text_[at_] == ')' ? 1 : 0;
      if (depth == 0) {
        return std::string(Trimmed(text_.substr(begin, at_++ - begin)));
      }
    }
    return Fail(open, Status::InvalidArgument(
                          "this '(' is not closed; add ')', or quote an argument that has one"));
  }

  /// A bare term: words up to a keyword, a parenthesis or something quoted or marked.
  Result<FindExpression> ParsePhrase() {
    const size_t begin = at_;
    size_t end = at_;
    while (true) {
      while (at_ < text_.size() && !IsBlank(text_[at_]) && text_[at_] != '(' && text_[at_] != ')') {
        ++at_;
      }
      end = at_;
      SkipBlanks();
      if (at_ < text_.size() && text_[at_] == '(') {
        return Fail(at_, Status::InvalidArgument(
                             "'(' cannot stand in a text without quotes; write \"...\""));
      }
      if (at_ == text_.size() || text_[at_] == ')' || StartsCondition() ||
          PeekKeyword() != Keyword::kNone) {
        return MakeText(FindField::kContent, std::string(text_.substr(begin, end - begin)), begin);
      }
    }
  }

  /// A quote, `#name` or a path begins here, in the middle of a bare term.
  bool StartsCondition() const {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    return IsQuote(c) || (c == '#' && IsNameCharacter(next)) ||
           (c == '$' && (next == '.' || next == '['));
  }

  // -- comparisons --

  Result<FindExpression> ParseComparison(size_t begin, std::optional<std::string> column,
                                         JsonPath path) {
    FindExpression node;
    node.kind = FindExpression::Kind::kJson;
    node.place = Place(begin);
    node.json.column = std::move(column);
    node.json.path = std::move(path);
    PCHRONICLE_ASSIGN_OR_RETURN(node.json.op, ParseComparisonOperator());
    SkipBlanks();
    const size_t place = at_;
    PCHRONICLE_ASSIGN_OR_RETURN(node.json.value, ParseValue());
    if (IsRange(node.json.op) && json::RawFromText(node.json.value).kind != json::Kind::kNumber) {
      return Fail(place, Status::InvalidArgument("'{}' needs a number, not {}",
                                                 FindOperatorText(node.json.op), node.json.value));
    }
    return node;
  }

  Result<FindOperator> ParseComparisonOperator() {
    SkipBlanks();
    const size_t begin = at_;
    const std::string_view rest = text_.substr(at_);
    for (const FindOperator op :
         {FindOperator::kGreaterOrEqual, FindOperator::kLessOrEqual, FindOperator::kNotEqual,
          FindOperator::kEqual, FindOperator::kGreater, FindOperator::kLess}) {
      const std::string_view spelling = FindOperatorText(op);
      if (rest.starts_with(spelling)) {
        at_ += spelling.size();
        const char next = at_ < text_.size() ? text_[at_] : '\0';
        if (next == '=' || next == '>' || next == '<') {
          break;  // == and <> of other languages
        }
        return op;
      }
    }
    return Fail(begin, Status::InvalidArgument(
                           "expected one of = != > >= < <= behind the path; quote a text that "
                           "starts with '$'"));
  }

  /// JSON, or else a text: quoted, or up to the next blank or ')'. As compact JSON.
  Result<std::string> ParseValue() {
    if (at_ == text_.size() || text_[at_] == ')') {
      return Fail(at_, Status::InvalidArgument("the value to compare with is missing"));
    }
    if (IsQuote(text_[at_])) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, ParseQuotedText());
      return Quoted(text);
    }
    const size_t begin = at_;
    const bool container = text_[at_] == '{' || text_[at_] == '[';
    at_ = container ? ContainerEnd() : WordEnd();
    if (at_ == kNowhere) {
      return Fail(begin, Status::InvalidArgument("this JSON value is not closed"));
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      return Fail(at_, Status::InvalidArgument("'(' cannot stand in a value without quotes"));
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    const json::Raw raw = json::RawFromText(word);
    const bool finite = (raw.flags & json::kHasNonFinite) == 0;
    if (container && (!finite || !json::Tree::Parse(word).ok())) {
      return Fail(begin,
                  Status::InvalidArgument("not valid JSON; quote it to compare with a text"));
    }
    if (!raw.present() || !finite) {
      return Quoted(word);
    }
    Arena arena(word.size());
    return std::string(json::CellText(raw, json::Surrogates::kKeep, arena));
  }

  static std::string Quoted(std::string_view text) {
    std::string out;
    json::AppendQuoted(text, out);
    return out;
  }

  size_t WordEnd() const {
    size_t end = at_;
    while (end < text_.size() && !IsBlank(text_[end]) && text_[end] != ')' && text_[end] != '(') {
      ++end;
    }
    return end;
  }

  /// Behind the bracket that closes the one at the cursor, or npos.
  size_t ContainerEnd() const {
    bool in_string = false;
    size_t depth = 0;
    for (size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (in_string) {
        i += c == '\\' ? 1 : 0;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return i + 1;
      }
    }
    return kNowhere;
  }

  // -- characters --

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) {
      ++at_;
    }
  }

  static std::string_view Trimmed(std::string_view text) {
    while (!text.empty() && IsBlank(text.back())) {
      text.remove_suffix(1);
    }
    return text;
  }

  std::string_view TakeName() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameCharacter(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  Result<std::string> ParseQuotedText() {
    Result<std::string> text = ParseQuoted(text_, &at_);
    if (!text.ok()) {
      return Fail(at_, text.status());
    }
    return text;
  }

  /// A keyword that ends at a blank or at something that cannot be part of a word.
  Keyword PeekKeyword() const {
    for (const auto& [word, keyword] : {std::pair<std::string_view, Keyword>{"AND", Keyword::kAnd},
                                        {"OR", Keyword::kOr},
                                        {"NOT", Keyword::kNot}}) {
      const std::string_view here = text_.substr(at_, word.size());
      const bool same = std::equal(here.begin(), here.end(), word.begin(), word.end(),
                                   [](char a, char b) { return (a & ~0x20) == b; });
      const size_t end = at_ + word.size();
      if (same && (end == text_.size() || IsBlank(text_[end]) ||
                   std::string_view("()\"#$").find(text_[end]) != kNowhere)) {
        return keyword;
      }
    }
    return Keyword::kNone;
  }

  size_t Place(size_t offset) const { return CountCharacters(text_.substr(0, offset)) + 1; }

  Status Fail(size_t offset, const Status& status) const {
    return status.WithContext(fmt::format("character {}", Place(offset)));
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<Group> groups_;  // the whole expression and the open parentheses
};

}  // namespace

Result<FindExpression> ParseFindExpression(std::string_view text) { return Parser(text).Parse(); }

}  // namespace pchronicle::app
