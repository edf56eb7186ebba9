#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::openai {

/// Where one value stands: bytes [begin, end) of a file or of a decoded text.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
  json::Kind kind = json::Kind::kAbsent;

  bool present() const { return kind != json::Kind::kAbsent; }
  bool has_value() const { return kind != json::Kind::kAbsent && kind != json::Kind::kNull; }
};

/// Bytes that spans point into.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// Validates and returns the value; absent for an absent span. Views live as long as the source
  /// stands where it is, or in `arena`.
  virtual Result<json::Raw> Capture(const Span& span, Arena& arena) = 0;
  /// The bytes as they stand where they are in memory anyway, else nothing: a cheap first
  /// comparison.
  virtual std::string_view Bytes(const Span& span) const = 0;
};

/// JSON text that was decoded out of a string of the file.
class DecodedText final : public ValueSource {
 public:
  DecodedText() = default;
  explicit DecodedText(std::string_view text) : text_(text) {}
  Result<json::Raw> Capture(const Span& span, Arena& arena) override;
  std::string_view Bytes(const Span& span) const override;

 private:
  std::string_view text_;
};

/// The bytes of one row after the other. Rows of usual size are held whole, and rows that follow
/// each other in the file are read sequentially; a giant row stays in the file and is walked
/// through the cursor's window, so that only the values asked for are held. Not thread-safe.
class RowBytes final : public ValueSource {
 public:
  /// Rows up to this size are held whole.
  static constexpr uint64_t kHeldRow = 1 << 20;

  RowBytes(const json::ByteInput& input, const json::CursorOptions& options);

  /// Moves to the row at [offset, offset + length). Views of the row before are invalid then.
  Status Move(uint64_t offset, uint64_t length);
  /// A cursor at the first byte of the row.
  Result<json::Cursor> MakeCursor();

  Result<json::Raw> Capture(const Span& span, Arena& arena) override;
  std::string_view Bytes(const Span& span) const override;

  /// Where the last value that could not be captured is wrong.
  uint64_t error_offset() const { return error_offset_; }
  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t buffer_bytes() const { return buffer_.capacity(); }

 private:
  Status Fill(uint64_t offset, uint64_t length);
  Status ReadInto(json::ByteSource& source, std::span<char> out);

  const json::ByteInput& input_;
  json::CursorOptions options_;
  uint64_t offset_ = 0;
  uint64_t length_ = 0;
  bool held_ = false;

  std::unique_ptr<json::ByteSource> source_;
  std::vector<char> buffer_;
  uint64_t window_begin_ = 0;  // file offset of buffer_[0]
  size_t window_size_ = 0;     // filled bytes
  uint64_t bytes_read_ = 0;
  uint64_t error_offset_ = 0;
};

/// Validates `text` as exactly one JSON value; absent when it is anything else.
json::Raw ParseText(std::string_view text, const json::CursorOptions& options = {});

}  // namespace pchronicle::model::openai
