#include "tests/same_answer/reading.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>

#include "pchronicle/catalog/problem.h"
#include "tests/same_answer/dice.h"

namespace pchronicle::same_answer {
namespace {

using columnar::Type;
using Op = model::RowPredicate::Op;

constexpr const char* kNull = "<NULL>";

template <typename T>
bool Holds(Op op, const T& cell, const std::vector<T>& values) {
  const bool among = std::find(values.begin(), values.end(), cell) != values.end();
  switch (op) {
    case Op::kEq:
    case Op::kIn:
      return among;
    case Op::kNe:
    case Op::kNotIn:
      return !among;
    case Op::kLt:
      return cell < values.front();
    case Op::kLe:
      return cell <= values.front();
    case Op::kGt:
      return cell > values.front();
    case Op::kGe:
      return cell >= values.front();
    default:
      return true;
  }
}

bool Satisfies(const std::string& cell, const model::RowPredicate& predicate, Type type) {
  if (predicate.op == Op::kIsNull || predicate.op == Op::kIsNotNull) {
    return (cell == kNull) == (predicate.op == Op::kIsNull);
  }
  if (cell == kNull) {
    return false;
  }
  if (type == Type::kVarchar || type == Type::kJson) {
    std::vector<std::string> values;
    for (const auto& value : predicate.values) {
      values.push_back(std::get<std::string>(value));
    }
    if (predicate.op == Op::kContains) {
      return cell.find(values.front()) != std::string::npos;
    }
    return predicate.op == Op::kPrefix ? cell.starts_with(values.front())
                                       : Holds(predicate.op, cell, values);
  }
  std::vector<int64_t> values;
  for (const auto& value : predicate.values) {
    values.push_back(std::get<int64_t>(value));
  }
  return Holds(predicate.op, static_cast<int64_t>(std::stoll(cell)), values);
}

}  // namespace

std::string CellText(const columnar::Column& column, size_t row) {
  if (column.is_null(row)) {
    return kNull;
  }
  switch (column.type()) {
    case Type::kVarchar:
    case Type::kJson:
      return std::string(column.texts()[row]);
    case Type::kDouble:
      return fmt::format("{}", column.doubles()[row]);
    case Type::kBigint:
    case Type::kUbigint:
    case Type::kBoolean:
    case Type::kTimestampNs:
      return std::to_string(column.ints()[row]);
    default:
      break;
  }
  std::string text = "[";
  for (size_t i = column.list_begin(row); i < column.list_end(row); ++i) {
    text += CellText(column.element(), i) + "\x1f";
  }
  return text + "]";
}

namespace {

Rows ReadRange(const MadeText& made, model::Relation relation, const How& how,
               json::RecordRange range) {
  const json::MemoryInput input(made.text);
  model::WalkOptions walk;
  walk.range = range;
  walk.container = made.container;
  walk.source_path = made.name;
  walk.cursor.window_bytes = how.window;
  model::SourceNotes notes;
  Rows rows;
  for (int pass = 0; pass < 3; ++pass) {
    rows = Rows();
    model::RowSink::Request request;
    request.relation = relation;
    request.columns = how.columns;
    request.predicates = how.predicates;
    request.file = made.name;
    request.keep_problems = true;
    walk.fields = model::RequiredFields(request);
    const std::unique_ptr<model::RowSink> sink = model::MakeRowSink(std::move(request));
    const auto walker = model::MakeWalker(made.format, input, walk, notes, *sink);
    const auto take = [&] {
      columnar::Batch& batch = sink->batch();
      for (size_t row = 0; row < batch.rows; ++row) {
        auto& cells = rows.rows.emplace_back();
        for (const columnar::Column& column : batch.columns) {
          cells.push_back(CellText(column, row));
        }
      }
      batch.Clear();
    };
    while (walker->Advance()) {
      if (sink->batch().rows >= how.take_rows) {
        take();
      }
    }
    take();
    for (const model::Problem& problem : sink->problems()) {
      rows.problems.push_back(
          fmt::format("{} {} {}", problem.offset, problem.record_offset, problem.status.message()));
    }
    rows.open_tail = walker->open_tail();
    const bool again = walker->needs_second_pass() || sink->needs_second_pass();
    catalog::MergeLost(walker->notes(), notes);
    notes.skim_first |= walker->notes().skim_first;
    if (!again) {
      break;
    }
    RC_ASSERT(pass < 2);
  }
  return rows;
}

}  // namespace

Rows ReadRows(const MadeText& made, model::Relation relation, const How& how) {
  Rows all;
  uint64_t begin = 0;
  for (size_t i = 0; i <= how.cuts.size(); ++i) {
    const uint64_t end = i < how.cuts.size() ? how.cuts[i] : json::kToEnd;
    Rows part = ReadRange(made, relation, how, {begin, end});
    begin = end;
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(all.rows));
    std::move(part.problems.begin(), part.problems.end(), std::back_inserter(all.problems));
    all.open_tail |= part.open_tail;
  }
  return all;
}

