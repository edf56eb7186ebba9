#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "pchronicle/lance/index/indexed_table_test.h"
#include "pchronicle/lance/index/split_block_filter.h"

// Zone maps and Bloom filters, which the official library writes: here files of the same form, made
// row by row from the column.

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::Scalar;
using columnar::TypeId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace testing_support;  // NOLINT: the fixture of this directory

constexpr const char* kZoneMapUrl = "/lance.table.ZoneMapIndexDetails";
constexpr const char* kBloomUrl = "/lance.index.pb.BloomFilterIndexDetails";
constexpr uint32_t kSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

void AddToFilter(uint64_t hash, std::string* filter) {
  const size_t block = (hash >> 32) * (filter->size() / 32) >> 32;
  for (size_t i = 0; i < 8; ++i) {
    const uint32_t bit = static_cast<uint32_t>(hash) * kSalts[i] >> 27;
    char& byte = (*filter)[block * 32 + i * 4 + bit / 8];
    byte = static_cast<char>(byte | 1 << (bit % 8));
  }
}

/// What both kinds say of a run of rows, as a test may damage it.
struct TestZone {
  uint64_t fragment = 0, start = 0, length = 0;
  Cell min, max;
  uint64_t nulls = 0, nans = 0;
  std::string filter = std::string(1024, '\0');
};

/// An index over the cells of fragments, zones of `rows` rows.
std::vector<TestZone> ZonesOf(TypeId type, const std::vector<std::vector<Cell>>& fragments,
                              size_t rows) {
  std::vector<TestZone> out;
  for (size_t f = 0; f < fragments.size(); ++f) {
    const ArrayPtr array = MakeColumn(type, fragments[f]);
    for (size_t i = 0; i < fragments[f].size(); ++i) {
      if (i % rows == 0) {
        out.push_back({f, i, 0, {}, {}, 0, 0, std::string(1024, '\0')});
      }
      TestZone& zone = out.back();
      ++zone.length;
      const Cell& cell = fragments[f][i];
      if (!cell) {
        ++zone.nulls;
        continue;
      }
      AddToFilter(FilterHash(array->Bytes(static_cast<int64_t>(i))), &zone.filter);
      const double* number = std::get_if<double>(&*cell);
      if (number != nullptr && std::isnan(*number)) {
        ++zone.nans;
        continue;
      }
      zone.min = zone.min && *zone.min < *cell ? zone.min : cell;
      zone.max = zone.max && *zone.max > *cell ? zone.max : cell;
    }
  }
  return out;
}

class ZoneIndexTable {
 public:
  ZoneIndexTable(TypeId type, std::vector<std::vector<Cell>> fragments, size_t rows)
      : type_(type), table_(type, false), zones(ZonesOf(type, fragments, rows)) {
    for (const auto& cells : fragments) {
      table_.Append(cells);
    }
    fragments_ = fragments.size();
  }

  void WriteZoneMap() { Write(kZoneMapUrl); }
  void WriteBloomFilter() { Write(kBloomUrl); }
  IndexedTable& indexed() { return table_; }

  std::vector<std::string> Problems() {
    const auto report = Verify(table_.Open(), Context());
    EXPECT_TRUE(report.ok());
    EXPECT_THAT(report->skipped, IsEmpty());
    std::vector<std::string> out;
    for (const auto& problem : report->problems) {
      EXPECT_THAT(problem.place, HasSubstr("index v_idx"));
      out.push_back(problem.text);
    }
    return out;
  }

 private:
  void Write(const char* url) {
    proto::Index index;
    index.uuid[0] = ++uuid_;
    index.fields = {0};
    index.name = "v_idx";
    index.dataset_version = 1;
    index.type_url = url;
    std::vector<uint32_t> covered;
    for (uint32_t i = 0; i < fragments_; ++i) {
      covered.push_back(i);
    }
    index.fragment_bitmap = RoaringBitmap::FromValues(covered).Encode();
    StoredIndexOutput output(table_.table().store(), index.uuid);
    url == kZoneMapUrl ? WriteZones(&output) : WriteFilters(&output);
    table_.table().indices.push_back(index);
  }

