#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pchronicle/base/status.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::json {

/// How a file holds its records (formats.md 3.2).
enum class Container : uint8_t {
  kLines,     // .jsonl, .ndjson: each non-blank line is one record
  kDocument,  // one value, an array of records, or several values one after the other
};

struct Record {
  uint64_t ordinal = 0;   // 0-based, bad ones count
  uint64_t offset = 0;    // of its first byte
  bool in_array = false;  // element of a root array: `ordinal` is the element index
};

/// Byte range of a line file: records whose first byte lies in [begin, end) belong to it; `begin`
/// need not be a line start. Only for kLines; kDocument always reads all.
struct RecordRange {
  uint64_t begin = 0;
  uint64_t end = kToEnd;
  /// A reader of less cannot tell that the file holds no record.
  bool is_whole() const { return begin == 0 && end == kToEnd; }
};

/// Walks the records of one input. The caller takes cursor() at each record, consumes exactly one
/// value and calls Finish, or calls Abandon (Next abandons for a caller that did neither). A UTF-8
/// byte-order mark is skipped; Open fails on UTF-16 (CheckEncoding). Views stay valid until the
/// caller's cursor().ReleaseViews(). Not thread-safe.
class RecordStream {
 public:
  static Result<std::unique_ptr<RecordStream>> Open(const ByteInput& input, Container container,
                                                    RecordRange range = {},
                                                    CursorOptions options = {});
  ~RecordStream();

  /// Moves to the next record. False at the end or on a fatal error (status()).
  bool Next(Record* record);
  /// Ends the current record: the cursor's error if it has one, else checks what follows the value
  /// (anything but blanks on a line: `trailing data after JSON document`). After an error the
  /// caller still calls Abandon.
  Status Finish();
  Cursor& cursor();
  /// A fresh cursor at the first byte of the current record, for a second look; it stops at the
  /// record's end (line feed) in line files.
  Result<std::unique_ptr<Cursor>> Reopen() const;
  /// Gives the current record up. A line costs only itself (true: Next works on); an array element
  /// or object of a document costs itself if its structure is intact (the cursor is ok, failed by
  /// Fail, or was asked for another kind); otherwise nothing behind it is sure: false, and status()
  /// is the error.
  bool Abandon();

  /// Error that ended the stream (kDocument syntax, I/O, "trailing data after JSON document").
  const Status& status() const;
  /// Where that error, or the last one that Finish returned, stands in the file.
  uint64_t error_offset() const;
  /// Line file whose last line has no line feed and did not parse (BR-11): state "open", no error.
  /// A line that fits the window and whose structure is not whole is not handed out by Next, which
  /// ends the stream. Any other is handed out first; Finish or Abandon set this when it failed: ask
  /// after Abandon, before reporting any error of that record. What a caller knows in the end does
  /// not depend on the window.
  bool open_tail() const;
  uint64_t records() const;
  uint64_t bytes_read() const;
  uint64_t buffer_peak_bytes() const;

 private:
  RecordStream();
  bool NextLine(Record* record);
  bool NextInDocument(Record* record);
  void LeaveLine();
  bool SkipRest();
  void NoteOpenTail();
  bool LastLineIsCut();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where a byte of an input stands, for messages. Found by reading the input again: only errors pay
/// for it.
struct Place {
  uint64_t line = 1;         // 1-based physical line
  uint64_t byte_offset = 0;  // in the file, from 0
  std::string pointer;       // JSON pointer of the value at the offset, inside its record
};
/// `record_offset` is the first byte of the record that holds `offset`.
Result<Place> Locate(const ByteInput& input, uint64_t record_offset, uint64_t offset);

/// Repairs nothing, only looks: encoding of a file's first bytes. Message of UTF-16/UTF-32 input,
/// else ok.
Status CheckEncoding(std::string_view first_bytes);

}  // namespace pchronicle::json