std::vector<std::vector<std::string>> Filter(const std::vector<std::vector<std::string>>& rows,
                                             const std::vector<uint16_t>& columns,
                                             const std::vector<model::RowPredicate>& predicates,
                                             model::Relation relation) {
  std::vector<std::vector<std::string>> kept;
  for (const auto& row : rows) {
    const bool all = std::all_of(predicates.begin(), predicates.end(), [&](const auto& predicate) {
      const auto at = std::find(columns.begin(), columns.end(), predicate.column);
      return Satisfies(row[static_cast<size_t>(at - columns.begin())], predicate,
                       model::RelationColumns(relation)[predicate.column].field.type);
    });
    if (all) {
      kept.push_back(row);
    }
  }
  return kept;
}

std::vector<uint16_t> AllColumns(model::Relation relation) {
  std::vector<uint16_t> columns(model::RelationColumns(relation).size());
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i] = static_cast<uint16_t>(i);
  }
  return columns;
}

std::vector<model::RowPredicate> RandomPredicates(
    model::Relation relation, const std::vector<std::vector<std::string>>& all_rows) {
  const auto& columns = model::RelationColumns(relation);
  std::vector<model::RowPredicate> predicates;
  for (int64_t i = Dice::Number(0, 2); i > 0; --i) {
    model::RowPredicate predicate{static_cast<uint16_t>(Dice::Index(columns.size())), Op::kIsNull};
    const Type type = columns[predicate.column].field.type;
    const bool text = type == Type::kVarchar || type == Type::kJson;
    const bool integer = type == Type::kBigint || type == Type::kBoolean;
    if (!text && !integer) {
      predicate.op = Dice::OneOf<Op>({Op::kIsNull, Op::kIsNotNull});
      predicates.push_back(predicate);
      continue;
    }
    predicate.op = text ? Dice::OneOf<Op>({Op::kEq, Op::kNe, Op::kIn, Op::kNotIn, Op::kLt, Op::kGe,
                                           Op::kContains, Op::kPrefix, Op::kIsNull, Op::kIsNotNull})
                        : Dice::OneOf<Op>({Op::kEq, Op::kNe, Op::kIn, Op::kLt, Op::kLe, Op::kGt,
                                           Op::kGe, Op::kIsNull, Op::kIsNotNull});
    if (predicate.op != Op::kIsNull && predicate.op != Op::kIsNotNull) {
      std::string value = "1";
      if (!all_rows.empty()) {
        value = all_rows[Dice::Index(all_rows.size())][predicate.column];
      }
      if (integer) {
        predicate.values.emplace_back(value == kNull ? int64_t{1} : int64_t{std::stoll(value)});
      } else {
        if (!value.empty() && (predicate.op == Op::kContains || predicate.op == Op::kPrefix)) {
          const size_t from = predicate.op == Op::kPrefix ? 0 : Dice::Index(value.size());
          value = value.substr(from, static_cast<size_t>(Dice::Number(1, 5)));
        }
        predicate.values.emplace_back(value);
      }
    }
    predicates.push_back(std::move(predicate));
  }
  return predicates;
}

std::vector<uint16_t> RandomColumns(model::Relation relation,
                                    const std::vector<model::RowPredicate>& needed) {
  const auto width = static_cast<uint16_t>(model::RelationColumns(relation).size());
  std::vector<uint16_t> columns;
  const auto add = [&columns](uint16_t column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (int64_t i = Dice::Number(0, 4); i > 0; --i) {
    add(static_cast<uint16_t>(Dice::Index(width)));
  }
  for (const model::RowPredicate& predicate : needed) {
    add(predicate.column);
  }
  return columns;
}

std::vector<std::vector<std::string>> Project(const std::vector<std::vector<std::string>>& all_rows,
                                              const std::vector<uint16_t>& columns) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : all_rows) {
    auto& projected = rows.emplace_back();
    for (const uint16_t column : columns) {
      projected.push_back(row[column]);
    }
  }
  return rows;
}

model::Relation RandomRelation() {
  return Dice::OneOf<model::Relation>({model::Relation::kRuns, model::Relation::kSteps,
                                       model::Relation::kSteps, model::Relation::kToolCalls,
                                       model::Relation::kObservationResults,
                                       model::Relation::kTrajectories});
}

}  // namespace pchronicle::same_answer
