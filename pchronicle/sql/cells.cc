#include "pchronicle/sql/cells.h"

#include <charconv>
#include <cmath>

#include "pchronicle/base/timestamp.h"

namespace pchronicle::sql {
namespace {

using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using Format = duckdb::RecursiveUnifiedVectorFormat;

void AppendCell(const Format& format, size_t index, CellStyle style, std::string* out);

template <typename T>
const T& At(const Format& format, size_t index) {
  return duckdb::UnifiedVectorFormat::GetData<T>(format.unified)[index];
}

std::string_view View(const duckdb::string_t& text) { return {text.GetData(), text.GetSize()}; }

template <typename T>
void AppendInteger(T value, std::string* out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out->append(digits, end.ptr);
}

/// Shortest text that reads back as the same number, with a point or an exponent.
template <typename T>
void AppendFloat(T value, CellStyle style, std::string* out) {
  if (!std::isfinite(value)) {
    if (style == CellStyle::kJson) {
      *out += "null";
    } else {
      *out += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
    return;
  }
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view text(digits, static_cast<size_t>(end.ptr - digits));
  *out += text;
  if (text.find_first_of(".e") == std::string_view::npos) {
    *out += ".0";
  }
}

void AppendText(std::string_view text, CellStyle style, std::string* out) {
  if (style == CellStyle::kJson) {
    AppendJsonString(text, out);
  } else {
    *out += text;
  }
}

/// Text that needs no escapes.
void AppendPlain(std::string_view text, CellStyle style, std::string* out) {
  if (style == CellStyle::kJson) {
    *out += '"';
  }
  *out += text;
  if (style == CellStyle::kJson) {
    *out += '"';
  }
}

void AppendHex(std::string_view bytes, CellStyle style, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  AppendPlain(hex, style, out);
}

/// `units_per_second` 1, 1000, 1000000 or 1000000000. Instants outside the years that nanoseconds
/// reach are printed by the engine.
void AppendInstant(int64_t value, int64_t units_per_second, CellStyle style, std::string* out) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  const int64_t scale = kNanoseconds / units_per_second;
  int64_t nanoseconds = 0;
  if (!__builtin_mul_overflow(value, scale, &nanoseconds) &&
      duckdb::Timestamp::IsFinite(duckdb::timestamp_t(value))) {
    AppendPlain(FormatTimestamp(nanoseconds), style, out);
    return;
  }
  int64_t microseconds = value;
  if (units_per_second < 1'000'000 &&
      __builtin_mul_overflow(value, 1'000'000 / units_per_second, &microseconds)) {
    microseconds = value;  // infinity
  }
  const duckdb::timestamp_t micros(microseconds);
  std::string text = duckdb::Timestamp::ToString(micros);
  if (duckdb::Timestamp::IsFinite(micros)) {
    if (const size_t space = text.find(' '); space != std::string::npos) {
      text[space] = 'T';
    }
    text += 'Z';
  }
  AppendPlain(text, style, out);
}

void AppendDecimal(const Format& format, size_t index, std::string* out) {
  uint8_t width = 0, scale = 0;
  format.logical_type.GetDecimalProperties(width, scale);
  switch (format.logical_type.InternalType()) {
    case PhysicalType::INT16:
      *out += duckdb::Decimal::ToString(At<int16_t>(format, index), width, scale);
      break;
    case PhysicalType::INT32:
      *out += duckdb::Decimal::ToString(At<int32_t>(format, index), width, scale);
      break;
    case PhysicalType::INT64:
      *out += duckdb::Decimal::ToString(At<int64_t>(format, index), width, scale);
      break;
    default:
      *out += duckdb::Decimal::ToString(At<duckdb::hugeint_t>(format, index), width, scale);
  }
}

void AppendEnum(const Format& format, size_t index, CellStyle style, std::string* out) {
  uint64_t position = 0;
  switch (format.logical_type.InternalType()) {
    case PhysicalType::UINT8:
      position = At<uint8_t>(format, index);
      break;
    case PhysicalType::UINT16:
      position = At<uint16_t>(format, index);
      break;
    default:
      position = At<uint32_t>(format, index);
  }
  AppendText(View(duckdb::EnumType::GetString(format.logical_type, position)), style, out);
}

void AppendElements(const Format& child, size_t begin, size_t count, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) {
      *out += ',';
    }
    AppendCell(child, begin + i, CellStyle::kJson, out);
  }
  *out += ']';
}

