#include "pchronicle/lance/proto/schema_messages.h"

namespace pchronicle::lance::proto {

Status ParseMapEntry(WireReader in, Metadata* out) {
  std::string_view key, value;
  while (in.Next()) {
    if (in.field() == 1) {
      key = in.Bytes();
    } else if (in.field() == 2) {
      value = in.Bytes();
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(in.status());
  out->insert_or_assign(std::string(key), std::string(value));
  return Status::Ok();
}

Status Parse(WireReader in, Field* out) {
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        out->type = in.U32();
        break;
      case 2:
        out->name = in.Text();
        break;
      case 3:
        out->id = in.I32();
        break;
      case 4:
        out->parent_id = in.I32();
        break;
      case 5:
        out->logical_type = in.Text();
        break;
      case 6:
        out->nullable = in.Bool();
        break;
      case 10:
        PCHRONICLE_RETURN_IF_ERROR(ParseMapEntry(in.Message(), &out->metadata));
        break;
      case 12:
        out->primary_key = in.Bool();
        break;
      case 13:
        out->primary_key_position = in.U32();
        break;
      case 14:
        out->clustering_key = in.Bool();
        break;
      case 15:
        out->clustering_key_position = in.U32();
        break;
      default:
        out->unknown += in.raw();
        break;
    }
  }
  return in.status();
}

WireWriter Write(const Field& field) {
  WireWriter out;
  out.Number(1, field.type);
  out.Text(2, field.name);
  out.Signed(3, field.id);
  out.Signed(4, field.parent_id);
  out.Text(5, field.logical_type);
  out.Flag(6, field.nullable);
  for (const auto& [key, value] : field.metadata) {
    out.MapEntry(10, key, value);
  }
  out.Flag(12, field.primary_key);
  out.Number(13, field.primary_key_position);
  out.Flag(14, field.clustering_key);
  out.Number(15, field.clustering_key_position);
  out.Raw(field.unknown);
  return out;
}

Status Parse(WireReader in, Any* out) {
  while (in.Next()) {
    if (in.field() == 1) {
      out->type_url = in.Bytes();
    } else if (in.field() == 2) {
      out->value = in.Bytes();
    }
  }
  return in.status();
}

}  // namespace pchronicle::lance::proto
