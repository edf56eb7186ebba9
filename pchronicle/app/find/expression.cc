#include "pchronicle/app/find/expression.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace pchronicle::app {
namespace {

using Kind = FindExpression::Kind;

constexpr std::array<std::string_view, 11> kFieldNames = {
    "content",     "message", "user",  "assistant", "system", "reasoning",
    "observation", "prompt",  "model", "env",       "all"};

FindExpression Join(Kind kind, std::vector<FindExpression> children) {
  FindExpression joined;
  joined.kind = kind;
  for (FindExpression& child : children) {
    if (child.kind == kind) {
      std::move(child.children.begin(), child.children.end(), std::back_inserter(joined.children));
    } else {
      joined.children.push_back(std::move(child));
    }
  }
  if (joined.children.size() == 1) {
    FindExpression only = std::move(joined.children.front());
    return only;
  }
  return joined;
}

void AppendText(const TextCondition& text, std::string& out) {
  out += "#";
  out += FindFieldName(text.field);
  out += "(";
  json::AppendQuoted(text.text, out);
  out += ")";
}

void AppendJson(const JsonCondition& json, std::string& out) {
  out += json.column ? "#json." + *json.column : "#json";
  out += "(";
  json::AppendQuoted(json.path.ToString(), out);
  out += ") ";
  out += FindOperatorText(json.op);
  out += " " + json.value;
}

// `parent` decides whether the node has to stand in parentheses.
void Append(const FindExpression& node, Kind parent, std::string& out) {
  switch (node.kind) {
    case Kind::kText:
      return AppendText(node.text, out);
    case Kind::kJson:
      return AppendJson(node.json, out);
    case Kind::kNot:
      out += "NOT (";
      Append(node.children.front(), Kind::kNot, out);
      out += ")";
      return;
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  const bool parentheses = node.kind == Kind::kOr && parent == Kind::kAnd;
  out += parentheses ? "(" : "";
  for (size_t i = 0; i < node.children.size(); ++i) {
    out += i == 0 ? "" : node.kind == Kind::kAnd ? " AND " : " OR ";
    Append(node.children[i], node.kind, out);
  }
  out += parentheses ? ")" : "";
}

}  // namespace

std::string_view FindFieldName(FindField field) { return kFieldNames[static_cast<size_t>(field)]; }

std::optional<FindField> ParseFindField(std::string_view name) {
  name = name == "agent" ? "assistant" : name == "model_name" ? "model" : name;
  const auto it = std::find(kFieldNames.begin(), kFieldNames.end(), name);
  return it == kFieldNames.end() ? std::nullopt
                                 : std::optional(static_cast<FindField>(it - kFieldNames.begin()));
}

std::string FindFieldNames() {
  std::string out;
  for (const std::string_view name : kFieldNames) {
    out += (out.empty() ? "" : ", ") + std::string(name);
    out += name == "assistant" ? " (or agent)" : name == "model" ? " (or model_name)" : "";
  }
  return out;
}

std::string_view FindOperatorText(FindOperator op) {
  constexpr std::array<std::string_view, 6> kTexts = {"=", "!=", ">", ">=", "<", "<="};
  return kTexts[static_cast<size_t>(op)];
}

bool IsRange(FindOperator op) {
  return op != FindOperator::kEqual && op != FindOperator::kNotEqual;
}

FindExpression AllOf(std::vector<FindExpression> children) {
  return Join(Kind::kAnd, std::move(children));
}

FindExpression AnyOf(std::vector<FindExpression> children) {
  return Join(Kind::kOr, std::move(children));
}

FindExpression Not(FindExpression child) {
  if (child.kind == Kind::kNot) {
    FindExpression inner = std::move(child.children.front());
    return inner;
  }
  FindExpression node;
  node.kind = Kind::kNot;
  node.children.push_back(std::move(child));
  return node;
}

std::string CanonicalText(const FindExpression& expression) {
  std::string out;
  Append(expression, Kind::kNot, out);
  return out;
}

}  // namespace pchronicle::app
