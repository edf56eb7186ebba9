#include "pchronicle/sql/vectors.h"

#include <cstring>
#include <limits>

namespace pchronicle::sql {
namespace {

using columnar::Column;
using columnar::Type;
using duckdb::FlatVector;
using duckdb::ListVector;
using duckdb::string_t;
using duckdb::Vector;

class ArenaBuffer : public duckdb::VectorBuffer {
 public:
  explicit ArenaBuffer(std::shared_ptr<Arena> text)
      : VectorBuffer(duckdb::VectorBufferType::OPAQUE_BUFFER), text_(std::move(text)) {}

 private:
  std::shared_ptr<Arena> text_;
};

void FillValidity(const Column& column, size_t begin, size_t count, size_t at, Vector& vector) {
  const uint8_t* valid = column.valid().data() + begin;
  if (count == 0 || std::memchr(valid, 0, count) == nullptr) {
    return;
  }
  auto& mask = FlatVector::Validity(vector);
  for (size_t i = 0; i < count; ++i) {
    if (valid[i] == 0) {
      mask.SetInvalid(at + i);
    }
  }
}

bool FillText(const Column& column, size_t begin, size_t count, size_t at, const TextOwner& owner,
              Vector& vector) {
  string_t* out = FlatVector::GetData<string_t>(vector) + at;
  const std::string_view* texts = column.texts().data() + begin;
  bool by_reference = false;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = texts[i];
    if (text.size() > std::numeric_limits<uint32_t>::max()) {
      return false;
    }
    out[i] = string_t(text.data(), static_cast<uint32_t>(text.size()));
    by_reference |= !out[i].IsInlined();
  }
  if (by_reference) {
    duckdb::StringVector::AddBuffer(vector, owner);
  }
  return true;
}

void FillBooleans(const Column& column, size_t begin, size_t count, size_t at, Vector& vector) {
  bool* out = FlatVector::GetData<bool>(vector) + at;
  for (size_t i = 0; i < count; ++i) {
    out[i] = column.ints()[begin + i] != 0;
  }
}

bool FillList(const Column& column, size_t begin, size_t count, size_t at, const TextOwner& owner,
              Vector& vector) {
  auto* out = FlatVector::GetData<duckdb::list_entry_t>(vector) + at;
  const size_t first = column.list_begin(begin);
  const size_t elements = count == 0 ? 0 : column.list_end(begin + count - 1) - first;
  const size_t present = ListVector::GetListSize(vector);
  ListVector::Reserve(vector, present + elements);
  for (size_t i = 0; i < count; ++i) {
    const size_t from = column.list_begin(begin + i);
    out[i] = duckdb::list_entry_t(present + from - first, column.list_end(begin + i) - from);
  }
  if (!FillVector(column.element(), first, elements, present, owner,
                  ListVector::GetEntry(vector))) {
    return false;
  }
  ListVector::SetListSize(vector, present + elements);
  return true;
}

}  // namespace

duckdb::LogicalType ToLogicalType(Type type) {
  switch (type) {
    case Type::kVarchar:
      return duckdb::LogicalType::VARCHAR;
    case Type::kJson:
      return duckdb::LogicalType::JSON();
    case Type::kBigint:
      return duckdb::LogicalType::BIGINT;
    case Type::kUbigint:
      return duckdb::LogicalType::UBIGINT;
    case Type::kDouble:
      return duckdb::LogicalType::DOUBLE;
    case Type::kBoolean:
      return duckdb::LogicalType::BOOLEAN;
    case Type::kTimestampNs:
      return duckdb::LogicalType::TIMESTAMP_NS;
    default:
      return duckdb::LogicalType::LIST(ToLogicalType(columnar::ElementType(type)));
  }
}

TextOwner MakeTextOwner(std::shared_ptr<Arena> text) {
  return duckdb::make_buffer<ArenaBuffer>(std::move(text));
}

bool FillVector(const Column& column, size_t begin, size_t count, size_t at, const TextOwner& owner,
                Vector& vector) {
  if (count == 0) {
    return true;  // lists that are all empty: there may be no array to copy from
  }
  FillValidity(column, begin, count, at, vector);
  switch (column.type()) {
    case Type::kVarchar:
    case Type::kJson:
      return FillText(column, begin, count, at, owner, vector);
    case Type::kBoolean:
      FillBooleans(column, begin, count, at, vector);
      return true;
    case Type::kDouble:
      std::memcpy(FlatVector::GetData<double>(vector) + at, column.doubles().data() + begin,
                  count * sizeof(double));
      return true;
    case Type::kBigint:
    case Type::kTimestampNs:
      std::memcpy(FlatVector::GetData<int64_t>(vector) + at, column.ints().data() + begin,
                  count * sizeof(int64_t));
      return true;
    case Type::kUbigint:
      std::memcpy(FlatVector::GetData<uint64_t>(vector) + at, column.ints().data() + begin,
                  count * sizeof(int64_t));
      return true;
    default:
      return FillList(column, begin, count, at, owner, vector);
  }
}

}  // namespace pchronicle::sql
