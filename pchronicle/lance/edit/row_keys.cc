#include "pchronicle/lance/edit/row_keys.h"

#include <cmath>
#include <cstring>

namespace pchronicle::lance {
namespace {

// What an entry of the table takes beside its text, about.
constexpr uint64_t kEntryBytes = 96;

template <typename T>
void PutFloat(T value, std::string* out) {
  if (value == 0) {
    value = 0;
  } else if (std::isnan(value)) {
    value = std::numeric_limits<T>::quiet_NaN();
  }
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void PutValue(const columnar::Array& array, int64_t row, std::string* out) {
  switch (array.type->id) {
    case columnar::TypeId::kBool:
      *out += array.Bit(row) ? '\1' : '\0';
      return;
    case columnar::TypeId::kFloat:
      return PutFloat(array.Value<float>(row), out);
    case columnar::TypeId::kDouble:
      return PutFloat(array.Value<double>(row), out);
    default: {
      const std::string_view bytes = array.Bytes(row);
      const uint64_t size = bytes.size();
      out->append(reinterpret_cast<const char*>(&size), sizeof(size));
      *out += bytes;
    }
  }
}

}  // namespace

Result<KeyEncoder> KeyEncoder::Make(const columnar::RecordBatch& batch,
                                    std::vector<size_t> columns) {
  for (const size_t column : columns) {
    const columnar::DataType& type = *batch.fields[column].type;
    if (type.id != columnar::TypeId::kBool && !columnar::IsVariable(type.id) &&
        columnar::ByteWidth(type) == 0) {
      return Status::Unsupported("column '{}' of type {} cannot be a key",
                                 batch.fields[column].name, columnar::ToString(type));
    }
  }
  return KeyEncoder(std::move(columns));
}

bool KeyEncoder::Encode(const columnar::RecordBatch& batch, int64_t row, std::string* out) const {
  out->clear();
  for (const size_t column : columns_) {
    const columnar::Array& array = *batch.columns[column];
    if (array.IsNull(row)) {
      return false;
    }
    PutValue(array, row, out);
  }
  return true;
}

Status KeyTable::Add(const std::string& key, uint64_t row) {
  bytes_ += key.size() + kEntryBytes;
  if (bytes_ > max_bytes_) {
    return Status::ResourceExhausted(
        "the keys of the source take more than {} bytes of memory; merge it in parts", max_bytes_);
  }
  const auto [entry, is_new] = rows_.emplace(key, row);
  return is_new ? Status::Ok()
                : Status::InvalidArgument("rows {} and {} of the source have the same key",
                                          entry->second, row);
}

std::optional<uint64_t> KeyTable::Find(const std::string& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pchronicle::lance
