#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/openai/row_bytes.h"

namespace pchronicle::model::openai {

/// Which turn of a session each tool result belongs to (formats.md 4.5). Every row repeats the tool
/// messages of its history: those are matched against what is known and dropped, so that only new
/// results are held.
///
/// A call id that one turn issued takes each different result once. An id that several turns issued
/// (BR-06) is matched by occurrence: the results that a row lists are the known ones in their
/// order, then new ones, which go to the latest issuer; a result that stands directly before the
/// answer which issues the id again, as our encoder writes it, goes to that answer.
class ResultLedger {
 public:
  static constexpr uint32_t kNoTurn = UINT32_MAX;

  /// A new session. Texts that are kept go to `arena`.
  void Reset(Arena* arena);
  /// A turn issues a call. `call_id` must live as long as the session. True when the id was issued
  /// before.
  bool AddCall(std::string_view call_id, uint32_t turn);

  /// Starts a row. `answer` is the number that its response turn will have (kNoTurn: none),
  /// `answer_calls` the ids which that turn issues.
  void StartRow(uint32_t answer, const std::vector<std::string_view>* answer_calls);
  /// One tool message of the row. `id` is the id as written (a JSON string), `call_id` the same
  /// decoded; `content` stands in `values`; `fresh`: no assistant message stands between the row's
  /// last user message and it. False when there is no turn it could belong to.
  Result<bool> AddResult(const json::Raw& id, std::string_view call_id, const Span& content,
                         ValueSource& values, bool fresh, Arena& scratch);

  /// The session is complete: from here on its turns may be asked for their results.
  void Seal();
  /// `{"results":[...]}` of one turn, results in the order in which they came; absent when it has
  /// none.
  json::Raw Observation(uint32_t turn, Arena& arena) const;
  bool HasResults(uint32_t turn) const;
  /// Repeated results that were dropped, over all sessions.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Entry {
    uint32_t turn = kNoTurn;
    json::Raw id;
    json::Raw content;  // as written; absent: missing
    uint64_t hash = 0;  // of the content's cell
  };
  struct Call {
    std::vector<uint32_t> turns;    // issuers, ascending
    std::vector<uint32_t> results;  // indexes of results_
    uint64_t row = 0;               // row that `next` belongs to
    size_t next = 0;                // first known result which that row has not repeated yet
  };
  size_t FindBytes(const Call& call, size_t from, std::string_view bytes) const;
  size_t FindCell(const Call& call, size_t from, std::string_view cell, uint64_t hash,
                  Arena& scratch) const;
  std::pair<size_t, size_t> ResultsOf(uint32_t turn) const;
  uint32_t TargetOf(const Call& call, bool answer_issues, bool fresh) const;

  Arena* arena_ = nullptr;
  std::unordered_map<std::string_view, Call> calls_;
  std::vector<Entry> results_;
  std::vector<uint32_t> by_turn_;  // indexes of results_, once sealed
  uint64_t row_ = 0;
  uint32_t answer_ = kNoTurn;
  const std::vector<std::string_view>* answer_calls_ = nullptr;
  uint64_t dropped_ = 0;
};

}  // namespace pchronicle::model::openai
