#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::actf {

/// A trajectory that is an array of events (formats.md 5.5). A result may belong to any earlier
/// turn, so the turns of one attempt are held, without the members that nobody asked for. Not
/// thread-safe.
class EventLog {
 public:
  explicit EventLog(FieldMask fields) : fields_(fields) {}

  /// Starts an attempt; texts are kept in `arena`. `members` tells whose diagnostics.
  void Begin(Arena& arena, const MemberReader::Target& target, std::string pointer);
  /// Consumes the event at the cursor. Not ok: the cursor's error.
  Status ReadEvent(json::Cursor& cursor, size_t index);
  /// Composes what was folded; the turns are then complete.
  void Finish();

  size_t size() const { return turns_.size(); }
  const Turn& turn(size_t index) const { return turns_[index].turn; }
  /// `{"id":..,"state":{"cwd":..}}`, absent when no session event told either.
  json::Raw Env() const;
  Text model() const { return model_; }
  /// Of the first and the last event that has one; the epoch when none has.
  Timestamp started_at();
  Timestamp finished_at();

 private:
  struct HeldTurn {
    Turn turn;
    std::string results;  // minified, joined by commas
    uint8_t flags = 0;
  };
  struct CallPlace {
    size_t turn;
    size_t call;
  };

  void ReadMessage(const json::Raw& message, const json::Raw& timestamp);
  void AddAssistantParts(const json::Raw& content, HeldTurn* held);
  void AddCall(const json::Raw& part, HeldTurn* held);
  void AddResult(const json::Raw& message, HeldTurn* unmatched);
  bool Fold(const json::Raw& message, const json::Raw& text);
  json::Raw JoinTexts(const json::Raw& content, std::string_view type, std::string_view member);
  Text Decode(const json::Raw& raw);

  bool wants(Field field) const { return fields_.has(field); }

  const FieldMask fields_;
  Arena* arena_ = nullptr;
  MemberReader members_;
  std::string pointer_;
  std::vector<HeldTurn> turns_;
  std::unordered_map<std::string_view, CallPlace> calls_;  // id -> its latest call
  int64_t messages_ = 0;
  json::Raw session_id_;
  json::Raw cwd_;
  Text model_;
  json::Raw first_time_;
  json::Raw last_time_;
};

}  // namespace pchronicle::model::actf
