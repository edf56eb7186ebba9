#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/lance/file/file_item.h"
#include "pchronicle/lance/file/written_column.h"
#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance {

/// The metadata of a column as its pages are written.
class ColumnPages {
 public:
  /// Writes the buffers and remembers where they are.
  Status Write(const EncodedPage& page, FileSink* sink);
  /// ColumnMetadata.
  std::string Message();

 private:
  proto::ColumnMetadata metadata_;
  std::vector<std::string> layouts_;  // what the pages of `metadata_` point to
  uint64_t rows_ = 0;
};

/// Gathers rows of a column until they fill a page. Rows are not copied: their arrays are held.
class ColumnRows {
 public:
  /// `column` and `pages` must outlive the items that are added to `queue`.
  ColumnRows(const WrittenColumn& column, uint64_t page_bytes, ColumnPages* pages)
      : column_(column), page_bytes_(page_bytes), pages_(pages) {}

  Status Append(const columnar::ArrayPtr& root, ItemQueue* queue);
  /// Makes a page of the rows that are left.
  Status Flush(ItemQueue* queue);

  struct Slice {
    columnar::ArrayPtr root;
    int64_t from = 0, to = 0;
  };

 private:
  /// The end of the rows from `from` on that still fit the page, at least one.
  int64_t EndOfPage(const columnar::Array& root, int64_t from) const;

  const WrittenColumn& column_;
  uint64_t page_bytes_;
  ColumnPages* pages_;
  std::vector<Slice> slices_;
  uint64_t bytes_ = 0;
};

}  // namespace pchronicle::lance
