#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "pchronicle/columnar/array.h"
#include "pchronicle/columnar/validity.h"
#include "pchronicle/lance/file/built_file_test.h"
#include "pchronicle/lance/file/field_tree.h"

namespace pchronicle::lance::testing_support {

/// Makes random schemas, and arrays for them: nulls at every level, empty lists, long lists, values
/// that lie under nulls, and values of different kinds so that all encodings come up.
class RandomArrays {
 public:
  explicit RandomArrays(uint64_t seed) : random_(seed) {}

  uint64_t Below(uint64_t n) { return n == 0 ? 0 : random_() % n; }

  /// Appends a random field with everything below it; `maps`: of a 2.2 file.
  void AddField(int32_t parent, std::string name, int depth, bool maps, bool nullable,
                std::vector<proto::Field>* out) {
    const auto id = static_cast<int32_t>(out->size());
    const uint64_t kind = depth <= 0 ? 0 : Below(10);
    const std::string type = kind < 4                     ? LeafType()
                             : kind < 6                   ? (Below(2) == 0 ? "list" : "large_list")
                             : kind == 6 && maps          ? "map"
                             : kind == 7 && Below(2) == 0 ? "list.struct"
                                                          : "struct";
    out->push_back(MakeField(id, std::move(name), type, parent));
    out->back().nullable = nullable || type == "null";
    if (type == "struct") {
      AddMembers(id, depth, maps, out);
    } else if (type == "list.struct") {
      out->push_back(MakeField(id + 1, "item", "struct", id));
      out->back().nullable = Below(2) == 0;
      AddMembers(id + 1, depth - 1, maps, out);
    } else if (type == "map") {
      out->push_back(MakeField(id + 1, "entries", "struct", id));
      out->back().nullable = false;
      out->push_back(MakeField(id + 2, "key", "string", id + 1));
      out->back().nullable = false;
      AddField(id + 1, "value", depth - 1, maps, true, out);
    } else if (type == "list" || type == "large_list") {
      AddField(id, "item", depth - 1, maps, Below(3) != 0, out);
    }
  }

  /// `length` slots of a field. `share` of 10 are null where nulls are allowed.
  columnar::ArrayPtr Make(const FieldNode& node, size_t length) {
    auto array = std::make_shared<columnar::Array>();
    array->type = node.type;
    array->length = static_cast<int64_t>(length);
    style_ = Below(6);
    null_share_ = Below(4) == 0 ? 10 : Below(8);
    MakeValidity(node.nullable, length, array.get());
    switch (node.type->id) {
      case columnar::TypeId::kStruct:
        for (const FieldNode& child : node.children) {
          array->children.push_back(Make(child, length));
        }
        break;
      case columnar::TypeId::kList:
      case columnar::TypeId::kMap:
        MakeList<int32_t>(node, array.get());
        break;
      case columnar::TypeId::kLargeList:
        MakeList<int64_t>(node, array.get());
        break;
      case columnar::TypeId::kFixedSizeList:
        array->children.push_back(
            MakeItems(node.type->children[0].type, length * node.type->width));
        break;
      default:
        MakeValues(array.get());
        break;
    }
    return array;
  }

 private:
  std::string LeafType() {
    constexpr const char* kTypes[] = {"int8",
                                      "int16",
                                      "int32",
                                      "int64",
                                      "uint32",
                                      "uint64",
                                      "halffloat",
                                      "float",
                                      "double",
                                      "bool",
                                      "string",
                                      "string",
                                      "string",
                                      "large_string",
                                      "binary",
                                      "large_binary",
                                      "date32:day",
                                      "date64:ms",
                                      "time32:ms",
                                      "time64:us",
                                      "timestamp:us:UTC",
                                      "timestamp:ns:-",
                                      "duration:s",
                                      "decimal:128:20:2",
                                      "decimal:256:50:3",
                                      "fixed_size_binary:5",
                                      "fixed_size_binary:300",
                                      "fixed_size_list:float:3",
                                      "fixed_size_list:int64:40",
                                      "fixed_size_list:bool:11",
                                      "fixed_size_list:fixed_size_list:int16:3:2",
                                      "null"};
    return kTypes[Below(std::size(kTypes))];
  }

  void AddMembers(int32_t id, int depth, bool maps, std::vector<proto::Field>* out) {
    const uint64_t members = 1 + Below(3);
    for (uint64_t i = 0; i < members; ++i) {
      AddField(id, "m" + std::to_string(i), depth - 1, maps, Below(4) != 0, out);
    }
  }

