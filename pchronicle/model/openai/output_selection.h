#pragma once

#include <cstddef>
#include <optional>

#include "pchronicle/model/openai/row_loader.h"

namespace pchronicle::model::openai {

/// The assistant message that a row's response turn is made of (formats.md 4.3).
struct Output {
  const MessageShape* shape = nullptr;  // null: the row has no response turn
  ValueSource* values = nullptr;
  std::optional<size_t> message;  // index in the row's messages; none: it is `response`
  bool has_output = false;        // says anything at all

  json::Raw content;  // decoded structure, see DecodeContent
  json::Raw refusal;
  json::Raw tool_calls;  // when it is an array

  /// The refusal serves as message text (formats.md 4.4).
  bool uses_refusal() const;
};

/// `response` when it says something; else the last assistant message that does; else `response` as
/// it is.
Status SelectOutput(LoadedRow& row, Output* output);

/// Index of the last user message, provided it has a `content` member.
std::optional<size_t> LastUserMessage(const MessageList& list);

}  // namespace pchronicle::model::openai
