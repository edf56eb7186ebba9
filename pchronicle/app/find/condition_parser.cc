#include "pchronicle/app/find/condition_parser.h"

#include "pchronicle/app/find/quoted.h"
#include "pchronicle/json/value.h"

namespace pchronicle::app {
namespace {

std::string_view TrimmedBack(std::string_view text) {
  while (!text.empty() && ExpressionInput::IsBlank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

class ConditionParser {
 public:
  explicit ConditionParser(ExpressionInput& in) : in_(in) {}

  Result<FindExpression> Parse() {
    const size_t begin = in_.at;
    if (in_.text[in_.at] == '#') {
      return ParseField(begin);
    }
    if (in_.text[in_.at] == '$') {
      Result<JsonPath> path = ParseJsonPath(in_.text, &in_.at);
      if (!path.ok()) {
        return in_.Fail(in_.at, path.status());
      }
      return ParseComparison(begin, std::nullopt, std::move(path).value());
    }
    if (IsQuote(in_.text[in_.at])) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::string text, ParseQuotedText());
      return MakeText(FindField::kContent, std::move(text), begin);
    }
    return ParsePhrase();
  }

 private:
  Result<FindExpression> MakeText(FindField field, std::string text, size_t place) const {
    if (text.empty()) {
      return in_.Fail(place, Status::InvalidArgument("the text to look for is empty"));
    }
    FindExpression node;
    node.text = {field, std::move(text)};
    return node;
  }

  /// `#field(text)`, `#json(path) op value`, `#json.column(path) op value`.
  Result<FindExpression> ParseField(size_t begin) {
    ++in_.at;
    const std::string_view name = in_.TakeName();
    std::optional<std::string> column;
    if (name == "json" && in_.at < in_.text.size() && in_.text[in_.at] == '.') {
      ++in_.at;
      column = std::string(in_.TakeName());
      if (column->empty()) {
        return in_.Fail(in_.at, Status::InvalidArgument("'#json.' needs the name of a column"));
      }
    }
    const std::optional<FindField> field = ParseFindField(name);
    if (name != "json" && !field) {
      return in_.Fail(begin,
                      Status::InvalidArgument(
                          "unknown field '#{}'; there are {} and json; quote a text that starts "
                          "with '#'",
                          name, FindFieldNames()));
    }
    if (in_.at == in_.text.size() || in_.text[in_.at] != '(') {
      return in_.Fail(in_.at, Status::InvalidArgument("'#{}' needs '(' and an argument", name));
    }
    const size_t open = in_.at;
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
      return in_.Fail(open + 1, path.status());
    }
    return ParseComparison(begin, std::move(column), std::move(path).value());
  }

