// Server-sent event streams of the three dialects (formats.md 7.5, "SSE").
#include <map>
#include <string>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/events/wire.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::events {
namespace {

/// A call that arrives in pieces.
struct PartialCall {
  std::string id;
  std::string name;
  std::string arguments;
};

/// The `data:` payloads of a stream that parse as JSON objects, in order.
std::vector<json::Raw> Frames(std::string_view stream) {
  std::vector<json::Raw> frames;
  while (!stream.empty()) {
    const size_t line_feed = stream.find('\n');
    std::string_view line = stream.substr(0, line_feed);
    stream =
        line_feed == std::string_view::npos ? std::string_view() : stream.substr(line_feed + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!line.starts_with("data:")) {
      continue;
    }
    line.remove_prefix(5);
    if (line.starts_with(' ')) {
      line.remove_prefix(1);
    }
    json::Cursor cursor(line);
    json::Raw frame;
    if (line != "[DONE]" && cursor.Capture(&frame) && cursor.AtEnd() &&
        frame.kind == json::Kind::kObject) {
      frames.push_back(frame);
    }
  }
  return frames;
}

std::string TextOf(const json::Raw& value, Arena& arena) {
  return value.is_string() ? std::string(json::DecodeString(value, arena)) : std::string();
}

int64_t IndexOf(const json::Raw& object, std::string_view key) {
  int64_t index = 0;
  return json::ToInt64(FindMember(object, key), &index) ? index : 0;
}

void AddCalls(const std::vector<PartialCall>& partial, Arena& arena, ResponseBody& out) {
  for (const PartialCall& call : partial) {
    if (call.id.empty() || call.name.empty()) {
      continue;
    }
    const json::Raw text = QuotedRaw(call.arguments.empty() ? "{}" : call.arguments, arena);
    out.calls.push_back(
        {arena.Copy(call.id), arena.Copy(call.name), ParsedArguments(text, arena), {}});
  }
}

bool IsEmpty(const ResponseBody& body) {
  return (!body.text || body.text->empty()) && body.calls.empty();
}

/// Anthropic: blocks by index in the order they start; one left open counts.
ResponseBody ReadAnthropic(const std::vector<json::Raw>& frames, Arena& arena) {
  struct Block {
    bool is_text = false;
    std::string text;
    PartialCall call;
  };
  std::vector<Block> blocks;
  std::map<int64_t, size_t> by_index;
  for (const json::Raw& frame : frames) {
    const std::string type = TextOf(FindMember(frame, "type"), arena);
    if (type == "content_block_start") {
      const json::Raw start = FindMember(frame, "content_block");
      const std::string kind = TextOf(FindMember(start, "type"), arena);
      by_index[IndexOf(frame, "index")] = blocks.size();
      Block& block = blocks.emplace_back();
      block.is_text = kind == "text";
      block.text = TextOf(FindMember(start, "text"), arena);
      if (kind == "tool_use") {
        block.call.id = TextOf(FindMember(start, "id"), arena);
        block.call.name = TextOf(FindMember(start, "name"), arena);
      }
    } else if (type == "content_block_delta") {
      const auto found = by_index.find(IndexOf(frame, "index"));
      if (found == by_index.end()) {
        continue;
      }
      const json::Raw delta = FindMember(frame, "delta");
      blocks[found->second].text += TextOf(FindMember(delta, "text"), arena);
      blocks[found->second].call.arguments += TextOf(FindMember(delta, "partial_json"), arena);
    }
  }
  ResponseBody out;
  std::string text;
  std::vector<PartialCall> calls;
  for (const Block& block : blocks) {
    calls.push_back(block.call);
    if (block.is_text && !block.text.empty()) {
      text += (text.empty() ? "" : "\n\n") + block.text;
    }
  }
  if (!text.empty()) {
    out.text = arena.Copy(text);
  }
  AddCalls(calls, arena, out);
  return out;
}

/// Chat Completions: deltas appended; a final whole message fills only what is empty.
ResponseBody ReadChat(const std::vector<json::Raw>& frames, Arena& arena) {
  std::string text;
  std::map<int64_t, PartialCall> calls;
  ResponseBody whole;
  for (const json::Raw& frame : frames) {
    RawElements choices(FindMember(frame, "choices"));
    if (!choices.Next()) {
      continue;
    }
    const json::Raw delta = FindMember(choices.value(), "delta");
    text += TextOf(FindMember(delta, "content"), arena);
    for (RawElements piece(FindMember(delta, "tool_calls")); piece.Next();) {
      PartialCall& call = calls[IndexOf(piece.value(), "index")];
      const json::Raw function = FindMember(piece.value(), "function");
      if (std::string id = TextOf(FindMember(piece.value(), "id"), arena); !id.empty()) {
        call.id = std::move(id);
      }
      if (std::string name = TextOf(FindMember(function, "name"), arena); !name.empty()) {
        call.name = std::move(name);
      }
      call.arguments += TextOf(FindMember(function, "arguments"), arena);
    }
    if (FindMember(choices.value(), "message").present()) {
      whole = ReadResponse(frame, arena);
    }
  }
  ResponseBody out;
  if (!text.empty()) {
    out.text = arena.Copy(text);
  } else {
    out.text = whole.text;
  }
  std::vector<PartialCall> in_order;
  for (const auto& [index, call] : calls) {
    in_order.push_back(call);
  }
  AddCalls(in_order, arena, out);
  if (out.calls.empty()) {
    out.calls = whole.calls;
  }
  return out;
}

/// Responses: text deltas, `done` texts only when nothing was appended.
ResponseBody ReadResponsesDialect(const std::vector<json::Raw>& frames, Arena& arena) {
  std::string text;
  std::string done_text;
  std::map<std::string, size_t> by_item;
  std::vector<PartialCall> calls;
  for (const json::Raw& frame : frames) {
    const std::string type = TextOf(FindMember(frame, "type"), arena);
    if (type == "response.output_text.delta") {
      text += TextOf(FindMember(frame, "delta"), arena);
    } else if (type == "response.output_text.done") {
      done_text += TextOf(FindMember(frame, "text"), arena);
    } else if (type == "response.output_item.added" || type == "response.output_item.done") {
      const json::Raw item = FindMember(frame, "item");
      if (TextOf(FindMember(item, "type"), arena) != "function_call") {
        continue;
      }
      const auto [found, is_new] =
          by_item.emplace(TextOf(FindMember(item, "id"), arena), calls.size());
      if (is_new) {
        calls.emplace_back();
      }
      PartialCall& call = calls[found->second];
      call.id = TextOf(FindMember(item, "call_id"), arena);
      call.name = TextOf(FindMember(item, "name"), arena);
      if (std::string arguments = TextOf(FindMember(item, "arguments"), arena);
          !arguments.empty()) {
        call.arguments = std::move(arguments);
      }
    } else if (type == "response.function_call_arguments.delta") {
      const auto found = by_item.find(TextOf(FindMember(frame, "item_id"), arena));
      if (found != by_item.end()) {
        calls[found->second].arguments += TextOf(FindMember(frame, "delta"), arena);
      }
    }
  }
  ResponseBody out;
  if (const std::string& chosen = text.empty() ? done_text : text; !chosen.empty()) {
    out.text = arena.Copy(chosen);
  }
  AddCalls(calls, arena, out);
  return out;
}

/// Usage of the last frame that has it, where any of the dialects puts it.
json::Raw LastUsage(const std::vector<json::Raw>& frames) {
  json::Raw usage;
  for (const json::Raw& frame : frames) {
    for (const json::Raw& holder :
         {frame, FindMember(frame, "message"), FindMember(frame, "response")}) {
      if (const json::Raw found = FindMember(holder, "usage"); found.has_value()) {
        usage = found;
      }
    }
  }
  return usage;
}

}  // namespace

ResponseBody ReadSse(std::string_view stream, Arena& arena) {
  const std::vector<json::Raw> frames = Frames(stream);
  ResponseBody body = ReadAnthropic(frames, arena);
  if (IsEmpty(body)) {
    body = ReadChat(frames, arena);
  }
  if (IsEmpty(body)) {
    body = ReadResponsesDialect(frames, arena);
  }
  body.usage = LastUsage(frames);
  return body;
}

}  // namespace pchronicle::model::events
