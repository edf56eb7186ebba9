#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/lance/index/entry_sorter.h"
#include "pchronicle/lance/index/index_key.h"
#include "pchronicle/lance/index/index_output.h"

namespace pchronicle::lance {

/// Writes `page_data.lance` and `page_lookup.lance` (lance.md D2) from entries that come in order,
/// nulls first. Memory: a page of the file, and one entry of the lookup for each page of the tree.
/// Not thread-safe.
class BTreeWriter {
 public:
  /// At most `entries` will come. `output` outlives the writer. kResourceExhausted: more pages than
  /// a lookup can number.
  static Result<BTreeWriter> Create(const IndexKey& key, uint64_t entries, FileVersion version,
                                    IndexOutput* output);

  Status AppendNull(uint64_t number);
  Status Append(const IndexEntry& entry);
  Result<std::vector<proto::Index::File>> Finish();

 private:
  BTreeWriter(const IndexKey& key, uint64_t entries, FileVersion version, IndexOutput* output);
  void BeginEntry(const std::string_view* key);
  Status EndEntry(size_t bytes, uint64_t number);
  Status EndPage();
  Status Flush();

  columnar::DataTypePtr type_;
  FileVersion version_;
  IndexOutput* output_;
  KeyArrayBuilder values_, min_, max_;
  uint64_t batch_rows_;
  std::unique_ptr<IndexFileWriter> data_;
  std::vector<uint64_t> numbers_;
  std::vector<uint32_t> nulls_;  // of each page of the tree, the open one included
  uint64_t bytes_ = 0, in_page_ = 0;
  // Of the open page; not set: null.
  struct Bound {
    bool set = false;
    std::string key;
    void Set(std::string_view to) {
      set = true;
      key = to;
    }
  };
  Bound first_, last_;
};

}  // namespace pchronicle::lance
