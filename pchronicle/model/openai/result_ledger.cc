#include "pchronicle/model/openai/result_ledger.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::openai {
namespace {

/// Minified text; a missing content counts as null.
std::string_view Cell(const json::Raw& raw, Arena& arena) {
  return raw.present() ? json::CellText(raw, json::Surrogates::kKeep, arena) : "null";
}

}  // namespace

void ResultLedger::Reset(Arena* arena) {
  arena_ = arena;
  calls_.clear();
  results_.clear();
  by_turn_.clear();
  row_ = 0;
}

bool ResultLedger::AddCall(std::string_view call_id, uint32_t turn) {
  Call& call = calls_[call_id];
  const bool repeated = !call.turns.empty();
  if (!repeated || call.turns.back() != turn) {
    call.turns.push_back(turn);
  }
  return repeated;
}

void ResultLedger::StartRow(uint32_t answer, const std::vector<std::string_view>* answer_calls) {
  ++row_;
  answer_ = answer;
  answer_calls_ = answer_calls;
}

/// The turn that a new result of a call goes to.
uint32_t ResultLedger::TargetOf(const Call& call, bool answer_issues, bool fresh) const {
  if (call.turns.empty()) {
    return answer_;
  }
  const uint32_t latest = call.turns.back();
  if (!answer_issues || !fresh) {
    return latest;
  }
  const bool latest_has =
      std::any_of(call.results.begin(), call.results.end(),
                  [this, latest](uint32_t result) { return results_[result].turn == latest; });
  return latest_has ? answer_ : latest;
}

Result<bool> ResultLedger::AddResult(const json::Raw& id, std::string_view call_id,
                                     const Span& content, ValueSource& values, bool fresh,
                                     Arena& scratch) {
  auto found = calls_.find(call_id);
  if (found == calls_.end()) {
    if (answer_ == kNoTurn) {
      return false;
    }
    found = calls_.emplace(arena_->Copy(call_id), Call{}).first;
  }
  Call& call = found->second;
  const bool answer_issues =
      answer_calls_ != nullptr &&
      std::find(answer_calls_->begin(), answer_calls_->end(), call_id) != answer_calls_->end();
  const bool repeated = call.turns.size() + (answer_issues ? 1 : 0) > 1;
  if (call.row != row_) {
    call.row = row_;
    call.next = 0;
  }
  // History is mostly repeated byte by byte; then nothing needs to be parsed.
  const size_t from = repeated ? call.next : 0;
  size_t same =
      content.has_value() ? FindBytes(call, from, values.Bytes(content)) : call.results.size();
  Entry entry;
  if (same == call.results.size()) {
    PCHRONICLE_ASSIGN_OR_RETURN(entry.content, values.Capture(content, scratch));
    const std::string_view cell = Cell(entry.content, scratch);
    entry.hash = std::hash<std::string_view>{}(cell);
    same = FindCell(call, from, cell, entry.hash, scratch);
  }
  if (same < call.results.size()) {
    call.next = same + 1;
    ++dropped_;
    return true;
  }
  entry.turn = TargetOf(call, answer_issues, fresh);
  if (entry.turn == kNoTurn) {
    return false;
  }
  entry.content = Own(entry.content, *arena_);
  entry.id = Own(id, *arena_);
  results_.push_back(entry);
  call.results.push_back(static_cast<uint32_t>(results_.size() - 1));
  call.next = call.results.size();
  return true;
}

/// Position in call.results of the first result from `from` on that is written with `bytes`; past
/// the end when none is.
size_t ResultLedger::FindBytes(const Call& call, size_t from, std::string_view bytes) const {
  for (size_t i = from; i < call.results.size() && !bytes.empty(); ++i) {
    if (results_[call.results[i]].content.text == bytes) {
      return i;
    }
  }
  return call.results.size();
}

/// The like by minified text: blanks between tokens make no difference.
size_t ResultLedger::FindCell(const Call& call, size_t from, std::string_view cell, uint64_t hash,
                              Arena& scratch) const {
  for (size_t i = from; i < call.results.size(); ++i) {
    const Entry& known = results_[call.results[i]];
    if (known.hash == hash && Cell(known.content, scratch) == cell) {
      return i;
    }
  }
  return call.results.size();
}

void ResultLedger::Seal() {
  by_turn_.resize(results_.size());
  std::iota(by_turn_.begin(), by_turn_.end(), 0U);
  std::stable_sort(by_turn_.begin(), by_turn_.end(),
                   [this](uint32_t a, uint32_t b) { return results_[a].turn < results_[b].turn; });
}

/// Range of by_turn_.
std::pair<size_t, size_t> ResultLedger::ResultsOf(uint32_t turn) const {
  const auto begin = std::lower_bound(
      by_turn_.begin(), by_turn_.end(), turn,
      [this](uint32_t result, uint32_t wanted) { return results_[result].turn < wanted; });
  auto end = begin;
  while (end != by_turn_.end() && results_[*end].turn == turn) {
    ++end;
  }
  return {static_cast<size_t>(begin - by_turn_.begin()),
          static_cast<size_t>(end - by_turn_.begin())};
}

bool ResultLedger::HasResults(uint32_t turn) const {
  const auto [begin, end] = ResultsOf(turn);
  return begin < end;
}

json::Raw ResultLedger::Observation(uint32_t turn, Arena& arena) const {
  std::string text;
  uint8_t flags = 0;
  const auto [begin, end] = ResultsOf(turn);
  for (size_t i = begin; i < end; ++i) {
    const Entry& entry = results_[by_turn_[i]];
    text += text.empty() ? R"({"results":[{"source_call_id":)" : R"(,{"source_call_id":)";
    text += Cell(entry.id, arena);
    text += R"(,"content":)";
    text += Cell(entry.content, arena);
    text += '}';
    flags = static_cast<uint8_t>(flags | CellFlags(entry.id) | CellFlags(entry.content));
  }
  if (text.empty()) {
    return {};
  }
  text += "]}";
  return RawOf(text, json::Kind::kObject, flags, arena);
}

}  // namespace pchronicle::model::openai
