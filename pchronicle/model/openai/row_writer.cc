#include "pchronicle/model/openai/row_writer.h"

#include <utility>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/model/openai/corpus_keys.h"
#include "pchronicle/model/openai/message_writer.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

/// A value of an environment: the turn's own, else the run's.
json::Raw Merged(const json::Raw& own, const json::Raw& shared, std::string_view name) {
  const json::Raw value = FindMember(own, name);
  return value.has_value() ? value : FindMember(shared, name);
}

void AddCell(JsonNode* node, std::string_view key, const json::Raw& value) {
  if (value.has_value()) {
    node->Add(key, JsonNode(CellOrNull(value)));
  }
}

bool IsNonEmptyString(const ResidualNode* node) {
  return node != nullptr && node->value && node->value->size() > 2 && node->value->front() == '"';
}

/// Members of `object` that are none of `known`.
template <typename IsKnown>
uint64_t CountOthers(const json::Raw& object, IsKnown is_known) {
  uint64_t count = 0;
  for (RawMembers members(object); members.Next();) {
    count += is_known(members.key_text()) ? 0 : 1;
  }
  return count;
}

bool IsSharedState(std::string_view key) {
  if (key == "dataset_type" || key == "dt" || key == "group_id") {
    return true;
  }
  for (const std::string_view name : kStateFromEnvState) {
    if (key == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view RunMember(const ResidualNode& residuals) {
  if (!residuals.has("job_id") && !IsNonEmptyString(residuals.Find("run_bucket"))) {
    return "job_id";
  }
  return residuals.has("run_id") ? "run_bucket" : "run_id";
}

JsonNode RowWriter::Write(const Interaction& row, const ResidualNode& residuals) {
  JsonNode out;
  JsonNode meta;
  JsonNode state;
  out.Add("session_id", JsonNode::String(document_.session_id));
  out.Add("step_id", JsonNode::Integer(row.step_id));
  WriteIdentity(row, residuals, &out);
  // A reader finds the agent in `source` where the row's `agent_id` says something else.
  if (residuals.has("agent_id") && row.agent != nullptr && !document_.agent_id.empty()) {
    meta.Add("source", JsonNode::String(document_.agent_id));
  }
  WriteEnvironment(row, &out, &meta, &state);
  if (row.agent != nullptr) {
    WriteMetrics(*row.agent, &out, &state);
  }
  if (!state.empty()) {
    meta.Add("env_state", std::move(state));
  }
  if (!meta.empty()) {
    out.Add("meta_json", std::move(meta));
  }
  return out;
}

void RowWriter::WriteIdentity(const Interaction& row, const ResidualNode& residuals,
                              JsonNode* out) {
  if (!document_.agent_id.empty()) {
    out->Add("agent_id", JsonNode::String(document_.agent_id));
  }
  if (document_.run_id && !document_.run_id->empty()) {
    out->Add(RunMember(residuals), JsonNode::String(*document_.run_id));
  }
  const Text own_model = row.agent != nullptr ? row.agent->model : std::nullopt;
  const Text model = own_model ? own_model : document_.agent_model;
  if (model && !model->empty()) {
    out->Add(residuals.has("agent_model") ? "llm_model" : "agent_model", JsonNode::String(*model));
  }
  const Timestamp& time = row.last().timestamp;
  if (time.scalar.has_value()) {
    out->Add("created_at", JsonNode(CellOrNull(time.scalar)));
  } else if (time.nanoseconds) {
    out->Add("created_at", JsonNode::String(FormatTimestamp(*time.nanoseconds)));
  }
}

void RowWriter::WriteEnvironment(const Interaction& row, JsonNode* out, JsonNode* meta,
                                 JsonNode* state) {
  const json::Raw shared = FindMember(document_.task, "env");
  const json::Raw own = row.last().env;
  const json::Raw shared_state = FindMember(shared, "state");
  const json::Raw own_state = FindMember(own, "state");
  AddCell(out, "env_name", Merged(own, shared, "name"));
  AddCell(out, "dataset_type", Merged(own_state, shared_state, "dataset_type"));
  AddCell(out, "dt", Merged(own_state, shared_state, "dt"));
  const uint64_t lost =
      CountOthers(shared_state, IsSharedState) + CountOthers(own_state, IsSharedState);
  if (lost > 0) {
    report_.lossy["env.state"] += lost;
  }
  if (row.agent == nullptr) {
    return;  // a reader looks for the rest only beside a response
  }
  AddCell(out, "id", Merged(own, shared, "id"));
  AddCell(meta, "group_id", Merged(own_state, shared_state, "group_id"));
  AddCell(state, "endpoint", Merged(own, shared, "endpoint"));
  AddCell(state, "event_type", Merged(own, shared, "event_type"));
  AddCell(state, "request_id", Merged(own, shared, "request_id"));
  for (const std::string_view name : kStateFromEnvState) {
    AddCell(state, name, Merged(own_state, shared_state, name));
  }
}

void RowWriter::WriteMetrics(const Turn& turn, JsonNode* out, JsonNode* state) {
  const json::Raw& metrics = turn.metrics;
  for (RowKey key = kFirstRowMetric; key <= kLastRowMetric;
       key = static_cast<RowKey>(static_cast<uint8_t>(key) + 1)) {
    const json::Raw value = FindMember(metrics, RowKeyName(key));
    if (value.present()) {
      out->Add(RowKeyName(key), JsonNode(CellOrNull(value)));
    }
  }
  for (const std::string_view name : StateMetrics()) {
    const json::Raw value = FindMember(metrics, name);
    if (value.present() && !IsRowMetric(name)) {
      state->Add(name, JsonNode(CellOrNull(value)));
    } else if (name == "total_latency_ms" && turn.latency_ms) {
      state->Add(name, JsonNode::Integer(*turn.latency_ms));
    } else if (name == "ttft_ms" && turn.ttft_ms) {
      state->Add(name, JsonNode::Integer(*turn.ttft_ms));
    }
  }
  const bool odd = metrics.has_value() && metrics.kind != json::Kind::kObject;
  const uint64_t lost = odd ? 1 : CountOthers(metrics, [](std::string_view key) {
    return IsRowMetric(key) || IsStateMetric(key);
  });
  if (lost > 0) {
    report_.lossy["metrics"] += lost;
  }
}

}  // namespace pchronicle::model::openai
