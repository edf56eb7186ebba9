#include "pchronicle/columnar/predicate.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <optional>

namespace pchronicle::columnar {
namespace {

using Cells = std::vector<std::optional<int64_t>>;

template <typename T>
ArrayPtr MakeArray(TypeId id, const std::vector<std::optional<T>>& cells) {
  auto out = std::make_shared<Array>();
  out->type = MakeType(id);
  out->length = static_cast<int64_t>(cells.size());
  auto values = std::make_shared<Buffer>(), validity = std::make_shared<Buffer>();
  validity->AppendZeros(cells.size() / 8 + 1);
  for (size_t i = 0; i < cells.size(); ++i) {
    const T value = cells[i].value_or(T{});
    values->Append(&value, sizeof(value));
    out->null_count += cells[i] ? 0 : 1;
    if (cells[i]) {
      validity->data()[i / 8] = static_cast<uint8_t>(validity->data()[i / 8] | 1U << (i % 8));
    }
  }
  out->values = values;
  out->validity = validity;
  return out;
}

ArrayPtr MakeTexts(const std::vector<std::string>& texts) {
  auto out = std::make_shared<Array>();
  out->type = MakeType(TypeId::kUtf8);
  out->length = static_cast<int64_t>(texts.size());
  auto offsets = std::make_shared<Buffer>(), values = std::make_shared<Buffer>(0);
  int32_t at = 0;
  offsets->Append(&at, sizeof(at));
  for (const std::string& text : texts) {
    values->Append(text.data(), text.size());
    at += static_cast<int32_t>(text.size());
    offsets->Append(&at, sizeof(at));
  }
  out->offsets = offsets;
  out->values = values;
  return out;
}

Truth Holds(const std::optional<int64_t>& cell, CompareOp op, long double literal) {
  if (!cell) {
    return Truth::kNull;
  }
  const auto value = static_cast<long double>(*cell);
  const bool holds = op == CompareOp::kEq   ? value == literal
                     : op == CompareOp::kNe ? value != literal
                     : op == CompareOp::kLt ? value < literal
                     : op == CompareOp::kLe ? value <= literal
                     : op == CompareOp::kGt ? value > literal
                                            : value >= literal;
  return holds ? Truth::kTrue : Truth::kFalse;
}

constexpr CompareOp kOps[] = {CompareOp::kEq, CompareOp::kNe, CompareOp::kLt,
                              CompareOp::kLe, CompareOp::kGt, CompareOp::kGe};

// Literals of every kind compare by value, also outside the range of the column.
TEST(Predicate, ComparesNumbersOfAllKindsByValue_LNC_5) {
  EXPECT_TRUE(rc::check([] {
    std::vector<std::optional<int8_t>> cells;
    for (const int8_t value : *rc::gen::arbitrary<std::vector<int8_t>>()) {
      cells.push_back(value == 7 ? std::nullopt : std::optional<int8_t>(value));
    }
    const ArrayPtr array = MakeArray<int8_t>(TypeId::kInt8, cells);
    const double number = static_cast<double>(*rc::gen::inRange(-600, 600)) / 4;
    const Scalar literals[] = {number, static_cast<int64_t>(number),
                               static_cast<uint64_t>(std::fabs(number))};
    const long double values[] = {number, static_cast<long double>(static_cast<int64_t>(number)),
                                  static_cast<long double>(std::floor(std::fabs(number)))};
    for (const CompareOp op : kOps) {
      for (size_t k = 0; k < 3; ++k) {
        const auto truths = EvaluateCompare(*array, op, literals[k]);
        RC_ASSERT(truths.ok());
        for (size_t i = 0; i < cells.size(); ++i) {
          const auto cell = cells[i] ? std::optional<int64_t>(*cells[i]) : std::nullopt;
          RC_ASSERT((*truths)[i] == Holds(cell, op, values[k]));
        }
      }
    }
  }));
}

TEST(Predicate, ComparesAtTheEdgesOfSixtyFourBits_LNC_5) {
  const ArrayPtr big = MakeArray<uint64_t>(TypeId::kUint64, {UINT64_MAX, 0, uint64_t{1} << 63});
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*big, CompareOp::kGe, Scalar(uint64_t{1} << 63))),
            (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*big, CompareOp::kGt, Scalar(int64_t{-1}))),
            (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*big, CompareOp::kLt, Scalar(1e30))),
            (std::vector<int64_t>{0, 1, 2}));
  const ArrayPtr small = MakeArray<int64_t>(TypeId::kInt64, {INT64_MIN, INT64_MAX});
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*small, CompareOp::kLt, Scalar(uint64_t{UINT64_MAX}))),
            (std::vector<int64_t>{0, 1}));
  // 2^63 is no int64, and the double nearest to INT64_MAX is 2^63.
  EXPECT_TRUE(SelectedRows(*EvaluateCompare(*small, CompareOp::kEq, Scalar(0x1p63))).empty());
}

