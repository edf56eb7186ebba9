#include "pchronicle/lance/file/file_reader.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "pchronicle/lance/file/column.h"
#include "pchronicle/lance/file/file_footer.h"
#include "pchronicle/lance/file/range_reader.h"
#include "pchronicle/lance/file/row_reader.h"
#include "pchronicle/lance/proto/array_encoding.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

std::string FileVersion::ToString() const { return fmt::format("{}.{}", major, minor); }

Result<FileVersion> CheckFileVersion(uint32_t major, uint32_t minor) {
  if ((major == 0 && minor == 3) || (major == 2 && minor == 0)) {
    return FileVersion{2, 0};
  }
  if (major == 2 && (minor == 1 || minor == 2)) {
    return FileVersion{major, minor};
  }
  return Status::Unsupported("file version {}.{}: this reader knows 2.0, 2.1 and 2.2", major,
                             minor);
}

ReadCounters& ReadCounters::operator+=(const ReadCounters& other) {
  read_calls += other.read_calls;
  bytes_read += other.bytes_read;
  pages_opened += other.pages_opened;
  chunks_decoded += other.chunks_decoded;
  rows += other.rows;
  return *this;
}

ReadCounters ReadCounters::Since(const ReadCounters& earlier) const {
  return {read_calls - earlier.read_calls, bytes_read - earlier.bytes_read,
          pages_opened - earlier.pages_opened, chunks_decoded - earlier.chunks_decoded,
          rows - earlier.rows};
}

Result<std::shared_ptr<const io::RandomReader>> BlobOpener::OpenSidecar(uint32_t blob_id) {
  return Status::Unsupported("blob {} lies in another file", blob_id);
}

Result<std::shared_ptr<const io::RandomReader>> BlobOpener::OpenExternal(uint32_t base_id,
                                                                         const std::string& uri) {
  return Status::Unsupported("external blob '{}' of base {}", uri, base_id);
}

std::string SidecarName(uint32_t blob_id) {
  std::string name;
  for (int bit = 0; bit < 32; ++bit) {
    name += (blob_id >> bit & 1) != 0 ? '1' : '0';
  }
  return name + ".blob";
}

namespace {

class OpenFile : public FileReader {
 public:
  OpenFile(std::shared_ptr<const io::RandomReader> file, FileOptions options)
      : file_(std::move(file)), options_(std::move(options)) {}

  Status Load();

  FileVersion version() const override { return version_; }
  uint64_t rows() const override { return rows_; }
  uint32_t columns() const override { return footer_.columns; }
  uint64_t file_size() const override { return file_->size(); }
  const std::string& name() const override { return options_.name; }
  const std::vector<FieldNode>& schema() const override { return schema_; }
  const columnar::Metadata& metadata() const override { return metadata_; }
  ColumnMap SequentialColumns() const override;
  Result<ColumnInfo> DescribeColumn(uint32_t column) const override;
  Result<std::string> ReadGlobalBuffer(uint32_t index) const override;
  ReadCounters open_counters() const override {
    const std::scoped_lock lock(mutex_);
    return counters_;
  }
  Result<std::unique_ptr<RowReader>> Read(std::span<const FieldNode> fields,
                                          const ColumnMap& columns,
                                          const ReaderOptions& options) const override;

 private:
  bool is_v20() const { return version_.minor == 0; }
  /// An entry of one of the tables of positions and sizes.
  Result<ByteRange> TableEntry(uint64_t table, uint32_t index) const;
  Result<std::string> ReadRange(const ByteRange& range) const;
  Result<std::shared_ptr<const Column>> LoadColumn(uint32_t index) const;
  Result<std::string> PageText(const Column& column, size_t page) const;
  std::optional<FieldNode> Prune(const FieldNode& field, const ColumnMap& columns) const;

  std::shared_ptr<const io::RandomReader> file_;
  FileOptions options_;
  FileFooter footer_;
  FileTail tail_;
  FileVersion version_;
  uint64_t rows_ = 0;
  std::vector<FieldNode> schema_;
  columnar::Metadata metadata_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<uint32_t, std::shared_ptr<const Column>> loaded_;  // under mutex_
  mutable ReadCounters counters_;                                               // under mutex_
};

Status OpenFile::Load() {
  RangeReader reader(*file_, &counters_);
  PCHRONICLE_RETURN_IF_ERROR(tail_.Load(&reader));
  PCHRONICLE_ASSIGN_OR_RETURN(footer_, FileFooter::Parse(tail_.bytes(), file_->size()));
  PCHRONICLE_ASSIGN_OR_RETURN(version_, CheckFileVersion(footer_.major, footer_.minor));
  if (options_.expected_version != nullptr && *options_.expected_version != version_) {
    return Status::Corruption("file version {} where the table says {}", version_.ToString(),
                              options_.expected_version->ToString());
  }
  if (footer_.global_buffers == 0) {
    return Status::Corruption("no file descriptor");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string bytes, ReadGlobalBuffer(0));
  proto::FileDescriptor descriptor;
  PCHRONICLE_RETURN_IF_ERROR(proto::Parse(proto::WireReader(bytes), &descriptor));
  rows_ = descriptor.rows;
  metadata_ = std::move(descriptor.metadata);
  PCHRONICLE_ASSIGN_OR_RETURN(schema_, BuildFieldTree(descriptor.fields));
  return Status::Ok();
}

Result<std::string> OpenFile::ReadRange(const ByteRange& range) const {
  const std::scoped_lock lock(mutex_);
  RangeReader reader(*file_, &counters_);
  columnar::Buffer scratch;
  PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, tail_.Get(range, &reader, &scratch));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<ByteRange> OpenFile::TableEntry(uint64_t table, uint32_t index) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string entry,
                              ReadRange({table + uint64_t{index} * 16, 16}));
  const auto* bytes = reinterpret_cast<const uint8_t*>(entry.data());
  return ByteRange{LoadLe<uint64_t>(bytes), LoadLe<uint64_t>(bytes + 8)};
}

