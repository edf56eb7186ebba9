#include "pchronicle/sql/functions.h"

#include <algorithm>
#include <array>

namespace pchronicle::sql {
namespace {

/// Built into the engine itself, with the same overloads whether or not the library is there.
/// Sorted.
constexpr auto kBuiltIn = std::to_array<std::string_view>({
    "!~~",        "!~~*",
    "%",          "*",
    "+",          "-",
    "/",          "//",
    "any_value",  "concat",
    "contains",   "count",
    "count_star", "first",
    "last",       "lcase",
    "length",     "like_escape",
    "lower",      "max",
    "min",        "not_like_escape",
    "prefix",     "regexp_matches",
    "strlen",     "substr",
    "substring",  "suffix",
    "ucase",      "upper",
    "||",         "~~",
    "~~*",
});

void OctetLength(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnaryExecutor::Execute<duckdb::string_t, int64_t>(
      arguments.data[0], result, arguments.size(),
      [](duckdb::string_t text) { return static_cast<int64_t>(text.GetSize()); });
}

}  // namespace

bool RunsWithoutFunctionLibrary(const CheckedStatement& statement) {
  static_assert(std::is_sorted(kBuiltIn.begin(), kBuiltIn.end()));
  return statement.plain_tables && !statement.unusual_types &&
         std::all_of(
             statement.functions.begin(), statement.functions.end(), [](const std::string& name) {
               return std::binary_search(kBuiltIn.begin(), kBuiltIn.end(), std::string_view(name));
             });
}

void RegisterFunctions(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "pchronicle");
  loader.AddFunctionOverload(duckdb::ScalarFunction("octet_length", {duckdb::LogicalType::VARCHAR},
                                                    duckdb::LogicalType::BIGINT, OctetLength));
}

}  // namespace pchronicle::sql
