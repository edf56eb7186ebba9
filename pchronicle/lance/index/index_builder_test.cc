#include "pchronicle/lance/index/index_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "pchronicle/lance/index/index_key.h"
#include "pchronicle/lance/index/index_search.h"
#include "pchronicle/lance/table/built_table_test.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::PredicatePtr;
using columnar::Scalar;
using columnar::TypeId;
using testing::HasSubstr;
using testing_support::BuiltTable;
using testing_support::StoredIndexOutput;

using Cell = std::optional<Scalar>;

// An array of any indexed type, from literals.
ArrayPtr MakeColumn(TypeId type, const std::vector<Cell>& cells) {
  const columnar::DataTypePtr data_type = columnar::MakeType(type);
  auto out = std::make_shared<columnar::Array>();
  auto validity = std::make_shared<columnar::Buffer>(0),
       values = std::make_shared<columnar::Buffer>(0),
       offsets = std::make_shared<columnar::Buffer>(0);
  validity->AppendZeros(cells.size() / 8 + 1);
  values->AppendZeros(type == TypeId::kBool ? cells.size() / 8 + 1 : 0);
  int32_t end = 0;
  offsets->Append(&end, 4);
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto bit = static_cast<uint8_t>(1 << (i % 8));
    if (cells[i]) {
      validity->data()[i / 8] |= bit;
    } else {
      ++out->null_count;
    }
    if (type == TypeId::kBool) {
      values->data()[i / 8] |= cells[i] && std::get<bool>(*cells[i]) ? bit : uint8_t{0};
    } else if (type == TypeId::kUtf8) {
      const std::string text = cells[i] ? std::get<std::string>(*cells[i]) : "";
      values->Append(text.data(), text.size());
      end += static_cast<int32_t>(text.size());
      offsets->Append(&end, 4);
    } else if (type == TypeId::kDouble) {
      const double number = cells[i] ? std::get<double>(*cells[i]) : 0;
      values->Append(&number, 8);
    } else {
      const int64_t number = cells[i] ? std::get<int64_t>(*cells[i]) : 0;
      values->Append(&number, columnar::ByteWidth(*data_type));
    }
  }
  out->type = data_type;
  out->length = static_cast<int64_t>(cells.size());
  out->validity = validity;
  out->values = values;
  if (type == TypeId::kUtf8) {
    out->offsets = offsets;
  }
  return out;
}

rc::Gen<Scalar> Value(TypeId type) {
  const double inf = std::numeric_limits<double>::infinity();
  switch (type) {
    case TypeId::kBool:
      return rc::gen::map(rc::gen::arbitrary<bool>(), [](bool v) { return Scalar(v); });
    case TypeId::kUtf8:
      return rc::gen::map(rc::gen::element<std::string>("", "a", "ab", "b", "run-0001", "run-0002",
                                                        "\xc3\xa9", "zz"),
                          [](std::string v) { return Scalar(std::move(v)); });
    case TypeId::kDouble:
      return rc::gen::map(rc::gen::element(-inf, -1.5, -0.0, 0.0, 2.25, 1e300, inf, std::nan("")),
                          [](double v) { return Scalar(v); });
    default:
      return rc::gen::map(rc::gen::inRange<int64_t>(-20, 20), [](int64_t v) { return Scalar(v); });
  }
}

rc::Gen<PredicatePtr> LeafOf(TypeId type) {
  return rc::gen::exec([type]() -> PredicatePtr {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return columnar::IsNull("v");
      case 1:
        return columnar::In("v", *rc::gen::container<std::vector<Scalar>>(Value(type)));
      default:
        return columnar::Compare("v",
                                 *rc::gen::element(CompareOp::kEq, CompareOp::kNe, CompareOp::kLt,
                                                   CompareOp::kLe, CompareOp::kGt, CompareOp::kGe),
                                 *Value(type));
    }
  });
}

