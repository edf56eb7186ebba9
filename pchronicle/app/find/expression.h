#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/app/find/json_path.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::app {

/// What `#name(text)` looks at (FND-03). `all` is every column that has text.
enum class FindField : uint8_t {
  kContent,
  kMessage,
  kUser,
  kAssistant,
  kSystem,
  kReasoning,
  kObservation,
  kPrompt,
  kModel,
  kEnv,
  kAll,
};
std::string_view FindFieldName(FindField field);
/// Also by alias: agent, model_name.
std::optional<FindField> ParseFindField(std::string_view name);
/// `content, message, ...` for error messages.
std::string FindFieldNames();

enum class FindOperator : uint8_t {
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual
};
std::string_view FindOperatorText(FindOperator op);
/// All but = and !=.
bool IsRange(FindOperator op);

/// One condition on the text of a step.
struct TextCondition {
  FindField field = FindField::kContent;
  std::string text;  // as typed, not folded; never empty
  bool operator==(const TextCondition&) const = default;
};

/// One condition on a value inside a JSON column.
struct JsonCondition {
  std::optional<std::string> column;  // absent: any JSON column of the scope
  JsonPath path;
  FindOperator op = FindOperator::kEqual;
  std::string value;  // compact JSON text; a number when IsRange(op)
  bool operator==(const JsonCondition&) const = default;
};

/// A condition of `find --match` as a tree (catalog.md 13). A node of kAnd or kOr has two or more
/// children, none of its own kind; kNot has one, which is no kNot. Immutable value.
struct FindExpression {
  enum class Kind : uint8_t { kText, kJson, kNot, kAnd, kOr };
  Kind kind = Kind::kText;
  std::vector<FindExpression> children;
  TextCondition text;  // kText
  JsonCondition json;  // kJson
  size_t place = 0;    // kJson: where it begins in its expression, in characters from 1

  /// Equal conditions; places do not count.
  bool operator==(const FindExpression& other) const {
    return kind == other.kind && children == other.children && text == other.text &&
           json == other.json;
  }
};

/// Joined without nesting a node in its own kind; of one child the child itself.
FindExpression AllOf(std::vector<FindExpression> children);
FindExpression AnyOf(std::vector<FindExpression> children);
/// Two negations are none.
FindExpression Not(FindExpression child);

/// The one way to write an expression (FND-15); it parses to an equal tree.
std::string CanonicalText(const FindExpression& expression);

}  // namespace pchronicle::app