void AppendStruct(const Format& format, size_t index, std::string* out) {
  const auto& fields = duckdb::StructType::GetChildTypes(format.logical_type);
  *out += '{';
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) {
      *out += ',';
    }
    AppendJsonString(fields[i].first, out);
    *out += ':';
    AppendCell(format.children[i], index, CellStyle::kJson, out);
  }
  *out += '}';
}

/// A map as a JSON object when its keys are text, else as an array of [key, value].
void AppendMap(const Format& format, const duckdb::list_entry_t& entry, std::string* out) {
  const Format& pairs = format.children[0];
  const Format& keys = pairs.children[0];
  const bool object = keys.logical_type.id() == LogicalTypeId::VARCHAR;
  *out += object ? '{' : '[';
  for (size_t i = 0; i < entry.length; ++i) {
    const size_t pair = pairs.unified.sel->get_index(entry.offset + i);
    *out += i > 0 ? "," : "";
    *out += object ? "" : "[";
    AppendCell(keys, pair, CellStyle::kJson, out);
    *out += object ? ':' : ',';
    AppendCell(pairs.children[1], pair, CellStyle::kJson, out);
    *out += object ? "" : "]";
  }
  *out += object ? '}' : ']';
}

/// `row` counts rows of the vector; the unified format says where its value stands.
void AppendCell(const Format& format, size_t row, CellStyle style, std::string* out) {
  const size_t index = format.unified.sel->get_index(row);
  if (!format.unified.validity.RowIsValid(index)) {
    if (style == CellStyle::kJson) {
      *out += "null";
    }
    return;
  }
  switch (format.logical_type.id()) {
    case LogicalTypeId::BOOLEAN:
      *out += At<bool>(format, index) ? "true" : "false";
      return;
    case LogicalTypeId::TINYINT:
      AppendInteger(At<int8_t>(format, index), out);
      return;
    case LogicalTypeId::SMALLINT:
      AppendInteger(At<int16_t>(format, index), out);
      return;
    case LogicalTypeId::INTEGER:
      AppendInteger(At<int32_t>(format, index), out);
      return;
    case LogicalTypeId::BIGINT:
      AppendInteger(At<int64_t>(format, index), out);
      return;
    case LogicalTypeId::UTINYINT:
      AppendInteger(At<uint8_t>(format, index), out);
      return;
    case LogicalTypeId::USMALLINT:
      AppendInteger(At<uint16_t>(format, index), out);
      return;
    case LogicalTypeId::UINTEGER:
      AppendInteger(At<uint32_t>(format, index), out);
      return;
    case LogicalTypeId::UBIGINT:
      AppendInteger(At<uint64_t>(format, index), out);
      return;
    case LogicalTypeId::HUGEINT:
      *out += duckdb::Hugeint::ToString(At<duckdb::hugeint_t>(format, index));
      return;
    case LogicalTypeId::UHUGEINT:
      *out += duckdb::Uhugeint::ToString(At<duckdb::uhugeint_t>(format, index));
      return;
    case LogicalTypeId::FLOAT:
      AppendFloat(At<float>(format, index), style, out);
      return;
    case LogicalTypeId::DOUBLE:
      AppendFloat(At<double>(format, index), style, out);
      return;
    case LogicalTypeId::DECIMAL:
      AppendDecimal(format, index, out);
      return;
    case LogicalTypeId::CHAR:
    case LogicalTypeId::VARCHAR:
      AppendText(View(At<duckdb::string_t>(format, index)), style, out);
      return;
    case LogicalTypeId::BLOB:
      AppendHex(View(At<duckdb::string_t>(format, index)), style, out);
      return;
    case LogicalTypeId::ENUM:
      AppendEnum(format, index, style, out);
      return;
    case LogicalTypeId::DATE:
      AppendPlain(duckdb::Date::ToString(At<duckdb::date_t>(format, index)), style, out);
      return;
    case LogicalTypeId::TIMESTAMP_SEC:
      AppendInstant(At<int64_t>(format, index), 1, style, out);
      return;
    case LogicalTypeId::TIMESTAMP_MS:
      AppendInstant(At<int64_t>(format, index), 1'000, style, out);
      return;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      AppendInstant(At<int64_t>(format, index), 1'000'000, style, out);
      return;
    case LogicalTypeId::TIMESTAMP_NS:
      AppendInstant(At<int64_t>(format, index), 1'000'000'000, style, out);
      return;
    case LogicalTypeId::UUID:
      AppendPlain(duckdb::UUID::ToString(At<duckdb::hugeint_t>(format, index)), style, out);
      return;
    case LogicalTypeId::LIST: {
      const auto& entry = At<duckdb::list_entry_t>(format, index);
      AppendElements(format.children[0], entry.offset, entry.length, out);
      return;
    }
    case LogicalTypeId::ARRAY: {
      const size_t size = duckdb::ArrayType::GetSize(format.logical_type);
      AppendElements(format.children[0], index * size, size, out);
      return;
    }
    case LogicalTypeId::STRUCT:
      AppendStruct(format, index, out);
      return;
    case LogicalTypeId::MAP:
      AppendMap(format, At<duckdb::list_entry_t>(format, index), out);
      return;
    case LogicalTypeId::SQLNULL:
      *out += style == CellStyle::kJson ? "null" : "";
      return;
    default:
      return;
  }
}

bool Contains(const duckdb::LogicalType& type, bool (*test)(LogicalTypeId)) {
  if (test(type.id())) {
    return true;
  }
  switch (type.id()) {
    case LogicalTypeId::LIST:
      return Contains(duckdb::ListType::GetChildType(type), test);
    case LogicalTypeId::ARRAY:
      return Contains(duckdb::ArrayType::GetChildType(type), test);
    case LogicalTypeId::MAP:
      return Contains(duckdb::MapType::KeyType(type), test) ||
             Contains(duckdb::MapType::ValueType(type), test);
    case LogicalTypeId::STRUCT:
      for (const auto& child : duckdb::StructType::GetChildTypes(type)) {
        if (Contains(child.second, test)) {
          return true;
        }
      }
      return false;
    default:
      return false;
  }
}

/// Types that only the engine's own text form exists for.
bool PrintedByEngine(LogicalTypeId id) {
  switch (id) {
    case LogicalTypeId::TIME:
    case LogicalTypeId::TIME_NS:
    case LogicalTypeId::TIME_TZ:
    case LogicalTypeId::INTERVAL:
    case LogicalTypeId::BIT:
    case LogicalTypeId::UNION:
    case LogicalTypeId::BIGNUM:
    case LogicalTypeId::VARIANT:
    case LogicalTypeId::GEOMETRY:
    case LogicalTypeId::POINTER:
    case LogicalTypeId::AGGREGATE_STATE:
      return true;
    default:
      return false;
  }
}

}  // namespace

CellWriter::CellWriter(duckdb::DataChunk& chunk)
    : columns_(chunk.ColumnCount()), printed_by_engine_(chunk.ColumnCount()), chunk_(chunk) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    duckdb::Vector::RecursiveToUnifiedFormat(chunk.data[i], chunk.size(), columns_[i]);
    printed_by_engine_[i] = Contains(columns_[i].logical_type, PrintedByEngine);
  }
}

bool CellWriter::IsNull(size_t column, size_t row) const {
  const auto& format = columns_[column].unified;
  return !format.validity.RowIsValid(format.sel->get_index(row));
}

void CellWriter::Append(size_t column, size_t row, CellStyle style, std::string* out) const {
  if (IsNull(column, row) || !printed_by_engine_[column]) {
    AppendCell(columns_[column], row, style, out);
    return;
  }
  const std::string text = chunk_.data[column].GetValue(row).ToString();
  AppendText(text, style, out);
}

void AppendJsonString(std::string_view text, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  *out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') {
      continue;
    }
    out->append(text, plain, i - plain);
    plain = i + 1;
    *out += '\\';
    switch (c) {
      case '"':
      case '\\':
        *out += static_cast<char>(c);
        break;
      case '\n':
        *out += 'n';
        break;
      case '\r':
        *out += 'r';
        break;
      case '\t':
        *out += 't';
        break;
      default:
        *out += "u00";
        *out += kDigits[c >> 4];
        *out += kDigits[c & 15];
    }
  }
  out->append(text, plain, text.size() - plain);
  *out += '"';
}

}  // namespace pchronicle::sql