PredicatePtr RandomPredicate(TypeId type) {
  const PredicatePtr first = *LeafOf(type);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return columnar::And({first, *LeafOf(type)});
    case 1:
      return columnar::Or({first, *LeafOf(type)});
    case 2:
      return columnar::Not(first);
    default:
      return first;
  }
}

std::vector<uint64_t> Rows(const std::shared_ptr<const Table>& table, const PredicatePtr& filter,
                           bool use_indices, ScanCounters* counters = nullptr) {
  ScanOptions options;
  options.columns = {"n"};
  options.filter = filter;
  options.use_indices = use_indices;
  const auto scan = Scan::Plan(table, options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  const Context context;
  const auto stream = ScanStream::Start(*scan, 1, true, context);
  columnar::RecordBatch batch;
  std::vector<uint64_t> out;
  for (;;) {
    const auto more = stream->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) {
      break;
    }
    for (int64_t i = 0; i < batch.rows; ++i) {
      out.push_back(static_cast<uint64_t>(batch.columns[0]->Value<int64_t>(i)));
    }
  }
  if (counters != nullptr) {
    *counters = (*scan)->counters();
  }
  return out;
}

// A table of a column `v` under test and a number `n`.
class IndexedTable {
 public:
  IndexedTable(TypeId type, bool stable)
      : type_(type),
        table_({{"v", columnar::MakeType(type), true, {}},
                {"n", columnar::MakeType(TypeId::kInt64), true, {}}},
               stable) {}

  void Append(const std::vector<Cell>& cells, std::vector<uint64_t> ids = {}) {
    std::vector<Cell> numbers;
    for (size_t i = 0; i < cells.size(); ++i) {
      numbers.push_back(int64_t{next_++});
      if (ids.size() < cells.size()) {
        ids.push_back(next_id_++);
      }
    }
    columnar::RecordBatch batch;
    batch.columns = {MakeColumn(type_, cells), MakeColumn(TypeId::kInt64, numbers)};
    batch.rows = static_cast<int64_t>(cells.size());
    EXPECT_TRUE(table_.Append(batch, ids).ok());
  }

  BuildIndexOptions Options() {
    BuildIndexOptions options;
    options.uuid[0] = ++uuid_;
    return options;
  }

  BuiltIndex Build(IndexKind kind, BuildIndexOptions options) {
    StoredIndexOutput output(table_.store(), options.uuid);
    auto built = BuildIndex(Open(), "v", kind, options, &output);
    EXPECT_TRUE(built.ok()) << built.status().ToString();
    table_.indices.push_back(built->index);
    return *std::move(built);
  }

  std::optional<BuiltIndex> Optimize() {
    const BuildIndexOptions options = Options();
    StoredIndexOutput output(table_.store(), options.uuid);
    auto built = OptimizeIndex(Open(), "v_idx", options, &output);
    EXPECT_TRUE(built.ok()) << built.status().ToString();
    if (*built) {
      EXPECT_EQ((*built)->replaced.size(), table_.indices.size());
      table_.indices = {(*built)->index};
    }
    return *std::move(built);
  }

  std::shared_ptr<const Table> Open() {
    auto table = table_.Open();
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *table;
  }
  BuiltTable& table() { return table_; }

 private:
  TypeId type_;
  BuiltTable table_;
  int64_t next_ = 0;
  uint64_t next_id_ = 1000;
  uint8_t uuid_ = 0;
};

rc::Gen<std::vector<Cell>> Cells(TypeId type) {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<Cell>>(rc::gen::exec(
      [type]() -> Cell { return *rc::gen::inRange(0, 5) == 0 ? Cell() : Cell(*Value(type)); })));
}

void CheckSameAnswers(IndexedTable* indexed, TypeId type) {
  const auto table = indexed->Open();
  for (int i = 0; i < 4; ++i) {
    const PredicatePtr predicate = RandomPredicate(type);
    RC_ASSERT(Rows(table, predicate, true) == Rows(table, predicate, false));
  }
  const Context context;
  const auto report = Verify(table, context);
  RC_ASSERT(report.ok());
  RC_ASSERT(report->problems.empty());
}

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
