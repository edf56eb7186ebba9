#pragma once

#include <string>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model::actf {

/// Turns the array `observation` of a step into the hub's `{"results":[...]}` (formats.md 5.2):
/// each element verbatim plus its link and content.
class ResultsComposer {
 public:
  struct Options {
    bool strict = false;  // a link must name a call of the step
    bool checks = false;  // count links that do not
    bool residuals = false;
  };

  /// `members` has the base of the step. Text goes to `arena`. `calls` are those of the step; they
  /// are looked at for checks only.
  Status Compose(const json::Raw& observation, const std::vector<ToolCall>& calls, int64_t step_id,
                 const Options& options, MemberReader& members, Arena& arena, json::Raw* out);

 private:
  void AppendResult(const json::Raw& element, const json::Raw& link, const json::Raw& output,
                    Arena& arena);

  std::string text_;
};

}  // namespace pchronicle::model::actf
