#include "bench/arrow_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "pchronicle/lance/table/flatbuffer.h"

namespace pchronicle::bench {
namespace {

using columnar::DataTypePtr;
using columnar::TypeId;
using lance::FlatTable;

constexpr std::string_view kMagic = "ARROW1";

Status Damaged(std::string_view what) { return Status::Corruption("damaged Arrow file: {}", what); }

// The bytes of a file while it is read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd >= 0 && ::fstat(fd, &info) == 0 && info.st_size > 0) {
      size_ = static_cast<size_t>(info.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) {
      ::close(fd);
    }
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED) {
      ::munmap(data_, size_);
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::optional<std::string_view> bytes() const {
    return data_ == MAP_FAILED
               ? std::nullopt
               : std::optional<std::string_view>({static_cast<const char*>(data_), size_});
  }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::optional<std::string_view> Piece(std::string_view bytes, int64_t offset, int64_t size) {
  if (offset < 0 || size < 0 || static_cast<uint64_t>(offset) > bytes.size() ||
      static_cast<uint64_t>(size) > bytes.size() - static_cast<uint64_t>(offset)) {
    return std::nullopt;
  }
  return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(size));
}

Result<DataTypePtr> IntType(const FlatTable& type) {
  static constexpr TypeId kTypes[2][4] = {
      {TypeId::kUint8, TypeId::kUint16, TypeId::kUint32, TypeId::kUint64},
      {TypeId::kInt8, TypeId::kInt16, TypeId::kInt32, TypeId::kInt64}};
  const int64_t bits = type.Int32(0, 0).value_or(0);
  const size_t sign = type.Int8(1, 0).value_or(0) != 0 ? 1 : 0;
  for (size_t i = 0; i < 4; ++i) {
    if (bits == int64_t{8} << i) {
      return columnar::MakeType(kTypes[sign][i]);
    }
  }
  return Damaged("width of an integer");
}

Result<columnar::DataField> ReadField(const FlatTable& field);

// Numbers of the union `Type` of Arrow's Schema.fbs.
Result<DataTypePtr> ReadType(const FlatTable& field) {
  const int64_t kind = field.Int8(2, 0).value_or(0);
  const std::optional<FlatTable> type = field.Table(3);
  if (!type) {
    return Damaged("field without a type");
  }
  if (field.Has(4)) {
    return Status::Unsupported("a dictionary in an Arrow file");
  }
  switch (kind) {
    case 2:
      return IntType(*type);
    case 3: {
      const int64_t precision = type->Int16(0, 0).value_or(0);
      return columnar::MakeType(precision == 0   ? TypeId::kHalf
                                : precision == 1 ? TypeId::kFloat
                                                 : TypeId::kDouble);
    }
    case 4:
      return columnar::MakeType(TypeId::kBinary);
    case 5:
      return columnar::MakeType(TypeId::kUtf8);
    case 6:
      return columnar::MakeType(TypeId::kBool);
    case 10: {
      const auto unit = static_cast<columnar::TimeUnit>(type->Int16(0, 0).value_or(0) & 3);
      return columnar::MakeTemporal(TypeId::kTimestamp, unit,
                                    std::string(type->Text(1).value_or("")));
    }
    case 12: {
      const std::optional<FlatTable> item = field.TableAt(5, 0);
      if (!item) {
        return Damaged("list without an item");
      }
      PCHRONICLE_ASSIGN_OR_RETURN(columnar::DataField child, ReadField(*item));
      return columnar::MakeList(TypeId::kList, std::move(child));
    }
    case 19:
      return columnar::MakeType(TypeId::kLargeBinary);
    case 20:
      return columnar::MakeType(TypeId::kLargeUtf8);
    default:
      return Status::Unsupported("Arrow type {}", kind);
  }
}

Result<columnar::DataField> ReadField(const FlatTable& field) {
  columnar::DataField out;
  out.name = field.Text(0).value_or("");
  out.nullable = field.Int8(1, 0).value_or(0) != 0;
  PCHRONICLE_ASSIGN_OR_RETURN(out.type, ReadType(field));
  return out;
}

Result<std::vector<columnar::DataField>> ReadSchema(const FlatTable& footer) {
  const std::optional<FlatTable> schema = footer.Table(1);
  const auto fields = schema ? schema->Elements(1, 4) : std::nullopt;
  if (!fields) {
    return Damaged("schema");
  }
  std::vector<columnar::DataField> out;
  for (uint32_t i = 0; i < fields->count; ++i) {
    const std::optional<FlatTable> field = schema->TableAt(1, i);
    if (!field) {
      return Damaged("field");
    }
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::DataField one, ReadField(*field));
    out.push_back(std::move(one));
  }
  return out;
}

