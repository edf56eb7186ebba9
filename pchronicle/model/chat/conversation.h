#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/chat/call_ledger.h"
#include "pchronicle/model/chat/message.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::chat {

/// Builds the turns of one conversation from its messages (HF-02 to HF-05, HF-09, SRC-10 to
/// SRC-16). Results go to the turn of their call, so all turns are built before the first can be
/// handed on. Not thread-safe.
class Conversation {
 public:
  explicit Conversation(FieldMask fields) : fields_(fields) {}

  /// Starts a document. Text goes to `arena`; `target` tells whose diagnostics and residuals.
  void Begin(Arena& arena, const MemberReader::Target& target);
  /// `system` of the row: the first turn, unless a list that follows has a system message of its
  /// own.
  void SetSystem(const json::Raw& text) { system_ = text; }
  /// Appends a list of messages, or one message alone. `pointer` is where it stands in the source.
  void Add(const json::Raw& messages, std::string_view pointer);
  /// Completes the turns.
  void Finish();

  size_t size() const { return turns_.size(); }
  const Turn& turn(size_t index) const { return turns_[index].turn; }

 private:
  struct Built {
    Turn turn;
    std::string results;  // minified, joined by commas
    size_t result_count = 0;
    uint8_t flags = 0;
  };

  void AddMessage(const json::Raw& object, std::string_view pointer);
  void AddSystemFirst(const json::Raw& messages);
  Built& NewTurn(std::string_view source, const json::Raw& message);
  void AddSpoken(const Message& message, Speaker speaker, std::string_view role,
                 const json::Raw& object);
  void AddCalls(const Message& message, Built* built);
  void AddCall(const json::Raw& id, const json::Raw& function, const json::Raw& arguments,
               size_t index, size_t turn);
  void AddShareGptCall(const Message& message);
  void AddResult(const Message& message);
  void AppendResult(Built* built, std::string_view source_call_id, const json::Raw& unlinked_id,
                    const Message& message);
  json::Raw Shape(const json::Raw& content, bool is_agent);
  Text Reasoning(const Message& message);
  json::Raw MessageExtra(const json::Raw& object);
  Text Decode(const json::Raw& raw);

  bool wants(Field field) const { return fields_.has(field); }

  const FieldMask fields_;
  Arena* arena_ = nullptr;
  MemberReader members_;
  CallLedger ledger_;
  std::vector<Built> turns_;
  json::Raw system_;
  size_t position_ = 0;     // of the message in its document
  bool has_agent_ = false;  // an agent turn exists
  size_t last_agent_ = 0;
};

}  // namespace pchronicle::model::chat
