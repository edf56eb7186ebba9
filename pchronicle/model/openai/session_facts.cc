#include "pchronicle/model/openai/session_facts.h"

#include <cmath>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

constexpr double kInt64Limit = 9223372036854775808.0;

Text KeepText(const json::Raw& raw, Arena& arena) {
  if (!IsNonEmptyText(raw)) {
    return std::nullopt;
  }
  return json::DecodeString(Own(raw, arena), arena);
}

bool IsUsable(const json::Raw& raw) {
  return raw.has_value() && !(raw.is_string() && raw.text.size() == 2);
}

json::Raw TextOnly(const json::Raw& raw) { return IsNonEmptyText(raw) ? raw : json::Raw{}; }

}  // namespace

bool IsNonEmptyText(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

std::optional<int64_t> Milliseconds(const json::Raw& value) {
  int64_t whole = 0;
  if (json::ToInt64(value, &whole)) {
    return whole;
  }
  double real = 0;
  if (value.kind != json::Kind::kNumber || !json::ToDouble(value, &real) ||
      !(std::abs(real) < kInt64Limit)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(real);
}

void SessionFacts::Reset(Arena* arena) {
  arena_ = arena;
  agent_id_ = source_ = model_ = std::nullopt;
  stable_.fill({});
  final_metrics_ = {};
}

std::string_view SessionFacts::agent_id() const {
  return agent_id_ ? *agent_id_ : source_ ? *source_ : model_ ? *model_ : "openai-import";
}

/// The first value of a session-stable slot wins; a later one that differs is the turn's own.
void SessionFacts::Offer(Slot slot, const json::Raw& value, Slots* differs) {
  if (!IsUsable(value)) {
    return;
  }
  json::Raw& stable = stable_[slot];
  if (!stable.present()) {
    stable = Own(value, *arena_);
  } else if (stable.text != value.text &&
             json::CellText(stable, json::Surrogates::kKeep, *arena_) !=
                 json::CellText(value, json::Surrogates::kKeep, *arena_)) {
    (*differs)[slot] = value;
  }
}

Status SessionFacts::Read(LoadedRow& row, bool has_response, MemberReader& reader,
                          RowFacts* facts) {
  *facts = {};
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw agent_id, row.Capture(RowKey::kAgentId));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw agent_model, row.Capture(RowKey::kAgentModel));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw llm_model, row.Capture(RowKey::kLlmModel));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw created_at, row.Capture(RowKey::kCreatedAt));
  facts->model = KeepText(IsNonEmptyText(agent_model) ? agent_model : llm_model, *arena_);
  agent_id_ = agent_id_ ? agent_id_ : KeepText(agent_id, *arena_);
  model_ = model_ ? model_ : facts->model;
  facts->created_at =
      reader.ReadTimestamp(RowKeyName(RowKey::kCreatedAt), Own(created_at, *arena_));
  if (!facts->created_at.nanoseconds) {
    facts->created_at = {};
  }
  if (has_response) {
    PCHRONICLE_RETURN_IF_ERROR(ReadMeta(row, facts));
    PCHRONICLE_RETURN_IF_ERROR(ReadMetrics(row, facts));
    final_metrics_ = facts->metrics;
  }

  Slots differs;
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw env_name, row.Capture(RowKey::kEnvName));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw dataset_type, row.Capture(RowKey::kDatasetType));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw dt, row.Capture(RowKey::kDt));
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw id, row.Capture(RowKey::kId));
  Offer(kName, TextOnly(env_name), &differs);
  Offer(kEndpoint, TextOnly(FindMember(facts->env_state, "endpoint")), &differs);
  Offer(kDatasetType, dataset_type, &differs);
  Offer(kDt, dt, &differs);
  Offer(kGroupId, FindMember(facts->meta, "group_id"), &differs);
  for (size_t i = 0; i < kStateFromEnvState.size(); ++i) {
    Offer(static_cast<Slot>(kRedactionPolicy + i),
          FindMember(facts->env_state, kStateFromEnvState[i]), &differs);
  }
  if (has_response) {
    facts->env = Env(differs, TextOnly(id), TextOnly(FindMember(facts->env_state, "event_type")),
                     TextOnly(FindMember(facts->env_state, "request_id")));
  }
  return Status::Ok();
}

Status SessionFacts::ReadMeta(LoadedRow& row, RowFacts* facts) {
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw meta, row.Capture(RowKey::kMetaJson));
  bool was_text = false;
  facts->meta = DecodeStructure(meta, json::Kind::kObject, row.arena, &was_text);
  facts->env_state = DecodeStructure(FindMember(facts->meta, "env_state"), json::Kind::kObject,
                                     row.arena, &was_text);
  source_ = source_ ? source_ : KeepText(FindMember(facts->meta, "source"), *arena_);
  return Status::Ok();
}

Status SessionFacts::ReadMetrics(LoadedRow& row, RowFacts* facts) {
  ObjectComposer metrics(*arena_);
  for (RowKey key = kFirstRowMetric; key <= kLastRowMetric;
       key = static_cast<RowKey>(static_cast<uint8_t>(key) + 1)) {
    if (row.shape.at(key).present()) {
      PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw value, row.Capture(key));
      metrics.Add(RowKeyName(key), value);
    }
  }
  for (const std::string_view name : StateMetrics()) {
    const std::optional<RowKey> row_metric = FindRowKey(name);
    const bool set = row_metric && IsRowMetric(name) && row.shape.at(*row_metric).present();
    if (!set) {
      metrics.Add(name, FindMember(facts->env_state, name));
    }
  }
  facts->metrics = metrics.FinishOrAbsent();
  facts->latency_ms = Milliseconds(FindMember(facts->env_state, "total_latency_ms"));
  facts->ttft_ms = Milliseconds(FindMember(facts->env_state, "ttft_ms"));
  return Status::Ok();
}

/// An environment object in the order of formats.md 2.6; absent when there is nothing in it.
json::Raw SessionFacts::Env(const Slots& slots, const json::Raw& id, const json::Raw& event_type,
                            const json::Raw& request_id) {
  ObjectComposer state(*arena_);
  for (size_t slot = kDatasetType; slot < kSlotCount; ++slot) {
    state.Add(kSlotNames[slot], slots[slot]);
  }
  ObjectComposer env(*arena_);
  env.Add("name", slots[kName]);
  env.Add("endpoint", slots[kEndpoint]);
  env.Add("id", id);
  env.Add("event_type", event_type);
  env.Add("request_id", request_id);
  env.Add("state", state.FinishOrAbsent());
  return env.FinishOrAbsent();
}

json::Raw SessionFacts::Task() {
  ObjectComposer task(*arena_);
  task.Add("env", Env(stable_, {}, {}, {}));
  return task.FinishOrAbsent();
}

}  // namespace pchronicle::model::openai
