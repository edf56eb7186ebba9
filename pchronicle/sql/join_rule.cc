#include "pchronicle/sql/join_rule.h"

#include <map>
#include <set>
#include <vector>

#include "pchronicle/sql/relation_entry.h"
#include "pchronicle/sql/scan_function.h"

namespace pchronicle::sql {
namespace {

using duckdb::ColumnBinding;
using duckdb::ExpressionType;
using duckdb::idx_t;
using duckdb::JoinType;
using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

struct BindingLess {
  bool operator()(const ColumnBinding& a, const ColumnBinding& b) const {
    return std::pair(a.table_index, a.column_index) < std::pair(b.table_index, b.column_index);
  }
};

/// Whose rows an operator hands on: Datasets whose trajectory relations were scanned below it, and
/// which of its columns are `_file_` of such a Dataset.
struct Origin {
  std::map<ColumnBinding, size_t, BindingLess> files;
  std::set<size_t> datasets;

  void Add(const Origin& other) {
    files.insert(other.files.begin(), other.files.end());
    datasets.insert(other.datasets.begin(), other.datasets.end());
  }
};

/// Columns that every row that survives has equal: connected by `=` in filters and inner joins, or
/// by being equal to the same text.
class EqualColumns {
 public:
  void Connect(const ColumnBinding& a, const ColumnBinding& b) { parents_[Root(a)] = Root(b); }
  void Connect(const ColumnBinding& a, const std::string& text) {
    // A text takes part like a column of a table that no plan has.
    const size_t number = texts_.try_emplace(text, texts_.size()).first->second;
    Connect(a, ColumnBinding(duckdb::DConstants::INVALID_INDEX, number));
  }
  bool Connected(const ColumnBinding& a, const ColumnBinding& b) { return Root(a) == Root(b); }

 private:
  ColumnBinding Root(ColumnBinding binding) {
    for (auto found = parents_.find(binding);
         found != parents_.end() && !(found->second == binding); found = parents_.find(binding)) {
      binding = found->second;
    }
    return binding;
  }

