#include "pchronicle/lance/index/split_block_filter.h"

#define XXH_INLINE_ALL  // the header is all there is; no library to link
#include <xxhash.h>

#include <cmath>
#include <cstring>

namespace pchronicle::lance {
namespace {

using columnar::Scalar;
using columnar::TypeId;

constexpr size_t kBlockBytes = 32;
// One odd multiplier for each word of a block, fixed by the format.
constexpr uint32_t kSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

bool IsUnsigned(TypeId id) {
  return id == TypeId::kUint8 || id == TypeId::kUint16 || id == TypeId::kUint32 ||
         id == TypeId::kUint64;
}

bool IsInteger(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kDate32:
    case TypeId::kDate64:
    case TypeId::kTime32:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
      return true;
    default:
      return IsUnsigned(id);
  }
}

bool IsFloat(TypeId id) { return id == TypeId::kFloat || id == TypeId::kDouble; }

uint64_t HashNumber(const void* value, size_t width) {
  return FilterHash({static_cast<const char*>(value), width});
}

// A literal that is a whole number; all of 64 bits, signed or not, fit.
std::optional<__int128> WholeNumber(const Scalar& literal) {
  if (const bool* b = std::get_if<bool>(&literal)) {
    return *b ? 1 : 0;
  }
  if (const int64_t* i = std::get_if<int64_t>(&literal)) {
    return *i;
  }
  if (const uint64_t* u = std::get_if<uint64_t>(&literal)) {
    return static_cast<__int128>(*u);
  }
  const double d = std::get<double>(literal);
  if (!std::isfinite(d) || d != std::trunc(d) || std::abs(d) > 0x1p64) {
    return std::nullopt;
  }
  return static_cast<__int128>(d);
}

std::vector<uint64_t> IntegerHashes(const columnar::DataType& type, const Scalar& literal) {
  const std::optional<__int128> value = WholeNumber(literal);
  const uint32_t width = columnar::ByteWidth(type), bits = 8 * width;
  const bool no_sign = IsUnsigned(type.id);
  const __int128 least = no_sign ? 0 : -(__int128{1} << (bits - 1));
  const __int128 most = (__int128{1} << (no_sign ? bits : bits - 1)) - 1;
  if (!value || *value < least || *value > most) {
    return {};  // equals no value of the type
  }
  const auto low = static_cast<uint64_t>(*value);  // least significant byte first
  return {HashNumber(&low, width)};
}

template <typename T>
std::vector<uint64_t> HashFloat(double value) {
  const auto narrow = static_cast<T>(value);
  if (static_cast<double>(narrow) != value) {
    return {};
  }
  if (narrow != 0) {
    return {HashNumber(&narrow, sizeof(T))};
  }
  const T zero = 0, negative = -zero;
  return {HashNumber(&zero, sizeof(T)), HashNumber(&negative, sizeof(T))};
}

std::optional<std::vector<uint64_t>> FloatHashes(TypeId id, const Scalar& literal) {
  double value;
  if (const double* d = std::get_if<double>(&literal)) {
    if (std::isnan(*d)) {
      return std::nullopt;  // any NaN equals it, whatever its bits
    }
    value = *d;
  } else {
    const __int128 whole = *WholeNumber(literal);
    value = static_cast<double>(whole);
    if (static_cast<__int128>(value) != whole) {
      return std::vector<uint64_t>();  // lies between two doubles
    }
  }
  const bool too_large = id == TypeId::kFloat && std::isfinite(value) && std::abs(value) >= 0x1p128;
  if (too_large) {
    return std::vector<uint64_t>();
  }
  return id == TypeId::kFloat ? HashFloat<float>(value) : HashFloat<double>(value);
}

}  // namespace

Result<SplitBlockFilter> SplitBlockFilter::Of(std::string_view bytes) {
  if (bytes.empty() || bytes.size() % kBlockBytes != 0) {
    return Status::Corruption("a Bloom filter of {} bytes, blocks have {}", bytes.size(),
                              kBlockBytes);
  }
  return SplitBlockFilter(bytes);
}

bool SplitBlockFilter::MayContain(uint64_t hash) const {
  const auto blocks = static_cast<unsigned __int128>(bytes_.size() / kBlockBytes);
  const auto block = static_cast<size_t>((hash >> 32) * blocks >> 32);
  const auto lower = static_cast<uint32_t>(hash);
  uint32_t words[8];
  std::memcpy(words, bytes_.data() + block * kBlockBytes, sizeof(words));
  for (size_t i = 0; i < 8; ++i) {
    if ((words[i] >> (lower * kSalts[i] >> 27) & 1) == 0) {
      return false;
    }
  }
  return true;
}

uint64_t FilterHash(std::string_view value) { return XXH64(value.data(), value.size(), 0); }

bool IsFilterable(const columnar::DataType& type) {
  return IsInteger(type.id) || IsFloat(type.id) || columnar::IsVariable(type.id);
}

std::optional<std::vector<uint64_t>> FilterHashes(const columnar::DataType& type,
                                                  const Scalar& literal) {
  const std::string* text = std::get_if<std::string>(&literal);
  if (columnar::IsVariable(type.id) != (text != nullptr)) {
    return std::nullopt;
  }
  if (text != nullptr) {
    return std::vector<uint64_t>{FilterHash(*text)};
  }
  return IsFloat(type.id) ? FloatHashes(type.id, literal)
                          : std::optional(IntegerHashes(type, literal));
}

}  // namespace pchronicle::lance
