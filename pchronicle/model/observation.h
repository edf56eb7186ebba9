#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// How a result belongs to a call of its step (catalog.md 6.1): named by id, by equal position
/// only, or not at all.
enum class ResultLink : uint8_t { kId, kPosition, kNone };
std::string_view ResultLinkName(ResultLink link);

/// One result of a step: an element of `observation.results`, a whole observation of another shape,
/// or the inline result of a call. Views into the turn's raw text or the arena of the parse.
struct ResultView {
  json::Raw value;               // as it stands
  json::Raw content;             // has_value() or absent
  json::Raw subagent_refs;       // the same
  json::Raw extra;               // the result's own member
  Text call_id;                  // as written: source_call_id, failing that tool_call_id
  std::optional<bool> is_error;  // where stated
  std::optional<int64_t> exit_code;
  ResultLink link = ResultLink::kNone;
  bool is_inline = false;
  bool has_more = false;  // members that no other field holds: AppendExtra merges them
  uint32_t call = 0;      // index of the linked call when link is not kNone

  // What the fields above hold, for AppendExtra.
  bool holds_source_id = false;
  bool holds_tool_id = false;
  bool holds_is_error = false;
  bool holds_exit_code = false;
};

/// What a source states about one call (catalog.md 6.1 `tool_calls`).
struct CallFacts {
  std::optional<bool> is_error;      // any true wins
  std::optional<int64_t> exit_code;  // response.exit_code, else the first of a linked result
  int64_t result_count = 0;          // linked by id, the inline result included
};

/// Splits a turn's observation into results and links them to its calls (STL-035, formats.md 1.10
/// and 3.7): a result that names a call id belongs to that call; when several calls share the id
/// the n-th such result to the n-th such call, surplus ones to the last. Keeps its buffers between
/// turns. Not thread-safe.
class ObservationParser {
 public:
  /// Results in array order, then inline ones in call order. Decoded ids go to `arena`.
  void Parse(const Turn& turn, Arena& arena);
  const std::vector<ResultView>& results() const { return results_; }
  /// Results that name an id which no call of the step has (`unlinked_observation_result`).
  size_t dangling() const { return dangling_; }
  /// Results that are not linked by id.
  size_t unlinked() const { return unlinked_; }

  /// Of call `index` of the parsed turn.
  CallFacts Facts(const ToolCall& call, uint32_t index) const;
  /// `[..]` of the observation results linked by id to the call (`tool_calls.results`), as minified
  /// JSON text.
  void AppendResults(uint32_t call, Arena& scratch, std::string& out) const;
  /// Texts of the results linked by id, joined by a blank line; false when none has text.
  bool AppendText(uint32_t call, Arena& scratch, std::string& out) const;

 private:
  static constexpr uint32_t kNoResult = UINT32_MAX;

  void AddResult(const json::Raw& value, Arena& arena);
  void LinkIds(const Turn& turn);
  void LinkPositions(const Turn& turn);
  void AddInline(const Turn& turn);
  void IndexByCall(size_t calls);
  uint32_t FirstOf(uint32_t call) const {
    return call < first_of_call_.size() ? first_of_call_[call] : kNoResult;
  }

  std::vector<ResultView> results_;
  std::vector<uint32_t> by_id_;  // indices of calls, ordered by (id, index)
  std::vector<uint32_t> taken_;  // per group of equal ids, at the group's first place in by_id_
  std::vector<uint32_t> first_of_call_;  // first result linked by id, or kNoResult
  std::vector<uint32_t> next_result_;    // next one of the same call
  bool any_id_ = false;
  size_t dangling_ = 0;
  size_t unlinked_ = 0;
};

/// The `extra` cell: the result's own extra with the members merged that no column holds; appends
/// nothing when there is neither. Appends minified JSON text to `out`; `scratch` is for pieces.
void AppendExtra(const ResultView& result, Arena& scratch, std::string& out);

}  // namespace pchronicle::model