  std::map<ColumnBinding, ColumnBinding, BindingLess> parents_;
  std::map<std::string, size_t> texts_;
};

bool IsEquality(ExpressionType type) {
  return type == ExpressionType::COMPARE_EQUAL || type == ExpressionType::COMPARE_NOT_DISTINCT_FROM;
}

const ColumnBinding* PlainColumn(const duckdb::Expression& expression) {
  return expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF
             ? &expression.Cast<duckdb::BoundColumnRefExpression>().binding
             : nullptr;
}

/// The text of a constant that is one. Before the optimizer a literal still stands below a cast.
const std::string* PlainText(const duckdb::Expression& given) {
  const duckdb::Expression* expression = &given;
  if (given.GetExpressionClass() == duckdb::ExpressionClass::BOUND_CAST &&
      given.return_type.id() == duckdb::LogicalTypeId::VARCHAR) {
    expression = given.Cast<duckdb::BoundCastExpression>().child.get();
  }
  if (expression->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CONSTANT) {
    return nullptr;
  }
  const duckdb::Value& value = expression->Cast<duckdb::BoundConstantExpression>().value;
  const duckdb::LogicalTypeId type = value.type().id();
  return !value.IsNull() && (type == duckdb::LogicalTypeId::VARCHAR ||
                             type == duckdb::LogicalTypeId::STRING_LITERAL)
             ? &duckdb::StringValue::Get(value)
             : nullptr;
}

/// Whether equality with a text counts. It does where rows without it are dropped for good: below
/// an outer join they come back with NULL, and their partners' files are anybody's.
enum class Texts : bool { kIgnore, kCount };

void ConnectPair(const duckdb::Expression& left, const duckdb::Expression& right, Texts texts,
                 EqualColumns& equal) {
  const ColumnBinding* a = PlainColumn(left);
  const ColumnBinding* b = PlainColumn(right);
  if (a != nullptr && b != nullptr) {
    equal.Connect(*a, *b);
  } else if (texts == Texts::kCount) {
    const std::string* text = PlainText(a != nullptr ? right : left);
    if (text != nullptr && (a != nullptr || b != nullptr)) {
      equal.Connect(a != nullptr ? *a : *b, *text);
    }
  }
}

void ConnectCondition(const duckdb::Expression& condition, Texts texts, EqualColumns& equal) {
  if (condition.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COMPARISON &&
      IsEquality(condition.GetExpressionType())) {
    const auto& comparison = condition.Cast<duckdb::BoundComparisonExpression>();
    ConnectPair(*comparison.left, *comparison.right, texts, equal);
  } else if (condition.GetExpressionType() == ExpressionType::CONJUNCTION_AND) {
    for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children) {
      ConnectCondition(*child, texts, equal);
    }
  }
}

bool IsJoin(LogicalOperatorType type) {
  switch (type) {
    case LogicalOperatorType::LOGICAL_JOIN:
    case LogicalOperatorType::LOGICAL_DELIM_JOIN:
    case LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
    case LogicalOperatorType::LOGICAL_ANY_JOIN:
    case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
    case LogicalOperatorType::LOGICAL_POSITIONAL_JOIN:
    case LogicalOperatorType::LOGICAL_ASOF_JOIN:
    case LogicalOperatorType::LOGICAL_DEPENDENT_JOIN:
      return true;
    default:
      return false;
  }
}

bool HasConditions(LogicalOperatorType type) {
  return type == LogicalOperatorType::LOGICAL_COMPARISON_JOIN ||
         type == LogicalOperatorType::LOGICAL_DELIM_JOIN ||
         type == LogicalOperatorType::LOGICAL_ASOF_JOIN ||
         type == LogicalOperatorType::LOGICAL_DEPENDENT_JOIN;
}

/// The equalities of one join's own condition.
void ConnectJoin(LogicalOperator& join, Texts texts, EqualColumns& equal) {
  if (join.type == LogicalOperatorType::LOGICAL_ANY_JOIN) {
    ConnectCondition(*join.Cast<duckdb::LogicalAnyJoin>().condition, texts, equal);
  } else if (HasConditions(join.type)) {
    auto& comparison = static_cast<duckdb::LogicalComparisonJoin&>(join);
    for (const auto& condition : comparison.conditions) {
      if (IsEquality(condition.comparison)) {
        ConnectPair(*condition.left, *condition.right, texts, equal);
      }
    }
    if (comparison.predicate) {
      ConnectCondition(*comparison.predicate, texts, equal);
    }
  }
}

/// Conditions that drop the rows that do not satisfy them hold for every join below whose columns
/// they name.
void CollectEqualities(LogicalOperator& node, Texts texts, EqualColumns& equal) {
  if (node.type == LogicalOperatorType::LOGICAL_FILTER) {
    for (const auto& expression : node.expressions) {
      ConnectCondition(*expression, texts, equal);
    }
  } else if (HasConditions(node.type) || node.type == LogicalOperatorType::LOGICAL_ANY_JOIN) {
    if (static_cast<duckdb::LogicalJoin&>(node).join_type == JoinType::INNER) {
      ConnectJoin(node, texts, equal);
    } else {
      texts = Texts::kIgnore;
    }
  }
  for (auto& child : node.children) {
    CollectEqualities(*child, texts, equal);
  }
}

/// `trajectories` and `run_tree` have a row per run and count as `runs` (JON-07).
bool IsTrajectoryRelation(model::Relation relation) {
  return relation != model::Relation::kSources && relation != model::Relation::kEvents;
}

class JoinCheck {
 public:
  explicit JoinCheck(EqualColumns equal) : equal_(std::move(equal)) {}