  /// What stands in parentheses: quoted, or as it is with parentheses balanced.
  Result<std::string> ParseArgument() {
    const size_t open = in_.at++;
    in_.SkipBlanks();
    if (in_.at < in_.text.size() && IsQuote(in_.text[in_.at])) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::string text, ParseQuotedText());
      in_.SkipBlanks();
      if (in_.at == in_.text.size() || in_.text[in_.at] != ')') {
        return in_.Fail(in_.at, Status::InvalidArgument("expected ')' behind the quoted text"));
      }
      ++in_.at;
      return text;
    }
    const size_t begin = in_.at;
    for (size_t depth = 1; in_.at < in_.text.size(); ++in_.at) {
      depth += in_.text[in_.at] == '(' ? 1 : 0;
      depth -= in_.text[in_.at] == ')' ? 1 : 0;
      if (depth == 0) {
        return std::string(TrimmedBack(in_.text.substr(begin, in_.at++ - begin)));
      }
    }
    return in_.Fail(open,
                    Status::InvalidArgument(
                        "this '(' is not closed; add ')', or quote an argument that has one"));
  }

  /// A bare term: words up to a keyword, a parenthesis or something quoted or marked.
  Result<FindExpression> ParsePhrase() {
    const size_t begin = in_.at;
    size_t end = in_.at;
    while (true) {
      while (in_.at < in_.text.size() && !ExpressionInput::IsBlank(in_.text[in_.at]) &&
             in_.text[in_.at] != '(' && in_.text[in_.at] != ')') {
        ++in_.at;
      }
      end = in_.at;
      in_.SkipBlanks();
      if (in_.at < in_.text.size() && in_.text[in_.at] == '(') {
        return in_.Fail(in_.at, Status::InvalidArgument(
                                    "'(' cannot stand in a text without quotes; write \"...\""));
      }
      if (in_.at == in_.text.size() || in_.text[in_.at] == ')' || StartsCondition() ||
          in_.PeekKeyword() != ExpressionInput::Keyword::kNone) {
        return MakeText(FindField::kContent, std::string(in_.text.substr(begin, end - begin)),
                        begin);
      }
    }
  }

  /// A quote, `#name` or a path begins here, in the middle of a bare term.
  bool StartsCondition() const {
    const char c = in_.text[in_.at];
    const char next = in_.at + 1 < in_.text.size() ? in_.text[in_.at + 1] : '\0';
    return IsQuote(c) || (c == '#' && ExpressionInput::IsNameCharacter(next)) ||
           (c == '$' && (next == '.' || next == '['));
  }

  // -- comparisons --

  Result<FindExpression> ParseComparison(size_t begin, std::optional<std::string> column,
                                         JsonPath path) {
    FindExpression node;
    node.kind = FindExpression::Kind::kJson;
    node.place = in_.Place(begin);
    node.json.column = std::move(column);
    node.json.path = std::move(path);
    PCHRONICLE_ASSIGN_OR_RETURN(node.json.op, ParseComparisonOperator());
    in_.SkipBlanks();
    const size_t place = in_.at;
    PCHRONICLE_ASSIGN_OR_RETURN(node.json.value, ParseValue());
    if (IsRange(node.json.op) && json::RawFromText(node.json.value).kind != json::Kind::kNumber) {
      return in_.Fail(place,
                      Status::InvalidArgument("'{}' needs a number, not {}",
                                              FindOperatorText(node.json.op), node.json.value));
    }
    return node;
  }

  Result<FindOperator> ParseComparisonOperator() {
    in_.SkipBlanks();
    const size_t begin = in_.at;
    const std::string_view rest = in_.text.substr(in_.at);
    for (const FindOperator op :
         {FindOperator::kGreaterOrEqual, FindOperator::kLessOrEqual, FindOperator::kNotEqual,
          FindOperator::kEqual, FindOperator::kGreater, FindOperator::kLess}) {
      const std::string_view spelling = FindOperatorText(op);
      if (rest.starts_with(spelling)) {
        in_.at += spelling.size();
        const char next = in_.at < in_.text.size() ? in_.text[in_.at] : '\0';
        if (next == '=' || next == '>' || next == '<') {
          break;  // == and <> of other languages
        }
        return op;
      }
    }
    return in_.Fail(begin, Status::InvalidArgument(
                               "expected one of = != > >= < <= behind the path; quote a text that "
                               "starts with '$'"));
  }

  /// JSON, or else a text: quoted, or up to the next blank or ')'. As compact JSON.
  Result<std::string> ParseValue() {
    if (in_.at == in_.text.size() || in_.text[in_.at] == ')') {
      return in_.Fail(in_.at, Status::InvalidArgument("the value to compare with is missing"));
    }
    if (IsQuote(in_.text[in_.at])) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, ParseQuotedText());
      return Quoted(text);
    }
    const size_t begin = in_.at;
    const bool container = in_.text[in_.at] == '{' || in_.text[in_.at] == '[';
    in_.at = container ? ContainerEnd() : WordEnd();
    if (in_.at == std::string_view::npos) {
      return in_.Fail(begin, Status::InvalidArgument("this JSON value is not closed"));
    }
    if (in_.at < in_.text.size() && in_.text[in_.at] == '(') {
      return in_.Fail(in_.at,
                      Status::InvalidArgument("'(' cannot stand in a value without quotes"));
    }
    const std::string_view word = in_.text.substr(begin, in_.at - begin);
    const json::Raw raw = json::RawFromText(word);
    const bool finite = (raw.flags & json::kHasNonFinite) == 0;
    if (container && (!finite || !json::Tree::Parse(word).ok())) {
      return in_.Fail(begin,
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
    size_t end = in_.at;
    while (end < in_.text.size() && !ExpressionInput::IsBlank(in_.text[end]) &&
           in_.text[end] != ')' && in_.text[end] != '(') {
      ++end;
    }
    return end;
  }

  /// Behind the bracket that closes the one at the cursor, or npos.
  size_t ContainerEnd() const {
    bool in_string = false;
    size_t depth = 0;
    for (size_t i = in_.at; i < in_.text.size(); ++i) {
      const char c = in_.text[i];
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
    return std::string_view::npos;
  }

  Result<std::string> ParseQuotedText() {
    Result<std::string> text = ParseQuoted(in_.text, &in_.at);
    if (!text.ok()) {
      return in_.Fail(in_.at, text.status());
    }
    return text;
  }

  ExpressionInput& in_;
};

}  // namespace

Result<FindExpression> ParseCondition(ExpressionInput& in) { return ConditionParser(in).Parse(); }

}  // namespace pchronicle::app
