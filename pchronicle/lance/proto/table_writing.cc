#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance::proto {
namespace {

void WriteBase(uint32_t member, const std::optional<uint32_t>& base_id, WireWriter* out) {
  if (base_id) {
    out->PresentNumber(member, *base_id);
  }
}

void WriteMap(uint32_t member, const Metadata& map, WireWriter* out) {
  for (const auto& [key, value] : map) {
    out->MapEntry(member, key, value);
  }
}

WireWriter WriteDataFile(const DataFile& file) {
  WireWriter out;
  out.Text(1, file.path);
  out.Packed(2, std::span<const int32_t>(file.fields));
  out.Packed(3, std::span<const int32_t>(file.column_indices));
  out.Number(4, file.major);
  out.Number(5, file.minor);
  out.Number(6, file.size);
  WriteBase(7, file.base_id, &out);
  out.Raw(file.unknown);
  return out;
}

WireWriter WriteDeletionFile(const DeletionFile& file) {
  WireWriter out;
  out.Number(1, static_cast<uint64_t>(file.kind));
  out.Number(2, file.read_version);
  out.Number(3, file.id);
  out.Number(4, file.deleted_rows);
  WriteBase(7, file.base_id, &out);
  out.Raw(file.unknown);
  return out;
}

WireWriter WriteBasePath(const BasePath& base) {
  WireWriter out;
  out.Number(1, base.id);
  out.Text(2, base.name);
  out.Flag(3, base.is_dataset_root);
  out.Text(4, base.path);
  out.Raw(base.unknown);
  return out;
}

WireWriter WriteWriterVersion(const WriterVersion& writer) {
  WireWriter out;
  out.Text(1, writer.library);
  out.Text(2, writer.version);
  out.Text(3, writer.prerelease);
  return out;
}

WireWriter WriteUuid(const std::array<uint8_t, 16>& uuid) {
  WireWriter out;
  out.Bytes(1, std::string_view(reinterpret_cast<const char*>(uuid.data()), uuid.size()));
  return out;
}

void WriteDetails(uint32_t member, const std::string& type_url, const std::string& details,
                  WireWriter* out) {
  if (!type_url.empty() || !details.empty()) {
    WireWriter item;
    item.Text(1, type_url);
    item.Text(2, details);
    out->Message(member, item);
  }
}

void WriteIndexFiles(uint32_t member, const std::vector<Index::File>& files, WireWriter* out) {
  for (const Index::File& file : files) {
    WireWriter item;
    item.Text(1, file.path);
    item.Number(2, file.size);
    out->Message(member, item);
  }
}

}  // namespace

WireWriter Write(const Fragment& fragment) {
  WireWriter out;
  out.Number(1, fragment.id);
  for (const DataFile& file : fragment.files) {
    out.Message(2, WriteDataFile(file));
  }
  if (fragment.deletion) {
    out.Message(3, WriteDeletionFile(*fragment.deletion));
  }
  out.Number(4, fragment.physical_rows);
  const auto sequence = [&](uint32_t member, const Sequence& value) {
    if (value.inline_bytes) {
      out.Bytes(member, *value.inline_bytes);
    }
  };
  sequence(5, fragment.row_ids);
  sequence(7, fragment.last_updated_at);
  sequence(9, fragment.created_at);
  out.Raw(fragment.unknown);
  return out;
}

WireWriter Write(const Index& index) {
  WireWriter out;
  out.Message(1, WriteUuid(index.uuid));
  out.Packed(2, std::span<const int32_t>(index.fields));
  out.Text(3, index.name);
  out.Number(4, index.dataset_version);
  if (index.fragment_bitmap) {
    out.Bytes(5, *index.fragment_bitmap);
  }
  WriteDetails(6, index.type_url, index.details, &out);
  out.PresentSigned(7, index.index_version);
  out.Number(8, index.created_at_ms);
  WriteBase(9, index.base_id, &out);
  WriteIndexFiles(10, index.files, &out);
  out.Raw(index.unknown);
  return out;
}

WireWriter Write(const RewrittenIndex& index) {
  WireWriter out;
  out.Message(1, WriteUuid(index.old_uuid));
  out.Message(2, WriteUuid(index.uuid));
  WriteDetails(3, index.type_url, index.details, &out);
  out.Number(4, static_cast<uint64_t>(index.index_version));
  WriteIndexFiles(5, index.files, &out);
  return out;
}

WireWriter WriteIndexSection(const std::vector<Index>& indices) {
  WireWriter out;
  for (const Index& index : indices) {
    out.Message(1, Write(index));
  }
  return out;
}

WireWriter Write(const Manifest& manifest) {
  WireWriter out, time, format;
  for (const Field& field : manifest.fields) {
    out.Message(1, Write(field));
  }
  for (const Fragment& fragment : manifest.fragments) {
    out.Message(2, Write(fragment));
  }
  out.Number(3, manifest.version);
  WriteMap(5, manifest.schema_metadata, &out);
  if (manifest.index_section) {
    out.PresentNumber(6, *manifest.index_section);
  }
  time.Signed(1, manifest.timestamp_seconds);
  time.Signed(2, manifest.timestamp_nanos);
  out.Message(7, time);
  out.Text(8, manifest.tag);
  out.Number(9, manifest.reader_flags);
  out.Number(10, manifest.writer_flags);
  if (manifest.max_fragment_id) {
    out.PresentNumber(11, *manifest.max_fragment_id);
  }
  out.Text(12, manifest.transaction_file);
  out.Message(13, WriteWriterVersion(manifest.writer));
  out.Number(14, manifest.next_row_id);
  format.Text(1, manifest.file_format);
  format.Text(2, manifest.file_version);
  out.Message(15, format);
  WriteMap(16, manifest.config, &out);
  for (const BasePath& base : manifest.base_paths) {
    out.Message(18, WriteBasePath(base));
  }
  WriteMap(19, manifest.table_metadata, &out);
  out.Text(20, manifest.branch);
  if (manifest.transaction_section) {
    out.PresentNumber(21, *manifest.transaction_section);
  }
  return out;
}

}  // namespace pchronicle::lance::proto