TEST(Predicate, OrdersFloats_LNC_5) {
  const double nan = std::nan("");
  const ArrayPtr array =
      MakeArray<double>(TypeId::kDouble, {-HUGE_VAL, -1.5, -0.0, 0.0, 2.0, HUGE_VAL, nan, -nan});
  const auto rows = [&](CompareOp op, double value) {
    return SelectedRows(*EvaluateCompare(*array, op, Scalar(value)));
  };
  EXPECT_EQ(rows(CompareOp::kEq, 0.0), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(rows(CompareOp::kLt, 0.0), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(rows(CompareOp::kEq, nan), (std::vector<int64_t>{6, 7}));
  EXPECT_EQ(rows(CompareOp::kGt, 2.0), (std::vector<int64_t>{5, 6, 7}));
  EXPECT_EQ(rows(CompareOp::kLe, -1.5), (std::vector<int64_t>{0, 1}));
  // 2^53 + 1 lies between two doubles: it equals none.
  const ArrayPtr near = MakeArray<double>(TypeId::kDouble, {0x1p53, 0x1p53 + 2});
  const Scalar between(int64_t{(int64_t{1} << 53) + 1});
  EXPECT_TRUE(SelectedRows(*EvaluateCompare(*near, CompareOp::kEq, between)).empty());
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*near, CompareOp::kLt, between)),
            (std::vector<int64_t>{0}));
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*near, CompareOp::kGe, between)),
            (std::vector<int64_t>{1}));
}

TEST(Predicate, ComparesTextByBytes_LNC_5) {
  const ArrayPtr array = MakeTexts({"b", "", "ab", "\xc3\xa9"});
  EXPECT_EQ(SelectedRows(*EvaluateCompare(*array, CompareOp::kGt, Scalar(std::string("ab")))),
            (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(SelectedRows(*EvaluateIn(*array, {std::string(""), std::string("b")})),
            (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(EvaluateCompare(*array, CompareOp::kEq, Scalar(int64_t{1})).status().code(),
            StatusCode::kInvalidArgument);
}

// IN equals a chain of OR, and De Morgan holds with nulls.
TEST(Predicate, KeepsTheLawsOfThreeValues_LNC_5) {
  EXPECT_TRUE(rc::check([] {
    Cells cells;
    for (const int64_t value :
         *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(-1, 6))) {
      cells.push_back(value < 0 ? std::nullopt : std::optional<int64_t>(value));
    }
    const auto rows = static_cast<int64_t>(cells.size());
    const ArrayPtr array = MakeArray<int64_t>(TypeId::kInt64, cells);
    const ColumnSource columns = [&](std::string_view) { return Result<ArrayPtr>(array); };
    const PredicatePtr a = Compare("x", CompareOp::kEq, int64_t{2});
    const PredicatePtr b = Compare("x", CompareOp::kGt, 3.5);
    const PredicatePtr n = IsNull("x");
    RC_ASSERT(*Evaluate(*In("x", {int64_t{2}, int64_t{5}}), columns, rows) ==
              *Evaluate(*Or({a, Compare("x", CompareOp::kEq, int64_t{5})}), columns, rows));
    for (const PredicatePtr& other : {b, n}) {
      RC_ASSERT(*Evaluate(*Not(And({a, other})), columns, rows) ==
                *Evaluate(*Or({Not(a), Not(other)}), columns, rows));
    }
    RC_ASSERT(*Evaluate(*Not(Not(b)), columns, rows) == *Evaluate(*b, columns, rows));
  }));
}

TEST(Predicate, HasText_LNC_5) {
  const PredicatePtr all = And({Compare("a.b", CompareOp::kNe, std::string("it's")),
                                Not(IsNull("c")), In("d", {int64_t{1}, 2.5}), Or({})});
  EXPECT_EQ(ToString(*all), "(a.b <> 'it''s' AND NOT c IS NULL AND d IN (1, 2.5) AND false)");
  EXPECT_EQ(Paths(*all), (std::set<std::string, std::less<>>{"a.b", "c", "d"}));
}

}  // namespace
}  // namespace pchronicle::columnar
