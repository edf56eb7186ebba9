#include "pchronicle/model/events/fold.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "pchronicle/json/cursor.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/decode.h"
#include "pchronicle/model/events/call_fold.h"
#include "pchronicle/model/events/record.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::events {
namespace {

/// Folds the records of one Storyline.
class StorylineFold {
 public:
  StorylineFold(Arena& arena, Diagnostics& diagnostics)
      : arena_(arena), diagnostics_(diagnostics) {}

  void Add(const EventRecord& record);
  Storyline Finish();

 private:
  void EmitCall(std::string_view call_id, CallFold& call);
  std::vector<ToolCall> UniqueCalls(const CallFold& call);
  void EmitLifecycle();
  json::Raw Extra(std::string_view call_id, std::optional<uint64_t> seq,
                  const json::Raw* request_messages);
  Turn& NewTurn(std::string_view source, std::string_view kind);

  struct KnownCall {
    std::string_view function;
    std::string_view arguments;
  };

  Arena& arena_;
  Diagnostics& diagnostics_;
  Document document_;
  Text run_;
  std::vector<std::pair<std::string_view, std::unique_ptr<CallFold>>> calls_;
  std::unordered_map<std::string_view, size_t> call_of_id_;
  std::vector<EventRecord> lifecycle_;
  std::unordered_set<std::string_view> lifecycle_ids_;
  std::unordered_map<std::string, KnownCall> tool_calls_;
  std::unordered_map<std::string_view, json::Raw> results_;
  std::vector<Turn> turns_;
};

void StorylineFold::Add(const EventRecord& record) {
  if (const std::string_view key = record.key(); !key.empty()) {
    document_.session_id = key;
  }
  if (record.run_id && !record.run_id->empty()) {
    run_ = record.run_id;
  }
  if (record.agent_id && !record.agent_id->empty()) {
    document_.agent_id = *record.agent_id;
  }
  const Role role = RoleOf(record.kind);
  if (record.call_id && !record.call_id->empty()) {
    const auto [found, is_new] = call_of_id_.emplace(*record.call_id, calls_.size());
    if (is_new) {
      calls_.emplace_back(*record.call_id, std::make_unique<CallFold>(arena_, diagnostics_));
    }
    calls_[found->second].second->Add(record);
    return;
  }
  if (role == Role::kLifecycle) {
    const bool repeated = record.event_id && !record.event_id->empty() &&
                          !lifecycle_ids_.insert(*record.event_id).second;
    if (!repeated) {
      lifecycle_.push_back(record);
    }
  } else if (role == Role::kRequest || role == Role::kResponse) {
    diagnostics_.Add("uncorrelated_events", "/call_id", record.kind);
  }
}

Turn& StorylineFold::NewTurn(std::string_view source, std::string_view kind) {
  Turn& turn = turns_.emplace_back();
  turn.ordinal = static_cast<int64_t>(turns_.size()) - 1;
  turn.id = turn.ordinal + 1;
  turn.source = source;
  turn.kind = kind;
  return turn;
}

json::Raw StorylineFold::Extra(std::string_view call_id, std::optional<uint64_t> seq,
                               const json::Raw* request_messages) {
  ObjectComposer extra(arena_);
  extra.Add("call_id", QuotedRaw(call_id, arena_));
  if (request_messages != nullptr) {
    if (request_messages->kind == json::Kind::kArray) {
      extra.Add("request_messages", *request_messages);
    } else {
      extra.AddText("request_messages", "null");
    }
  }
  if (seq) {
    extra.Add("seq", IntegerRaw(static_cast<int64_t>(*seq), arena_));
  }
  return extra.Finish();
}

/// Call ids are unique in a Storyline: an equal later copy is dropped, another call under the id
/// gets a suffix.
std::vector<ToolCall> StorylineFold::UniqueCalls(const CallFold& call) {
  std::vector<ToolCall> unique;
  for (const WireCall& wire : call.calls) {
    std::string id(wire.id);
    if (const auto found = tool_calls_.find(id); found != tool_calls_.end()) {
      if (found->second.function == wire.name && found->second.arguments == wire.arguments.text) {
        diagnostics_.Add("dropped_tool_call", "", id);
        continue;
      }
      for (int n = 2; tool_calls_.contains(id); ++n) {
        id = std::string(wire.id) + "#" + std::to_string(n);
      }
      diagnostics_.Add("renamed_tool_call_id", "", id);
    }
    tool_calls_[id] = {wire.name, wire.arguments.text};
    ToolCall& tool = unique.emplace_back();
    tool.id = arena_.Copy(id);
    tool.function = wire.name.empty() ? "unknown_tool" : wire.name;
    tool.arguments =
        wire.arguments.present() ? wire.arguments : json::Raw{"null", json::Kind::kNull, 0};
    tool.extra = wire.extra;
    if (const auto result = results_.find(wire.id);
        result != results_.end() && result->second.has_value()) {
      tool.result = result->second;
    }
  }
  return unique;
}

void StorylineFold::EmitCall(std::string_view call_id, CallFold& call) {
  const bool user_is_last = call.user_text && !call.assistant_text;
  if (call.user_text && !user_is_last) {
    Turn& user = NewTurn("user", "llm.request");
    user.message = QuotedRaw(*call.user_text, arena_);
    user.timestamp = call.request_time.scalar.present() ? call.request_time : call.first_time;
    user.extra = Extra(call_id, call.request_seq, nullptr);
  }
  Turn& last =
      NewTurn(user_is_last ? "user" : "agent", user_is_last ? "llm.request" : "llm.response");
  last.message = QuotedRaw(
      user_is_last ? *call.user_text : call.assistant_text.value_or(std::string_view()), arena_);
  last.timestamp = call.response_time.scalar.present()  ? call.response_time
                   : call.request_time.scalar.present() ? call.request_time
                                                        : call.first_time;
  last.metrics = call.metrics;
  last.model = call.model;
  last.calls = UniqueCalls(call);
  last.call_count = last.calls.size();
  last.had_tool_calls = !last.calls.empty();
  last.extra =
      Extra(call_id, user_is_last ? call.request_seq : call.response_seq, &call.request_messages);
  if (!user_is_last) {
    last.llm_calls = 1;
    last.latency_ms = call.latency_ms;
    last.ttft_ms = call.ttft_ms;
  }
  if (call.model) {
    document_.agent_model = call.model;
  }
}

void StorylineFold::EmitLifecycle() {
  for (const EventRecord& record : lifecycle_) {
    Turn& turn = NewTurn("system", "internal");
    ObjectComposer message(arena_);
    message.Add("kind", QuotedRaw(record.kind, arena_));
    message.Add("payload", record.payload);
    turn.message = message.Finish();
    turn.timestamp = record.timestamp;
    ObjectComposer extra(arena_);
    const json::Raw seq = IntegerRaw(static_cast<int64_t>(record.seq), arena_);
    extra.Add("seq", seq);
    extra.Add("event_seq", seq);
    turn.extra = extra.Finish();
  }
}

Storyline StorylineFold::Finish() {
  for (auto& [id, call] : calls_) {
    call->Finish();
    for (const WireResult& result : call->results) {
      results_[result.call_id] = result.content;
    }
  }
  for (auto& [id, call] : calls_) {
    EmitCall(id, *call);
  }
  EmitLifecycle();
  document_.document_id = document_.session_id;
  if (document_.agent_id.empty()) {
    document_.agent_id = "unknown";
  }
  document_.agent_name = document_.agent_id;
  document_.origin_format = "canonical-event";
  if (run_ && *run_ != document_.session_id) {
    document_.run_id = run_;
    document_.parent.emplace();
    document_.parent->document_id = *run_;
  }
  Storyline storyline;
  storyline.document = CopyDocument(document_, storyline.arena);
  for (const Turn& turn : turns_) {
    storyline.turns.push_back(CopyTurn(turn, storyline.arena));
  }
  return storyline;
}

}  // namespace

