#include "pchronicle/model/events/call_fold.h"

#include "pchronicle/base/base64.h"
#include "pchronicle/model/raw_walk.h"
#include "pchronicle/model/text_is.h"

namespace pchronicle::model::events {
namespace {

constexpr int64_t kNanosecondsPerMillisecond = 1'000'000;

/// A wire value: nested form first, then flat (formats.md 7.2).
json::Raw Wire(const json::Raw& payload, std::string_view nested, std::string_view flat) {
  const json::Raw value = FindMember(FindMember(payload, "http"), nested);
  return value.present() ? value : FindMember(payload, flat);
}

std::string_view Characters(const json::Raw& value, Arena& arena) {
  return value.is_string() ? json::DecodeString(value, arena) : std::string_view();
}

WireBody Body(const json::Raw& payload, bool request, Arena& arena) {
  const json::Raw body = Wire(payload, request ? "request_body" : "response_body", "body");
  return ReadBody(body, Characters(Wire(payload, "body_encoding", "body_encoding"), arena), arena);
}

bool IsTrue(const json::Raw& value) { return value.text == "true"; }

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Non-blank text parts of a typed message, joined by a line feed (formats.md 7.2 "part by type").
Text TypedText(const json::Raw& message, Arena& arena) {
  std::string joined;
  bool any = false;
  for (RawElements part(FindMember(message, "parts")); part.Next();) {
    const std::string_view text = Characters(FindMember(part.value(), "text"), arena);
    if (FindMember(part.value(), "type").text != "\"text\"" || Trimmed(text).empty()) {
      continue;
    }
    if (any) {
      joined += '\n';
    }
    any = true;
    joined += text;
  }
  return any ? Text(arena.Copy(joined)) : std::nullopt;
}

std::optional<int64_t> Integer(const json::Raw& value) {
  int64_t number = 0;
  return json::ToInt64(value, &number) ? std::optional<int64_t>(number) : std::nullopt;
}

}  // namespace

void CallFold::Add(const EventRecord& record) {
  if (!first_time.scalar.present()) {
    first_time = record.timestamp;
  }
  switch (RoleOf(record.kind)) {
    case Role::kRequest:
      AddRequest(record);
      break;
    case Role::kResponse:
      AddResponse(record);
      break;
    case Role::kFrame: {
      const json::Raw bytes = Wire(record.payload, "bytes", "bytes");
      const json::Raw text = bytes.present() ? bytes : Wire(record.payload, "data", "data");
      const std::string_view characters = Characters(text, arena_);
      if (TextIs(Wire(record.payload, "body_encoding", "body_encoding"), "base64")) {
        frames_ += DecodeBase64(characters).value_or(std::string());
      } else {
        frames_ += characters;
      }
      break;
    }
    default:
      break;
  }
}

/// Which text wins (formats.md 7.5): the wire body beats a summary that differs, unless the record
/// is degraded.
Text CallFold::Choose(const json::Raw& payload, std::string_view summary_member, const Text& wire,
                      const Text& typed, const Text& flat, std::string_view kind) {
  const json::Raw summary = FindMember(payload, summary_member);
  if (summary.is_string()) {
    const std::string_view text = json::DecodeString(summary, arena_);
    const bool trusted = wire && !wire->empty() && !IsTrue(FindMember(payload, "degraded"));
    if (trusted && Trimmed(*wire) != Trimmed(text)) {
      diagnostics_.Add("summary_conflict", "/payload/" + std::string(summary_member), kind);
      return wire;
    }
    return text;
  }
  return wire ? wire : typed ? typed : flat;
}

void CallFold::AddRequest(const EventRecord& record) {
  const json::Raw& payload = record.payload;
  request_time = record.timestamp;
  if (!request_seq) {
    request_seq = record.seq;
  }
  if (const json::Raw name = FindMember(payload, "model"); name.is_string()) {
    model = json::DecodeString(name, arena_);
  }
  const WireBody body = Body(payload, true, arena_);
  const json::Raw request = FindMember(FindMember(payload, "llm_request"), "request");
  Text typed;
  for (RawElements message(FindMember(request, "messages")); message.Next();) {
    if (TextIs(FindMember(message.value(), "role"), "user")) {
      if (const Text text = TypedText(message.value(), arena_)) {
        typed = text;
      }
    }
    for (RawElements part(FindMember(message.value(), "parts")); part.Next();) {
      const json::Raw id = FindMember(part.value(), "call_id");
      if (TextIs(FindMember(part.value(), "type"), "tool_result") && id.is_string()) {
        results.push_back({json::DecodeString(id, arena_), FindMember(part.value(), "content")});
      }
    }
  }
  for (const WireResult& result : RequestResults(body.value, arena_)) {
    results.push_back(result);
  }
  const Text flat = body.value.present() ? std::nullopt : UserText(payload, arena_);
  if (const Text text =
          Choose(payload, "user_content", UserText(body.value, arena_), typed, flat, record.kind)) {
    user_text = text;
  }
  const json::Raw stored = FindMember(payload, "messages");
  request_messages = stored.present() ? stored : RequestMessages(body.value);
}

void CallFold::AddResponse(const EventRecord& record) {
  const json::Raw& payload = record.payload;
  response_time = record.timestamp;
  if (!response_seq) {
    response_seq = record.seq;
  }
  const WireBody body = Body(payload, false, arena_);
  const ResponseBody wire =
      body.sse.empty() ? ReadResponse(body.value, arena_) : ReadSse(body.sse, arena_);
  const json::Raw response = FindMember(FindMember(payload, "llm_response"), "response");
  if (!model) {
    if (const json::Raw name = FindMember(response, "model"); name.is_string()) {
      model = json::DecodeString(name, arena_);
    }
  }
  Text typed;
  bool typed_calls = false;
  for (RawElements candidate(FindMember(response, "candidates")); candidate.Next();) {
    const json::Raw message = FindMember(candidate.value(), "message");
    if (const Text text = TypedText(message, arena_); text && !typed) {
      typed = text;
    }
    for (RawElements part(FindMember(message, "parts")); part.Next();) {
      if (FindMember(part.value(), "type").text != "\"tool_call\"") {
        continue;
      }
      typed_calls = true;
      WireCall call{Characters(FindMember(part.value(), "id"), arena_),
                    Characters(FindMember(part.value(), "name"), arena_),
                    FindMember(part.value(), "arguments"),
                    {}};
      if (const json::Raw signature = FindMember(part.value(), "signature");
          signature.has_value()) {
        const std::string extra = "{\"signature\":" + std::string(signature.text) + "}";
        call.extra = {arena_.Copy(extra), json::Kind::kObject, signature.flags};
      }
      AddCall(call);
    }
  }
  // Flat records have the members of the body in the payload itself (formats.md 7.2).
  const ResponseBody flat = body.value.present() ? ResponseBody() : ReadResponse(payload, arena_);
  if (!typed_calls) {
    for (const WireCall& call : wire.calls.empty() ? flat.calls : wire.calls) {
      AddCall(call);
    }
  }
  if (const Text text =
          Choose(payload, "assistant_content", wire.text, typed, flat.text, record.kind)) {
    assistant_text = text;
  }
  const json::Raw usage = FindMember(payload, "usage");
  if (usage.has_value()) {
    metrics = usage;
  } else if (!metrics.present() && wire.usage.has_value()) {
    metrics = wire.usage;
  }
  std::optional<int64_t> ttft = Integer(FindMember(payload, "ttft_ms"));
  ttft = ttft ? ttft : Integer(FindMember(metrics, "ttft_ms"));
  ttft = ttft ? ttft : Integer(FindMember(FindMember(payload, "timing"), "ttft_ms"));
  ttft_ms = ttft ? ttft : ttft_ms;
  if (!latency_ms) {
    latency_ms = Integer(FindMember(payload, "latency_ms"));
  }
}

void CallFold::AddCall(const WireCall& call) {
  if (call.id.empty()) {
    return;
  }
  for (WireCall& known : calls) {
    if (known.id == call.id) {
      known = call;
      return;
    }
  }
  calls.push_back(call);
}

void CallFold::Finish() {
  if (!assistant_text && !frames_.empty()) {
    const ResponseBody body = ReadSse(arena_.Copy(frames_), arena_);
    assistant_text = body.text;
    if (calls.empty()) {
      for (const WireCall& call : body.calls) {
        AddCall(call);
      }
    }
    if (!metrics.present()) {
      metrics = body.usage;
    }
  }
  if (!latency_ms && request_time.nanoseconds && response_time.nanoseconds) {
    latency_ms =
        (*response_time.nanoseconds - *request_time.nanoseconds) / kNanosecondsPerMillisecond;
    if (*latency_ms < 0) {
      diagnostics_.Add("negative_latency", "", std::to_string(*latency_ms));
    }
  }
}

}  // namespace pchronicle::model::events
