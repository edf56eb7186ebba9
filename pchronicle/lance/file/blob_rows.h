#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "pchronicle/lance/file/column_pages.h"

namespace pchronicle::lance {

/// Files beside a data file that hold its larger payloads (lance.md E2). Shared by the columns of
/// one file.
class BlobSidecars {
 public:
  /// Appends bytes to the sidecar of an id (FileWriterOptions::sidecar).
  using Append = std::function<Status(uint32_t blob_id, std::string_view bytes, bool last)>;
  explicit BlobSidecars(Append append) : append_(std::move(append)) {}

  bool available() const { return append_ != nullptr; }
  struct Place {
    uint32_t id = 0;
    uint64_t position = 0;
  };
  /// A sidecar for this payload alone.
  Result<Place> Dedicated(std::string_view payload);
  /// Behind others, in a sidecar of at most `most` bytes.
  Result<Place> Packed(std::string_view payload, uint64_t most);

 private:
  Append append_;
  uint32_t last_id_ = 0;
  Place pack_;  // id 0: none yet; position: its size
};

/// The rows of a blob column: payloads stand in the data file or in sidecars, pages tell where.
/// Rows are held until their payloads are written.
class BlobRows {
 public:
  /// All must outlive the items that are added to queues.
  BlobRows(const WrittenColumn& column, uint64_t page_bytes, EncoderOptions options,
           ColumnPages* pages, BlobSidecars* sidecars);

  /// An array of kLargeBinary.
  Status Append(const columnar::ArrayPtr& payloads, ItemQueue* queue);
  Status Flush(ItemQueue* queue);

  /// Writes payloads and remembers where; writes the page of what was remembered. For the items.
  Status WritePayloads(const columnar::Array& payloads, FileSink* sink);
  Status WritePage(FileSink* sink);

 private:
  struct Descriptor {
    bool null = false;
    uint8_t kind = 0;
    uint32_t blob_id = 0;
    uint64_t position = 0, size = 0;
  };
  Result<Descriptor> WritePayload(std::string_view payload, FileSink* sink);
  EncodedPage PageOfVersion2(const LeafLevels& levels) const;
  Result<EncodedPage> PageOfVersion1(LeafLevels levels) const;

  bool version_2_;
  EncoderOptions options_;
  uint64_t inline_bytes_, dedicated_bytes_, pack_bytes_;
  uint64_t page_rows_;
  uint64_t rows_ = 0;  // added since the last page
  ColumnPages* pages_;
  BlobSidecars* sidecars_;
  std::vector<Descriptor> descriptors_;
};

/// The field of a blob v2 column as a FileDescriptor has it: the descriptor's members, without ids,
/// in place of those of the table.
std::vector<proto::Field> DescriptorFields(const proto::Field& field);

}  // namespace pchronicle::lance
