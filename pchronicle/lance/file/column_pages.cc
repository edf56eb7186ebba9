#include "pchronicle/lance/file/column_pages.h"

#include <utility>

#include "pchronicle/lance/encoding/leaf_levels.h"

namespace pchronicle::lance {
namespace {

class PageItem : public FileItem {
 public:
  PageItem(const WrittenColumn& column, std::vector<ColumnRows::Slice> slices, ColumnPages* pages)
      : column_(column), slices_(std::move(slices)), pages_(pages) {}

  Status Prepare(PageEncoder* encoder) override {
    LevelBuilder builder(column_.path, column_.members);
    builder.Start();
    for (const ColumnRows::Slice& slice : slices_) {
      builder.Append(*slice.root, slice.from, slice.to);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(page_, encoder->Encode(builder.Finish(), column_.type));
    slices_.clear();
    return Status::Ok();
  }
  Status Write(FileSink* sink) override { return pages_->Write(page_, sink); }

 private:
  const WrittenColumn& column_;
  std::vector<ColumnRows::Slice> slices_;
  ColumnPages* pages_;
  EncodedPage page_;
};

}  // namespace

Status ColumnPages::Write(const EncodedPage& page, FileSink* sink) {
  proto::Page& stored = metadata_.pages.emplace_back();
  for (const columnar::Buffer& buffer : page.buffers) {
    PCHRONICLE_RETURN_IF_ERROR(sink->Align());
    stored.buffer_offsets.push_back(sink->at());
    stored.buffer_sizes.push_back(buffer.size());
    PCHRONICLE_RETURN_IF_ERROR(
        sink->Put({reinterpret_cast<const char*>(buffer.data()), buffer.size()}));
  }
  stored.rows = page.rows;
  stored.priority = rows_;
  rows_ += page.rows;
  layouts_.push_back(page.layout);
  return Status::Ok();
}

std::string ColumnPages::Message() {
  for (size_t i = 0; i < layouts_.size(); ++i) {
    metadata_.pages[i].encoding.direct = {proto::kPageLayoutUrl, layouts_[i]};
  }
  return proto::Write(metadata_).Take();
}

int64_t ColumnRows::EndOfPage(const columnar::Array& root, int64_t from) const {
  const auto fits = [&](int64_t to) {
    return bytes_ + column_.Bytes(root, from, to) <= page_bytes_;
  };
  if (fits(root.length)) {
    return root.length;
  }
  int64_t low = from, high = root.length;  // `low` fits, `high` does not
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low == from && slices_.empty() ? from + 1 : low;
}

Status ColumnRows::Append(const columnar::ArrayPtr& root, ItemQueue* queue) {
  for (int64_t from = 0; from < root->length;) {
    const int64_t to = EndOfPage(*root, from);
    if (to != from) {
      bytes_ += column_.Bytes(*root, from, to);
      slices_.push_back({root, from, to});
    }
    if (to != root->length || bytes_ >= page_bytes_) {
      PCHRONICLE_RETURN_IF_ERROR(Flush(queue));
    }
    from = to;
  }
  return Status::Ok();
}

Status ColumnRows::Flush(ItemQueue* queue) {
  if (slices_.empty()) {
    return Status::Ok();
  }
  const uint64_t bytes = std::exchange(bytes_, 0);
  return queue->Add(std::make_unique<PageItem>(column_, std::exchange(slices_, {}), pages_), bytes);
}

}  // namespace pchronicle::lance
