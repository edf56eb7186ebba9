#include "pchronicle/sql/guard.h"

#include <algorithm>
#include <array>

#include "pchronicle/sql/errors.h"

namespace pchronicle::sql {
namespace {

using duckdb::ParsedExpression;
using duckdb::ParsedExpressionIterator;
using duckdb::QueryNode;
using duckdb::QueryNodeType;
using duckdb::StatementType;
using duckdb::TableRef;
using duckdb::TableReferenceType;

/// Table functions that compute rows from their arguments or describe the engine. Every other one
/// reads files, runs text as SQL, changes settings or takes raw pointers.
constexpr auto kTableFunctions = std::to_array<std::string_view>({
    "duckdb_columns",
    "duckdb_constraints",
    "duckdb_databases",
    "duckdb_functions",
    "duckdb_keywords",
    "duckdb_schemas",
    "duckdb_settings",
    "duckdb_tables",
    "duckdb_types",
    "duckdb_views",
    "generate_series",
    "json_each",
    "json_tree",
    "pg_timezone_names",
    "pragma_table_info",
    "pragma_version",
    "range",
    "repeat",
    "repeat_row",
    "test_all_types",
    "unnest",
});

/// Scalar functions that change state, or show the process's surroundings.
constexpr auto kRefusedFunctions = std::to_array<std::string_view>({
    "currval",
    "getenv",
    "json_execute_serialized_sql",
    "nextval",
    "setseed",
    "write_log",
});

bool IsUsual(const duckdb::LogicalType& type) {
  using duckdb::LogicalTypeId;
  switch (type.id()) {
    case LogicalTypeId::SQLNULL:
    case LogicalTypeId::BOOLEAN:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::DECIMAL:
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_NS:
      return true;
    default:
      return false;
  }
}

template <typename List>
bool Contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Walks a whole parsed statement; the first reason to refuse it ends up in status_.
class Walk {
 public:
  explicit Walk(CheckedStatement& checked) : checked_(checked) {}

  const Status& status() const { return status_; }

  void Node(QueryNode& node) {
    switch (node.type) {
      case QueryNodeType::SELECT_NODE:
      case QueryNodeType::SET_OPERATION_NODE:
      case QueryNodeType::RECURSIVE_CTE_NODE:
        break;
      default:
        Refuse("only queries are accepted in WITH");
        return;
    }
    for (auto& cte : node.cte_map.map) {
      Node(*cte.second->query->node);
    }
    for (auto& modifier : node.modifiers) {
      Modifier(*modifier);
    }
    if (node.type == QueryNodeType::SELECT_NODE) {
      Select(node.Cast<duckdb::SelectNode>());
    } else if (node.type == QueryNodeType::SET_OPERATION_NODE) {
      for (auto& child : node.Cast<duckdb::SetOperationNode>().children) {
        Node(*child);
      }
    } else {
      auto& recursive = node.Cast<duckdb::RecursiveCTENode>();
      Node(*recursive.left);
      Node(*recursive.right);
    }
  }

 private:
  void Refuse(std::string_view reason) {
    if (status_.ok()) {
      status_ = Status::Unsupported("{}", reason);
    }
  }

  void Select(duckdb::SelectNode& select) {
    Expressions(select.select_list);
    Expressions(select.groups.group_expressions);
    Optional(select.where_clause);
    Optional(select.having);
    Optional(select.qualify);
    if (select.from_table) {
      Table(*select.from_table);
    }
  }

  void Modifier(duckdb::ResultModifier& modifier) {
    switch (modifier.type) {
      case duckdb::ResultModifierType::ORDER_MODIFIER:
        for (auto& order : modifier.Cast<duckdb::OrderModifier>().orders) {
          Optional(order.expression);
        }
        break;
      case duckdb::ResultModifierType::LIMIT_MODIFIER:
        Optional(modifier.Cast<duckdb::LimitModifier>().limit);
        Optional(modifier.Cast<duckdb::LimitModifier>().offset);
        break;
      case duckdb::ResultModifierType::LIMIT_PERCENT_MODIFIER:
        Optional(modifier.Cast<duckdb::LimitPercentModifier>().limit);
        Optional(modifier.Cast<duckdb::LimitPercentModifier>().offset);
        break;
      case duckdb::ResultModifierType::DISTINCT_MODIFIER:
        Expressions(modifier.Cast<duckdb::DistinctModifier>().distinct_on_targets);
        break;
    }
  }

