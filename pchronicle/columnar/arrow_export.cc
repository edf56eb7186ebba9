#include "pchronicle/columnar/arrow_export.h"

#include <fmt/core.h>

#include <cstring>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::columnar {
namespace {

/// Everything that an exported schema points to.
struct SchemaHolder {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayHolder {
  ArrayPtr array;
  BufferPtr empty;  // for arrays without an own one
  const void* buffers[3] = {};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <typename Struct, typename Holder>
void Release(Struct* released) {
  auto* holder = static_cast<Holder*>(released->private_data);
  for (Struct& child : holder->children) {
    if (child.release != nullptr) {  // null when it was moved away
      child.release(&child);
    }
  }
  delete holder;
  released->release = nullptr;
}

template <typename Struct, typename Holder>
Struct** ChildPointers(Holder* holder) {
  for (Struct& child : holder->children) {
    holder->pointers.push_back(&child);
  }
  return holder->pointers.empty() ? nullptr : holder->pointers.data();
}

char UnitLetter(TimeUnit unit) { return "smun"[static_cast<size_t>(unit)]; }

Result<std::string> Format(const DataType& type) {
  // In the order of TypeId; empty ones have parameters.
  constexpr std::string_view kFormats[] = {
      "n",   "b", "c", "s", "i", "l", "C", "S", "I", "L", "e",  "f",  "g",  "",   "", "tdD",
      "tdm", "",  "",  "",  "",  "",  "u", "z", "U", "Z", "+s", "+l", "+L", "+m", ""};
  const std::string_view plain = kFormats[static_cast<size_t>(type.id)];
  if (!plain.empty()) {
    return std::string(plain);
  }
  switch (type.id) {
    case TypeId::kDecimal128:
      return fmt::format("d:{},{}", type.precision, type.scale);
    case TypeId::kDecimal256:
      return fmt::format("d:{},{},256", type.precision, type.scale);
    case TypeId::kTime32:
    case TypeId::kTime64:
      return fmt::format("tt{}", UnitLetter(type.unit));
    case TypeId::kTimestamp:
      return fmt::format("ts{}:{}", UnitLetter(type.unit), type.timezone);
    case TypeId::kDuration:
      return fmt::format("tD{}", UnitLetter(type.unit));
    case TypeId::kFixedBinary:
      return fmt::format("w:{}", type.width);
    case TypeId::kFixedSizeList:
      return fmt::format("+w:{}", type.width);
    default:
      return Status::Unsupported("no Arrow format for {}", ToString(type));
  }
}

/// i32 number of pairs, then i32 length and bytes of each key and value, in native order.
std::string MetadataBytes(const Metadata& metadata) {
  std::string bytes;
  const auto number = [&](size_t value) {
    const auto small = static_cast<int32_t>(value);
    bytes.append(reinterpret_cast<const char*>(&small), sizeof(small));
  };
  number(metadata.size());
  for (const auto& [key, value] : metadata) {
    number(key.size());
    bytes += key;
    number(value.size());
    bytes += value;
  }
  return bytes;
}

/// Builds the children first, so that a failure leaves nothing behind.
Status Export(const DataType& type, const std::string& name, bool nullable,
              const Metadata& metadata, ArrowSchema* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::string format, Format(type));
  auto holder = std::make_unique<SchemaHolder>();
  holder->format = std::move(format);
  holder->name = name;
  holder->metadata = metadata.empty() ? "" : MetadataBytes(metadata);
  holder->children.resize(type.children.size());
  for (size_t i = 0; i < type.children.size(); ++i) {
    const Status status = ExportField(type.children[i], &holder->children[i]);
    if (!status.ok()) {
      for (size_t k = 0; k < i; ++k) {
        holder->children[k].release(&holder->children[k]);
      }
      return status;
    }
  }
  *out = ArrowSchema();
  out->format = holder->format.c_str();
  out->name = holder->name.c_str();
  out->metadata = holder->metadata.empty() ? nullptr : holder->metadata.data();
  out->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  out->n_children = static_cast<int64_t>(holder->children.size());
  out->children = ChildPointers<ArrowSchema>(holder.get());
  out->release = &Release<ArrowSchema, SchemaHolder>;
  out->private_data = holder.release();
  return Status::Ok();
}

}  // namespace

Status ExportField(const DataField& field, ArrowSchema* out) {
  return Export(*field.type, field.name, field.nullable, field.metadata, out);
}

Status ExportSchema(const std::vector<DataField>& fields, ArrowSchema* out) {
  return Export(*MakeStruct(fields), "", false, {}, out);
}

void ExportArray(const ArrayPtr& array, ArrowArray* out) {
  auto* holder = new ArrayHolder;
  holder->array = array;
  holder->empty = std::make_shared<Buffer>(0);
  const auto data = [&](const BufferPtr& buffer) -> const void* {
    return buffer == nullptr || buffer->data() == nullptr ? holder->empty->data() : buffer->data();
  };
  const TypeId id = array->type->id;
  int64_t count = 0;
  if (id != TypeId::kNull) {
    holder->buffers[count++] = array->validity == nullptr ? nullptr : array->validity->data();
  }
  if (IsVariable(id) || IsListLike(id)) {
    holder->buffers[count++] = data(array->offsets);
  }
  if (id != TypeId::kNull && !IsListLike(id) && id != TypeId::kStruct &&
      id != TypeId::kFixedSizeList) {
    holder->buffers[count++] = data(array->values);
  }
  holder->children.resize(array->children.size());
  for (size_t i = 0; i < array->children.size(); ++i) {
    ExportArray(array->children[i], &holder->children[i]);
  }
  *out = ArrowArray();
  out->length = array->length;
  out->null_count = array->null_count;
  out->n_buffers = count;
  out->n_children = static_cast<int64_t>(holder->children.size());
  out->buffers = holder->buffers;
  out->children = ChildPointers<ArrowArray>(holder);
  out->release = &Release<ArrowArray, ArrayHolder>;
  out->private_data = holder;
}

void ExportBatch(const RecordBatch& batch, ArrowArray* out) {
  auto array = std::make_shared<Array>();
  array->type = MakeStruct(batch.fields);
  array->length = batch.rows;
  array->children = batch.columns;
  ExportArray(array, out);
}

}  // namespace pchronicle::columnar
