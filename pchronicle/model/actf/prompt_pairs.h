#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::actf {

/// `system_prompt` and `user_content` of a step; anything but a non-empty string counts as empty.
struct PromptPair {
  json::Raw system;
  json::Raw user;

  static bool HasText(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }
  bool empty() const { return !HasText(system) && !HasText(user); }
};

/// The prompt rules of one attempt (formats.md 5.2, "Prompt pairs"): the first pair with text is
/// the root prompt, steps that differ from it say so. Not thread-safe.
class PromptPairs {
 public:
  enum class Verdict {
    kSame,       // no turn prompt
    kOwn,        // a turn prompt, see Object
    kCleared,    // empty beside a root prompt: the explicit clear
    kUndecided,  // empty, and no step before had text: a clear if a later step has
  };

  void Reset();
  Verdict Judge(const PromptPair& pair);
  bool has_baseline() const { return has_baseline_; }
  /// The root prompt, absent when no pair had text so far.
  json::Raw Root(Arena& arena) const;
  /// `{"system":..,"user":..}` without the empty sides.
  static json::Raw Object(const PromptPair& pair, Arena& arena);
  /// `{"system":"","user":""}`.
  static json::Raw Clear();

 private:
  bool EqualsBaseline(const PromptPair& pair);

  bool has_baseline_ = false;
  std::string system_;  // JSON text of the baseline's sides, empty when without text
  std::string user_;
  uint8_t flags_ = 0;
  Arena scratch_{1024};
};

}  // namespace pchronicle::model::actf
