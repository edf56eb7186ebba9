#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/openai/corpus_keys.h"
#include "pchronicle/model/openai/row_bytes.h"

namespace pchronicle::model::openai {

enum class Role : uint8_t { kNone, kSystem, kUser, kAssistant, kTool, kOther };
std::string_view RoleName(Role role);

/// A member that is read by name only when residuals are asked for.
struct NamedSpan {
  std::string_view key;
  Span value;
};

/// Where the members of one message stand (formats.md 4.1). No text is held but keys.
struct MessageShape {
  Span whole;  // kind tells whether it is an object at all
  Role role = Role::kNone;
  Span role_value;
  Span content;
  Span refusal;
  Span reasoning;
  Span name;
  Span tool_call_id;
  Span tool_calls;
  uint32_t others_begin = 0;  // [begin, end) of MessageList::others
  uint32_t others_end = 0;

  bool is_object() const { return whole.kind == json::Kind::kObject; }
};

struct MessageList {
  std::vector<MessageShape> messages;
  std::vector<NamedSpan> others;

  void Clear() {
    messages.clear();
    others.clear();
  }
};

/// Where the members of one row stand.
struct RowShape {
  std::array<Span, kRowKeyCount> known;
  std::vector<NamedSpan> others;
  MessageList messages;  // of `messages` when it is an array
  MessageList response;  // one element when `response` is an object
  /// Keys of members that stood twice in one object, with the object's name.
  std::vector<std::string_view> repeated;

  const Span& at(RowKey key) const { return known[static_cast<size_t>(key)]; }
  Span& at(RowKey key) { return known[static_cast<size_t>(key)]; }
  void Clear();
};

struct ShapeOptions {
  bool keep_others = false;  // note members without a meaning (residuals)
  bool validate = false;     // check skipped values fully, not only their structure
};

/// Walks one row, skipping every value: only places are noted, so that the history which each row
/// repeats costs no memory. The cursor stands at the row's first byte and is behind it afterwards.
/// Keys go to `arena`.
class ShapeScanner {
 public:
  explicit ShapeScanner(const ShapeOptions& options) : options_(options) {}

  Status ScanRow(json::Cursor& cursor, Arena& arena, RowShape* shape);
  /// An array of messages at the cursor.
  Status ScanMessages(json::Cursor& cursor, Arena& arena, MessageList* list);
  /// One message at the cursor, of any kind.
  Status ScanMessage(json::Cursor& cursor, Arena& arena, MessageList* list);
  /// Of the last scan.
  std::vector<std::string_view>& repeated() { return repeated_; }

 private:
  bool ReadSpan(json::Cursor& cursor, Span* span);
  void Store(json::Cursor& cursor, std::string_view key, Span* slot, Arena& arena);

  ShapeOptions options_;
  std::vector<std::string_view> repeated_;
};

}  // namespace pchronicle::model::openai
