#include "pchronicle/lance/proto/table_messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "pchronicle/lance/proto/member_walk.h"

namespace pchronicle::lance::proto {
namespace {

// Every parser is one switch over member numbers; what is not named is skipped (proto3).

}  // namespace

Result<DataFile> ParseDataFile(std::string_view bytes) {
  DataFile out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "DataFile", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out.path);
      case 2:
        return m.AppendScalars(&out.fields);
      case 3:
        return m.AppendScalars(&out.column_indices);
      case 4:
        return m.Get(&out.major);
      case 5:
        return m.Get(&out.minor);
      case 6:
        return m.Get(&out.size);
      case 7:
        return m.Get(&out.base_id.emplace());
      default:
        out.unknown += m.raw();
        return Status::Ok();
    }
  }));
  if (out.fields.size() != out.column_indices.size()) {
    return Status::Corruption("data file {}: {} fields and {} column indices", out.path,
                              out.fields.size(), out.column_indices.size());
  }
  return out;
}

namespace {

Result<DeletionFile> ParseDeletionFile(std::string_view bytes) {
  DeletionFile out;
  uint32_t kind = 0;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "DeletionFile", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&kind);
      case 2:
        return m.Get(&out.read_version);
      case 3:
        return m.Get(&out.id);
      case 4:
        return m.Get(&out.deleted_rows);
      case 7:
        return m.Get(&out.base_id.emplace());
      default:
        out.unknown += m.raw();
        return Status::Ok();
    }
  }));
  if (kind > 1) {
    return Status::Unsupported("deletion file type {}", kind);
  }
  out.kind = static_cast<DeletionFile::Kind>(kind);
  return out;
}

Result<BasePath> ParseBasePath(std::string_view bytes) {
  BasePath out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "BasePath", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out.id);
      case 2:
        return m.Get(&out.name);
      case 3:
        return m.Get(&out.is_dataset_root);
      case 4:
        return m.Get(&out.path);
      default:
        out.unknown += m.raw();
        return Status::Ok();
    }
  }));
  return out;
}

Status ParseWriter(std::string_view bytes, WriterVersion* out) {
  return ForEachMember(bytes, "WriterVersion", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out->library);
      case 2:
        return m.Get(&out->version);
      case 3:
        return m.Get(&out->prerelease);
      default:
        return Status::Ok();
    }
  });
}

Status ParseTimestamp(std::string_view bytes, Manifest* out) {
  return ForEachMember(bytes, "Timestamp", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out->timestamp_seconds);
      case 2:
        return m.Get(&out->timestamp_nanos);
      default:
        return Status::Ok();
    }
  });
}

Status ParseDataFormat(std::string_view bytes, Manifest* out) {
  return ForEachMember(bytes, "DataStorageFormat", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out->file_format);
      case 2:
        return m.Get(&out->file_version);
      default:
        return Status::Ok();
    }
  });
}

Result<Index::File> ParseIndexFile(std::string_view bytes) {
  Index::File out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "IndexFile", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out.path);
      case 2:
        return m.Get(&out.size);
      default:
        return Status::Ok();
    }
  }));
  return out;
}

Status ParseUuid(std::string_view bytes, std::array<uint8_t, 16>* out) {
  std::string raw;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "UUID", [&](const Member& m) {
    return m.number() == 1 ? m.Get(&raw) : Status::Ok();
  }));
  if (raw.size() != out->size()) {
    return Status::Corruption("a UUID of {} bytes", raw.size());
  }
  std::copy(raw.begin(), raw.end(), out->begin());
  return Status::Ok();
}

template <typename T>
Status ParseDetails(std::string_view bytes, T* out) {
  return ForEachMember(bytes, "Any", [&](const Member& m) {
    switch (m.number()) {
      case 1:
        return m.Get(&out->type_url);
      case 2:
        return m.Get(&out->details);
      default:
        return Status::Ok();
    }
  });
}

}  // namespace

std::string DeletionFile::Name(uint64_t fragment) const {
  return fmt::format("{}-{}-{}.{}", fragment, read_version, id,
                     kind == Kind::kArrow ? "arrow" : "bin");
}

std::string WriterVersion::Text() const {
  std::string out = library;
  if (!version.empty()) {
    out += (out.empty() ? "" : " ") + version;
  }
  return prerelease.empty() ? out : out + "-" + prerelease;
}

std::string Index::UuidText() const {
  std::string out;
  for (size_t i = 0; i < uuid.size(); ++i) {
    out += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  }
  return out;
}

std::string Index::Kind() const {
  std::string out = type_url.substr(type_url.find_last_of("./") + 1);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<uint8_t>(c))); });
  return out;
}

