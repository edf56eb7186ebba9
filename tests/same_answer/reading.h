#pragma once

#include <string>
#include <vector>

#include "pchronicle/model/relations.h"
#include "tests/same_answer/documents.h"

namespace pchronicle::same_answer {

/// The form every cell is compared in: NULL, text, or a number or list as text.
std::string CellText(const columnar::Column& column, size_t row);

struct Rows {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> problems;  // with their offsets
  bool open_tail = false;
  bool operator==(const Rows&) const = default;
};

struct How {
  std::vector<uint16_t> columns;
  std::vector<model::RowPredicate> predicates = {};
  size_t window = 256 << 10;
  size_t take_rows = 1;             // rows leave as soon as there are so many
  std::vector<uint64_t> cuts = {};  // read in ranges that end at these offsets, ascending
};

/// Reads `made` as a scan does: rows leave early, and what comes as a surprise costs a second pass.
Rows ReadRows(const MadeText& made, model::Relation relation, const How& how);

/// What the engine does behind a scan: rows that satisfy all predicates. `columns` are those of
/// the rows.
std::vector<std::vector<std::string>> Filter(const std::vector<std::vector<std::string>>& rows,
                                             const std::vector<uint16_t>& columns,
                                             const std::vector<model::RowPredicate>& predicates,
                                             model::Relation relation);

/// All columns in the order of SELECT *.
std::vector<uint16_t> AllColumns(model::Relation relation);

/// One to three conditions on columns of `rows`, with values that stand in them or not.
std::vector<model::RowPredicate> RandomPredicates(
    model::Relation relation, const std::vector<std::vector<std::string>>& all_rows);
std::vector<uint16_t> RandomColumns(model::Relation relation,
                                    const std::vector<model::RowPredicate>& needed);
/// Picks `columns` out of rows of all columns.
std::vector<std::vector<std::string>> Project(const std::vector<std::vector<std::string>>& all_rows,
                                              const std::vector<uint16_t>& columns);
model::Relation RandomRelation();

}  // namespace pchronicle::same_answer