Result<std::string> OpenFile::ReadGlobalBuffer(uint32_t index) const {
  if (index >= footer_.global_buffers) {
    return Status::Corruption("global buffer {} of {}", index, footer_.global_buffers);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const ByteRange range, TableEntry(footer_.buffer_table_at, index));
  return ReadRange(range);
}

Result<std::shared_ptr<const Column>> OpenFile::LoadColumn(uint32_t index) const {
  if (index >= footer_.columns) {
    return Status::Corruption("column {} of a file of {}", index, footer_.columns);
  }
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = loaded_.find(index); found != loaded_.end()) {
      return found->second;
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const ByteRange range, TableEntry(footer_.column_table_at, index));
  PCHRONICLE_ASSIGN_OR_RETURN(std::string bytes, ReadRange(range));
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Column> column,
                              Column::Parse(index, std::move(bytes), file_->size()));
  const std::scoped_lock lock(mutex_);
  return loaded_.emplace(index, std::move(column)).first->second;
}

Result<std::string> OpenFile::PageText(const Column& column, size_t page) const {
  if (is_v20()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes,
                                column.PageEncoding(page, proto::kArrayEncodingUrl));
    proto::ArrayEncoding encoding;
    PCHRONICLE_RETURN_IF_ERROR(proto::Parse(proto::WireReader(bytes), &encoding));
    return encoding.ToString();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes,
                              column.PageEncoding(page, proto::kPageLayoutUrl));
  proto::PageLayout layout;
  PCHRONICLE_RETURN_IF_ERROR(proto::Parse(proto::WireReader(bytes), &layout));
  return layout.ToString();
}

Result<ColumnInfo> OpenFile::DescribeColumn(uint32_t index) const {
  const std::string context = fmt::format("{}: column {}", options_.name, index);
  const auto column = LoadColumn(index);
  if (!column.ok()) {
    return column.status().WithContext(context);
  }
  ColumnInfo info{.rows = (*column)->rows(), .bytes = (*column)->stored_bytes, .pages = {}};
  for (size_t i = 0; i < (*column)->pages(); ++i) {
    PageInfo page;
    page.first_row = (*column)->first_row[i];
    page.rows = (*column)->metadata.pages[i].rows;
    for (const ByteRange& range : (*column)->Ranges(i)) {
      page.bytes += range.size;
    }
    auto text = PageText(**column, i);
    if (!text.ok()) {
      return text.status().WithContext(context);
    }
    page.encoding = *std::move(text);
    info.pages.push_back(std::move(page));
  }
  return info;
}

ColumnMap OpenFile::SequentialColumns() const {
  ColumnMap map;
  uint32_t next = 0;
  if (is_v20()) {
    const std::function<void(const FieldNode&)> visit = [&](const FieldNode& field) {
      map.emplace(field.id, next++);
      if (field.kind == FieldNode::Kind::kList || field.kind == FieldNode::Kind::kStruct) {
        std::for_each(field.children.begin(), field.children.end(), visit);
      }
    };
    std::for_each(schema_.begin(), schema_.end(), visit);
    return map;
  }
  for (const FieldNode& field : schema_) {
    ForEachColumn(field, [&](const FieldNode& leaf) { map.emplace(leaf.id, next++); });
  }
  return map;
}

std::optional<FieldNode> OpenFile::Prune(const FieldNode& field, const ColumnMap& columns) const {
  return PruneField(field, [&](const FieldNode& leaf) { return columns.contains(leaf.id); });
}

Result<std::unique_ptr<RowReader>> OpenFile::Read(std::span<const FieldNode> fields,
                                                  const ColumnMap& columns,
                                                  const ReaderOptions& options) const {
  ReadRequest request;
  request.owner = shared_from_this();
  request.file = file_.get();
  request.columns = columns;
  request.options = options;
  request.blobs = options_.blobs;
  request.load_column = [this](uint32_t index) { return LoadColumn(index); };
  for (const FieldNode& field : fields) {
    if (std::optional<FieldNode> kept = Prune(field, columns)) {
      request.fields.push_back(*std::move(kept));
    }
  }
  return is_v20() ? MakeFieldRowReader(std::move(request)) : MakeLeafRowReader(std::move(request));
}

}  // namespace

Result<std::shared_ptr<const FileReader>> FileReader::Open(
    std::shared_ptr<const io::RandomReader> file, FileOptions options) {
  const std::string name = options.name;
  auto opened = std::make_shared<OpenFile>(std::move(file), std::move(options));
  const Status status = opened->Load();
  if (!status.ok()) {
    return status.WithContext(name);
  }
  return std::shared_ptr<const FileReader>(std::move(opened));
}

}  // namespace pchronicle::lance