Result<Fragment> ParseFragment(std::string_view bytes) {
  Fragment out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "DataFragment", [&](const Member& m) -> Status {
    switch (m.number()) {
      case 1:
        return m.Get(&out.id);
      case 2:
        return AppendMessage(m, &out.files, ParseDataFile);
      case 3: {
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
        PCHRONICLE_ASSIGN_OR_RETURN(out.deletion, ParseDeletionFile(inner));
        return Status::Ok();
      }
      case 4:
        return m.Get(&out.physical_rows);
      case 5:
        return m.Get(&out.row_ids.inline_bytes.emplace());
      case 6:
        out.row_ids.external = true;
        out.unknown += m.raw();
        return Status::Ok();
      case 7:
        return m.Get(&out.last_updated_at.inline_bytes.emplace());
      case 8:
        out.last_updated_at.external = true;
        out.unknown += m.raw();
        return Status::Ok();
      case 9:
        return m.Get(&out.created_at.inline_bytes.emplace());
      case 10:
        out.created_at.external = true;
        out.unknown += m.raw();
        return Status::Ok();
      case 11:
        out.overlays = true;
        out.unknown += m.raw();
        return Status::Ok();
      default:
        out.unknown += m.raw();
        return Status::Ok();
    }
  }));
  if (out.id > UINT32_MAX) {
    return Status::Corruption("fragment id {} is beyond 32 bits", out.id);
  }
  if (out.physical_rows > uint64_t{UINT32_MAX} + 1) {
    return Status::Corruption("fragment {} has {} rows, more than 2^32", out.id, out.physical_rows);
  }
  return out;
}

Result<Index> ParseIndex(std::string_view bytes) {
  Index out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "IndexMetadata", [&](const Member& m) -> Status {
    switch (m.number()) {
      case 1: {
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
        return ParseUuid(inner, &out.uuid);
      }
      case 2:
        return m.AppendScalars(&out.fields);
      case 3:
        return m.Get(&out.name);
      case 4:
        return m.Get(&out.dataset_version);
      case 5:
        return m.Get(&out.fragment_bitmap.emplace());
      case 6: {
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
        return ParseDetails(inner, &out);
      }
      case 7:
        return m.Get(&out.index_version);
      case 8:
        return m.Get(&out.created_at_ms);
      case 9:
        return m.Get(&out.base_id.emplace());
      case 10:
        return AppendMessage(m, &out.files, ParseIndexFile);
      default:
        out.unknown += m.raw();
        return Status::Ok();
    }
  }));
  return out;
}

Result<RewrittenIndex> ParseRewrittenIndex(std::string_view bytes) {
  RewrittenIndex out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "RewrittenIndex", [&](const Member& m) -> Status {
    switch (m.number()) {
      case 1:
      case 2:
      case 3: {
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
        return m.number() == 3 ? ParseDetails(inner, &out)
                               : ParseUuid(inner, m.number() == 1 ? &out.old_uuid : &out.uuid);
      }
      case 4:
        return m.Get(&out.index_version);
      case 5:
        return AppendMessage(m, &out.files, ParseIndexFile);
      default:
        return Status::Ok();
    }
  }));
  return out;
}

Result<Manifest> ParseManifest(std::string_view bytes) {
  Manifest out;
  std::optional<uint64_t> section_21, section_23;
  const auto into = [](const Member& m, auto parse) -> Status {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
    return parse(inner);
  };
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "Manifest", [&](const Member& m) -> Status {
    switch (m.number()) {
      case 1:
        return into(m, [&](std::string_view b) {
          return Parse(WireReader(b), &out.fields.emplace_back());
        });
      case 2:
        return AppendMessage(m, &out.fragments, ParseFragment);
      case 3:
        return m.Get(&out.version);
      case 5:
        return AddToMap(m, &out.schema_metadata);
      case 6:
        return m.Get(&out.index_section.emplace());
      case 7:
        return into(m, [&](std::string_view b) { return ParseTimestamp(b, &out); });
      case 8:
        return m.Get(&out.tag);
      case 9:
        return m.Get(&out.reader_flags);
      case 10:
        return m.Get(&out.writer_flags);
      case 11:
        return m.Get(&out.max_fragment_id.emplace());
      case 12:
        return m.Get(&out.transaction_file);
      case 13:
        return into(m, [&](std::string_view b) { return ParseWriter(b, &out.writer); });
      case 14:
        return m.Get(&out.next_row_id);
      case 15:
        return into(m, [&](std::string_view b) { return ParseDataFormat(b, &out); });
      case 16:
        return AddToMap(m, &out.config);
      case 18:
        return AppendMessage(m, &out.base_paths, ParseBasePath);
      case 19:
        return AddToMap(m, &out.table_metadata);
      case 20:
        return m.Get(&out.branch);
      case 21:
        return m.Get(&section_21.emplace());
      case 23:
        return m.Get(&section_23.emplace());
      default:
        return Status::Ok();
    }
  }));
  out.transaction_section = section_23 ? section_23 : section_21;
  return out;
}

Result<std::vector<Index>> ParseIndexSection(std::string_view bytes) {
  std::vector<Index> out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "IndexSection", [&](const Member& m) {
    return m.number() == 1 ? AppendMessage(m, &out, ParseIndex) : Status::Ok();
  }));
  return out;
}

}  // namespace pchronicle::lance::proto
