#include "pchronicle/lance/index/index_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "pchronicle/lance/index/index_key.h"
#include "pchronicle/lance/index/index_search.h"
#include "pchronicle/lance/index/indexed_table_test.h"

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::TypeId;
using testing::HasSubstr;
using namespace testing_support;  // NOLINT: the fixture of this directory

// Filter through the index = filter without, built, after append and delete, with a second segment,
// and merged into one.
void CheckLife(IndexKind kind, TypeId type, bool stable) {
  IndexedTable indexed(type, stable);
  indexed.Append(*Cells(type));
  const auto second = *Cells(type);
  indexed.Append(second);
  BuildIndexOptions options = indexed.Options();
  options.memory_bytes = *rc::gen::element<uint64_t>(1, 256 << 20);
  options.threads = *rc::gen::element<size_t>(1, 2);
  indexed.Build(kind, options);
  CheckSameAnswers(&indexed, type);

  std::vector<uint32_t> gone;
  for (uint32_t i = 0; i + 1 < second.size(); ++i) {
    if (*rc::gen::arbitrary<bool>()) {
      gone.push_back(i);
    }
  }
  if (!gone.empty()) {
    RC_ASSERT(indexed.table().Delete(1, gone).ok());
  }
  // In tables with stable row ids the deleted rows come back changed, with the ids they had.
  std::vector<uint64_t> ids;
  auto third = *Cells(type);
  if (stable && !gone.empty()) {
    third.resize(gone.size(), Cell(*Value(type)));
    const auto first_of_second = 1000 + (*indexed.Open()->RowIds(0))->size();
    for (const uint32_t row : gone) {
      ids.push_back(first_of_second + row);
    }
  }
  indexed.Append(third, ids);
  CheckSameAnswers(&indexed, type);

  BuildIndexOptions delta = indexed.Options();
  delta.fragments = UnindexedFragments(*indexed.Open(), "v_idx").value();
  RC_ASSERT(*delta.fragments == std::set<uint64_t>{2});
  if (*rc::gen::arbitrary<bool>()) {
    indexed.Build(kind, delta);
    CheckSameAnswers(&indexed, type);
  }
  const auto merged = indexed.Optimize();
  RC_ASSERT(merged.has_value());
  RC_ASSERT(merged->entries == indexed.Open()->CountRows());
  CheckSameAnswers(&indexed, type);
  RC_ASSERT(!indexed.Optimize().has_value());
}

TEST(IndexBuilder, AnswersAsAScanDoesThroughALifeOfChanges_LNC_D2) {
  EXPECT_TRUE(rc::check([] {
    CheckLife(IndexKind::kBTree,
              *rc::gen::element(TypeId::kInt64, TypeId::kInt8, TypeId::kDate32, TypeId::kUtf8,
                                TypeId::kDouble, TypeId::kBool),
              *rc::gen::arbitrary<bool>());
  }));
}

TEST(IndexBuilder, AnswersAsAScanDoesThroughALifeOfChanges_LNC_D3) {
  EXPECT_TRUE(rc::check([] {
    CheckLife(IndexKind::kBitmap,
              *rc::gen::element(TypeId::kInt64, TypeId::kInt16, TypeId::kUtf8, TypeId::kDouble,
                                TypeId::kBool),
              *rc::gen::arbitrary<bool>());
  }));
}

std::vector<Cell> Texts(size_t count) {
  std::vector<Cell> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back("run-" + std::to_string(i * 7919 % count + 1'000'000));
  }
  return out;
}

