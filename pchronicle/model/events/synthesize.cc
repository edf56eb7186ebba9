#include "pchronicle/model/events/synthesize.h"

#include <algorithm>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/message_text.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::events {
namespace {

/// Walks the turns and writes records with a sequence number that only grows.
class Synthesizer {
 public:
  explicit Synthesizer(const Storyline& storyline) : storyline_(storyline) {}

  std::vector<std::string> Run() {
    const std::vector<Turn>& turns = storyline_.turns;
    for (size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      if (EffectiveKind(turn) == "internal") {
        Write(turn, "note", {}, CellOf(turn.message));
        continue;
      }
      if (turn.source == "user") {
        const bool paired = i + 1 < turns.size() && turns[i + 1].source == "agent" &&
                            EffectiveKind(turns[i + 1]) != "internal";
        const std::string call_id = CallId(turn, paired ? &turns[i + 1] : nullptr);
        WriteRequest(turn, call_id,
                     paired ? FindMember(turns[i + 1].extra, "request_messages") : json::Raw());
        if (paired) {
          WriteResponse(turns[++i], call_id);
        }
        continue;
      }
      const std::string call_id = CallId(turn, nullptr);
      if (const json::Raw stored = FindMember(turn.extra, "request_messages"); stored.present()) {
        WriteRequest(turn, call_id, stored);
      }
      WriteResponse(turn, call_id);
    }
    return std::move(records_);
  }

 private:
  std::string_view CellOf(const json::Raw& raw) {
    return json::CellText(raw, json::Surrogates::kKeep, arena_);
  }

  std::string CallId(const Turn& turn, const Turn* paired) {
    for (const Turn* holder : {&turn, paired}) {
      if (holder == nullptr) {
        continue;
      }
      if (const json::Raw id = FindMember(holder->extra, "call_id"); id.is_string()) {
        return std::string(json::DecodeString(id, arena_));
      }
    }
    return "turn-" + std::to_string(turn.id);
  }

  int64_t NextSeq(const Turn& turn) {
    int64_t seq = 0;
    if (!json::ToInt64(FindMember(turn.extra, "seq"), &seq) || seq < next_seq_) {
      seq = next_seq_;
    }
    next_seq_ = seq + 1;
    return seq;
  }

  static std::string_view Kind(const Turn& turn, std::string_view fallback) {
    const bool is_wire =
        turn.kind && (turn.kind->starts_with("llm.") || turn.kind->starts_with("http."));
    const bool fits = is_wire && turn.kind->find(fallback.substr(4)) != std::string_view::npos;
    return fits ? *turn.kind : fallback;
  }

  void Write(const Turn& turn, std::string_view kind, std::string_view call_id,
             std::string_view payload) {
    std::string record =
        "{\"seq\":" + std::to_string(NextSeq(turn)) + ",\"source\":\"pchronicle\",\"kind\":";
    json::AppendQuoted(kind, record);
    record += ",\"session_id\":";
    json::AppendQuoted(storyline_.document.session_id, record);
    record += ",\"agent_id\":";
    json::AppendQuoted(storyline_.document.agent_id, record);
    if (turn.timestamp.nanoseconds) {
      record += ",\"timestamp\":";
      if (turn.timestamp.scalar.is_string()) {
        record += turn.timestamp.scalar.text;
      } else {
        json::AppendQuoted(FormatTimestamp(*turn.timestamp.nanoseconds), record);
      }
    }
    if (!call_id.empty()) {
      record += ",\"call_id\":";
      json::AppendQuoted(call_id, record);
    }
    record += ",\"payload\":";
    record += payload;
    record += '}';
    records_.push_back(std::move(record));
  }

  std::string QuotedText(const Turn& turn) {
    std::string quoted;
    json::AppendQuoted(MessageText(turn.message, arena_).value_or(std::string_view()), quoted);
    return quoted;
  }

  /// Results of earlier calls travel in the next request, so that a second fold finds them.
  std::string PendingResults() {
    std::string parts;
    for (const ToolCall* call : pending_) {
      parts += parts.empty() ? "" : ",";
      parts += "{\"type\":\"tool_result\",\"call_id\":";
      json::AppendQuoted(call->id, parts);
      parts += ",\"content\":";
      parts += CellOf(call->result);
      parts += '}';
    }
    pending_.clear();
    if (parts.empty()) {
      return parts;
    }
    return R"(,"llm_request":{"input_format":"unknown","request":{"messages":[{"role":"tool","parts":[)" +
           parts + R"(]}],"generation":{},"stream":false}})";
  }

  void AppendModel(const Turn& turn, std::string& payload) {
    if (turn.model) {
      payload += "\"model\":";
      json::AppendQuoted(*turn.model, payload);
      payload += ',';
    }
  }

  void WriteRequest(const Turn& turn, std::string_view call_id, const json::Raw& stored) {
    std::string payload = "{";
    AppendModel(turn, payload);
    payload += "\"messages\":";
    if (stored.kind == json::Kind::kArray) {
      payload += CellOf(stored);
    } else if (turn.source == "user") {
      payload += "[{\"role\":\"user\",\"content\":" + QuotedText(turn) + "}]";
    } else {
      payload += "[]";
    }
    payload += PendingResults();
    payload += ",\"degraded\":true}";
    Write(turn, Kind(turn, "llm.request"), call_id, payload);
  }

  void WriteResponse(const Turn& turn, std::string_view call_id) {
    const std::string text = QuotedText(turn);
    std::string payload = "{";
    AppendModel(turn, payload);
    payload += "\"content\":" + text +
               ",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":" + text + "}}]";
    if (turn.metrics.has_value()) {
      payload += ",\"usage\":";
      payload += CellOf(turn.metrics);
    }
    if (turn.latency_ms) {
      payload += ",\"latency_ms\":" + std::to_string(*turn.latency_ms);
    }
    if (turn.ttft_ms) {
      payload += ",\"ttft_ms\":" + std::to_string(*turn.ttft_ms);
    }
    if (!turn.calls.empty()) {
      payload +=
          R"(,"llm_response":{"output_format":"unknown","response":{"candidates":[{"index":0,"message":{"role":"assistant","parts":[)";
      for (size_t i = 0; i < turn.calls.size(); ++i) {
        payload += i == 0 ? "{\"type\":\"tool_call\",\"id\":" : ",{\"type\":\"tool_call\",\"id\":";
        json::AppendQuoted(turn.calls[i].id, payload);
        payload += ",\"name\":";
        json::AppendQuoted(turn.calls[i].function, payload);
        payload += ",\"arguments\":";
        payload += CellOf(turn.calls[i].arguments);
        payload += '}';
        if (turn.calls[i].result.has_value()) {
          pending_.push_back(&turn.calls[i]);
        }
      }
      payload += "]}}]}}";
    }
    payload += ",\"degraded\":true}";
    Write(turn, Kind(turn, "llm.response"), call_id, payload);
  }

  const Storyline& storyline_;
  Arena arena_;
  std::vector<std::string> records_;
  std::vector<const ToolCall*> pending_;
  int64_t next_seq_ = 0;
};

}  // namespace

std::vector<std::string> Synthesize(const Storyline& storyline) {
  return Synthesizer(storyline).Run();
}

}  // namespace pchronicle::model::events
