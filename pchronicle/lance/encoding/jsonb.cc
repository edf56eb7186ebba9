#include "pchronicle/lance/encoding/jsonb.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

namespace pchronicle::lance {
namespace {

constexpr int kMaxDepth = 64;
constexpr uint32_t kArray = 0x80000000, kObject = 0x40000000, kScalar = 0x20000000;
constexpr uint32_t kKindMask = 0xe0000000, kCountMask = 0x1fffffff;
constexpr uint32_t kNull = 0, kString = 1, kNumber = 2, kFalse = 3, kTrue = 4, kContainer = 5;

Status Damaged(std::string_view what) { return Status::Corruption("jsonb: {}", what); }

uint32_t BigEndian32(const uint8_t* at) { return __builtin_bswap32(LoadLe<uint32_t>(at)); }

uint64_t BigEndian(Bytes bytes) {
  uint64_t value = 0;
  for (const uint8_t byte : bytes) {
    value = value << 8 | byte;
  }
  return value;
}

void AppendString(Bytes text, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out->push_back('"');
  for (const uint8_t c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      case '\b':
        *out += "\\b";
        break;
      case '\f':
        *out += "\\f";
        break;
      default:
        if (c < 0x20) {
          *out += "\\u00";
          out->push_back(kHex[c >> 4]);
          out->push_back(kHex[c & 15]);
        } else {
          out->push_back(static_cast<char>(c));
        }
    }
  }
  out->push_back('"');
}

/// Shortest text that reads back the same; plain notation between 1e-5 and 1e16, with at least one
/// fraction digit.
void AppendDouble(double value, std::string* out) {
  char text[32];
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-5 && size < 1e16);
  const auto end = std::to_chars(text, text + sizeof(text), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string_view digits(text, static_cast<size_t>(end.ptr - text));
  if (plain) {
    *out += digits;
    if (digits.find('.') == std::string_view::npos) {
      *out += ".0";
    }
    return;
  }
  // to_chars pads exponents to two digits: 1e-07 becomes 1e-7, 1e+20 stays.
  const size_t exponent = digits.find('e') + 2;
  *out += digits.substr(0, exponent);
  digits.remove_prefix(exponent);
  while (digits.size() > 1 && digits[0] == '0') {
    digits.remove_prefix(1);
  }
  *out += digits;
}

Status AppendNumber(Bytes body, std::string* out) {
  if (body.empty()) {
    *out += '0';
    return Status::Ok();
  }
  const uint8_t kind = body[0] & 0xf0;
  const Bytes digits = body.subspan(1);
  const bool sized =
      digits.size() == 1 || digits.size() == 2 || digits.size() == 4 || digits.size() == 8;
  switch (kind) {
    case 0x00:
      *out += '0';
      return Status::Ok();
    case 0x10:
      *out += "NaN";
      return Status::Ok();
    case 0x20:
      *out += "Infinity";
      return Status::Ok();
    case 0x30:
      *out += "-Infinity";
      return Status::Ok();
    case 0x40: {
      if (!sized) {
        return Damaged("a number of a strange size");
      }
      const auto shift = static_cast<unsigned>(64 - digits.size() * 8);
      *out += fmt::format("{}", static_cast<int64_t>(BigEndian(digits) << shift) >> shift);
      return Status::Ok();
    }
    case 0x50:
      if (!sized) {
        return Damaged("a number of a strange size");
      }
      *out += fmt::format("{}", BigEndian(digits));
      return Status::Ok();
    case 0x60:
      if (digits.size() != 8) {
        return Damaged("a double of a strange size");
      }
      AppendDouble(std::bit_cast<double>(BigEndian(digits)), out);
      return Status::Ok();
    default:
      return Status::Unsupported("jsonb number of kind {:#x}", kind);
  }
}

Status AppendContainer(Bytes value, int depth, std::string* out);

Status AppendEntry(uint32_t entry, Bytes body, int depth, std::string* out) {
  switch (entry >> 28 & 7) {
    case kNull:
      *out += "null";
      return Status::Ok();
    case kString:
      AppendString(body, out);
      return Status::Ok();
    case kNumber:
      return AppendNumber(body, out);
    case kFalse:
      *out += "false";
      return Status::Ok();
    case kTrue:
      *out += "true";
      return Status::Ok();
    case kContainer:
      return AppendContainer(body, depth + 1, out);
    default:
      return Status::Unsupported("jsonb entry {:#x}", entry);
  }
}

/// Header word, entry words, bodies.
Status AppendContainer(Bytes value, int depth, std::string* out) {
  if (depth > kMaxDepth) {
    return Damaged("nested too deeply");
  }
  if (value.size() < 4) {
    return Damaged("no header");
  }
  const uint32_t header = BigEndian32(value.data()), kind = header & kKindMask;
  const size_t count = header & kCountMask;
  const size_t entries = kind == kObject ? count * 2 : kind == kScalar ? 1 : count;
  if (kind != kArray && kind != kObject && kind != kScalar) {
    return Status::Unsupported("jsonb header {:#x}", header);
  }
  if (value.size() / 4 - 1 < entries) {
    return Damaged("entries beyond the end");
  }
  const auto entry = [&](size_t i) { return BigEndian32(value.data() + 4 + i * 4); };
  const auto length = [&](size_t i) { return size_t{entry(i) & 0x0fffffff}; };
  size_t at = 4 + entries * 4;
  const auto body = [&](size_t i, Bytes* bytes) {
    if (value.size() - at < length(i)) {
      return false;
    }
    *bytes = value.subspan(at, length(i));
    at += length(i);
    return true;
  };
  Bytes bytes;
  if (kind != kObject) {
    *out += kind == kArray ? "[" : "";
    for (size_t i = 0; i < entries; ++i) {
      if (!body(i, &bytes)) {
        return Damaged("a value beyond the end");
      }
      *out += i == 0 ? "" : ",";
      PCHRONICLE_RETURN_IF_ERROR(AppendEntry(entry(i), bytes, depth, out));
    }
    *out += kind == kArray ? "]" : "";
    return Status::Ok();
  }
  // Keys stand before all values.
  size_t key_at = at;
  for (size_t i = 0; i < count; ++i) {
    if (!body(i, &bytes) || (entry(i) >> 28 & 7) != kString) {
      return Damaged("a key beyond the end or of another type than text");
    }
  }
  *out += '{';
  for (size_t i = 0; i < count; ++i) {
    if (!body(count + i, &bytes)) {
      return Damaged("a value beyond the end");
    }
    *out += i == 0 ? "" : ",";
    AppendString(value.subspan(key_at, length(i)), out);
    key_at += length(i);
    *out += ':';
    PCHRONICLE_RETURN_IF_ERROR(AppendEntry(entry(count + i), bytes, depth, out));
  }
  *out += '}';
  return Status::Ok();
}

}  // namespace

Status AppendJsonbText(Bytes value, std::string* out) { return AppendContainer(value, 1, out); }

}  // namespace pchronicle::lance
