#include "pchronicle/lance/proto/array_encoding.h"

#include <fmt/core.h>

namespace pchronicle::lance::proto {
namespace {

using Kind = ArrayEncoding::Kind;
using Nulls = ArrayEncoding::Nulls;

Status ParseBuffer(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->buffer = in.U32();
    } else if (in.field() == 2) {
      out->buffer_type = in.U32();
    }
  }
  return in.status();
}

Status ParseChild(WireReader in, size_t index, ArrayEncoding* out) {
  if (out->children.size() <= index) {
    out->children.resize(index + 1);
  }
  out->children[index] = ArrayEncoding();
  return Parse(in, &out->children[index]);
}

Status ParseFlat(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->bits = in.U64();
        break;
      case 2:
        PCHRONICLE_RETURN_IF_ERROR(ParseBuffer(in.Message(), out));
        break;
      case 3: {
        WireReader compression = in.Message();
        while (compression.Next()) {
          if (compression.field() == 1) {
            out->compression = compression.Text();
          }
        }
        PCHRONICLE_RETURN_IF_ERROR(compression.status());
        break;
      }
      default:
        break;
    }
  }
  return in.status();
}

Status ParseNulls(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1 || in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), in.field() - 1, out));
    }
  }
  return in.status();
}

Status ParseNullable(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    if (in.field() < 1 || in.field() > 3) {
      continue;
    }
    out->nulls = static_cast<Nulls>(in.field());
    out->children.clear();
    PCHRONICLE_RETURN_IF_ERROR(ParseNulls(in.Message(), out));
  }
  return in.status();
}

Status ParseBitpacked(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->packed_bits = in.U64();
        break;
      case 2:
        out->bits = in.U64();
        break;
      case 3:
        PCHRONICLE_RETURN_IF_ERROR(ParseBuffer(in.Message(), out));
        break;
      case 4:
        out->is_signed = in.Bool();
        break;
      default:
        break;
    }
  }
  return in.status();
}

/// The members whose fields 1 to 3 are a child or two and a number or two.
Status ParseWrapper(WireReader in, ArrayEncoding* out) {
  const Kind kind = out->kind;
  while (in.Next()) {
    const uint32_t field = in.field();
    const bool two_children = kind == Kind::kBinary || kind == Kind::kDictionary;
    if (kind == Kind::kFixedSizeList ? field == 2 : field == 1 || (two_children && field == 2)) {
      const size_t index = kind == Kind::kFixedSizeList ? 0 : field - 1;
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), index, out));
    } else if (kind == Kind::kFixedSizeList && field == 1) {
      out->width = in.U64();
    } else if (kind == Kind::kFixedSizeList && field == 3) {
      out->has_validity = in.Bool();
    } else if (kind == Kind::kFixedSizeBinary && field == 2) {
      out->width = in.U64();
    } else if (kind == Kind::kFsst && field == 2) {
      out->symbol_table = in.Bytes();
    } else if ((kind == Kind::kList && field == 2) || (kind == Kind::kBinary && field == 3)) {
      out->null_adjustment = in.U64();
    } else if ((kind == Kind::kList || kind == Kind::kDictionary) && field == 3) {
      out->items = in.U64();
    }
  }
  return in.status();
}

Status ParsePackedStruct(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out->children.size(), out));
    } else if (in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(ParseBuffer(in.Message(), out));
    }
  }
  return in.status();
}

Status ParseMember(WireReader in, ArrayEncoding* out) {
  switch (out->kind) {
    case Kind::kFlat:
      return ParseFlat(in, out);
    case Kind::kNullable:
      return ParseNullable(in, out);
    case Kind::kBitpacked:
    case Kind::kBitpackedForNonNeg:
      return ParseBitpacked(in, out);
    case Kind::kPackedStruct:
      return ParsePackedStruct(in, out);
    case Kind::kConstant:
      while (in.Next()) {
        if (in.field() == 1) {
          out->value = in.Bytes();
        }
      }
      return in.status();
    case Kind::kStruct:
    case Kind::kUnknown:
      return Status::Ok();
    default:
      return ParseWrapper(in, out);
  }
}

constexpr std::string_view kNames[] = {"unknown",
                                       "flat",
                                       "nullable",
                                       "fixed_size_list",
                                       "list",
                                       "struct",
                                       "binary",
                                       "dictionary",
                                       "fsst",
                                       "packed_struct",
                                       "bitpacked",
                                       "fixed_size_binary",
                                       "bitpacked_for_non_neg",
                                       "constant"};

}  // namespace

Status Parse(WireReader in, ArrayEncoding* out) {
  while (in.Next()) {
    if (in.type() != WireType::kBytes) {
      continue;
    }
    *out = ArrayEncoding();
    out->member = in.field();
    out->kind = in.field() <= static_cast<uint32_t>(Kind::kConstant) ? static_cast<Kind>(in.field())
                                                                     : Kind::kUnknown;
    PCHRONICLE_RETURN_IF_ERROR(ParseMember(in.Message(), out));
  }
  return in.status();
}

std::string ArrayEncoding::ToString() const {
  if (kind == Kind::kUnknown) {
    return fmt::format("encoding {}", member);
  }
  std::string text(kNames[static_cast<size_t>(kind)]);
  if (kind == Kind::kFlat) {
    return fmt::format("{}({})", text, bits);
  }
  std::string inside;
  for (const ArrayEncoding& child : children) {
    inside += (inside.empty() ? "" : ", ") + child.ToString();
  }
  return inside.empty() ? text : fmt::format("{}({})", text, inside);
}

}  // namespace pchronicle::lance::proto
