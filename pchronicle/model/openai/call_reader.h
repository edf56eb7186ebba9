#pragma once

#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::openai {

/// The parts of one element of `tool_calls`, when it is a call that the hub can hold
/// (formats.md 4.4).
struct CallParts {
  json::Raw id;
  json::Raw name;
  json::Raw function;
  json::Raw arguments;  // absent: missing

  bool valid() const { return function.present(); }
};
CallParts SplitCall(const json::Raw& call);

/// Appends the valid calls of `tool_calls`; `arguments` only when wanted. Their text goes to
/// `arena`.
void ReadCalls(const json::Raw& tool_calls, bool want_arguments, Arena& arena, Arena& scratch,
               std::vector<ToolCall>* calls);

}  // namespace pchronicle::model::openai