  std::vector<uint64_t> Column(uint64_t TestZone::*member) const {
    std::vector<uint64_t> out;
    for (const TestZone& zone : zones) {
      out.push_back(zone.*member);
    }
    return out;
  }
  static std::vector<uint32_t> Narrow(const std::vector<uint64_t>& values) {
    return {values.begin(), values.end()};
  }

  void WriteZones(IndexOutput* output) {
    const auto type = columnar::MakeType(type_);
    const auto u32 = columnar::MakeType(TypeId::kUint32), u64 = columnar::MakeType(TypeId::kUint64);
    const auto writer = IndexFileWriter::Create(output, "zonemap.lance",
                                                {{"min", type, true, {}},
                                                 {"max", type, true, {}},
                                                 {"null_count", u32, false, {}},
                                                 {"nan_count", u32, false, {}},
                                                 {"fragment_id", u64, false, {}},
                                                 {"zone_start", u64, false, {}},
                                                 {"zone_length", u64, false, {}}},
                                                FileVersion{2, 1}, {});
    ASSERT_TRUE(writer.ok());
    std::vector<Cell> min, max;
    for (const TestZone& zone : zones) {
      min.push_back(zone.min);
      max.push_back(zone.max);
    }
    ASSERT_TRUE((*writer)
                    ->Append({MakeColumn(type_, min), MakeColumn(type_, max),
                              MakeNumbers(Narrow(Column(&TestZone::nulls))),
                              MakeNumbers(Narrow(Column(&TestZone::nans))),
                              MakeNumbers(Column(&TestZone::fragment)),
                              MakeNumbers(Column(&TestZone::start)),
                              MakeNumbers(Column(&TestZone::length))})
                    .ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }

  void WriteFilters(IndexOutput* output) {
    const auto u64 = columnar::MakeType(TypeId::kUint64);
    const auto writer = IndexFileWriter::Create(
        output, "bloomfilter.lance",
        {{"fragment_id", u64, false, {}},
         {"zone_start", u64, false, {}},
         {"zone_length", u64, false, {}},
         {"has_null", columnar::MakeType(TypeId::kBool), false, {}},
         {"bloom_filter_data", columnar::MakeType(TypeId::kBinary), false, {}}},
        FileVersion{2, 1}, {});
    ASSERT_TRUE(writer.ok());
    std::vector<Cell> has_null, filters;
    for (const TestZone& zone : zones) {
      has_null.push_back(zone.nulls != 0);
      filters.push_back(zone.filter);
    }
    auto bytes = std::make_shared<columnar::Array>(*MakeColumn(TypeId::kUtf8, filters));
    bytes->type = columnar::MakeType(TypeId::kBinary);
    auto flags = std::make_shared<columnar::Array>(*MakeColumn(TypeId::kBool, has_null));
    flags->validity = bytes->validity = nullptr;
    const Status appended = (*writer)->Append(
        {MakeNumbers(Column(&TestZone::fragment)), MakeNumbers(Column(&TestZone::start)),
         MakeNumbers(Column(&TestZone::length)), flags, bytes});
    ASSERT_TRUE(appended.ok()) << appended.ToString();
    ASSERT_TRUE((*writer)->Finish().ok());
  }

  TypeId type_;
  IndexedTable table_;
  size_t fragments_ = 0;
  uint8_t uuid_ = 100;

 public:
  std::vector<TestZone> zones;
};

// 4,000 even numbers in two fragments, every 500th row null.
std::vector<std::vector<Cell>> EvenNumbers() {
  std::vector<std::vector<Cell>> out(2);
  for (int64_t i = 0; i < 4000; ++i) {
    std::vector<Cell>& cells = out[static_cast<size_t>(i / 2000)];
    cells.emplace_back();
    if (i % 500 != 7) {
      cells.back() = i * 2;
    }
  }
  return out;
}

uint64_t Examined(IndexedTable* table, const columnar::PredicatePtr& filter, size_t expected) {
  ScanCounters counters;
  EXPECT_EQ(Rows(table->Open(), filter, true, &counters).size(), expected);
  return counters.rows_examined;
}

TEST(SplitBlockFilter, HashesAsTheFormatSays_LNC_D3) {
  EXPECT_EQ(FilterHash(""), 0xef46db3751d8e999u);
  EXPECT_EQ(FilterHash("abc"), 0x44bc2cf5ad770999u);
}

TEST(SplitBlockFilter, HasWhatWasAddedAndLittleElse_LNC_D3) {
  std::string bytes(4096, '\0');
  for (int i = 0; i < 1000; ++i) {
    AddToFilter(FilterHash("in " + std::to_string(i)), &bytes);
  }
  const auto filter = SplitBlockFilter::Of(bytes);
  ASSERT_TRUE(filter.ok());
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(filter->MayContain(FilterHash("in " + std::to_string(i))));
    wrong += filter->MayContain(FilterHash("out " + std::to_string(i))) ? 1 : 0;
  }
  EXPECT_LT(wrong, 10);
  EXPECT_FALSE(SplitBlockFilter::Of("").ok());
  EXPECT_FALSE(SplitBlockFilter::Of(std::string_view(bytes).substr(1)).ok());
}