// The columns of one batch: field nodes and buffers come in the order of the schema, depth first.
class BatchReader {
 public:
  BatchReader(std::string_view body, FlatTable::Vector nodes, FlatTable::Vector buffers)
      : body_(body), nodes_(nodes), buffers_(buffers) {}

  uint64_t bytes() const { return bytes_; }

  Result<columnar::ArrayPtr> Read(const DataTypePtr& type) {
    if (node_ >= nodes_.count) {
      return Damaged("too few nodes");
    }
    auto out = std::make_shared<columnar::Array>();
    out->type = type;
    out->length = Load<int64_t>(nodes_.bytes, node_ * 16);
    out->null_count = Load<int64_t>(nodes_.bytes, node_ * 16 + 8);
    ++node_;
    if (out->length < 0 || out->null_count < 0 || out->null_count > out->length) {
      return Damaged("length of a column");
    }
    const auto slots = static_cast<uint64_t>(out->length);
    PCHRONICLE_ASSIGN_OR_RETURN(
        out->validity, Take(out->null_count == 0 ? 0 : (slots + 7) / 8, out->null_count == 0));
    const bool list = columnar::IsListLike(type->id);
    uint64_t below = slots;
    if (list || columnar::IsVariable(type->id)) {
      PCHRONICLE_ASSIGN_OR_RETURN(out->offsets, TakeOffsets(*type, slots));
      if (out->Offset(0) != 0) {
        return Status::Unsupported("offsets that do not start at 0");
      }
      below = static_cast<uint64_t>(out->Offset(out->length));
    }
    if (list) {
      PCHRONICLE_ASSIGN_OR_RETURN(columnar::ArrayPtr item, Read(type->children[0].type));
      if (static_cast<uint64_t>(item->length) < below) {
        return Damaged("items of a list");
      }
      out->children.push_back(std::move(item));
      return columnar::ArrayPtr(std::move(out));
    }
    const uint64_t width = columnar::ByteWidth(*type);
    PCHRONICLE_ASSIGN_OR_RETURN(out->values, Take(type->id == TypeId::kBool ? (slots + 7) / 8
                                                  : width != 0              ? slots * width
                                                                            : below,
                                                  false));
    return columnar::ArrayPtr(std::move(out));
  }

 private:
  // The next buffer, `size` bytes of it.
  Result<columnar::BufferPtr> Take(uint64_t size, bool none) {
    if (buffer_ >= buffers_.count) {
      return Damaged("too few buffers");
    }
    const auto bytes = Piece(body_, Load<int64_t>(buffers_.bytes, buffer_ * 16),
                             Load<int64_t>(buffers_.bytes, buffer_ * 16 + 8));
    ++buffer_;
    if (!bytes || bytes->size() < size) {
      return Damaged("buffer");
    }
    if (none) {
      return columnar::BufferPtr();
    }
    bytes_ += size;
    auto out = std::make_shared<columnar::Buffer>(0);
    out->Append(bytes->data(), static_cast<size_t>(size));
    return columnar::BufferPtr(std::move(out));
  }

