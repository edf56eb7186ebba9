#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// What the last model response of a run says about its end: the last turn with source `agent`. Fed
/// with every turn.
class LastResponse {
 public:
  void Take(const Turn& turn);
  void Clear();

  /// First of truncate_reason, finish_reason, stop_reason in its metrics that is a non-empty
  /// string; empty when none.
  const std::string& reason() const { return reason_; }
  bool is_truncated() const { return is_truncated_; }
  int64_t ordinal() const { return ordinal_; }

 private:
  std::string reason_;
  bool is_truncated_ = false;
  int64_t ordinal_ = -1;
};

/// Outcome columns of `trajectories` (catalog.md 6.1, ADD-05, HAR-05). Views into the document or
/// the arena.
struct Outcome {
  std::string_view status =
      "unknown";  // succeeded, failed, errored, truncated, incomplete, unknown
  std::optional<bool> success;
  std::optional<double> score;
  Text outcome_source;
  Text error_kind;
  Text error_message;
  Text termination_reason;
};

/// Nothing is guessed (D11): success comes from `task.result.correct` or the sidecar only, never
/// from status.
Outcome DeriveOutcome(const Document& document, const LastResponse& last, Arena& arena);

}  // namespace pchronicle::model