TEST(SplitBlockFilter, LiteralsStandForTheValuesThatEqualThem_LNC_D3) {
  const auto of = [](TypeId type, const Scalar& literal) {
    return FilterHashes(*columnar::MakeType(type), literal);
  };
  using Hashes = std::vector<uint64_t>;
  const auto hash = [](auto value) {
    return FilterHash({reinterpret_cast<const char*>(&value), sizeof(value)});
  };
  EXPECT_EQ(of(TypeId::kInt8, int64_t{-1}), Hashes{hash(int8_t{-1})});
  EXPECT_EQ(of(TypeId::kInt8, int64_t{128}), Hashes{});
  EXPECT_EQ(of(TypeId::kUint8, int64_t{255}), Hashes{hash(uint8_t{255})});
  EXPECT_EQ(of(TypeId::kUint64, UINT64_MAX), Hashes{hash(UINT64_MAX)});
  EXPECT_EQ(of(TypeId::kInt64, UINT64_MAX), Hashes{});
  EXPECT_EQ(of(TypeId::kInt64, INT64_MIN), Hashes{hash(INT64_MIN)});
  EXPECT_EQ(of(TypeId::kInt32, 7.0), Hashes{hash(int32_t{7})});
  EXPECT_EQ(of(TypeId::kInt32, 7.5), Hashes{});
  EXPECT_EQ(of(TypeId::kInt64, 1e300), Hashes{});
  EXPECT_EQ(of(TypeId::kDouble, 0.0), (Hashes{hash(0.0), hash(-0.0)}));
  EXPECT_EQ(of(TypeId::kDouble, int64_t{3}), Hashes{hash(3.0)});
  EXPECT_EQ(of(TypeId::kDouble, INT64_MAX), Hashes{});
  EXPECT_EQ(of(TypeId::kFloat, 0.5), Hashes{hash(0.5F)});
  EXPECT_EQ(of(TypeId::kFloat, 0.1), Hashes{});
  EXPECT_EQ(of(TypeId::kFloat, 1e300), Hashes{});
  EXPECT_EQ(of(TypeId::kFloat, HUGE_VAL), Hashes{hash(HUGE_VALF)});
  EXPECT_EQ(of(TypeId::kFloat, std::nan("")), std::nullopt);
  EXPECT_EQ(of(TypeId::kUtf8, std::string("a")), Hashes{FilterHash("a")});
  EXPECT_EQ(of(TypeId::kUtf8, int64_t{1}), std::nullopt);
  EXPECT_EQ(of(TypeId::kInt8, std::string("a")), std::nullopt);
  EXPECT_FALSE(IsFilterable(*columnar::MakeType(TypeId::kBool)));
  EXPECT_FALSE(IsFilterable(*columnar::MakeType(TypeId::kHalf)));
  EXPECT_FALSE(IsFilterable(*columnar::MakeType(TypeId::kDuration)));
}