  Result<columnar::BufferPtr> TakeOffsets(const columnar::DataType& type, uint64_t slots) {
    const uint64_t width = columnar::HasLargeOffsets(type.id) ? 8 : 4;
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::BufferPtr out, Take((slots + 1) * width, false));
    int64_t last = 0;
    for (uint64_t i = 0; i <= slots; ++i) {
      const int64_t at = width == 8 ? out->as<int64_t>()[i] : out->as<int32_t>()[i];
      if (at < last) {
        return Damaged("offsets that descend");
      }
      last = at;
    }
    return out;
  }

  std::string_view body_;
  FlatTable::Vector nodes_, buffers_;
  size_t node_ = 0, buffer_ = 0;
  uint64_t bytes_ = 0;
};

Status ReadBatch(std::string_view file, std::string_view block, ArrowFile* out) {
  const auto offset = Load<int64_t>(block, 0);
  const auto metadata_size = Load<int32_t>(block, 8);
  const auto metadata = Piece(file, offset, metadata_size);
  const auto body =
      metadata ? Piece(file, offset + metadata_size, Load<int64_t>(block, 16)) : std::nullopt;
  if (!body || metadata->size() < 8) {
    return Damaged("batch outside the file");
  }
  // Behind the continuation mark and the size.
  const std::optional<FlatTable> message = FlatTable::Root(metadata->substr(8));
  const std::optional<FlatTable> header = message ? message->Table(2) : std::nullopt;
  const auto nodes = header ? header->Elements(1, 16) : std::nullopt;
  const auto buffers = header ? header->Elements(2, 16) : std::nullopt;
  if (!nodes || !buffers) {
    return Damaged("record batch");
  }
  if (header->Has(3)) {
    return Status::Unsupported("a compressed Arrow file");
  }
  columnar::RecordBatch batch;
  batch.fields = out->schema;
  batch.rows = header->Int64(0, 0).value_or(0);
  BatchReader reader(*body, *nodes, *buffers);
  for (const columnar::DataField& field : out->schema) {
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::ArrayPtr column, reader.Read(field.type));
    if (column->length != batch.rows) {
      return Damaged("length of a column");
    }
    batch.columns.push_back(std::move(column));
  }
  out->bytes += reader.bytes();
  out->batches.push_back(std::move(batch));
  return Status::Ok();
}

Result<ArrowFile> Read(std::string_view bytes) {
  const size_t tail = kMagic.size() + sizeof(int32_t);
  if (bytes.size() < tail + 8 || !bytes.starts_with(kMagic) || !bytes.ends_with(kMagic)) {
    return Damaged("no ARROW1 at both ends");
  }
  const size_t end = bytes.size() - tail;
  const auto size = Load<int32_t>(bytes, end);
  if (size <= 0 || static_cast<size_t>(size) > end) {
    return Damaged("footer size");
  }
  const std::optional<FlatTable> footer =
      FlatTable::Root(bytes.substr(end - static_cast<size_t>(size), static_cast<size_t>(size)));
  const auto blocks = footer ? footer->Elements(3, 24) : std::nullopt;
  if (!blocks) {
    return Damaged("footer");
  }
  ArrowFile out;
  PCHRONICLE_ASSIGN_OR_RETURN(out.schema, ReadSchema(*footer));
  for (uint32_t i = 0; i < blocks->count; ++i) {
    PCHRONICLE_RETURN_IF_ERROR(ReadBatch(bytes, blocks->bytes.substr(size_t{i} * 24, 24), &out));
  }
  return out;
}

}  // namespace

Result<ArrowFile> ReadArrowFile(const std::string& path) {
  const MappedFile file(path);
  if (!file.bytes()) {
    return Status::NotFound("cannot read {}", path);
  }
  Result<ArrowFile> out = Read(*file.bytes());
  return out.ok() ? std::move(out) : Result<ArrowFile>(out.status().WithContext(path));
}

}  // namespace pchronicle::bench