  Origin Visit(LogicalOperator& node) {
    switch (node.type) {
      case LogicalOperatorType::LOGICAL_GET:
        return VisitScan(node.Cast<duckdb::LogicalGet>());
      case LogicalOperatorType::LOGICAL_PROJECTION:
        return Rebind(VisitChildren(node), node.Cast<duckdb::LogicalProjection>().table_index,
                      node.expressions);
      case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY: {
        auto& aggregate = node.Cast<duckdb::LogicalAggregate>();
        Origin below = VisitChildren(node);
        // One row over everything has no file to compare.
        return aggregate.groups.empty() ? Origin{}
                                        : Rebind(below, aggregate.group_index, aggregate.groups);
      }
      case LogicalOperatorType::LOGICAL_UNION:
      case LogicalOperatorType::LOGICAL_EXCEPT:
      case LogicalOperatorType::LOGICAL_INTERSECT:
        return VisitSetOperation(node);
      case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      case LogicalOperatorType::LOGICAL_RECURSIVE_CTE:
        return VisitCte(node);
      case LogicalOperatorType::LOGICAL_CTE_REF: {
        auto& reference = node.Cast<duckdb::LogicalCTERef>();
        return ByPosition(ctes_[reference.cte_index], reference.table_index);
      }
      case LogicalOperatorType::LOGICAL_DELIM_GET: {
        const idx_t index = node.Cast<duckdb::LogicalDelimGet>().table_index;
        return delims_.empty() ? Origin{} : ByPosition(delims_.back(), index);
      }
      default:
        return IsJoin(node.type) && node.children.size() == 2 ? VisitJoin(node)
                                                              : VisitChildren(node);
    }
  }

 private:
  /// Columns without names of their own: what stands at each position.
  struct Columns {
    std::vector<std::pair<bool, size_t>> files;  // (is `_file_`, Dataset)
    std::set<size_t> datasets;
  };

  Origin VisitChildren(LogicalOperator& node) {
    Origin origin;
    for (auto& child : node.children) {
      origin.Add(Visit(*child));
    }
    return origin;
  }

