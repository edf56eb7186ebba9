#include "pchronicle/app/find/matcher.h"

#include <algorithm>
#include <array>
#include <span>

#include "pchronicle/app/find/json_text.h"
#include "pchronicle/base/check.h"
#include "pchronicle/json/compare.h"
#include "pchronicle/model/message_text.h"

namespace pchronicle::app {
namespace {

using Kind = FindExpression::Kind;

constexpr size_t kDecodedKept = 1 << 20;

constexpr std::array<std::string_view, 5> kRunJson = {"agent_extra", "final_metrics", "extra",
                                                      "meta", "unknown_fields"};
constexpr std::array<std::string_view, 2> kStepJson = {"metrics", "extra"};

std::span<const std::string_view> JsonColumns(FindScope scope) {
  return scope == FindScope::kRuns ? std::span<const std::string_view>(kRunJson) : kStepJson;
}

std::string JoinNames(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out;
}

// Columns that a text condition looks at (FND-04).
std::vector<std::string_view> TextColumns(FindField field) {
  switch (field) {
    case FindField::kContent:
    case FindField::kMessage:
    case FindField::kUser:
    case FindField::kAssistant:
      return {"message_value"};
    case FindField::kSystem:
    case FindField::kPrompt:
      return {"prompt", "message_value"};
    case FindField::kReasoning:
      return {"reasoning_content"};
    case FindField::kObservation:
      return {"observation"};
    case FindField::kModel:
      return {"model_name"};
    case FindField::kEnv:
      return {"env"};
    case FindField::kAll:
      break;
  }
  return {"message_value", "reasoning_content", "model_name", "observation", "env", "prompt"};
}

std::optional<std::string> SourceOf(FindField field) {
  switch (field) {
    case FindField::kUser:
      return "user";
    case FindField::kAssistant:
      return "agent";
    case FindField::kSystem:
      return "system";
    default:
      return std::nullopt;
  }
}

template <typename Test>
bool AnyLeaf(const FindExpression& expression, const Test& test) {
  return expression.children.empty()
             ? test(expression)
             : std::any_of(expression.children.begin(), expression.children.end(),
                           [&](const FindExpression& child) { return AnyLeaf(child, test); });
}

Status CheckColumn(const FindExpression& leaf, FindScope scope) {
  const std::span<const std::string_view> columns = JsonColumns(scope);
  if (!leaf.json.column ||
      std::find(columns.begin(), columns.end(), *leaf.json.column) != columns.end()) {
    return Status::Ok();
  }
  const auto is = [&](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), *leaf.json.column) != names.end();
  };
  if (!is(kRunJson) && !is(kStepJson)) {
    return Status::InvalidArgument(
        "character {}: '{}' is no JSON column to search; runs have {}, steps have {}", leaf.place,
        *leaf.json.column, JoinNames(kRunJson), JoinNames(kStepJson));
  }
  return Status::InvalidArgument(
      "character {}: '{}' is a column of {}, but conditions on text, on metrics and --step-id "
      "search steps; steps have {}",
      leaf.place, *leaf.json.column, is(kRunJson) ? "runs" : "steps", JoinNames(kStepJson));
}

bool SameValue(const json::Raw& found, std::string_view wanted) {
  const json::Raw value = json::RawFromText(wanted);
  if (value.kind != found.kind) {
    return false;
  }
  if (value.kind == json::Kind::kNumber) {
    return json::SameNumber(found.text, value.text);
  }
  const bool container = value.kind == json::Kind::kArray || value.kind == json::Kind::kObject;
  const bool escaped = ((found.flags | value.flags) & json::kHasEscapes) != 0;
  return container || escaped ? json::SameMeaning(found.text, value.text)
                              : found.text == value.text;
}

bool Holds(const JsonCondition& condition, const json::Raw& found) {
  if (!found.present()) {
    return false;
  }
  if (!IsRange(condition.op)) {
    return SameValue(found, condition.value) == (condition.op == FindOperator::kEqual);
  }
  if (found.kind != json::Kind::kNumber) {
    return false;
  }
  const std::partial_ordering order = json::CompareNumbers(found.text, condition.value);
  switch (condition.op) {
    case FindOperator::kGreater:
      return order > 0;
    case FindOperator::kGreaterOrEqual:
      return order >= 0;
    case FindOperator::kLess:
      return order < 0;
    default:
      return order <= 0;
  }
}

}  // namespace

FindScope ScopeOf(const FindExpression& expression) {
  return AnyLeaf(expression,
                 [](const FindExpression& leaf) {
                   return leaf.kind == Kind::kText || leaf.json.column == "metrics";
                 })
             ? FindScope::kSteps
             : FindScope::kRuns;
}

bool HasText(const FindExpression& expression) {
  return AnyLeaf(expression, [](const FindExpression& leaf) { return leaf.kind == Kind::kText; });
}

bool HasJson(const FindExpression& expression) {
  return AnyLeaf(expression, [](const FindExpression& leaf) { return leaf.kind == Kind::kJson; });
}

std::optional<std::string_view> ReadableMessage(std::string_view message_value, Arena& arena) {
  return model::MessageText(json::RawFromText(message_value), arena);
}