TEST(BloomFilter, LooksOnlyAtZonesThatMayHaveTheValue_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 100);
  table.WriteBloomFilter();
  const auto equal = [](int64_t value) { return columnar::Compare("v", CompareOp::kEq, value); };
  EXPECT_EQ(Examined(&table.indexed(), equal(1234), 1), 100u);
  EXPECT_EQ(Examined(&table.indexed(), equal(1235), 0), 0u) << "between its neighbours";
  EXPECT_EQ(Examined(&table.indexed(), columnar::In("v", {int64_t{2}, int64_t{7000}}), 2), 200u);
  EXPECT_EQ(Examined(&table.indexed(), columnar::IsNull("v"), 8), 800u);
  EXPECT_EQ(Examined(&table.indexed(), columnar::Compare("v", CompareOp::kLt, int64_t{4}), 2),
            4000u);
  EXPECT_THAT(table.Problems(), IsEmpty());
}

TEST(BloomFilter, AndAZoneMapTogetherLeaveWhatBothLeave_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 100);
  table.zones[3].filter.assign(1024, '\xff');
  table.WriteBloomFilter();
  const auto odd = columnar::Compare("v", CompareOp::kEq, int64_t{1235});
  EXPECT_EQ(Examined(&table.indexed(), odd, 0), 100u) << "a full filter says maybe";
  table.WriteZoneMap();
  EXPECT_EQ(Examined(&table.indexed(), odd, 0), 0u);
  EXPECT_EQ(Examined(&table.indexed(), columnar::Compare("v", CompareOp::kLt, int64_t{4}), 2),
            100u);
}

TEST(ZoneIndices, AnswerAsAScanDoes_LNC_D3) {
  EXPECT_TRUE(rc::check([] {
    const TypeId type = *rc::gen::element(TypeId::kInt64, TypeId::kInt8, TypeId::kDate32,
                                          TypeId::kUtf8, TypeId::kDouble);
    const std::vector<std::vector<Cell>> fragments = {*Cells(type), *Cells(type)};
    ZoneIndexTable table(type, fragments, *rc::gen::inRange<size_t>(1, 6));
    const int kinds = *rc::gen::inRange(1, 4);
    if ((kinds & 1) != 0) {
      table.WriteBloomFilter();
    }
    if ((kinds & 2) != 0) {
      table.WriteZoneMap();
    }
    if (*rc::gen::arbitrary<bool>()) {
      table.indexed().Append(*Cells(type));  // not covered
    }
    CheckSameAnswers(&table.indexed(), type);
    RC_ASSERT(table.indexed().table().Delete(0, {0}).ok());
    CheckSameAnswers(&table.indexed(), type);
  }));
}

TEST(ZoneIndices, FragmentsWithoutAZoneAreScanned_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 1000);
  table.zones.resize(2);
  table.WriteBloomFilter();
  table.WriteZoneMap();
  EXPECT_EQ(Examined(&table.indexed(), columnar::Compare("v", CompareOp::kEq, int64_t{7000}), 1),
            2000u);
  EXPECT_THAT(table.Problems(),
              ElementsAre("fragment 1: row 0 lies in no zone; rebuild the index"));
}

TEST(ZoneMap, ZonesWithoutBoundsAreLookedAt_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 100);
  table.zones[2].min = table.zones[2].max = std::nullopt;  // as for types that are not ordered
  table.WriteZoneMap();
  EXPECT_EQ(Examined(&table.indexed(), columnar::Compare("v", CompareOp::kEq, int64_t{500}), 1),
            100u);
  EXPECT_THAT(table.Problems(), IsEmpty());
}

