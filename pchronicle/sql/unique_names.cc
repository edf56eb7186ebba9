#include "pchronicle/sql/unique_names.h"

#include <fmt/core.h>

#include <set>

#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

std::vector<std::string> UniqueNames(const std::vector<std::string>& names, NameCase name_case) {
  const auto key = [name_case](const std::string& name) {
    return name_case == NameCase::kKept ? name : duckdb::StringUtil::Lower(name);
  };
  std::set<std::string> given, used;
  for (const std::string& name : names) {
    given.insert(key(name));
  }
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    std::string candidate = name;
    for (size_t n = 1; used.contains(key(candidate)) || (n > 1 && given.contains(key(candidate)));
         ++n) {
      candidate = fmt::format("{}_{}", name, n);
    }
    used.insert(key(candidate));
    unique.push_back(std::move(candidate));
  }
  return unique;
}

}  // namespace pchronicle::sql
