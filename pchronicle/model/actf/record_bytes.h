#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::model::actf {

/// The bytes of one record for a second look, after it was skimmed: held whole when small, read
/// again from the input otherwise, so that a giant record costs no memory. Not thread-safe.
class RecordBytes {
 public:
  /// Records up to this size are held.
  static constexpr uint64_t kHoldBytes = 2 << 20;

  RecordBytes(const json::ByteInput& input, const json::CursorOptions& options)
      : input_(&input), options_(options) {}

  /// Moves to the record [begin, end). Reads nothing yet.
  void SetRecord(uint64_t begin, uint64_t end);
  /// A cursor over [begin, end) of the record, offsets as in the file.
  Result<std::unique_ptr<json::Cursor>> Open(uint64_t begin, uint64_t end);
  /// The text of [begin, end): a view of the held record, else a copy in `arena`.
  Result<std::string_view> Text(uint64_t begin, uint64_t end, Arena& arena);
  /// Adds the counters of a cursor that Open gave and that is about to go.
  void Account(const json::Cursor& cursor);

  uint64_t bytes_read() const { return bytes_read_; }
  uint64_t buffer_peak_bytes() const { return buffer_peak_; }

 private:
  Status Hold();
  Status ReadRange(uint64_t begin, char* out, size_t size);

  const json::ByteInput* input_;
  json::CursorOptions options_;
  std::string held_;
  bool is_held_ = false;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t buffer_peak_ = 0;
};

}  // namespace pchronicle::model::actf