TEST(IndexBuilder, WritesPagesOf4096EntriesAndALookup_LNC_D2) {
  IndexedTable indexed(TypeId::kUtf8, false);
  auto cells = Texts(10'000);
  cells[17] = std::nullopt;
  indexed.Append(cells);
  const BuiltIndex built = indexed.Build(IndexKind::kBTree, indexed.Options());
  EXPECT_EQ(built.entries, 10'000u);
  ASSERT_EQ(built.index.files.size(), 2u);
  const auto table = indexed.Open();
  for (const proto::Index::File& file : built.index.files) {
    EXPECT_EQ((*table->OpenIndexFile(built.index, file.path))->file_size(), file.size);
  }
  const auto lookup = *table->OpenIndexFile(built.index, "page_lookup.lance");
  EXPECT_EQ(lookup->rows(), 3u);
  EXPECT_EQ(lookup->metadata().at("batch_size"), "4096");
  const auto reader = lookup->Read(lookup->schema(), lookup->SequentialColumns());
  columnar::RecordBatch batch;
  ASSERT_TRUE((*reader)->ReadRows(0, 3, &batch).ok());
  EXPECT_TRUE(batch.columns[0]->IsNull(0));  // starts with the null
  EXPECT_EQ(batch.columns[2]->Value<uint32_t>(0), 1u);
  EXPECT_EQ(batch.columns[1]->Bytes(2), "run-1009999");
}

TEST(IndexBuilder, BoundsItsMemoryByATemporaryFile_LNC_D2) {
  IndexedTable indexed(TypeId::kUtf8, false);
  indexed.Append(Texts(20'000));
  BuildIndexOptions options = indexed.Options();
  options.memory_bytes = 64 << 10;
  EXPECT_GT(indexed.Build(IndexKind::kBTree, options).spilled, 5u);
  const auto table = indexed.Open();
  const auto rows =
      Rows(table, columnar::Compare("v", CompareOp::kLt, std::string("run-1000010")), true);
  EXPECT_EQ(rows.size(), 10u);
}

TEST(IndexBuilder, FindsOneRowWithFewReads_LNC_D2) {
  IndexedTable indexed(TypeId::kUtf8, false);
  indexed.Append(Texts(100'000));
  indexed.Build(IndexKind::kBTree, indexed.Options());
  const auto table = indexed.Open();
  const auto before = indexed.table().store()->counters();
  ScanCounters counters;
  const auto rows = Rows(table, columnar::Compare("v", CompareOp::kEq, std::string("run-1000001")),
                         true, &counters);
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(counters.rows_examined, 1u);
  // Two columns are needed: the one that is searched and the one that is given.
  EXPECT_LE(indexed.table().store()->counters().reads - before.reads, 2 * 4u);
}

TEST(IndexBuilder, NamesWhatCannotBeIndexed_LNC_D1) {
  IndexedTable indexed(TypeId::kInt64, false);
  indexed.Append({int64_t{1}});
  const auto table = indexed.Open();
  BuildIndexOptions options;
  StoredIndexOutput output(indexed.table().store(), options.uuid);
  EXPECT_THAT(BuildIndex(table, "w", IndexKind::kBTree, options, &output).status().ToString(),
              HasSubstr("no column 'w'"));
  options.fragments = {7};
  EXPECT_THAT(BuildIndex(table, "v", IndexKind::kBTree, options, &output).status().ToString(),
              HasSubstr("no fragment 7"));
  EXPECT_EQ(OptimizeIndex(table, "x", options, &output).status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(IndexKey::For(columnar::MakeDecimal(TypeId::kDecimal128, 10, 2)).ok());
}

TEST(IndexKey, KeepsTheOrderAndTheBitsOfEveryNumber_LNC_D2) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Cell> ascending = {-std::nan(""), -inf, -1e300, -2.0, -0.0,
                                       0.0,           2.0,  1e300,  inf,  std::nan("")};
  const ArrayPtr array = MakeColumn(TypeId::kDouble, ascending);
  const auto key = IndexKey::For(array->type);
  KeyArrayBuilder back(*key);
  std::string last;
  for (int64_t i = 0; i < array->length; ++i) {
    std::string bytes;
    key->Append(*array, i, &bytes);
    EXPECT_LT(last, bytes);
    last = bytes;
    ASSERT_TRUE(back.Append(bytes).ok());
  }
  const ArrayPtr again = back.Finish();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(array->values->data()), 80),
            std::string_view(reinterpret_cast<const char*>(again->values->data()), 80));
}

}  // namespace
}  // namespace pchronicle::lance
