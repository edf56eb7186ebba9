#include "pchronicle/lance/table/text_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;
using columnar::TypeId;

columnar::BufferPtr BufferOf(const void* bytes, size_t size) {
  auto buffer = std::make_shared<columnar::Buffer>();
  buffer->Append(bytes, size);
  return buffer;
}

ArrayPtr Texts(const std::vector<std::string>& texts) {
  std::string bytes;
  std::vector<int32_t> offsets = {0};
  for (const std::string& text : texts) {
    bytes += text;
    offsets.push_back(static_cast<int32_t>(bytes.size()));
  }
  auto array = std::make_shared<Array>();
  array->type = columnar::MakeType(TypeId::kUtf8);
  array->length = static_cast<int64_t>(texts.size());
  array->offsets = BufferOf(offsets.data(), offsets.size() * sizeof(int32_t));
  array->values = BufferOf(bytes.data(), bytes.size());
  return array;
}

ArrayPtr Lists(const std::vector<int32_t>& offsets, ArrayPtr items) {
  auto array = std::make_shared<Array>();
  array->type = columnar::MakeList(TypeId::kList, {"item", items->type});
  array->length = static_cast<int64_t>(offsets.size()) - 1;
  array->offsets = BufferOf(offsets.data(), offsets.size() * sizeof(int32_t));
  array->children = {std::move(items)};
  return array;
}

ArrayPtr Struct(ArrayPtr member) {
  auto array = std::make_shared<Array>();
  array->type = columnar::MakeStruct({{"name", member->type}});
  array->length = member->length;
  array->children = {std::move(member)};
  return array;
}

std::string Found(const ArrayPtr& array) {
  const auto found = FindInvalidText(*array);
  return found ? std::to_string(found->row) + found->path : "none";
}

TEST(TextCheck, NamesRowAndPlace_LNC_C3) {
  EXPECT_EQ(Found(Texts({})), "none");
  EXPECT_EQ(Found(Texts({"a", "", "\xc3\xa9"})), "none");
  EXPECT_EQ(Found(Texts({"a", "", "\xff", "\xff"})), "2");
  EXPECT_EQ(Found(Texts({"a\xc3", "\xa9"})), "0");
  EXPECT_EQ(Found(Struct(Texts({"a", "\x80"}))), "1.name");
  // Empty lists stand before and behind the one that holds the text.
  EXPECT_EQ(Found(Lists({0, 0, 1, 1, 3, 3}, Texts({"a", "b", "\x80"}))), "3[]");
  EXPECT_EQ(Found(Lists({0, 0, 1, 1, 3, 3}, Struct(Texts({"\x80", "b", "c"})))), "1[].name");
  EXPECT_EQ(Found(Struct(Lists({0, 2, 3}, Texts({"a", "b", "\x80"})))), "1.name[]");
}

}  // namespace
}  // namespace pchronicle::lance
