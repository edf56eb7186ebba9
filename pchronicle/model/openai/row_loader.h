#pragma once

#include <cstdint>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/row_bytes.h"
#include "pchronicle/model/openai/row_index.h"
#include "pchronicle/model/openai/row_shape.h"

namespace pchronicle::model::openai {

/// One row of the second pass: where its values stand, and how to get at them. Values live until
/// the next row is loaded.
struct LoadedRow {
  const RowEntry* entry = nullptr;
  RowShape shape;
  Arena arena{16 << 10};  // of this row only

  ValueSource* values = nullptr;           // of the row's members
  ValueSource* message_values = nullptr;   // of the members of shape.messages
  ValueSource* response_values = nullptr;  // of the members of shape.response
  bool has_messages = false;               // `messages` (or `messages_json`) is an array
  bool used_messages_json = false;
  bool used_response_json = false;

  const MessageShape* response() const {
    return shape.response.messages.empty() ? nullptr : &shape.response.messages.front();
  }
  Result<json::Raw> Capture(RowKey key) { return values->Capture(shape.at(key), arena); }

  DecodedText messages_text;
  DecodedText response_text;
};

/// Loads rows one after the other (STL-129, second pass). Not thread-safe.
class RowLoader {
 public:
  RowLoader(const json::ByteInput& input, const json::CursorOptions& cursor,
            const ShapeOptions& shape)
      : options_(cursor), bytes_(input, cursor), scanner_(shape) {}

  /// Scans the row and decodes `messages` and `response` where they are text (`json_in_text`).
  /// `reader` gets diagnostics and what has the wrong type; its base is the row's pointer.
  Status Load(const RowEntry& entry, MemberReader& reader, LoadedRow* row);
  /// Where the last error stands.
  uint64_t error_offset() const { return scan_error_ != 0 ? scan_error_ : bytes_.error_offset(); }
  uint64_t bytes_read() const { return bytes_.bytes_read(); }
  uint64_t buffer_bytes() const { return bytes_.buffer_bytes(); }

 private:
  Status ReadMessages(MemberReader& reader, LoadedRow* row);
  Status ReadResponse(MemberReader& reader, LoadedRow* row);

  json::CursorOptions options_;
  RowBytes bytes_;
  ShapeScanner scanner_;
  uint64_t scan_error_ = 0;
};

}  // namespace pchronicle::model::openai
