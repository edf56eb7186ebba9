#include "pchronicle/lance/table/deletion_file.h"

#include <cstring>
#include <optional>
#include <vector>

#include "pchronicle/codec/compression.h"
#include "pchronicle/lance/table/flatbuffer.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kMaxDeletionBytes = uint64_t{1} << 30;

constexpr std::string_view kMagic = "ARROW1";
// Buffers are padded to this many bytes at most.
constexpr uint64_t kPadding = 64;
// Values of BodyCompression.codec.
constexpr int64_t kLz4Frame = 0, kZstd = 1;

template <typename T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// [offset, offset + size) of `bytes`, both signed as Arrow writes them.
std::optional<std::string_view> Piece(std::string_view bytes, int64_t offset, int64_t size) {
  if (offset < 0 || size < 0 || static_cast<uint64_t>(offset) > bytes.size() ||
      static_cast<uint64_t>(size) > bytes.size() - static_cast<uint64_t>(offset)) {
    return std::nullopt;
  }
  return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(size));
}

Status Damaged(std::string_view what) { return Status::Corruption("damaged Arrow file: {}", what); }

// The one record batch: its message and its body.
struct Batch {
  std::string_view message, body;
};

Result<Batch> FindBatch(std::string_view bytes) {
  const size_t tail = kMagic.size() + sizeof(int32_t);
  if (bytes.size() < tail + 8 || !bytes.starts_with(kMagic) || !bytes.ends_with(kMagic)) {
    return Damaged("no ARROW1 at both ends");
  }
  const size_t footer_end = bytes.size() - tail;
  const auto footer_size = Load<int32_t>(bytes, footer_end);
  if (footer_size <= 0 || static_cast<size_t>(footer_size) > footer_end) {
    return Damaged("footer size");
  }
  const std::optional<FlatTable> footer = FlatTable::Root(bytes.substr(
      footer_end - static_cast<size_t>(footer_size), static_cast<size_t>(footer_size)));
  const auto blocks = footer ? footer->Elements(3, 24) : std::nullopt;
  if (!blocks) {
    return Damaged("footer");
  }
  if (blocks->count != 1) {
    return Status::Corruption("Arrow file with {} batches, deletions have one", blocks->count);
  }
  const auto offset = Load<int64_t>(blocks->bytes, 0);
  const auto metadata_size = Load<int32_t>(blocks->bytes, 8);
  const auto body_size = Load<int64_t>(blocks->bytes, 16);
  const auto metadata = Piece(bytes, offset, metadata_size);
  const auto body = metadata ? Piece(bytes, offset + metadata_size, body_size)
                             : std::optional<std::string_view>();
  if (!metadata || !body || metadata->size() < 8) {
    return Damaged("batch outside the file");
  }
  return Batch{metadata->substr(8), *body};  // behind the continuation mark and the size
}

Result<std::vector<uint32_t>> ToValues(std::string_view buffer, uint64_t rows) {
  if (buffer.size() / sizeof(uint32_t) < rows) {
    return Status::Corruption("{} bytes for {} deleted rows", buffer.size(), rows);
  }
  std::vector<uint32_t> out(rows);
  std::memcpy(out.data(), buffer.data(), rows * sizeof(uint32_t));
  return out;
}

// A buffer of a compressed body: i64 size of the content (-1: plain), content.
Result<std::vector<uint32_t>> Inflate(std::string_view buffer, int64_t codec, uint64_t rows) {
  if (buffer.size() < 8) {
    return Damaged("compressed buffer without its size");
  }
  const auto size = Load<int64_t>(buffer, 0);
  const std::string_view content = buffer.substr(8);
  if (size == -1) {
    return ToValues(content, rows);
  }
  if (codec != kLz4Frame && codec != kZstd) {
    return Status::Unsupported(
        "compression {} of an Arrow file; LZ4 frames (0) and zstd (1) are "
        "read",
        codec);
  }
  const uint64_t most =
      codec == kZstd ? codec::ZstdMaxContent(content.size()) : codec::Lz4MaxContent(content.size());
  if (size < 0 || static_cast<uint64_t>(size) < rows * sizeof(uint32_t) ||
      static_cast<uint64_t>(size) > rows * sizeof(uint32_t) + kPadding ||
      static_cast<uint64_t>(size) > most) {
    return Status::Corruption("compressed buffer says {} bytes for {} deleted rows", size, rows);
  }
  std::vector<uint8_t> plain(static_cast<size_t>(size));
  const codec::Bytes frame(reinterpret_cast<const uint8_t*>(content.data()), content.size());
  if (codec == kZstd) {
    codec::ZstdDecompressor zstd;
    PCHRONICLE_RETURN_IF_ERROR(zstd.Decompress(frame, plain));
  } else {
    PCHRONICLE_RETURN_IF_ERROR(codec::Lz4FrameDecompress(frame, plain));
  }
  return ToValues({reinterpret_cast<const char*>(plain.data()), plain.size()}, rows);
}

