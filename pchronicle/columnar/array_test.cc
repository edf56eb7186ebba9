#include "pchronicle/columnar/array.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pchronicle/columnar/arrow_export.h"

namespace pchronicle::columnar {
namespace {

template <typename T>
BufferPtr Make(const std::vector<T>& values) {
  auto buffer = std::make_shared<Buffer>();
  buffer->Append(values.data(), values.size() * sizeof(T));
  return buffer;
}

BufferPtr Text(std::string_view text) {
  auto buffer = std::make_shared<Buffer>();
  buffer->Append(text.data(), text.size());
  return buffer;
}

/// [["ab"], null, [], ["c", null]]
ArrayPtr Lists() {
  auto texts = std::make_shared<Array>();
  texts->type = MakeType(TypeId::kUtf8);
  texts->length = 3;
  texts->null_count = 1;
  texts->validity = Make<uint8_t>({0b011});
  texts->offsets = Make<int32_t>({0, 2, 3, 3});
  texts->values = Text("abc");
  auto lists = std::make_shared<Array>();
  lists->type = MakeList(TypeId::kList, {"item", texts->type});
  lists->length = 4;
  lists->null_count = 1;
  lists->validity = Make<uint8_t>({0b1101});
  lists->offsets = Make<int32_t>({0, 1, 1, 1, 3});
  lists->children = {texts};
  return lists;
}

TEST(Buffer, KeepsItsContentAndItsPadding) {
  Buffer buffer;
  buffer.Append("abc", 3);
  buffer.AppendZeros(1000);
  EXPECT_EQ(buffer.size(), 1003U);
  EXPECT_EQ(std::memcmp(buffer.data(), "abc\0", 4), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0U);
  std::memset(buffer.data() + buffer.size(), 1, Buffer::kPadding);
}

TEST(BufferPool, GivesABufferAgainWhenNobodyHoldsIt) {
  BufferPool pool;
  auto first = pool.Take();
  first->AppendZeros(100);
  const void* memory = first->data();
  const auto second = pool.Take();
  EXPECT_NE(second, first);
  first.reset();
  const auto again = pool.Take();
  EXPECT_EQ(again->size(), 0U);
  again->AppendZeros(100);
  EXPECT_EQ(again->data(), memory);
}

TEST(Array, TakesSlotsOfNestedArrays) {
  const ArrayPtr lists = Lists();
  const ArrayPtr taken = TakeSlots(*lists, {3, 1, 3});
  ASSERT_EQ(taken->length, 3);
  EXPECT_EQ(taken->null_count, 1);
  EXPECT_TRUE(taken->IsNull(1));
  EXPECT_EQ(taken->children[0]->length, 4);
  EXPECT_EQ(taken->children[0]->Bytes(2), "c");
  EXPECT_TRUE(taken->children[0]->IsNull(3));
  EXPECT_TRUE(SameValues(*TakeSlots(*lists, {0, 1, 2, 3}), *lists));
  EXPECT_FALSE(SameValues(*taken, *lists));
}

TEST(Array, NullArraysHaveTheShapeOfTheirType) {
  const auto type =
      MakeStruct({{"a", MakeType(TypeId::kInt64)},
                  {"v", MakeFixedSizeList({"item", MakeType(TypeId::kBool)}, 3)},
                  {"l", MakeList(TypeId::kLargeList, {"item", MakeType(TypeId::kUtf8)})}});
  const ArrayPtr nulls = MakeNullArray(type, 5);
  EXPECT_EQ(nulls->null_count, 5);
  EXPECT_EQ(nulls->children[1]->children[0]->length, 15);
  EXPECT_EQ(nulls->children[2]->Offset(5), 0);
  EXPECT_TRUE(SameValues(*nulls, *TakeSlots(*nulls, {4, 3, 2, 1, 0})));
}

TEST(DataType, IsNamedForMessages) {
  const auto type = MakeStruct({{"t", MakeTemporal(TypeId::kTimestamp, TimeUnit::kMicro, "UTC")},
                                {"d", MakeDecimal(TypeId::kDecimal128, 20, 2)}});
  EXPECT_EQ(ToString(*type), "struct<t: timestamp[us, tz=UTC], d: decimal128(20, 2)>");
}

TEST(ArrowExport, SharesBuffersAndReleasesThem) {
  const ArrayPtr lists = Lists();
  RecordBatch batch;
  batch.fields = {{"l", lists->type, true, {{"ARROW:extension:name", "x"}}}};
  batch.columns = {lists};
  batch.rows = 4;
  ArrowSchema schema;
  ASSERT_TRUE(ExportSchema(batch.fields, &schema).ok());
  EXPECT_STREQ(schema.format, "+s");
  ASSERT_EQ(schema.n_children, 1);
  EXPECT_STREQ(schema.children[0]->format, "+l");
  EXPECT_STREQ(schema.children[0]->name, "l");
  EXPECT_EQ(schema.children[0]->flags, ARROW_FLAG_NULLABLE);
  int32_t pairs = 0;
  std::memcpy(&pairs, schema.children[0]->metadata, 4);
  EXPECT_EQ(pairs, 1);
  EXPECT_STREQ(schema.children[0]->children[0]->format, "u");
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);

  ArrowArray array;
  ExportBatch(batch, &array);
  batch = RecordBatch();
  const long holders = lists.use_count();
  ASSERT_EQ(array.n_children, 1);
  const ArrowArray& list = *array.children[0];
  EXPECT_EQ(list.length, 4);
  EXPECT_EQ(list.null_count, 1);
  EXPECT_EQ(list.n_buffers, 2);
  EXPECT_EQ(list.children[0]->n_buffers, 3);
  EXPECT_EQ(list.children[0]->buffers[2], lists->children[0]->values->data());
  array.release(&array);
  EXPECT_LT(lists.use_count(), holders);
}

}  // namespace
}  // namespace pchronicle::columnar