  void MakeValidity(bool nullable, size_t length, columnar::Array* array) {
    if (array->type->id == columnar::TypeId::kNull) {
      array->null_count = array->length;
      return;
    }
    if (!nullable || null_share_ == 0) {
      return;
    }
    auto bits = std::make_shared<columnar::Buffer>();
    bits->AppendZeros(length / 8 + 1);
    // Nulls come alone or in a row.
    bool null = false;
    for (size_t i = 0; i < length; ++i) {
      null = null_share_ >= 10 || (Below(3) == 0 ? Below(10) < null_share_ : null);
      bits->data()[i / 8] = static_cast<uint8_t>(bits->data()[i / 8] | (null ? 0 : 1 << (i % 8)));
    }
    array->validity = bits;
    array->null_count = columnar::CountNulls(array->validity, array->length);
  }

  template <typename Offset>
  void MakeList(const FieldNode& node, columnar::Array* array) {
    auto offsets = std::make_shared<columnar::Buffer>();
    Offset end = 0;
    offsets->Append(&end, sizeof(end));
    const uint64_t style = Below(4);
    for (int64_t i = 0; i < array->length; ++i) {
      const uint64_t items = style == 0   ? 0
                             : style == 1 ? Below(3)
                             : style == 2 ? (Below(40) == 0 ? Below(3000) : Below(2))
                                          : Below(6);
      // Null lists may have items that nobody sees.
      end = static_cast<Offset>(end + static_cast<Offset>(items_made_ > kMostItems ? 0 : items));
      items_made_ += items;
      offsets->Append(&end, sizeof(end));
    }
    array->offsets = offsets;
    array->children.push_back(Make(node.children[0], static_cast<size_t>(end)));
  }

  columnar::ArrayPtr MakeItems(const columnar::DataTypePtr& type, size_t length) {
    FieldNode item;
    item.type = type;
    item.nullable = Below(2) == 0;
    return Make(item, length);
  }

  uint64_t Number() {
    switch (style_) {
      case 0:
        return Below(100);
      case 1:
        return Below(4) * 0x123456789abcdef1;
      case 2:
        last_ += Below(60) == 0 ? 1 : 0;
        return last_;
      case 3:
        return 7;
      default:
        return random_();
    }
  }

  std::string Text() {
    std::string text = style_ == 3 ? "the same" : "text " + std::to_string(Number());
    const uint64_t length = style_ == 4                     ? Below(90)
                            : style_ == 5 && Below(20) == 0 ? Below(9000)
                                                            : 0;
    while (text.size() < length) {
      text += " word" + std::to_string(Below(50));
    }
    return Below(9) == 0 ? std::string() : text;
  }

  void MakeValues(columnar::Array* array) {
    const columnar::DataType& type = *array->type;
    auto values = std::make_shared<columnar::Buffer>(),
         offsets = std::make_shared<columnar::Buffer>();
    if (type.id == columnar::TypeId::kNull) {
      return;
    }
    if (type.id == columnar::TypeId::kBool) {
      for (int64_t i = 0; i <= array->length / 8; ++i) {
        const uint8_t bits = style_ == 3 ? 0xff : static_cast<uint8_t>(Below(256));
        values->Append(&bits, 1);
      }
    } else if (columnar::IsVariable(type.id)) {
      const size_t width = columnar::HasLargeOffsets(type.id) ? 8 : 4;
      const uint64_t zero = 0;
      offsets->Append(&zero, width);
      for (int64_t i = 0; i < array->length; ++i) {
        const std::string text = Text();
        values->Append(text.data(), text.size());
        const uint64_t end = values->size();
        offsets->Append(&end, width);
      }
      array->offsets = offsets;
    } else {
      for (int64_t i = 0; i < array->length; ++i) {
        std::string bytes(std::max<size_t>(columnar::ByteWidth(type), 8), '\5');
        const uint64_t number = Number();
        std::memcpy(bytes.data(), &number, sizeof(number));
        values->Append(bytes.data(), columnar::ByteWidth(type));
      }
    }
    array->values = values;
  }

  static constexpr uint64_t kMostItems = 200000;
  std::mt19937_64 random_;
  uint64_t style_ = 0, null_share_ = 0, last_ = 0, items_made_ = 0;
};

}  // namespace pchronicle::lance::testing_support