  static Origin VisitScan(duckdb::LogicalGet& get) {
    Origin origin;
    const auto* data = dynamic_cast<const RelationScanData*>(get.bind_data.get());
    if (data == nullptr || !IsTrajectoryRelation(data->entry.relation_schema().relation) ||
        data->entry.dataset_schema().ready_sources <= 1) {
      return origin;
    }
    origin.datasets.insert(data->entry.dataset());
    const auto& ids = get.GetColumnIds();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i].GetPrimaryIndex() == 0) {
        origin.files.emplace(ColumnBinding(get.table_index, i), data->entry.dataset());
      }
    }
    return origin;
  }

  static Origin Rebind(const Origin& below, idx_t table_index,
                       const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& expressions) {
    Origin origin;
    origin.datasets = below.datasets;
    for (size_t i = 0; i < expressions.size(); ++i) {
      const ColumnBinding* column = PlainColumn(*expressions[i]);
      if (column == nullptr) {
        continue;
      }
      if (const auto found = below.files.find(*column); found != below.files.end()) {
        origin.files.emplace(ColumnBinding(table_index, i), found->second);
      }
    }
    return origin;
  }

  static Columns ToColumns(const Origin& origin, const duckdb::vector<ColumnBinding>& bindings) {
    Columns columns;
    columns.datasets = origin.datasets;
    for (const ColumnBinding& binding : bindings) {
      const auto found = origin.files.find(binding);
      columns.files.emplace_back(found != origin.files.end(),
                                 found != origin.files.end() ? found->second : 0);
    }
    return columns;
  }

  static Origin ByPosition(const Columns& columns, idx_t table_index) {
    Origin origin;
    origin.datasets = columns.datasets;
    for (size_t i = 0; i < columns.files.size(); ++i) {
      if (columns.files[i].first) {
        origin.files.emplace(ColumnBinding(table_index, i), columns.files[i].second);
      }
    }
    return origin;
  }

  Origin VisitSetOperation(LogicalOperator& node) {
    Columns all;
    for (size_t c = 0; c < node.children.size(); ++c) {
      const Origin origin = Visit(*node.children[c]);
      Columns columns = ToColumns(origin, node.children[c]->GetColumnBindings());
      if (c == 0) {
        all = std::move(columns);
        continue;
      }
      all.datasets.insert(columns.datasets.begin(), columns.datasets.end());
      for (size_t i = 0; i < all.files.size() && i < columns.files.size(); ++i) {
        if (all.files[i] != columns.files[i]) {
          all.files[i].first = false;
        }
      }
    }
    return ByPosition(all, static_cast<duckdb::LogicalSetOperation&>(node).table_index);
  }

  Origin VisitCte(LogicalOperator& node) {
    auto& cte = static_cast<duckdb::LogicalCTE&>(node);
    const Origin definition = Visit(*node.children[0]);
    ctes_[cte.table_index] = ToColumns(definition, node.children[0]->GetColumnBindings());
    const Origin rest = Visit(*node.children[1]);
    if (node.type == LogicalOperatorType::LOGICAL_MATERIALIZED_CTE) {
      return rest;
    }
    Columns all = ctes_[cte.table_index];
    all.datasets.insert(rest.datasets.begin(), rest.datasets.end());
    return ByPosition(all, cte.table_index);
  }

  Origin VisitJoin(LogicalOperator& join) {
    Origin left = Visit(*join.children[0]);
    const bool delim =
        HasConditions(join.type) &&
        !static_cast<duckdb::LogicalComparisonJoin&>(join).duplicate_eliminated_columns.empty();
    if (delim) {
      Columns columns;
      columns.datasets = left.datasets;
      for (const auto& expression :
           static_cast<duckdb::LogicalComparisonJoin&>(join).duplicate_eliminated_columns) {
        const ColumnBinding* column = PlainColumn(*expression);
        const auto found = column == nullptr ? left.files.end() : left.files.find(*column);
        columns.files.emplace_back(found != left.files.end(),
                                   found != left.files.end() ? found->second : 0);
      }
      delims_.push_back(std::move(columns));
    }
    const Origin right = Visit(*join.children[1]);
    if (delim) {
      delims_.pop_back();
    }
    Check(join, left, right);
    left.Add(right);
    return left;
  }

  void Check(LogicalOperator& join, const Origin& left, const Origin& right) {
    EqualColumns equal = equal_;
    ConnectJoin(join, Texts::kIgnore, equal);
    for (const size_t dataset : left.datasets) {
      if (right.datasets.contains(dataset) && !ComparesFiles(dataset, left, right, equal)) {
        throw duckdb::BinderException(
            "joins of trajectory relations of one Dataset must include left._file_ = right._file_: "
            "ids are unique "
            "only within one source file");
      }
    }
  }

  static bool ComparesFiles(size_t dataset, const Origin& left, const Origin& right,
                            EqualColumns& equal) {
    for (const auto& a : left.files) {
      for (const auto& b : right.files) {
        if (a.second == dataset && b.second == dataset && equal.Connected(a.first, b.first)) {
          return true;
        }
      }
    }
    return false;
  }

  const EqualColumns equal_;
  std::map<idx_t, Columns> ctes_;
  std::vector<Columns> delims_;
};

void CheckJoins(duckdb::OptimizerExtensionInput&, duckdb::unique_ptr<LogicalOperator>& plan) {
  EqualColumns equal;
  CollectEqualities(*plan, Texts::kCount, equal);
  JoinCheck(std::move(equal)).Visit(*plan);
}

}  // namespace

void RegisterJoinRule(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.pre_optimize_function = CheckJoins;
  duckdb::OptimizerExtension::Register(config, extension);
}

}  // namespace pchronicle::sql
