#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::json::testing_support {

/// Text in pieces of at most `step` bytes: short reads everywhere.
class ChunkedSource final : public ByteSource {
 public:
  ChunkedSource(std::string text, size_t step) : text_(std::move(text)), step_(step) {}

  Result<size_t> Read(std::span<char> out) override {
    const size_t n = std::min({out.size(), step_, text_.size() - at_});
    if (n != 0) {
      std::memcpy(out.data(), text_.data() + at_, n);
    }
    at_ += n;
    return n;
  }

 private:
  std::string text_;
  size_t step_;
  size_t at_ = 0;
};

/// What a caller sees of a cursor when `choices` (used round and round) decide what is done with
/// each value: one line per event, errors with their place. In line mode every line is walked.
class EventLog {
 public:
  EventLog(Cursor& cursor, std::string_view choices) : cursor_(cursor), choices_(choices) {}

  std::string Run(bool line_mode) {
    if (!line_mode) {
      Values();
      return log_;
    }
    bool more = true;
    while (more) {
      cursor_.EnterLine();
      Values();
      bool had_line_feed = false;
      more = cursor_.LeaveLine(&had_line_feed);
      Add("line", had_line_feed ? "feed" : "end");
    }
    return log_;
  }

 private:
  void Add(std::string_view what, std::string_view detail = {}) {
    log_.append(what)
        .append(" ")
        .append(detail)
        .append("@")
        .append(std::to_string(cursor_.offset()))
        .append("\n");
  }
  unsigned Choice() {
    if (choices_.empty()) {
      return 0;
    }
    return static_cast<unsigned char>(choices_[at_++ % choices_.size()]);
  }

  void Values() {
    while (cursor_.ok() && !cursor_.AtEnd() && cursor_.ok()) {
      Value();
      if (Choice() % 4 == 0) {
        cursor_.ReleaseViews();
      }
    }
    if (!cursor_.ok()) {
      log_.append(cursor_.status().ToString()).append(cursor_.truncated() ? " truncated" : "");
      log_.append(" at ").append(std::to_string(cursor_.error_offset())).append("\n");
    }
  }

  void Value() {
    const unsigned choice = Choice();
    const Kind kind = choice % 16 == 15 ? Kind::kAbsent : cursor_.Peek();
    const uint32_t depth = cursor_.depth();
    Raw raw;
    std::string_view text;
    switch (choice % 8) {
      case 0:
        cursor_.Skip();
        return Add("skip");
      case 1:
        if (cursor_.Capture(&raw)) {
          Add("capture", raw.text);
          Add("kind", std::to_string(static_cast<int>(raw.kind)) + " " + std::to_string(raw.flags));
        }
        return;
      case 2:
        if (kind == Kind::kString || choice % 16 == 2) {
          if (cursor_.ReadString(&text)) {
            Add("text", text);
          }
          return;
        }
        [[fallthrough]];
      default:
        break;
    }
    if (kind == Kind::kObject) {
      cursor_.BeginObject();
      Add("{");
      std::string_view key;
      while (cursor_.NextKey(&key)) {
        Add("key", key);
        Value();
        if (Choice() % 32 == 31) {
          cursor_.SkipToDepth(depth);
          return Add("leave");
        }
      }
      return Add("}");
    }
    if (kind == Kind::kArray) {
      cursor_.BeginArray();
      Add("[");
      while (cursor_.NextElement()) {
        Add("element");
        Value();
        if (Choice() % 32 == 31) {
          cursor_.SkipToDepth(depth);
          return Add("leave");
        }
      }
      return Add("]");
    }
    cursor_.Skip();
    Add("scalar");
  }

  Cursor& cursor_;
  std::string_view choices_;
  size_t at_ = 0;
  std::string log_;
};

/// The log of a cursor that reads `text` through a small window, `step` bytes at a time; in memory
/// with window 0.
inline std::string Events(std::string_view text, std::string_view choices, bool line_mode,
                          size_t window, size_t step, CursorOptions options = {}) {
  options.window_bytes = window;
  Cursor cursor =
      window == 0 ? Cursor(text, 0, options)
                  : Cursor(std::make_unique<ChunkedSource>(std::string(text), step), 0, options);
  return EventLog(cursor, choices).Run(line_mode);
}

/// Text, then a read error.
class FailingSource final : public ByteSource {
 public:
  explicit FailingSource(std::string text) : text_(std::move(text)) {}

  Result<size_t> Read(std::span<char> out) override {
    if (text_.empty()) {
      return Status::Io("disk on fire");
    }
    const size_t n = std::min(out.size(), text_.size());
    std::memcpy(out.data(), text_.data(), n);
    text_.erase(0, n);
    return n;
  }

 private:
  std::string text_;
};

}  // namespace pchronicle::json::testing_support