  void Table(TableRef& ref) {
    switch (ref.type) {
      case TableReferenceType::BASE_TABLE: {
        auto& base = ref.Cast<duckdb::BaseTableRef>();
        checked_.plain_tables &=
            base.catalog_name.empty() && base.schema_name != "information_schema" &&
            base.schema_name != "pg_catalog" && !base.table_name.starts_with("duckdb_") &&
            !base.table_name.starts_with("pg_") && !base.table_name.starts_with("sqlite_");
        break;
      }
      case TableReferenceType::EXPRESSION_LIST:
        for (auto& row : ref.Cast<duckdb::ExpressionListRef>().values) {
          Expressions(row);
        }
        break;
      case TableReferenceType::JOIN: {
        auto& join = ref.Cast<duckdb::JoinRef>();
        Table(*join.left);
        Table(*join.right);
        Optional(join.condition);
        break;
      }
      case TableReferenceType::PIVOT:
        Pivot(ref.Cast<duckdb::PivotRef>());
        break;
      case TableReferenceType::SUBQUERY:
        Node(*ref.Cast<duckdb::SubqueryRef>().subquery->node);
        break;
      case TableReferenceType::TABLE_FUNCTION:
        TableFunction(ref.Cast<duckdb::TableFunctionRef>());
        break;
      case TableReferenceType::SHOW_REF:
        Show(ref.Cast<duckdb::ShowRef>());
        break;
      case TableReferenceType::EMPTY_FROM:
        break;
      default:
        Refuse("this kind of table is not accepted");
    }
  }

  void Pivot(duckdb::PivotRef& pivot) {
    checked_.plain_tables = false;
    Table(*pivot.source);
    Expressions(pivot.aggregates);
    for (auto& column : pivot.pivots) {
      Expressions(column.pivot_expressions);
      for (auto& entry : column.entries) {
        Optional(entry.expr);
      }
      if (column.subquery) {
        Node(*column.subquery);
      }
    }
  }

  void TableFunction(duckdb::TableFunctionRef& ref) {
    checked_.plain_tables = false;
    if (ref.function->GetExpressionClass() == duckdb::ExpressionClass::FUNCTION) {
      const std::string name =
          duckdb::StringUtil::Lower(ref.function->Cast<duckdb::FunctionExpression>().function_name);
      if (!Contains(kTableFunctions, name)) {
        Refuse(
            fmt::format("table function '{}' is not accepted: a query reads the relations of the "
                        "mounted Datasets, "
                        "no files and no settings",
                        name));
        return;
      }
    }
    ParsedExpressionIterator::EnumerateChildren(
        *ref.function, [&](duckdb::unique_ptr<ParsedExpression>& child) { Expression(*child); });
  }

  void Show(duckdb::ShowRef& show) {
    checked_.plain_tables = false;
    if (show.show_type != duckdb::ShowType::DESCRIBE) {
      Refuse(show.show_type == duckdb::ShowType::SUMMARY ? RefusedText("SUMMARIZE")
                                                         : RefusedText("SHOW"));
    }
    if (show.query) {
      Node(*show.query);
    }
  }

  template <typename List>
  void Expressions(List& expressions) {
    for (auto& expression : expressions) {
      Optional(expression);
    }
  }

  void Optional(duckdb::unique_ptr<ParsedExpression>& expression) {
    if (expression) {
      Expression(*expression);
    }
  }

