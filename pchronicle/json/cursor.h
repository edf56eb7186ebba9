#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::json {

struct CursorOptions {
  size_t window_bytes = 256 << 10;  // one read; also what an unheld value may cost; at least 64
  uint64_t max_record_bytes =
      1ULL << 30;            // bytes of captured values held at once, since ReleaseViews (D14)
  uint32_t max_depth = 128;  // formats.md 1.1; at most 1024
};

/// Pull reader over JSON of any size through one window (D29): the same code for small and giant
/// records. Skipped values are checked for structure only (strings closed, brackets matched, depth)
/// and cost no memory; captured values are fully validated and held contiguously.
///
/// Use: Peek / BeginObject + NextKey loop / BeginArray + NextElement loop / Skip / Capture. After a
/// call returned false, ok() tells the end of a container from an error; an error is final. Not
/// thread-safe.
///
///   if (!c.BeginObject()) return c.status();
///   for (std::string_view key; c.NextKey(&key);) {
///     if (key == "steps") ... else c.Skip();
///   }
///   PCHRONICLE_RETURN_IF_ERROR(c.status());
///
/// Views (keys are valid until the next call; captured values until ReleaseViews) stay valid across
/// refills.
class Cursor {
 public:
  /// Reads from `source`, whose first byte has offset `base_offset` in its file.
  Cursor(std::unique_ptr<ByteSource> source, uint64_t base_offset, CursorOptions options = {});
  /// Whole text in memory; views point into `text`.
  explicit Cursor(std::string_view text, uint64_t base_offset = 0, CursorOptions options = {});
  ~Cursor();
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;

  /// Kind of the value at the cursor, blanks skipped. kAbsent: end of the input (or of the line),
  /// or an error. NaN, Infinity and -Infinity count as kNull.
  Kind Peek();
  /// Consumes '{'. Error when the value is no object.
  bool BeginObject();
  /// Consumes [','] key ':'; the key decoded. False when it consumed '}' or on error.
  bool NextKey(std::string_view* key);
  bool BeginArray();
  /// True: an element is next. False when it consumed ']' or on error.
  bool NextElement();
  /// Consumes one value without looking into it.
  bool Skip();
  /// Consumes, validates and returns one value.
  bool Capture(Raw* out);
  /// Consumes a string; any other kind is an error. `out` is decoded, valid until ReleaseViews.
  bool ReadString(std::string_view* out);
  /// Leaves all open containers of this value: skips to behind the bracket that closes depth
  /// `depth` (as depth() gave it before BeginObject/BeginArray of that container).
  bool SkipToDepth(uint32_t depth);

  /// True when only blanks are left before the end of the input (in line mode: of the line).
  bool AtEnd();

  /// Lets the cursor forget buffers that captured views point into.
  void ReleaseViews();

  /// File offset of the next byte not consumed.
  uint64_t offset() const;
  /// Open containers.
  uint32_t depth() const;
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  /// File offset where the error stands; offset() when there is none.
  uint64_t error_offset() const;
  /// True when the error is an input that ended inside a value (a cut-off tail, not damage).
  bool truncated() const;
  /// Makes a semantic error of the caller the cursor's final error, placed at `at`.
  void Fail(Status status, uint64_t at);

  // -- Line mode: '\n' ends a record. --

  /// From here on the input ends at the next line feed (which AtEnd and Peek never cross).
  void EnterLine();
  /// Skips to behind the line feed and clears an error; false at the end of the input.
  /// `*had_line_feed` tells whether the line just left had one.
  bool LeaveLine(bool* had_line_feed);

  // -- Counters (LZY-07) --
  uint64_t bytes_read() const;
  uint64_t buffer_peak_bytes() const;

 private:
  friend class RecordStream;
  struct Impl;

  /// Takes over the failure of impl_, if there is one. Always false.
  bool Settle();
  /// The failure says that the text is no JSON (not: too large, I/O, or a meaning that the caller
  /// objects to).
  bool parse_failure() const;
  void FailAsSyntax(Status status, uint64_t at);
  /// Clears a failure after which structure is still known (Fail, a value of another kind). False
  /// when another stands.
  bool ForgiveSemanticFailure();

  std::unique_ptr<Impl> impl_;
  Status status_;
};

}  // namespace pchronicle::json
