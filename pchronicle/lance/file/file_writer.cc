#include "pchronicle/lance/file/file_writer.h"

#include <algorithm>
#include <deque>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include "pchronicle/lance/file/batch_check.h"
#include "pchronicle/lance/file/blob_rows.h"
#include "pchronicle/lance/file/column_pages.h"
#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance {
namespace {

constexpr size_t kMostThreads = 4;

size_t ThreadsOf(const FileWriterOptions& options) {
  return options.threads != 0
             ? options.threads
             : std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

class OpenWriter : public FileWriter {
 public:
  OpenWriter(std::vector<proto::Field> fields, Sink sink, FileWriterOptions options)
      : fields_(std::move(fields)),
        options_(std::move(options)),
        sink_(std::move(sink)),
        sidecars_(options_.sidecar) {}

  Status Open() {
    if (options_.version != FileVersion{2, 1} && options_.version != FileVersion{2, 2}) {
      return Status::Unsupported("writing files of version {}", options_.version.ToString());
    }
    PCHRONICLE_ASSIGN_OR_RETURN(tree_, BuildFieldTree(fields_));
    for (size_t i = 0; i < tree_.size(); ++i) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::vector<WrittenColumn> columns,
                                  ColumnsOf(tree_[i], i, options_.version.minor));
      for (WrittenColumn& column : columns) {
        columns_.push_back(std::move(column));
        AddRows(columns_.back());
      }
    }
    queue_ =
        ItemQueue::Make(ThreadsOf(options_), {.version_2_2 = options_.version.minor >= 2}, &sink_);
    return Status::Ok();
  }

  uint64_t rows() const override { return rows_; }

  Status Append(const columnar::RecordBatch& batch) override {
    if (finished_) {
      return Status::InvalidArgument("rows for a file that is finished");
    }
    if (batch.columns.size() != tree_.size() || batch.rows < 0) {
      return Status::InvalidArgument("{} columns of {} rows for a file of {} columns",
                                     batch.columns.size(), batch.rows, tree_.size());
    }
    for (size_t i = 0; i < tree_.size(); ++i) {
      if (batch.columns[i] == nullptr) {
        return Status::InvalidArgument("column '{}' is missing", tree_[i].name);
      }
      PCHRONICLE_RETURN_IF_ERROR(CheckArray(*batch.columns[i], tree_[i], batch.rows));
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      PCHRONICLE_RETURN_IF_ERROR(AppendRows(i, batch.columns[columns_[i].field]));
    }
    rows_ += static_cast<uint64_t>(batch.rows);
    return Status::Ok();
  }

  Status EndPages() override {
    return finished_ ? Status::InvalidArgument("the file is finished already") : CutPages();
  }

  Result<uint64_t> Finish() override {
    if (std::exchange(finished_, true)) {
      return Status::InvalidArgument("the file is finished already");
    }
    PCHRONICLE_RETURN_IF_ERROR(CutPages());
    PCHRONICLE_RETURN_IF_ERROR(queue_->Drain());
    PCHRONICLE_RETURN_IF_ERROR(WriteMetadata());
    return sink_.at();
  }

 private:
  using Rows = std::variant<ColumnRows, BlobRows>;

  Status CutPages() {
    for (Rows& rows : rows_of_) {
      PCHRONICLE_RETURN_IF_ERROR(
          std::visit([&](auto& of) { return of.Flush(queue_.get()); }, rows));
    }
    return Status::Ok();
  }

  EncoderOptions EncoderPart() const { return {.version_2_2 = options_.version.minor >= 2}; }

  void AddRows(const WrittenColumn& column) {
    ColumnPages* pages = &pages_.emplace_back();
    if (column.blob()) {
      rows_of_.emplace_back(std::in_place_type<BlobRows>, column, options_.page_bytes,
                            EncoderPart(), pages, &sidecars_);
    } else {
      rows_of_.emplace_back(std::in_place_type<ColumnRows>, column, options_.page_bytes, pages);
    }
  }
  Status AppendRows(size_t column, const columnar::ArrayPtr& root) {
    return std::visit([&](auto& rows) { return rows.Append(root, queue_.get()); },
                      rows_of_[column]);
  }

  /// The schema as files have it: blobs of version 2 are their descriptors.
  std::vector<proto::Field> FileFields() const {
    std::vector<proto::Field> fields;
    std::set<int32_t> blobs;
    for (const WrittenColumn& column : columns_) {
      if (column.node->kind == FieldNode::Kind::kBlob2) {
        blobs.insert(column.node->id);
      }
    }
    for (const proto::Field& field : fields_) {
      if (blobs.contains(field.id)) {
        for (proto::Field& part : DescriptorFields(field)) {
          fields.push_back(std::move(part));
        }
      } else if (!blobs.contains(field.parent_id)) {
        fields.push_back(field);
      }
    }
    return fields;
  }

  static void Put(uint64_t value, size_t width, std::string* out) {
    out->append(reinterpret_cast<const char*>(&value), width);
  }

  /// Everything behind the pages (lance.md B1).
  Status WriteMetadata() {
    PCHRONICLE_RETURN_IF_ERROR(sink_.Align());
    proto::FileDescriptor descriptor;
    descriptor.fields = FileFields();
    descriptor.metadata = options_.metadata;
    descriptor.rows = rows_;
    const uint64_t descriptor_at = sink_.at();
    PCHRONICLE_RETURN_IF_ERROR(sink_.Put(proto::Write(descriptor).bytes()));
    const uint64_t descriptor_size = sink_.at() - descriptor_at, columns_at = sink_.at();
    std::string table;
    for (ColumnPages& pages : pages_) {
      const std::string bytes = pages.Message();
      Put(sink_.at(), 8, &table);
      Put(bytes.size(), 8, &table);
      PCHRONICLE_RETURN_IF_ERROR(sink_.Put(bytes));
    }
    const uint64_t table_at = sink_.at(), buffers_at = table_at + table.size();
    std::string end = std::move(table);
    Put(descriptor_at, 8, &end);
    Put(descriptor_size, 8, &end);
    Put(columns_at, 8, &end);
    Put(table_at, 8, &end);
    Put(buffers_at, 8, &end);
    Put(1, 4, &end);
    Put(columns_.size(), 4, &end);
    Put(options_.version.major, 2, &end);
    Put(options_.version.minor, 2, &end);
    return sink_.Put(end + "LANC");
  }

  std::vector<proto::Field> fields_;
  FileWriterOptions options_;
  FileSink sink_;
  BlobSidecars sidecars_;
  std::vector<FieldNode> tree_;
  // Deques: items point into them.
  std::deque<WrittenColumn> columns_;
  std::deque<ColumnPages> pages_;
  std::deque<Rows> rows_of_;
  std::unique_ptr<ItemQueue> queue_;  // last: its threads use the rest
  uint64_t rows_ = 0;
  bool finished_ = false;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> FileWriter::Create(std::vector<proto::Field> fields, Sink sink,
                                                       FileWriterOptions options) {
  auto writer =
      std::make_unique<OpenWriter>(std::move(fields), std::move(sink), std::move(options));
  PCHRONICLE_RETURN_IF_ERROR(writer->Open());
  return std::unique_ptr<FileWriter>(std::move(writer));
}

}  // namespace pchronicle::lance
