#include "pchronicle/lance/proto/encoding_messages.h"

#include <fmt/core.h>

namespace pchronicle::lance::proto {
namespace {

using Kind = CompressiveEncoding::Kind;

Status ParseChild(WireReader in, CompressiveEncoding* parent) {
  return Parse(in, &parent->children.emplace_back());
}

Status ParseFlat(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->bits = in.U64();
    } else if (in.field() == 2) {
      out->buffer_compressed = true;
    }
  }
  return in.status();
}

/// variable, fsst, byte_stream_split: one child at `child`.
Status ParseWrapper(WireReader in, uint32_t child, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == child) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out));
    } else if (out->kind == Kind::kVariable && in.field() == 2) {
      out->buffer_compressed = true;
    } else if (out->kind == Kind::kFsst && in.field() == 1) {
      out->symbol_table = in.Bytes();
    }
  }
  return in.status();
}

Status ParseOutOfLine(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->bits = in.U64();
    } else if (in.field() == 3) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out));
    }
  }
  return in.status();
}

Status ParseConstant(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->value = in.Bytes();
    }
  }
  return in.status();
}

Status ParseRle(WireReader in, CompressiveEncoding* out) {
  out->children.resize(2);
  while (in.Next()) {
    if (in.field() == 1 || in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(Parse(in.Message(), &out->children[in.field() - 1]));
    }
  }
  return in.status();
}

Status ParseGeneral(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      WireReader compression = in.Message();
      while (compression.Next()) {
        if (compression.field() == 1) {
          out->scheme = compression.U32();
        } else if (compression.field() == 2) {
          out->level = static_cast<uint32_t>(compression.I32());
        }
      }
      PCHRONICLE_RETURN_IF_ERROR(compression.status());
    } else if (in.field() == 3) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out));
    }
  }
  return in.status();
}

Status ParseFixedSizeList(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->items = in.U64();
        break;
      case 2:
        PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out));
        break;
      case 3:
        out->has_validity = in.Bool();
        break;
      default:
        break;
    }
  }
  return in.status();
}

Status ParsePackedStruct(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      in.AppendTo(&out->field_bits);
    } else if (in.field() == 2) {
      PCHRONICLE_RETURN_IF_ERROR(ParseChild(in.Message(), out));
    }
  }
  return in.status();
}

Status ParsePackedField(WireReader in, CompressiveEncoding* out) {
  CompressiveEncoding value;
  CompressiveEncoding::PackedField field;
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        PCHRONICLE_RETURN_IF_ERROR(Parse(in.Message(), &value));
        break;
      case 2:
        field.bits_per_value = in.U64();
        break;
      case 3:
        field.bits_per_length = in.U64();
        break;
      default:
        break;
    }
  }
  out->children.push_back(std::move(value));
  out->fields.push_back(field);
  return in.status();
}

Status ParseVariablePackedStruct(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(ParsePackedField(in.Message(), out));
    }
  }
  return in.status();
}

Status ParseMember(WireReader in, CompressiveEncoding* out) {
  switch (out->kind) {
    case Kind::kFlat:
    case Kind::kInlineBitpacking:
      return ParseFlat(in, out);
    case Kind::kVariable:
    case Kind::kByteStreamSplit:
      return ParseWrapper(in, 1, out);
    case Kind::kFsst:
      return ParseWrapper(in, 2, out);
    case Kind::kConstant:
      return ParseConstant(in, out);
    case Kind::kOutOfLineBitpacking:
      return ParseOutOfLine(in, out);
    case Kind::kRle:
      return ParseRle(in, out);
    case Kind::kGeneral:
      return ParseGeneral(in, out);
    case Kind::kFixedSizeList:
      return ParseFixedSizeList(in, out);
    case Kind::kPackedStruct:
      return ParsePackedStruct(in, out);
    case Kind::kVariablePackedStruct:
      return ParseVariablePackedStruct(in, out);
    case Kind::kDictionary:  // emitted by no writer
    case Kind::kUnknown:
      break;
  }
  return Status::Ok();
}

