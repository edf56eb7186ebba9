#include "pchronicle/model/outcome.h"

#include <algorithm>
#include <array>
#include <span>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/metric_notes.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model {
namespace {

using json::Raw;

constexpr std::array<std::string_view, 5> kErrored = {"error", "run_error", "errored", "exception",
                                                      "crashed"};
constexpr std::array<std::string_view, 9> kTruncated = {"timeout",   "timed_out",      "max_steps",
                                                        "max_turns", "step_limit",     "max_tokens",
                                                        "length",    "context_length", "truncated"};
constexpr std::array<std::string_view, 7> kIncomplete = {
    "aborted", "cancelled", "canceled", "interrupted", "running", "in_progress", "incomplete"};
/// HAR-05: where a trial states its exception.
constexpr std::string_view kExceptionSource = "result.json:/exception_info";

bool EqualIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  });
}

bool IsOneOf(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return EqualIgnoringCase(text, word); });
}

/// Members of `task.result` that decide something.
struct TaskResult {
  Raw correct, score, status, error;
};

TaskResult ReadTaskResult(const Raw& task) {
  TaskResult found;
  for (RawMembers members(FindMember(task, "result")); members.Next();) {
    if (members.KeyIs("correct")) {
      found.correct = members.value();
    } else if (members.KeyIs("score")) {
      found.score = members.value();
    } else if (members.KeyIs("status")) {
      found.status = members.value();
    } else if (members.KeyIs("error")) {
      found.error = members.value();
    }
  }
  return found;
}

Text StringOf(const Raw& raw, Arena& arena) {
  if (!raw.is_string() || raw.text.size() <= 2) {
    return std::nullopt;
  }
  return json::DecodeString(raw, arena);
}

/// A string decoded, anything else as JSON text; nothing when empty.
Text TextOrJson(const Raw& raw, Arena& arena) {
  if (IsEmptyValue(raw)) {
    return std::nullopt;
  }
  return raw.is_string() ? json::DecodeString(raw, arena)
                         : json::CellText(raw, json::Surrogates::kReplace, arena);
}

/// What the status was read from; decides outcome_source.
enum class Basis { kNone, kSuccess, kException, kResultStatus, kResultError, kLastResponse };

struct Judgement {
  std::string_view status = "unknown";
  Basis basis = Basis::kNone;
};

Judgement Judge(const Outcome& outcome, const Text& result_status, bool has_error,
                const SidecarOutcome* sidecar, const LastResponse& last) {
  if (outcome.success == true) {
    return {"succeeded", Basis::kSuccess};
  }
  if (sidecar != nullptr && sidecar->has_exception && !sidecar->has_reward) {
    return {"errored", Basis::kException};
  }
  const std::string_view status = result_status.value_or("");
  if (IsOneOf(status, kErrored)) {
    return {"errored", Basis::kResultStatus};
  }
  if (has_error) {
    return {"errored", Basis::kResultError};
  }
  if (IsOneOf(status, kTruncated)) {
    return {"truncated", Basis::kResultStatus};
  }
  if (last.is_truncated()) {
    return {"truncated", Basis::kLastResponse};
  }
  if (IsOneOf(status, kIncomplete)) {
    return {"incomplete", Basis::kResultStatus};
  }
  if (outcome.success == false) {
    return {"failed", Basis::kSuccess};
  }
  return {};
}

std::string_view Join(Arena& arena, std::string_view a, std::string_view b) {
  std::string joined(a);
  joined.append(b);
  return arena.Copy(joined);
}

/// Pointer of a member of `task.result`. `outcome_pointer` names `correct`; its neighbours stand
/// beside it.
std::string_view ResultPointer(const Document& document, std::string_view member, Arena& arena) {
  const std::string_view pointer = document.outcome_pointer;
  if (pointer.empty()) {
    return Join(arena, Join(arena, document.pointer, "/task/result/"), member);
  }
  const size_t slash = pointer.rfind('/');
  if (pointer.substr(slash + 1) != "correct" || member == "correct") {
    return pointer;
  }
  return Join(arena, pointer.substr(0, slash + 1), member);
}

Text SourceOf(const Document& document, Basis basis, bool success_known, const LastResponse& last,
              Arena& arena) {
  const SidecarOutcome* sidecar = document.sidecar;
  if (basis == Basis::kException) {
    return sidecar->outcome_source ? sidecar->outcome_source : Text(kExceptionSource);
  }
  // The sidecar's reward may have been lifted into the task, so a pointer of the document itself
  // goes first.
  if (success_known && document.outcome_pointer.empty() && sidecar != nullptr &&
      sidecar->outcome_source) {
    return sidecar->outcome_source;
  }
  if (success_known) {
    return ResultPointer(document, "correct", arena);
  }
  switch (basis) {
    case Basis::kResultStatus:
      return ResultPointer(document, "status", arena);
    case Basis::kResultError:
      return ResultPointer(document, "error", arena);
    case Basis::kLastResponse: {
      const std::string turn = TurnPointer(document, last.ordinal()) + "/";
      return Join(arena, Join(arena, turn, document.metrics_member), "/is_truncated");
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

void LastResponse::Clear() {
  reason_.clear();
  is_truncated_ = false;
  ordinal_ = -1;
}

void LastResponse::Take(const Turn& turn) {
  if (turn.source != "agent") {
    return;
  }
  reason_.clear();
  is_truncated_ = false;
  ordinal_ = turn.ordinal;
  if (turn.metrics.kind != json::Kind::kObject) {
    return;
  }
  std::array<Raw, 3> reasons;
  for (RawMembers members(turn.metrics); members.Next();) {
    if (members.KeyIs("truncate_reason")) {
      reasons[0] = members.value();
    } else if (members.KeyIs("finish_reason")) {
      reasons[1] = members.value();
    } else if (members.KeyIs("stop_reason")) {
      reasons[2] = members.value();
    } else if (members.KeyIs("is_truncated")) {
      is_truncated_ = members.value().kind == json::Kind::kBool && members.value().text == "true";
    }
  }
  for (const Raw& reason : reasons) {
    if (!IsEmptyValue(reason) && reason.is_string()) {
      Arena arena(256);
      reason_.assign(json::DecodeString(reason, arena));
      return;
    }
  }
}

Outcome DeriveOutcome(const Document& document, const LastResponse& last, Arena& arena) {
  const TaskResult result = ReadTaskResult(document.task);
  const SidecarOutcome* sidecar = document.sidecar;
  Outcome outcome;
  if (result.correct.kind == json::Kind::kBool) {
    outcome.success = result.correct.text == "true";
  } else if (sidecar != nullptr) {
    outcome.success = sidecar->success;
  }
  if (double score;
      result.score.kind == json::Kind::kNumber && json::ToDouble(result.score, &score)) {
    outcome.score = score;
  } else if (sidecar != nullptr) {
    outcome.score = sidecar->score;
  }
  const Text status = StringOf(result.status, arena);
  const Text error = TextOrJson(result.error, arena);
  if (sidecar != nullptr) {
    outcome.error_kind = sidecar->error_kind;
    outcome.error_message = sidecar->error_message;
  }
  if (!outcome.error_message) {
    outcome.error_message = error;
  }
  outcome.termination_reason = status;
  if (!status && !last.reason().empty()) {
    outcome.termination_reason = arena.Copy(last.reason());
  }
  const Judgement judgement = Judge(outcome, status, error.has_value(), sidecar, last);
  outcome.status = judgement.status;
  outcome.outcome_source =
      SourceOf(document, judgement.basis, outcome.success.has_value(), last, arena);
  return outcome;
}

}  // namespace pchronicle::model
