#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::columnar {

/// A literal of a predicate. Integers stand for temporal values in the unit of the column, text for
/// the bytes of text and binary columns.
using Scalar = std::variant<bool, int64_t, uint64_t, double, std::string>;

enum class CompareOp : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

struct Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

/// A condition over the columns of a batch with SQL's three values: a comparison with null is null,
/// and a row passes only when the whole is true. Numbers of different kinds compare by value; for
/// floats -0 equals 0, NaN equals NaN and is above all others; text compares by bytes. Immutable.
struct Predicate {
  enum class Kind : uint8_t {
    kCompare,   // path op values[0]
    kIn,        // path equals one of values
    kIsNull,    // path is null; also for lists and structs
    kContains,  // path is a list that has an item equal to values[0]
    kAnd,       // of children; empty: true
    kOr,        // of children; empty: false
    kNot,       // of children[0]
  };
  Kind kind = Kind::kAnd;
  std::string path;  // of a column or a struct member, parts joined by dots
  CompareOp op = CompareOp::kEq;
  std::vector<Scalar> values;
  std::vector<PredicatePtr> children;
};

/// The literal that equals a slot; nothing for nulls and for types that are not compared.
std::optional<Scalar> ScalarAt(const Array& array, int64_t slot);

PredicatePtr Compare(std::string path, CompareOp op, Scalar value);
PredicatePtr In(std::string path, std::vector<Scalar> values);
PredicatePtr IsNull(std::string path);
PredicatePtr Contains(std::string path, Scalar value);
PredicatePtr And(std::vector<PredicatePtr> children);
PredicatePtr Or(std::vector<PredicatePtr> children);
PredicatePtr Not(PredicatePtr child);

/// Every path that the predicate looks at, once.
std::set<std::string, std::less<>> Paths(const Predicate& predicate);
/// SQL-like text for messages and EXPLAIN: `(id = 3 AND name IS NULL)`.
std::string ToString(const Predicate& predicate);

/// One value for each row.
enum class Truth : uint8_t { kFalse = 0, kTrue = 1, kNull = 2 };
using Truths = std::vector<Truth>;

/// Gives the array of a path (nulls of parents included); kNotFound when there is none.
using ColumnSource = std::function<Result<ArrayPtr>(std::string_view path)>;

/// kInvalidArgument when a literal does not fit the type of its column, kUnsupported for types
/// without an order (decimals, lists but for kIsNull and kContains).
Result<Truths> Evaluate(const Predicate& predicate, const ColumnSource& columns, int64_t rows);

/// One comparison over one array: what kCompare does.
Result<Truths> EvaluateCompare(const Array& array, CompareOp op, const Scalar& value);
/// kIn over one array. An empty list is false everywhere but for nulls.
Result<Truths> EvaluateIn(const Array& array, const std::vector<Scalar>& values);

/// Numbers of the rows that are true.
std::vector<int64_t> SelectedRows(const Truths& truths);

}  // namespace pchronicle::columnar