constexpr std::string_view kNames[] = {"unknown",
                                       "flat",
                                       "variable",
                                       "constant",
                                       "out_of_line_bitpacking",
                                       "inline_bitpacking",
                                       "fsst",
                                       "dictionary",
                                       "rle",
                                       "byte_stream_split",
                                       "general",
                                       "fixed_size_list",
                                       "packed_struct",
                                       "variable_packed_struct"};

Status ParseEncodingTo(WireReader in, std::optional<CompressiveEncoding>* out) {
  return Parse(in, &out->emplace());
}

Status ParseMiniBlock(WireReader in, PageLayout* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->rep));
        break;
      case 2:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->def));
        break;
      case 3:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->values));
        break;
      case 4:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->dictionary));
        break;
      case 5:
        out->dictionary_items = in.U64();
        break;
      case 6:
        in.AppendTo(&out->layers);
        break;
      case 7:
        out->buffers = in.U64();
        break;
      case 8:
        out->repetition_depth = in.U32();
        break;
      case 9:
        out->items = in.U64();
        break;
      case 10:
        out->large_chunks = in.Bool();
        break;
      default:
        break;
    }
  }
  return in.status();
}

Status ParseConstantLayout(WireReader in, PageLayout* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 5:
        in.AppendTo(&out->layers);
        break;
      case 6:
        out->inline_value = in.Bytes();
        break;
      case 7:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->rep));
        break;
      case 8:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->def));
        break;
      case 9:
        out->rep_values = in.U64();
        break;
      case 10:
        out->def_values = in.U64();
        break;
      default:
        break;
    }
  }
  return in.status();
}

Status ParseFullZip(WireReader in, PageLayout* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->bits_rep = in.U32();
        break;
      case 2:
        out->bits_def = in.U32();
        break;
      case 3:
        out->bits_per_value = in.U32();
        break;
      case 4:
        out->bits_per_offset = in.U32();
        break;
      case 5:
        out->items = in.U64();
        break;
      case 7:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncodingTo(in.Message(), &out->values));
        break;
      case 8:
        in.AppendTo(&out->layers);
        break;
      default:
        break;
    }
  }
  return in.status();
}

Status ParseBlob(WireReader in, PageLayout* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->inner.clear();
      PCHRONICLE_RETURN_IF_ERROR(Parse(in.Message(), &out->inner.emplace_back()));
    } else if (in.field() == 2) {
      in.AppendTo(&out->layers);
    }
  }
  return in.status();
}

}  // namespace

Status Parse(WireReader in, CompressiveEncoding* out) {
  while (in.Next()) {
    if (in.type() != WireType::kBytes) {
      continue;
    }
    *out = CompressiveEncoding();
    out->member = in.field();
    out->kind = in.field() <= static_cast<uint32_t>(Kind::kVariablePackedStruct)
                    ? static_cast<Kind>(in.field())
                    : Kind::kUnknown;
    PCHRONICLE_RETURN_IF_ERROR(ParseMember(in.Message(), out));
  }
  return in.status();
}

std::string CompressiveEncoding::ToString() const {
  if (kind == Kind::kUnknown) {
    return fmt::format("encoding {}", member);
  }
  std::string text(kNames[static_cast<size_t>(kind)]);
  if (kind == Kind::kFlat || kind == Kind::kInlineBitpacking) {
    return fmt::format("{}({})", text, bits);
  }
  std::string inside;
  const auto add = [&](const std::string& part) { inside += (inside.empty() ? "" : ", ") + part; };
  if (kind == Kind::kGeneral) {
    add(scheme == 1 ? "lz4" : scheme == 2 ? "zstd" : fmt::format("scheme {}", scheme));
  } else if (kind == Kind::kFixedSizeList) {
    add(fmt::format("{}", items));
  } else if (kind == Kind::kOutOfLineBitpacking) {
    add(fmt::format("{}", bits));
  }
  for (const uint64_t width : field_bits) {
    add(fmt::format("{}", width));
  }
  for (const CompressiveEncoding& child : children) {
    add(child.ToString());
  }
  return inside.empty() ? text : fmt::format("{}({})", text, inside);
}

