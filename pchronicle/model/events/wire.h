#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::events {

/// A tool call or a tool result met in a wire body or in typed semantics.
struct WireCall {
  std::string_view id;
  std::string_view name;
  json::Raw arguments;
  json::Raw extra;  // {"signature": ..} where the producer gave one
};
struct WireResult {
  std::string_view call_id;
  json::Raw content;
};

/// What one response body says: its visible text, its calls, its usage. Reasoning is no text.
struct ResponseBody {
  Text text;
  std::vector<WireCall> calls;
  json::Raw usage;
};

/// Body of an HTTP exchange as a JSON value (formats.md 7.5): an object as it is, JSON text parsed,
/// base64 of either decoded. Absent when it is something else; SSE bodies come back through `sse`.
struct WireBody {
  json::Raw value;
  std::string_view sse;  // event stream text, empty when the body is none
};
WireBody ReadBody(const json::Raw& body, std::string_view encoding, Arena& arena);

/// The last user text of a request body: Chat Completions, Anthropic Messages or Responses.
/// Injected reminders are passed over.
Text UserText(const json::Raw& body, Arena& arena);
/// Tool results that a request body carries back to the model.
std::vector<WireResult> RequestResults(const json::Raw& body, Arena& arena);
/// `messages` or `input` array of a request body, absent otherwise.
json::Raw RequestMessages(const json::Raw& body);

ResponseBody ReadResponse(const json::Raw& body, Arena& arena);
/// Folds a server-sent event stream of one of the three dialects into what the whole response would
/// say.
ResponseBody ReadSse(std::string_view stream, Arena& arena);

/// Text of a content value: a string, or its text parts joined by `separator`; none when there is
/// no text part.
Text ContentText(const json::Raw& content, std::string_view separator, Arena& arena);
/// JSON text of a string value parsed, or the value itself: arguments that arrive as text.
json::Raw ParsedArguments(const json::Raw& value, Arena& arena);

}  // namespace pchronicle::model::events
