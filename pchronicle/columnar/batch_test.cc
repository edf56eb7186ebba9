#include "pchronicle/columnar/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

namespace pchronicle::columnar {
namespace {

using ::testing::ElementsAre;

constexpr Type kAllTypes[] = {Type::kVarchar,     Type::kJson,       Type::kBigint,
                              Type::kUbigint,     Type::kDouble,     Type::kBoolean,
                              Type::kTimestampNs, Type::kBigintList, Type::kDoubleList,
                              Type::kVarcharList, Type::kJsonList};

TEST(Batch, TypeNamesAreThoseOfTheSqlDialect) {
  std::vector<std::string_view> names;
  for (const Type type : kAllTypes) {
    names.push_back(TypeName(type));
  }
  EXPECT_THAT(names, ElementsAre("VARCHAR", "JSON", "BIGINT", "UBIGINT", "DOUBLE", "BOOLEAN",
                                 "TIMESTAMP_NS", "BIGINT[]", "DOUBLE[]", "VARCHAR[]", "JSON[]"));
}

TEST(Batch, OnlyListTypesHaveAnotherElementType) {
  for (const Type type : kAllTypes) {
    EXPECT_EQ(IsList(type), ElementType(type) != type) << TypeName(type);
  }
  EXPECT_EQ(ElementType(Type::kJsonList), Type::kJson);
  EXPECT_EQ(ElementType(Type::kBigintList), Type::kBigint);
}

TEST(Batch, EveryTypeHoldsNulls) {
  for (const Type type : kAllTypes) {
    Column column(type);
    column.AppendNull();
    EXPECT_EQ(column.size(), 1u) << TypeName(type);
    EXPECT_TRUE(column.is_null(0)) << TypeName(type);
  }
}

TEST(Batch, ANullListAndAnEmptyListAreTwoThings) {
  Column column(Type::kBigintList);
  column.AppendNull();
  column.CloseList();
  column.element().AppendInt(7);
  column.CloseList();
  EXPECT_TRUE(column.is_null(0));
  EXPECT_FALSE(column.is_null(1));
  EXPECT_EQ(column.list_begin(1), column.list_end(1));
  EXPECT_EQ(column.list_begin(2), 0u);
  EXPECT_EQ(column.list_end(2), 1u);
}

TEST(Batch, TruncateDropsTheElementsOfDroppedLists) {
  Column column(Type::kVarcharList);
  column.element().AppendText("a");
  column.CloseList();
  column.element().AppendText("b");
  column.element().AppendText("c");
  column.CloseList();
  column.Truncate(1);
  EXPECT_THAT(column.element().texts(), ElementsAre("a"));
  column.Clear();
  EXPECT_EQ(column.element().size(), 0u);
}

TEST(Batch, ClearReusesTheArenaOnlyWhenNobodyElseHoldsIt) {
  Batch batch({Type::kVarchar});
  const Arena* first = batch.text.get();
  batch.columns[0].AppendText(batch.text->Copy("kept"));
  batch.rows = 1;
  const std::string_view kept = batch.columns[0].texts()[0];
  std::shared_ptr<Arena> holder = batch.text;
  batch.Clear();
  EXPECT_NE(batch.text.get(), first);
  EXPECT_EQ(kept, "kept");
  const Arena* second = batch.text.get();
  batch.Clear();
  EXPECT_EQ(batch.text.get(), second);
}

TEST(Batch, ABatchWithoutColumnsStillCountsRows_REL06) {
  Batch batch;
  batch.rows = 10;
  batch.Erase(2, 5);
  EXPECT_EQ(batch.rows, 7u);
  batch.Truncate(3);
  EXPECT_EQ(batch.rows, 3u);
}

using Model = std::vector<std::optional<std::vector<int64_t>>>;

Column FromModel(const Model& model) {
  Column column(Type::kBigintList);
  for (const auto& row : model) {
    if (!row) {
      column.AppendNull();
      continue;
    }
    for (const int64_t value : *row) {
      column.element().AppendInt(value);
    }
    column.CloseList();
  }
  return column;
}

Model ToModel(const Column& column) {
  Model model;
  for (size_t row = 0; row < column.size(); ++row) {
    if (column.is_null(row)) {
      model.emplace_back();
      continue;
    }
    model.emplace_back(std::in_place);
    for (size_t i = column.list_begin(row); i < column.list_end(row); ++i) {
      model.back()->push_back(column.element().ints()[i]);
    }
  }
  return model;
}

RC_GTEST_PROP(Batch, ErasingRowsOfAListColumnEqualsErasingThemInAVector,
              (std::vector<std::vector<int64_t>> lists, std::vector<bool> nulls)) {
  Model model;
  for (size_t i = 0; i < lists.size(); ++i) {
    model.push_back(i < nulls.size() && nulls[i] ? std::nullopt : std::make_optional(lists[i]));
  }
  const auto begin = *rc::gen::inRange<size_t>(0, model.size() + 1);
  const auto end = *rc::gen::inRange<size_t>(begin, model.size() + 1);
  Column column = FromModel(model);
  column.Erase(begin, end);
  model.erase(model.begin() + static_cast<std::ptrdiff_t>(begin),
              model.begin() + static_cast<std::ptrdiff_t>(end));
  RC_ASSERT(ToModel(column) == model);
}

}  // namespace
}  // namespace pchronicle::columnar
