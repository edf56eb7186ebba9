#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pchronicle::model::openai {

/// A tool call written inside the text of an answer.
struct EmbeddedCall {
  std::string name;
  std::string arguments;  // JSON object text, parameters in order, all values strings
};

/// Finds the first embedded call (formats.md 4.6). A `<tool_call>` directly followed by
/// `<function=NAME>` takes the name from there.
std::optional<EmbeddedCall> FindEmbeddedCall(std::string_view text);

/// `embedded-{step_id}-{NAME}`.
std::string EmbeddedCallId(int64_t step_id, std::string_view name);

}  // namespace pchronicle::model::openai