Result<std::vector<uint32_t>> ReadValues(std::string_view bytes, uint64_t rows) {
  PCHRONICLE_ASSIGN_OR_RETURN(const Batch batch, FindBatch(bytes));
  const std::optional<FlatTable> message = FlatTable::Root(batch.message);
  const std::optional<FlatTable> header = message ? message->Table(2) : std::nullopt;
  const auto buffers = header ? header->Elements(2, 16) : std::nullopt;
  const auto length = header ? header->Int64(0, 0) : std::nullopt;
  if (!buffers || !length) {
    return Damaged("record batch");
  }
  if (*length < 0 || static_cast<uint64_t>(*length) != rows) {
    return Status::Corruption("{} deleted rows, the manifest says {}", *length, rows);
  }
  if (buffers->count != 2) {
    return Status::Corruption("Arrow batch with {} buffers, one uint32 column has 2",
                              buffers->count);
  }
  const auto values =
      Piece(batch.body, Load<int64_t>(buffers->bytes, 16), Load<int64_t>(buffers->bytes, 24));
  if (!values) {
    return Damaged("values outside the body");
  }
  if (!header->Has(3)) {
    return ToValues(*values, rows);
  }
  const std::optional<FlatTable> compression = header->Table(3);
  const auto codec = compression ? compression->Int8(0, 0) : std::nullopt;
  if (!codec) {
    return Damaged("body compression");
  }
  return Inflate(*values, *codec, rows);
}

}  // namespace

Result<RoaringBitmap> DecodeArrowDeletions(std::string_view bytes, uint64_t rows) {
  // A compressed row takes some bits at least; the promise bounds what is allocated.
  if (rows > codec::ZstdMaxContent(bytes.size())) {
    return Status::Corruption("{} bytes cannot hold {} deleted rows", bytes.size(), rows);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<uint32_t> values, ReadValues(bytes, rows));
  RoaringBitmap out = RoaringBitmap::FromValues(values);
  if (out.cardinality() != rows) {
    return Status::Corruption("a deleted row is listed twice: {} of {} differ", out.cardinality(),
                              rows);
  }
  return out;
}

Result<RoaringBitmap> ReadDeletionFile(const TablePaths& paths, const proto::Fragment& fragment,
                                       ReadCounters* reads) {
  const proto::DeletionFile& file = *fragment.deletion;
  PCHRONICLE_ASSIGN_OR_RETURN(
      const FilePlace place,
      paths.Locate(FileKind::kDeletion, file.Name(fragment.id), file.base_id));
  const Result<std::string> bytes = io::ReadAll(*place.store, place.path, kMaxDeletionBytes);
  if (!bytes.ok()) {
    // Errors carry the path once.
    return bytes.status().message().starts_with(place.path)
               ? bytes.status()
               : bytes.status().WithContext(place.path);
  }
  ++reads->read_calls;
  reads->bytes_read += bytes->size();
  Result<RoaringBitmap> deleted = file.kind == proto::DeletionFile::Kind::kBitmap
                                      ? RoaringBitmap::Decode(*bytes)
                                      : DecodeArrowDeletions(*bytes, file.deleted_rows);
  if (!deleted.ok()) {
    return deleted.status().WithContext(place.path);
  }
  if (deleted->cardinality() != file.deleted_rows) {
    return Status::Corruption("{}: {} deleted rows, the manifest says {}", place.path,
                              deleted->cardinality(), file.deleted_rows);
  }
  if (deleted->CountIn(0, fragment.physical_rows) != file.deleted_rows) {
    return Status::Corruption("{}: a deleted row lies behind the {} rows of fragment {}",
                              place.path, fragment.physical_rows, fragment.id);
  }
  return deleted;
}

}  // namespace pchronicle::lance
