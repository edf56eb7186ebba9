#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/output_selection.h"
#include "pchronicle/model/openai/result_ledger.h"
#include "pchronicle/model/openai/session_facts.h"

namespace pchronicle::model::openai {

/// Builds the turns of one session row by row (formats.md 4.4 to 4.6): context once, then per row
/// request and response. Holds new turns only; the history that rows repeat is matched and dropped.
class TurnBuilder {
 public:
  TurnBuilder(FieldMask fields, bool strict) : fields_(fields), strict_(strict) {}

  /// A new session; text goes to `arena`.
  void Reset(Arena* arena);
  /// `reader` stands at the row and gets its diagnostics.
  Status AddRow(LoadedRow& row, const Output& output, const RowFacts& facts, MemberReader& reader);
  /// All rows are in: completes observations.
  void Finish();

  std::vector<Turn>& turns() { return turns_; }
  /// Messages of the last row whose tool result had no turn to go to.
  const std::vector<size_t>& unattached() const { return unattached_; }
  /// The last row made a turn that carries `created_at`.
  bool last_row_has_turn() const { return last_row_has_turn_; }
  uint64_t results_dropped() const { return ledger_.dropped(); }

 private:
  bool wants(Field field) const { return fields_.has(field); }
  Status AddContext(LoadedRow& row, size_t end, MemberReader& reader);
  Status AddRequest(LoadedRow& row, size_t message, int64_t id, const RowFacts& facts,
                    MemberReader& reader);
  Status BuildResponse(const Output& output, int64_t step_id, const RowFacts& facts, LoadedRow& row,
                       MemberReader& reader, Turn* turn);
  Status AddToolMessages(LoadedRow& row, std::optional<size_t> last_user, bool has_response);
  Status RegisterCalls(const Turn& turn, uint32_t index, MemberReader& reader);
  void ReadEmbeddedCall(const json::Raw& content, int64_t step_id, Arena& scratch, Turn* turn);
  Turn& AddTurn(int64_t id, std::string_view source, std::string_view kind);
  json::Raw Message(const json::Raw& content, MemberReader& reader);

  FieldMask fields_;
  bool strict_;
  Arena* arena_ = nullptr;
  Arena scratch_{16 << 10};
  std::vector<Turn> turns_;
  ResultLedger ledger_;
  int64_t context_count_ = 0;
  bool first_row_ = true;
  bool last_row_has_turn_ = false;
  std::vector<size_t> unattached_;
  std::vector<std::string_view> answer_calls_;
};

}  // namespace pchronicle::model::openai
