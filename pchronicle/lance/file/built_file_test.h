#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/io/store.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance::testing_support {

/// A page as bytes, to build data files that no writer makes.
struct BuiltPage {
  std::vector<std::string> buffers;
  std::string layout;  // PageLayout, or ArrayEncoding in 2.0 files
  uint64_t rows = 0;
};

struct BuiltFile {
  std::vector<proto::Field> fields;
  std::vector<std::vector<BuiltPage>> columns;
  uint64_t rows = 0;
  uint16_t major = 2, minor = 1;

  /// The file of lance.md B1.
  std::string Bytes() const;
};

/// A top-level field or a child.
inline proto::Field MakeField(int32_t id, std::string name, std::string type, int32_t parent = -1) {
  proto::Field field;
  field.id = id;
  field.parent_id = parent;
  field.name = std::move(name);
  field.logical_type = std::move(type);
  field.nullable = true;
  return field;
}

/// Opens bytes as a file.
inline Result<std::shared_ptr<const FileReader>> OpenBytes(const std::string& bytes) {
  const std::shared_ptr<io::Store> store = io::MakeMemoryStore();
  PCHRONICLE_RETURN_IF_ERROR(store->Put("f.lance", bytes, false));
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> file, store->Open("f.lance"));
  FileOptions options;
  options.name = "f.lance";
  return FileReader::Open(std::shared_ptr<const io::RandomReader>(std::move(file)),
                          std::move(options));
}

/// All rows of all columns.
inline Result<columnar::RecordBatch> ReadBytes(const std::string& bytes,
                                               const ReaderOptions& options = {}) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto file, OpenBytes(bytes));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto reader,
                              file->Read(file->schema(), file->SequentialColumns(), options));
  columnar::RecordBatch batch;
  PCHRONICLE_RETURN_IF_ERROR(reader->ReadRows(0, file->rows(), &batch));
  return batch;
}

inline std::string BuiltFile::Bytes() const {
  std::string out;
  const auto pad = [&] { out.resize((out.size() + 63) / 64 * 64, 'H'); };
  const auto number = [&](uint64_t value, size_t width) {
    out.append(reinterpret_cast<const char*>(&value), width);
  };
  std::vector<std::string> metadata;
  for (const std::vector<BuiltPage>& pages : columns) {
    proto::ColumnMetadata column;
    for (const BuiltPage& page : pages) {
      proto::Page& stored = column.pages.emplace_back();
      for (const std::string& buffer : page.buffers) {
        pad();
        stored.buffer_offsets.push_back(out.size());
        stored.buffer_sizes.push_back(buffer.size());
        out += buffer;
      }
      stored.rows = page.rows;
      stored.encoding.direct = {
          minor == 0 || minor == 3 ? proto::kArrayEncodingUrl : proto::kPageLayoutUrl, page.layout};
    }
    metadata.push_back(proto::Write(column).Take());
  }
  pad();
  const uint64_t descriptor_at = out.size();
  proto::FileDescriptor descriptor;
  descriptor.fields = fields;
  descriptor.rows = rows;
  out += proto::Write(descriptor).bytes();
  const uint64_t descriptor_size = out.size() - descriptor_at, columns_at = out.size();
  for (const std::string& column : metadata) {
    out += column;
  }
  const uint64_t table_at = out.size();
  uint64_t at = columns_at;
  for (const std::string& column : metadata) {
    number(at, 8);
    number(column.size(), 8);
    at += column.size();
  }
  const uint64_t buffers_at = out.size();
  number(descriptor_at, 8);
  number(descriptor_size, 8);
  number(columns_at, 8);
  number(table_at, 8);
  number(buffers_at, 8);
  number(1, 4);
  number(columns.size(), 4);
  number(major, 2);
  number(minor, 2);
  return out + "LANC";
}

}  // namespace pchronicle::lance::testing_support