// One row of a batch and how its cells are read.
class FindMatcher::Row {
 public:
  Row(const FindMatcher& matcher, const columnar::Batch& batch, size_t row, size_t first_column,
      Scratch& scratch)
      : matcher_(matcher),
        batch_(batch),
        row_(row),
        first_column_(first_column),
        scratch_(scratch) {}

  bool Matches(const Node& node) const {
    const auto child = [this](const Node& each) { return Matches(each); };
    switch (node.kind) {
      case Kind::kAnd:
        return std::all_of(node.children.begin(), node.children.end(), child);
      case Kind::kOr:
        return std::any_of(node.children.begin(), node.children.end(), child);
      case Kind::kNot:
        return !Matches(node.children.front());
      case Kind::kText:
        return MatchesText(node);
      case Kind::kJson:
        break;
    }
    return std::any_of(node.columns.begin(), node.columns.end(), [&](size_t place) {
      const columnar::Column& column = Column(place);
      return !column.is_null(row_) &&
             Holds(node.json, Lookup(column.texts()[row_], node.json.path));
    });
  }

 private:
  const columnar::Column& Column(size_t place) const {
    return batch_.columns[first_column_ + place];
  }

  bool MatchesText(const Node& node) const {
    if (node.source && Column(matcher_.source_place_).texts()[row_] != *node.source) {
      return false;
    }
    return std::any_of(node.columns.begin(), node.columns.end(), [&](size_t place) {
      const columnar::Column& column = Column(place);
      return !column.is_null(row_) && CellHas(place, column.texts()[row_], *node.needle);
    });
  }

  bool CellHas(size_t place, std::string_view cell, const CaselessNeedle& needle) const {
    const model::RelationColumn& column =
        model::RelationColumns(matcher_.relation_)[matcher_.columns_[place]];
    if (column.field.type == columnar::Type::kVarchar) {
      return needle.FoundIn(cell, &scratch_.folded);
    }
    if (scratch_.decoded.bytes() > kDecodedKept) {
      scratch_.decoded.Reset();
    }
    return column.field.name == "message_value"
               ? MessageHas(cell, needle)
               : FoundInJson(cell, needle, scratch_.decoded, &scratch_.folded);
  }

  /// The text that a person reads; a message without one has the texts of its JSON value.
  bool MessageHas(std::string_view cell, const CaselessNeedle& needle) const {
    if (cell.starts_with('"') && cell.find('\\') == std::string_view::npos) {
      return needle.FoundIn(cell.substr(1, cell.size() - 2), &scratch_.folded);
    }
    if (needle.plain_in_json() && cell.find("\\u") == std::string_view::npos &&
        !needle.FoundIn(cell, &scratch_.folded)) {
      return false;
    }
    const auto text = ReadableMessage(cell, scratch_.decoded);
    return text ? needle.FoundIn(*text, &scratch_.folded)
                : FoundInJson(cell, needle, scratch_.decoded, &scratch_.folded);
  }

  const FindMatcher& matcher_;
  const columnar::Batch& batch_;
  const size_t row_, first_column_;
  Scratch& scratch_;
};

Result<FindMatcher> FindMatcher::Create(const FindExpression& expression, FindScope scope,
                                        model::Relation relation) {
  FindMatcher matcher;
  matcher.relation_ = relation;
  PCHRONICLE_ASSIGN_OR_RETURN(matcher.root_, matcher.Prepare(expression, scope));
  const Node& root = matcher.root_;
  matcher.required_source_ = root.source;
  if (root.kind == Kind::kAnd) {
    for (const Node& child : root.children) {
      matcher.required_source_ = child.source ? child.source : matcher.required_source_;
    }
  }
  return matcher;
}

Result<FindMatcher::Node> FindMatcher::Prepare(const FindExpression& expression, FindScope scope) {
  Node node;
  node.kind = expression.kind;
  for (const FindExpression& child : expression.children) {
    PCHRONICLE_ASSIGN_OR_RETURN(Node prepared, Prepare(child, scope));
    node.children.push_back(std::move(prepared));
  }
  if (expression.kind == Kind::kText) {
    node.needle.emplace(expression.text.text);
    node.source = SourceOf(expression.text.field);
    if (node.source) {
      source_place_ = ColumnPlace("source");
    }
    for (const std::string_view name : TextColumns(expression.text.field)) {
      node.columns.push_back(ColumnPlace(name));
    }
  } else if (expression.kind == Kind::kJson) {
    PCHRONICLE_RETURN_IF_ERROR(CheckColumn(expression, scope));
    node.json = expression.json;
    if (node.json.column) {
      node.columns.push_back(ColumnPlace(*node.json.column));
    } else {
      for (const std::string_view name : JsonColumns(scope)) {
        node.columns.push_back(ColumnPlace(name));
      }
    }
  }
  return node;
}

size_t FindMatcher::ColumnPlace(std::string_view name) {
  const auto column = model::FindColumn(relation_, name);
  PCHRONICLE_CHECK(column.has_value());
  const auto it = std::find(columns_.begin(), columns_.end(), *column);
  if (it != columns_.end()) {
    return static_cast<size_t>(it - columns_.begin());
  }
  columns_.push_back(*column);
  return columns_.size() - 1;
}

bool FindMatcher::Matches(const columnar::Batch& batch, size_t row, size_t first_column,
                          Scratch& scratch) const {
  return Row(*this, batch, row, first_column, scratch).Matches(root_);
}

}  // namespace pchronicle::app