  void Expression(ParsedExpression& expression) {
    switch (expression.GetExpressionClass()) {
      case duckdb::ExpressionClass::FUNCTION: {
        const std::string name =
            duckdb::StringUtil::Lower(expression.Cast<duckdb::FunctionExpression>().function_name);
        if (Contains(kRefusedFunctions, name)) {
          Refuse(fmt::format("function '{}' is not accepted: queries only read", name));
        }
        checked_.functions.insert(name);
        break;
      }
      case duckdb::ExpressionClass::WINDOW:
      case duckdb::ExpressionClass::LAMBDA:
        checked_.plain_tables = false;  // brings functions along that the tree does not name
        break;
      case duckdb::ExpressionClass::CAST:
        checked_.unusual_types |= !IsUsual(expression.Cast<duckdb::CastExpression>().cast_type);
        break;
      case duckdb::ExpressionClass::CONSTANT:
        checked_.unusual_types |=
            !IsUsual(expression.Cast<duckdb::ConstantExpression>().value.type());
        break;
      case duckdb::ExpressionClass::COLLATE:
      case duckdb::ExpressionClass::TYPE:
        checked_.unusual_types = true;
        break;
      case duckdb::ExpressionClass::SUBQUERY:
        Node(*expression.Cast<duckdb::SubqueryExpression>().subquery->node);
        break;
      default:
        break;
    }
    ParsedExpressionIterator::EnumerateChildren(
        expression, [&](duckdb::unique_ptr<ParsedExpression>& child) { Expression(*child); });
  }

 public:
  static std::string RefusedText(std::string_view what) {
    return fmt::format("only SELECT, VALUES, DESCRIBE and EXPLAIN statements are accepted, not {}",
                       what);
  }

 private:
  CheckedStatement& checked_;
  Status status_;
};

/// `SHOW x` and `DESCRIBE x` have the same tree, so the first word tells them apart.
bool BeginsWithShow(const std::string& text) {
  for (const auto& token : duckdb::Parser::Tokenize(text)) {
    const std::string_view rest = std::string_view(text).substr(token.start);
    size_t end = 0;
    while (end < rest.size() && std::isalpha(static_cast<unsigned char>(rest[end])) != 0) {
      ++end;
    }
    const std::string word = duckdb::StringUtil::Lower(std::string(rest.substr(0, end)));
    if (word != "explain" && word != "analyze" && !word.empty()) {
      return word == "show";
    }
  }
  return false;
}

std::string NameOf(StatementType type) {
  switch (type) {
    case StatementType::VARIABLE_SET_STATEMENT:
      return "SET";
    case StatementType::MULTI_STATEMENT:
      return "PIVOT without a list of values";
    default: {
      std::string name = duckdb::StatementTypeToString(type);
      if (const size_t end = name.find("_STATEMENT"); end != std::string::npos) {
        name.resize(end);
      }
      return name;
    }
  }
}

}  // namespace

Result<CheckedStatement> CheckStatement(std::string_view sql,
                                        const duckdb::ParserOptions& options) {
  const std::string text(sql);
  duckdb::Parser parser(options);
  try {
    parser.ParseQuery(text);
  } catch (const std::exception& exception) {
    duckdb::ErrorData error(exception);
    Status status = ToStatus(error, sql);
    // A statement that the parser knows but does not offer is the user's mistake all the same.
    return Status(StatusCode::kInvalidArgument, status.message());
  }
  if (parser.statements.empty()) {
    return Status::InvalidArgument("the SQL text holds no statement");
  }
  if (parser.statements.size() > 1) {
    return Status::InvalidArgument("exactly one SQL statement is accepted, got {}",
                                   parser.statements.size());
  }
  CheckedStatement checked;
  checked.statement = std::move(parser.statements.front());
  duckdb::SQLStatement* inner = checked.statement.get();
  if (inner->type == StatementType::EXPLAIN_STATEMENT) {
    inner = inner->Cast<duckdb::ExplainStatement>().stmt.get();
  }
  if (inner->type != StatementType::SELECT_STATEMENT) {
    return Status::Unsupported("{}", Walk::RefusedText(NameOf(inner->type)));
  }
  if (BeginsWithShow(text)) {
    return Status::Unsupported("{}", Walk::RefusedText("SHOW"));
  }
  Walk walk(checked);
  walk.Node(*inner->Cast<duckdb::SelectStatement>().node);
  PCHRONICLE_RETURN_IF_ERROR(walk.status());
  return checked;
}

}  // namespace pchronicle::sql
