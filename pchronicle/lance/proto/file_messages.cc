#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance::proto {
namespace {

Status ParseSchema(WireReader in, FileDescriptor* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(Parse(in.Message(), &out->fields.emplace_back()));
    } else if (in.field() == 5) {
      PCHRONICLE_RETURN_IF_ERROR(ParseMapEntry(in.Message(), &out->metadata));
    }
  }
  return in.status();
}

Status ParseDirect(WireReader in, Any* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(Parse(WireReader(in.Bytes()), out));
    }
  }
  return in.status();
}

Status ParseEncoding(WireReader in, Encoding* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->place = Encoding::Place::kIndirect;
        break;
      case 2:
        out->place = Encoding::Place::kDirect;
        PCHRONICLE_RETURN_IF_ERROR(ParseDirect(in.Message(), &out->direct));
        break;
      case 3:
        out->place = Encoding::Place::kNone;
        break;
      default:
        break;
    }
  }
  return in.status();
}

Status ParsePage(WireReader in, Page* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        in.AppendTo(&out->buffer_offsets);
        break;
      case 2:
        in.AppendTo(&out->buffer_sizes);
        break;
      case 3:
        out->rows = in.U64();
        break;
      case 4:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncoding(in.Message(), &out->encoding));
        break;
      case 5:
        out->priority = in.U64();
        break;
      default:
        break;
    }
  }
  return in.status();
}

WireWriter WriteDirect(const Any& any) {
  WireWriter inner, direct, encoding;
  inner.Bytes(1, any.type_url);
  inner.Bytes(2, any.value);
  direct.Message(1, inner);
  encoding.Message(2, direct);
  return encoding;
}

}  // namespace

Status Parse(WireReader in, FileDescriptor* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      PCHRONICLE_RETURN_IF_ERROR(ParseSchema(in.Message(), out));
    } else if (in.field() == 2) {
      out->rows = in.U64();
    }
  }
  return in.status();
}

WireWriter Write(const FileDescriptor& descriptor) {
  WireWriter schema, out;
  for (const Field& field : descriptor.fields) {
    schema.Message(1, Write(field));
  }
  for (const auto& [key, value] : descriptor.metadata) {
    schema.MapEntry(5, key, value);
  }
  out.Message(1, schema);
  out.Number(2, descriptor.rows);
  return out;
}

Status Parse(WireReader in, ColumnMetadata* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        PCHRONICLE_RETURN_IF_ERROR(ParseEncoding(in.Message(), &out->encoding));
        break;
      case 2:
        PCHRONICLE_RETURN_IF_ERROR(ParsePage(in.Message(), &out->pages.emplace_back()));
        break;
      case 3:
        in.AppendTo(&out->buffer_offsets);
        break;
      case 4:
        in.AppendTo(&out->buffer_sizes);
        break;
      default:
        break;
    }
  }
  return in.status();
}

WireWriter Write(const ColumnMetadata& column) {
  WireWriter out;
  out.Message(1, WriteDirect({kColumnEncodingUrl, std::string_view("\x0a\x00", 2)}));
  for (const Page& page : column.pages) {
    WireWriter message;
    message.Packed(1, page.buffer_offsets);
    message.Packed(2, page.buffer_sizes);
    message.Number(3, page.rows);
    message.Message(4, WriteDirect(page.encoding.direct));
    message.Number(5, page.priority);
    out.Message(2, message);
  }
  return out;
}

}  // namespace pchronicle::lance::proto
