#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/output_selection.h"
#include "pchronicle/model/openai/row_loader.h"
#include "pchronicle/model/openai/session_facts.h"

namespace pchronicle::model::openai {

/// What the residual walk has to know of a row beside its members.
struct RowOutcome {
  const Output* output = nullptr;
  const RowFacts* facts = nullptr;
  std::string_view session_id;
  std::string_view run_id;
  uint64_t row = 0;
  int64_t step_id = 0;
  Text stated_agent_id;                             // first `agent_id` of the session
  const std::vector<size_t>* unattached = nullptr;  // messages whose tool result had no turn
  bool has_turn = false;                            // the row makes a turn at all
};

/// Records what of a row the hub has no place for (formats.md 4.8), and checks the types of what it
/// has.
class RowResiduals {
 public:
  /// `meta_json.source` may only be judged at the session's end: noted in `sources`.
  struct PendingSource {
    std::string pointer;
    json::Raw value;  // in the session's arena
    uint64_t row = 0;
  };
  RowResiduals(MemberReader& reader, Arena& session_arena, std::vector<PendingSource>* sources)
      : reader_(reader), arena_(session_arena), sources_(sources) {}

  Status Record(LoadedRow& row, const RowOutcome& outcome);

 private:
  Status WholeRow(LoadedRow& row);
  Status RowMember(LoadedRow& row, RowKey key, const RowOutcome& outcome);
  void TextMember(RowKey key, const json::Raw& raw, std::string_view consumed);
  void MetaJson(const json::Raw& raw, const RowOutcome& outcome);
  void EnvState(const json::Raw& raw, const RowOutcome& outcome);
  Status Messages(LoadedRow& row, const RowOutcome& outcome);
  Status Message(const MessageList& list, const MessageShape& shape, ValueSource& values,
                 const std::string& base, bool is_response, bool served_refusal, bool keep_all,
                 Arena& scratch);
  void Calls(const json::Raw& tool_calls, const std::string& base);

  MemberReader& reader_;
  Arena& arena_;
  std::vector<PendingSource>* sources_;
};

}  // namespace pchronicle::model::openai