Result<std::vector<json::Raw>> BatchRecords(const json::Raw& batch) {
  const json::Raw list = batch.kind == json::Kind::kObject ? FindMember(batch, "events") : batch;
  if (list.kind != json::Kind::kArray) {
    return Status::InvalidArgument(
        "an event batch must be an array or an object with an array 'events'");
  }
  std::vector<json::Raw> records;
  for (RawElements record(list); record.Next();) {
    records.push_back(record.value());
  }
  return records;
}

namespace {

Result<std::vector<EventRecord>> ParseAll(const std::vector<json::Raw>& records, Arena& arena) {
  std::vector<EventRecord> events;
  events.reserve(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    Result<EventRecord> event = ParseEvent(records[i], arena);
    if (!event.ok()) {
      return event.status().WithContext("event " + std::to_string(i));
    }
    events.push_back(*std::move(event));
  }
  return events;
}

Status NoKey() {
  return Status::InvalidArgument("canonical event requires session_id, storyline_id, or run_id");
}

}  // namespace

Result<Storyline> FoldOne(const std::vector<json::Raw>& records, Diagnostics* diagnostics) {
  Arena arena;
  Diagnostics ignored;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<EventRecord> events, ParseAll(records, arena));
  StorylineFold fold(arena, diagnostics != nullptr ? *diagnostics : ignored);
  bool any_key = false;
  for (const EventRecord& event : events) {
    any_key = any_key || !event.key().empty();
    fold.Add(event);
  }
  if (!any_key) {
    return NoKey();
  }
  return fold.Finish();
}

Result<std::vector<Storyline>> FoldBatch(const std::vector<json::Raw>& records,
                                         Diagnostics* diagnostics) {
  Arena arena;
  Diagnostics ignored;
  Diagnostics& notes = diagnostics != nullptr ? *diagnostics : ignored;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<EventRecord> events, ParseAll(records, arena));
  std::vector<std::unique_ptr<StorylineFold>> folds;
  std::unordered_map<std::string_view, size_t> fold_of_key;
  for (const EventRecord& event : events) {
    if (event.key().empty()) {
      notes.Add("uncorrelated_events", "/session_id", event.kind);
      continue;
    }
    const auto [found, is_new] = fold_of_key.emplace(event.key(), folds.size());
    if (is_new) {
      folds.push_back(std::make_unique<StorylineFold>(arena, notes));
    }
    folds[found->second]->Add(event);
  }
  if (folds.empty()) {
    return NoKey();
  }
  std::vector<Storyline> storylines;
  for (const auto& fold : folds) {
    storylines.push_back(fold->Finish());
  }
  return storylines;
}

}  // namespace pchronicle::model::events