TEST(ZoneMap, RowsBehindTheFragmentAreNone_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 2000);
  table.zones[1].start = 1'000'000;
  table.zones[0].length = uint64_t{1} << 32;
  table.WriteZoneMap();
  EXPECT_EQ(Examined(&table.indexed(), columnar::Compare("v", CompareOp::kEq, int64_t{7000}), 1),
            2000u);
  EXPECT_THAT(table.Problems(), testing::Contains(HasSubstr("the fragment has only 2000 rows")));
}

// ---- verify

std::vector<std::string> ProblemsOf(void (*damage)(std::vector<TestZone>*), bool bloom) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 100);
  damage(&table.zones);
  bloom ? table.WriteBloomFilter() : table.WriteZoneMap();
  return table.Problems();
}

TEST(Verify, FindsBoundsThatDoNotHold_LNC_D3) {
  EXPECT_THAT(ProblemsOf([](auto*) {}, false), IsEmpty());
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[21].min = int64_t{4202}; }, false),
              ElementsAre("fragment 1, zone 21 (rows 100 to 200): the value of row 100 is below "
                          "the minimum; rebuild the index"));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[0].max = int64_t{5}; }, false),
              ElementsAre(HasSubstr("fragment 0, zone 0 (rows 0 to 100): the value of row 3 is "
                                    "above the maximum")));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[5].nulls = 0; }, false),
              ElementsAre(HasSubstr("zone 5 (rows 500 to 600): 1 rows are null, it says 0")));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[6].nulls = 2; }, false),
              ElementsAre(HasSubstr("zone 6 (rows 600 to 700): 0 rows are null, it says 2")));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[7].nans = 1; }, false),
              ElementsAre(HasSubstr("zone 7 (rows 700 to 800): 0 rows are NaN, it says 1")));
}

TEST(Verify, FindsZonesThatDoNotTileTheRows_LNC_D3) {
  for (const bool bloom : {false, true}) {
    EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[19].length = 101; }, bloom),
                ElementsAre(HasSubstr("fragment 0, zone 19 (rows 1900 to 2001): the fragment has "
                                      "only 2000 rows")));
    EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[30].length = 99; }, bloom),
                testing::Contains(HasSubstr("fragment 1: row 1099 lies in no zone")));
    EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[4].start = 399; }, bloom),
                testing::Contains(HasSubstr("zone 4 (rows 399 to 499): another zone reaches up to "
                                            "row 400")));
  }
}

TEST(Verify, FindsFiltersThatMissAValue_LNC_D3) {
  EXPECT_THAT(ProblemsOf([](auto*) {}, true), IsEmpty());
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[22].filter.assign(1024, '\0'); }, true),
              ElementsAre("fragment 1, zone 22 (rows 200 to 300): the filter does not have the "
                          "value of row 200; rebuild the index"));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[10].nulls = 0; }, true),
              ElementsAre(HasSubstr("zone 10 (rows 1000 to 1100): row 1007 is null, it says that "
                                    "none is")));
  EXPECT_THAT(ProblemsOf([](auto* zones) { (*zones)[3].filter.resize(33); }, true),
              ElementsAre(HasSubstr("zone 3: a Bloom filter of 33 bytes")));
}

TEST(Verify, RowsDeletedSinceCountInAZone_LNC_D3) {
  ZoneIndexTable table(TypeId::kInt64, EvenNumbers(), 100);
  table.WriteZoneMap();
  table.WriteBloomFilter();
  ASSERT_TRUE(table.indexed().table().Delete(0, {0, 1, 7, 99, 507}).ok());
  EXPECT_THAT(table.Problems(), IsEmpty());
}

}  // namespace
}  // namespace pchronicle::lance