WireWriter Write(const CompressiveEncoding& encoding) {
  WireWriter member;
  const auto child = [&](uint32_t field, size_t index) {
    member.Message(field, Write(encoding.children[index]));
  };
  switch (encoding.kind) {
    case Kind::kFlat:
    case Kind::kInlineBitpacking:
      member.Number(1, encoding.bits);
      break;
    case Kind::kVariable:
    case Kind::kByteStreamSplit:
      child(1, 0);
      break;
    case Kind::kConstant:
      if (encoding.value) {
        member.Bytes(1, *encoding.value);
      }
      break;
    case Kind::kOutOfLineBitpacking:
      member.Number(1, encoding.bits);
      child(3, 0);
      break;
    case Kind::kFsst:
      member.Bytes(1, encoding.symbol_table);
      child(2, 0);
      break;
    case Kind::kRle:
      child(1, 0);
      child(2, 1);
      break;
    case Kind::kGeneral: {
      WireWriter compression;
      compression.Number(1, encoding.scheme);
      if (encoding.level != 0) {
        compression.Number(2, encoding.level);
      }
      member.Message(1, compression);
      child(3, 0);
      break;
    }
    case Kind::kFixedSizeList:
      member.Number(1, encoding.items);
      child(2, 0);
      member.Flag(3, encoding.has_validity);
      break;
    case Kind::kPackedStruct:
      member.Packed(1, encoding.field_bits);
      child(2, 0);
      break;
    case Kind::kVariablePackedStruct:
      for (size_t i = 0; i < encoding.fields.size(); ++i) {
        WireWriter field;
        field.Message(1, Write(encoding.children[i]));
        field.Number(2, encoding.fields[i].bits_per_value);
        field.Number(3, encoding.fields[i].bits_per_length);
        member.Message(1, field);
      }
      break;
    default:
      break;
  }
  WireWriter out;
  out.Message(static_cast<uint32_t>(encoding.kind), member);
  return out;
}

Status Parse(WireReader in, PageLayout* out) {
  while (in.Next()) {
    if (in.type() != WireType::kBytes) {
      continue;
    }
    *out = PageLayout();
    out->member = in.field();
    switch (in.field()) {
      case 1:
        out->kind = PageLayout::Kind::kMiniBlock;
        PCHRONICLE_RETURN_IF_ERROR(ParseMiniBlock(in.Message(), out));
        break;
      case 2:
        out->kind = PageLayout::Kind::kConstant;
        PCHRONICLE_RETURN_IF_ERROR(ParseConstantLayout(in.Message(), out));
        break;
      case 3:
        out->kind = PageLayout::Kind::kFullZip;
        PCHRONICLE_RETURN_IF_ERROR(ParseFullZip(in.Message(), out));
        break;
      case 4:
        out->kind = PageLayout::Kind::kBlob;
        PCHRONICLE_RETURN_IF_ERROR(ParseBlob(in.Message(), out));
        break;
      default:
        break;
    }
  }
  return in.status();
}

std::string PageLayout::ToString() const {
  const std::string value = values ? values->ToString() : std::string("no values");
  switch (kind) {
    case Kind::kMiniBlock:
      return dictionary
                 ? fmt::format("mini_block dictionary({}, {})", dictionary->ToString(), value)
                 : fmt::format("mini_block {}", value);
    case Kind::kFullZip:
      return fmt::format("full_zip {}", value);
    case Kind::kConstant:
      return "constant";
    case Kind::kBlob:
      return "blob";
    case Kind::kUnknown:
      break;
  }
  return fmt::format("page layout {}", member);
}

}  // namespace pchronicle::lance::proto
