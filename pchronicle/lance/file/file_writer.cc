#include "pchronicle/lance/file/file_writer.h"

#include <utility>

#include "pchronicle/lance/file/page_encoder.h"
#include "pchronicle/lance/proto/file_messages.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kAlignment = 64;

/// Rows of one column on their way to a page.
class ColumnBuffer {
 public:
  explicit ColumnBuffer(columnar::DataTypePtr type) { Reset(std::move(type)); }

  const PageValues& values() const { return values_; }
  uint64_t bytes() const { return values_.bytes.size() + values_.rows; }
  void Append(const columnar::Array& array) {
    const bool variable = columnar::IsVariable(array.type->id);
    for (int64_t i = 0; i < array.length; ++i) {
      const bool null = array.IsNull(i);
      values_.valid.push_back(null ? 0 : 1);
      values_.nulls += null ? 1 : 0;
      if (array.type->id == columnar::TypeId::kBool) {
        values_.bytes += static_cast<char>(!null && array.Bit(i) ? 1 : 0);
      } else if (!variable) {
        // What lies under a null must not cost bits.
        null ? values_.bytes.append(columnar::ByteWidth(*array.type), '\0')
             : values_.bytes.append(array.Bytes(i));
      } else if (!null) {
        values_.bytes += array.Bytes(i);
      }
      if (variable) {
        values_.starts.push_back(values_.bytes.size());
      }
    }
    values_.rows += static_cast<size_t>(array.length);
  }
  void Clear() { Reset(values_.type); }

  proto::ColumnMetadata metadata;
  std::vector<std::string> layouts;  // what the pages of `metadata` point to
  uint64_t pages_rows = 0;

 private:
  void Reset(columnar::DataTypePtr type) {
    values_ = PageValues();
    values_.type = std::move(type);
    values_.starts = {0};
  }
  PageValues values_;
};

class OpenWriter : public FileWriter {
 public:
  OpenWriter(std::vector<proto::Field> fields, Sink sink, FileWriterOptions options)
      : fields_(std::move(fields)),
        sink_(std::move(sink)),
        options_(std::move(options)),
        encoder_({.large_chunks = options_.version.minor >= 2}) {}

  Status Open() {
    if (options_.version != FileVersion{2, 1} && options_.version != FileVersion{2, 2}) {
      return Status::Unsupported("writing files of version {}", options_.version.ToString());
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<FieldNode> nodes, BuildFieldTree(fields_));
    for (const FieldNode& node : nodes) {
      const bool flat =
          node.kind == FieldNode::Kind::kLeaf && node.type != nullptr &&
          node.logical_type != "json" && !node.logical_type.starts_with("dict:") &&
          (columnar::IsVariable(node.type->id) || node.type->id == columnar::TypeId::kBool ||
           columnar::ByteWidth(*node.type) != 0);
      if (!flat) {
        return Status::Unsupported("writing field '{}' of type '{}'", node.name, node.logical_type);
      }
      columns_.emplace_back(node.type);
    }
    return Status::Ok();
  }

  uint64_t rows() const override { return rows_; }

  Status Append(const columnar::RecordBatch& batch) override {
    if (batch.columns.size() != columns_.size()) {
      return Status::InvalidArgument("{} columns for a file of {}", batch.columns.size(),
                                     columns_.size());
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      const columnar::Array& array = *batch.columns[i];
      if (!columnar::SameType(*array.type, *columns_[i].values().type) ||
          array.length != batch.rows) {
        return Status::InvalidArgument("column '{}': {} rows of {} for {}", fields_[i].name,
                                       array.length, columnar::ToString(*array.type),
                                       columnar::ToString(*columns_[i].values().type));
      }
      if (!fields_[i].nullable && array.null_count != 0) {
        return Status::InvalidArgument("column '{}': nulls in a field that has none",
                                       fields_[i].name);
      }
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].Append(*batch.columns[i]);
      if (columns_[i].bytes() >= options_.page_bytes) {
        PCHRONICLE_RETURN_IF_ERROR(WritePage(&columns_[i]));
      }
    }
    rows_ += static_cast<uint64_t>(batch.rows);
    return Status::Ok();
  }

  Result<uint64_t> Finish() override {
    for (ColumnBuffer& column : columns_) {
      if (column.values().rows != 0) {
        PCHRONICLE_RETURN_IF_ERROR(WritePage(&column));
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(Align());
    proto::FileDescriptor descriptor;
    descriptor.fields = fields_;
    descriptor.metadata = options_.metadata;
    descriptor.rows = rows_;
    const uint64_t descriptor_at = at_;
    PCHRONICLE_RETURN_IF_ERROR(Write(proto::Write(descriptor).bytes()));
    const uint64_t descriptor_size = at_ - descriptor_at, columns_at = at_;
    std::string table;
    for (ColumnBuffer& column : columns_) {
      for (size_t i = 0; i < column.layouts.size(); ++i) {
        column.metadata.pages[i].encoding.direct = {proto::kPageLayoutUrl, column.layouts[i]};
      }
      const std::string bytes = proto::Write(column.metadata).Take();
      Put(at_, 8, &table);
      Put(bytes.size(), 8, &table);
      PCHRONICLE_RETURN_IF_ERROR(Write(bytes));
    }
    const uint64_t table_at = at_;
    PCHRONICLE_RETURN_IF_ERROR(Write(table));
    std::string end;
    const uint64_t buffers_at = at_;
    Put(descriptor_at, 8, &end);
    Put(descriptor_size, 8, &end);
    Put(columns_at, 8, &end);
    Put(table_at, 8, &end);
    Put(buffers_at, 8, &end);
    Put(1, 4, &end);
    Put(columns_.size(), 4, &end);
    Put(options_.version.major, 2, &end);
    Put(options_.version.minor, 2, &end);
    PCHRONICLE_RETURN_IF_ERROR(Write(end + "LANC"));
    return at_;
  }

 private:
  static void Put(uint64_t value, size_t width, std::string* out) {
    out->append(reinterpret_cast<const char*>(&value), width);
  }

  Status Write(std::string_view bytes) {
    at_ += bytes.size();
    return sink_(bytes);
  }

  Status Align() {
    const uint64_t fill = (kAlignment - at_ % kAlignment) % kAlignment;
    return Write(std::string(static_cast<size_t>(fill), 'H'));
  }

  Status WritePage(ColumnBuffer* column) {
    PCHRONICLE_ASSIGN_OR_RETURN(EncodedPage page, encoder_.Encode(column->values()));
    proto::Page& stored = column->metadata.pages.emplace_back();
    for (const std::string& buffer : page.buffers) {
      PCHRONICLE_RETURN_IF_ERROR(Align());
      stored.buffer_offsets.push_back(at_);
      stored.buffer_sizes.push_back(buffer.size());
      PCHRONICLE_RETURN_IF_ERROR(Write(buffer));
    }
    stored.rows = page.rows;
    stored.priority = column->pages_rows;
    column->pages_rows += page.rows;
    column->layouts.push_back(std::move(page.layout));
    column->Clear();
    return Status::Ok();
  }

  std::vector<proto::Field> fields_;
  Sink sink_;
  FileWriterOptions options_;
  PageEncoder encoder_;
  std::vector<ColumnBuffer> columns_;
  uint64_t at_ = 0, rows_ = 0;
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
