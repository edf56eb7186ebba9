#include "pchronicle/columnar/concat.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pchronicle/columnar/validity.h"

namespace pchronicle::columnar {
namespace {

constexpr int64_t kRows = 37;

std::shared_ptr<Buffer> Bits(int64_t rows, int64_t modulus) {
  auto out = std::make_shared<Buffer>();
  out->AppendZeros(static_cast<size_t>(rows + 7) / 8);
  for (int64_t i = 0; i < rows; ++i) {
    if (i % modulus != 0) {
      out->data()[i / 8] = static_cast<uint8_t>(out->data()[i / 8] | 1U << (i % 8));
    }
  }
  return out;
}

std::shared_ptr<Array> WithNulls(DataTypePtr type, int64_t rows, int64_t modulus) {
  auto out = std::make_shared<Array>();
  out->type = std::move(type);
  out->length = rows;
  out->validity = Bits(rows, modulus);
  out->null_count = CountNulls(out->validity, rows);
  return out;
}

ArrayPtr Numbers(int64_t rows) {
  auto out = WithNulls(MakeType(TypeId::kInt32), rows, 5);
  auto values = std::make_shared<Buffer>(static_cast<size_t>(rows) * 4);
  std::iota(values->as<int32_t>(), values->as<int32_t>() + rows, 100);
  out->values = values;
  return out;
}

// Offsets that grow by 0, 1, 2, 0, 1, ...
template <typename Offset>
std::shared_ptr<Buffer> Offsets(int64_t rows, int64_t* end) {
  auto out = std::make_shared<Buffer>(static_cast<size_t>(rows + 1) * sizeof(Offset));
  *end = 0;
  for (int64_t i = 0; i <= rows; ++i) {
    out->as<Offset>()[i] = static_cast<Offset>(*end);
    *end += i < rows ? i % 3 : 0;
  }
  return out;
}

ArrayPtr Texts() {
  auto out = WithNulls(MakeType(TypeId::kLargeUtf8), kRows, 7);
  int64_t bytes = 0;
  out->offsets = Offsets<int64_t>(kRows, &bytes);
  auto values = std::make_shared<Buffer>(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < bytes; ++i) {
    values->data()[i] = static_cast<uint8_t>('a' + i % 26);
  }
  out->values = values;
  return out;
}

std::vector<ArrayPtr> Samples() {
  auto flags = WithNulls(MakeType(TypeId::kBool), kRows, 4);
  flags->values = Bits(kRows, 3);
  int64_t items = 0;
  auto lists =
      WithNulls(MakeList(TypeId::kList, {"item", MakeType(TypeId::kInt32), true, {}}), kRows, 6);
  lists->offsets = Offsets<int32_t>(kRows, &items);
  lists->children = {Numbers(items)};
  auto structs = WithNulls(MakeStruct({{"n", MakeType(TypeId::kInt32), true, {}},
                                       {"t", MakeType(TypeId::kLargeUtf8), true, {}}}),
                           kRows, 9);
  structs->children = {Numbers(kRows), Texts()};
  auto fixed =
      WithNulls(MakeFixedSizeList({"item", MakeType(TypeId::kInt32), true, {}}, 3), kRows, 8);
  fixed->children = {Numbers(kRows * 3)};
  return {Numbers(kRows),
          flags,
          Texts(),
          lists,
          structs,
          fixed,
          MakeNullArray(MakeType(TypeId::kNull), kRows)};
}

// Cut anywhere and joined again, every type is what it was.
TEST(Concat, JoinsWhatWasCut_LNC_5) {
  for (const ArrayPtr& whole : Samples()) {
    SCOPED_TRACE(ToString(*whole->type));
    for (int64_t cut = 0; cut <= kRows; ++cut) {
      std::vector<int64_t> first(static_cast<size_t>(cut)), rest(static_cast<size_t>(kRows - cut));
      std::iota(first.begin(), first.end(), 0);
      std::iota(rest.begin(), rest.end(), cut);
      const std::vector<ArrayPtr> parts = {TakeSlots(*whole, first), TakeSlots(*whole, rest)};
      const auto joined = Concat(parts);
      ASSERT_TRUE(joined.ok()) << joined.status().ToString();
      EXPECT_TRUE(SameValues(*whole, **joined)) << cut;
      EXPECT_EQ((*joined)->null_count, whole->null_count) << cut;
    }
  }
}

TEST(Validity, AMemberIsNullWhereItsParentIs_LNC_A3) {
  const ArrayPtr structs = Samples()[4];
  const ArrayPtr masked = MaskByParent(structs->children[0], *structs);
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(masked->IsNull(i), structs->IsNull(i) || structs->children[0]->IsNull(i)) << i;
  }
  const std::vector<ArrayPtr> both = {structs, structs->children[0]};
  const BufferPtr any = AnyValid(both, kRows);
  EXPECT_EQ(CountNulls(any, kRows), 1);  // row 0 is null in both, and 45 would be next
}

}  // namespace
}  // namespace pchronicle::columnar
