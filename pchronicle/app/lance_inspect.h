#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"

namespace pchronicle::lance {
class Table;
}

namespace pchronicle::app {

using LanceTablePtr = std::shared_ptr<const lance::Table>;

/// Which version of which table a command looks at. At most one of version, at and tag.
struct LanceChoice {
  std::string path;  // local folder
  std::optional<uint64_t> version;
  std::string tag, branch;
  std::optional<std::string> at;  // a timestamp: the newest version that is not younger
};
Result<LanceTablePtr> OpenLanceTable(const LanceChoice& choice);

uint64_t LanceVersion(const LanceTablePtr& table);

/// What a command tells, in both forms: a table for people and one JSON document.
struct LanceAnswer {
  struct Column {
    std::string name;
    bool number = false;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::string json;
};

/// Versions, sizes, flags, indices, tags and branches. Reads the manifest and listings only.
Result<LanceAnswer> DescribeLanceTable(const LanceTablePtr& table);
/// One row for each field, nested ones by path.
LanceAnswer DescribeLanceSchema(const LanceTablePtr& table);
/// Rows that are not deleted, by the manifest.
LanceAnswer CountLanceRows(const LanceTablePtr& table);
/// Every version with time, operation, rows and writer, newest first; at most `limit`.
Result<LanceAnswer> DescribeLanceHistory(const LanceTablePtr& table, uint64_t limit,
                                         const Context& context);
/// Pages, bytes and encodings of every column over all fragments.
Result<LanceAnswer> DescribeLancePages(const LanceTablePtr& table, const Context& context);

/// The first rows as JSON: cells of each, and their column names. `columns` empty: all. The rows
/// together may take `max_bytes` (kResourceExhausted).
struct LanceRows {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> cells;
};
/// One row as a JSON object on one line.
std::string LanceRowJson(const LanceRows& rows, size_t row);
Result<LanceRows> ReadLanceRows(const LanceTablePtr& table, const std::vector<std::string>& columns,
                                uint64_t limit, uint64_t max_bytes, const Context& context);

/// What a check found; `ok` when everything was read and nothing is wrong. Otherwise it is
/// `damaged`, or holds what this reader does not support.
struct LanceCheck {
  LanceAnswer answer;
  bool ok = false, damaged = false;
  std::string summary;  // `rows=10 problems=0 skipped=1`
};
Result<LanceCheck> CheckLanceTable(const LanceTablePtr& table, const Context& context,
                                   const std::function<void(size_t, size_t)>& progress);

}  // namespace pchronicle::app
