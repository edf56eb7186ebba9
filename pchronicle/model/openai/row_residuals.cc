#include "pchronicle/model/openai/row_residuals.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/openai/call_reader.h"
#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

/// Null, "" or []: says nothing under these names (formats.md 4.8).
bool IsNullOrEmpty(const json::Raw& raw) {
  return raw.kind != json::Kind::kObject && IsEmptyValue(raw);
}

std::string_view DecodedKey(const RawMembers& members, Arena& scratch) {
  const std::string_view quoted = members.quoted_key();
  const bool escaped = quoted.find('\\') != std::string_view::npos;
  const uint8_t flags = escaped ? json::kHasEscapes | json::kHasLoneSurrogate : 0;
  return json::DecodeString({quoted, json::Kind::kString, flags}, scratch);
}

bool TextIs(const json::Raw& raw, std::string_view text, Arena& scratch) {
  return raw.is_string() && json::DecodeString(raw, scratch) == text;
}

bool IsNumber(const json::Raw& raw, int64_t number) {
  int64_t value = 0;
  return json::ToInt64(raw, &value) && value == number;
}

}  // namespace

Status RowResiduals::Record(LoadedRow& row, const RowOutcome& outcome) {
  const std::string base = fmt::format("/session_steps/{}", row.entry->row);
  reader_.SetBase(base);
  for (const NamedSpan& other : row.shape.others) {
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, row.values->Capture(other.value, row.arena));
    reader_.Unknown(other.key, raw);
  }
  if (!outcome.has_turn) {
    return WholeRow(row);
  }
  for (size_t key = 0; key < kRowKeyCount; ++key) {
    if (row.shape.known[key].present()) {
      PCHRONICLE_RETURN_IF_ERROR(RowMember(row, static_cast<RowKey>(key), outcome));
      reader_.SetBase(base);
    }
  }
  if (row.has_messages) {
    PCHRONICLE_RETURN_IF_ERROR(Messages(row, outcome));
  }
  if (const MessageShape* response = row.response()) {
    const bool served = outcome.output->shape == response && outcome.output->uses_refusal();
    PCHRONICLE_RETURN_IF_ERROR(Message(row.shape.response, *response, *row.response_values,
                                       base + "/response", true, served, false, row.arena));
  }
  reader_.SetBase(base);
  return Status::Ok();
}

/// Nothing of the row has become a turn: all of it is a residual, its identity included, so that
/// export can write it where it stood.
Status RowResiduals::WholeRow(LoadedRow& row) {
  for (size_t i = 0; i < kRowKeyCount; ++i) {
    const RowKey key = static_cast<RowKey>(i);
    if (row.shape.at(key).present()) {
      PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, row.Capture(key));
      reader_.Unknown(RowKeyName(key), raw);
    }
  }
  return Status::Ok();
}

/// A string member that is consumed when it equals `consumed`; nothing equals an empty one.
void RowResiduals::TextMember(RowKey key, const json::Raw& raw, std::string_view consumed) {
  Arena scratch(256);
  if (raw.kind == json::Kind::kNull || (!consumed.empty() && TextIs(raw, consumed, scratch))) {
    return;
  }
  if (raw.is_string()) {
    reader_.Unknown(RowKeyName(key), raw);
  } else {
    reader_.Bad(RowKeyName(key), raw);
  }
}

Status RowResiduals::RowMember(LoadedRow& row, RowKey key, const RowOutcome& outcome) {
  const bool has_response = outcome.output->shape != nullptr;
  switch (key) {
    case RowKey::kSessionId:
    case RowKey::kStepId:
    case RowKey::kMessages:  // of the wrong type: recorded when the row was loaded
    case RowKey::kResponse:
      return Status::Ok();
    case RowKey::kMessagesJson:
      if (row.used_messages_json || !row.shape.at(key).has_value()) {
        return Status::Ok();
      }
      break;
    case RowKey::kResponseJson:
      if (row.used_response_json || !row.shape.at(key).has_value()) {
        return Status::Ok();
      }
      break;
    default:
      break;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, row.Capture(key));
  const std::string_view name = RowKeyName(key);
  switch (key) {
    case RowKey::kCreatedAt:  // an unreadable one was recorded when it was read
      break;
    case RowKey::kAgentId:
      TextMember(key, raw, outcome.stated_agent_id.value_or(std::string_view()));
      break;
    case RowKey::kAgentModel:
    case RowKey::kLlmModel:
      TextMember(key, raw, outcome.facts->model.value_or(std::string_view()));
      break;
    case RowKey::kRunId:
    case RowKey::kRunBucket:
    case RowKey::kJobId:
      TextMember(key, raw, outcome.run_id);
      break;
    case RowKey::kEnvId:
      TextMember(key, raw, outcome.session_id);
      break;
    case RowKey::kEnvName:
      if (!IsNonEmptyText(raw)) {
        TextMember(key, raw, {});
      }
      break;
    case RowKey::kId:
      if (!IsNonEmptyText(raw) || !has_response) {
        TextMember(key, raw, {});
      }
      break;
    case RowKey::kDatasetType:
    case RowKey::kDt:
      if (raw.is_string() && !IsNonEmptyText(raw)) {
        reader_.Unknown(name, raw);
      }
      break;
    case RowKey::kMetaJson:
      if (raw.kind != json::Kind::kNull) {
        MetaJson(raw, outcome);
      }
      break;
    case RowKey::kTools: {
      bool was_text = false;
      const json::Raw decoded = DecodeStructure(raw, json::Kind::kArray, row.arena, &was_text);
      if (was_text) {
        reader_.Note("json_in_text", name);
      }
      reader_.Unknown(name, was_text ? decoded : raw);
      break;
    }
    case RowKey::kBlobManifest:
    case RowKey::kChosenResponse:
    case RowKey::kRejectedResponse:
    case RowKey::kGroundTruthAnswer:
    case RowKey::kReferenceAnswer:
      if (raw.is_string() || !IsEmptyValue(raw)) {
        reader_.Unknown(name, raw);
      }
      break;
    case RowKey::kMessagesJson:
    case RowKey::kResponseJson:
      reader_.Unknown(name, raw);
      break;
    default:  // row metrics
      if (!has_response) {
        reader_.Unknown(name, raw);
      } else {
        reader_.ReadAny(name, raw);
      }
  }
  return Status::Ok();
}

void RowResiduals::MetaJson(const json::Raw& raw, const RowOutcome& outcome) {
  const json::Raw& meta = outcome.facts->meta;
  if (outcome.output->shape == nullptr) {
    reader_.Unknown("meta_json", raw);
    return;
  }
  if (!meta.present()) {
    reader_.Bad("meta_json", raw);
    return;
  }
  const std::string base = reader_.base() + "/meta_json";
  Arena scratch(1024);
  for (RawMembers members(meta); members.Next();) {
    reader_.SetBase(base);
    const json::Raw& value = members.value();
    if (members.KeyIs("group_id")) {
      continue;
    }
    if (members.KeyIs("source") && IsNonEmptyText(value)) {
      sources_->push_back({base + "/source", Own(value, arena_), outcome.row});
    } else if (members.KeyIs("env_state")) {
      EnvState(value, outcome);
    } else {
      reader_.Unknown(DecodedKey(members, scratch), value);
    }
  }
}

void RowResiduals::EnvState(const json::Raw& raw, const RowOutcome& outcome) {
  if (raw.kind == json::Kind::kNull) {
    return;
  }
  const json::Raw& state = outcome.facts->env_state;
  if (!state.present()) {
    reader_.Bad("env_state", raw);
    return;
  }
  reader_.SetBase(reader_.base() + "/env_state");
  Arena scratch(1024);
  for (RawMembers members(state); members.Next();) {
    const std::string_view key = DecodedKey(members, scratch);
    const json::Raw& value = members.value();
    const bool is_state = std::find(kStateFromEnvState.begin(), kStateFromEnvState.end(), key) !=
                          kStateFromEnvState.end();
    if (IsStateMetric(key) || is_state) {
      continue;
    }
    if (key == "endpoint" || key == "event_type" || key == "request_id") {
      if (value.has_value() && !value.is_string()) {
        reader_.Bad(key, value);
      }
      continue;
    }
    const bool consumed = (key == "session_id" && TextIs(value, outcome.session_id, scratch)) ||
                          (key == "requested_model" && outcome.facts->model &&
                           TextIs(value, *outcome.facts->model, scratch)) ||
                          (key == "llm_step_index" && IsNumber(value, outcome.step_id));
    if (!consumed) {
      reader_.Unknown(key, value);
    }
  }
}

Status RowResiduals::Messages(LoadedRow& row, const RowOutcome& outcome) {
  const MessageList& list = row.shape.messages;
  for (size_t i = 0; i < list.messages.size(); ++i) {
    const bool selected = outcome.output->message == i;
    const bool keep_all =
        std::binary_search(outcome.unattached->begin(), outcome.unattached->end(), i);
    PCHRONICLE_RETURN_IF_ERROR(
        Message(list, list.messages[i], *row.message_values,
                fmt::format("/session_steps/{}/messages/{}", row.entry->row, i), false,
                selected && outcome.output->uses_refusal(), keep_all, row.arena));
  }
  return Status::Ok();
}

/// `keep_all`: nothing of the message has gone anywhere.
Status RowResiduals::Message(const MessageList& list, const MessageShape& shape,
                             ValueSource& values, const std::string& base, bool is_response,
                             bool served_refusal, bool keep_all, Arena& scratch) {
  // A message without a role is no message that we know: one residual, as an element of another
  // kind is.
  if (!shape.is_object() || (shape.role == Role::kNone && !is_response)) {
    if (shape.whole.has_value()) {
      const size_t slash = base.rfind('/');
      reader_.SetBase(base.substr(0, slash));
      PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, values.Capture(shape.whole, scratch));
      reader_.Unknown(base.substr(slash + 1), raw);
    }
    return Status::Ok();
  }
  bool has_tool_id = false;
  if (shape.role == Role::kTool && shape.tool_call_id.kind == json::Kind::kString) {
    has_tool_id = shape.tool_call_id.end - shape.tool_call_id.begin > 2;
  }
  const bool assistant = shape.role == Role::kAssistant || is_response;
  const bool known = !keep_all && (assistant || shape.role == Role::kSystem ||
                                   shape.role == Role::kUser || has_tool_id);
  reader_.SetBase(base);
  struct Member {
    std::string_view key;
    const Span& span;
    bool consumed;       // always
    bool empty_is_gone;  // null or empty
  };
  const bool plain_role =
      shape.role_value.kind == json::Kind::kString &&
      (is_response ? shape.role == Role::kAssistant : shape.role != Role::kOther);
  const Member members[] = {
      {"role", shape.role_value,
       known && (plain_role || shape.role_value.kind == json::Kind::kNull), false},
      {"content", shape.content, known, false},
      {"refusal", shape.refusal, known && served_refusal, known},
      {"name", shape.name, false, known},
      {"tool_call_id", shape.tool_call_id, known && has_tool_id, known},
      {"reasoning_content", shape.reasoning,
       known && assistant && shape.reasoning.kind == json::Kind::kString, false},
      {"tool_calls", shape.tool_calls,
       known && assistant && shape.tool_calls.kind == json::Kind::kArray, known},
  };
  for (const Member& member : members) {
    if (!member.span.present() || member.consumed ||
        (known && member.span.kind == json::Kind::kNull)) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, values.Capture(member.span, scratch));
    if (member.empty_is_gone && IsNullOrEmpty(raw)) {
      continue;
    }
    reader_.Unknown(member.key, raw);
  }
  for (uint32_t i = shape.others_begin; i < shape.others_end; ++i) {
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, values.Capture(list.others[i].value, scratch));
    reader_.Unknown(list.others[i].key, raw);
  }
  if (known && assistant && shape.tool_calls.kind == json::Kind::kArray) {
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw calls, values.Capture(shape.tool_calls, scratch));
    Calls(calls, base + "/tool_calls");
  }
  return Status::Ok();
}

/// What of the calls the hub does not hold; all of an element that is no valid call.
void RowResiduals::Calls(const json::Raw& tool_calls, const std::string& base) {
  Arena scratch(1024);
  size_t index = 0;
  for (RawElements elements(tool_calls); elements.Next(); ++index) {
    const json::Raw& call = elements.value();
    if (call.kind != json::Kind::kObject) {
      if (call.kind != json::Kind::kNull) {
        reader_.SetBase(base);
        reader_.Unknown(fmt::format("{}", index), call);
      }
      continue;
    }
    const bool valid = SplitCall(call).valid();
    const std::string pointer = fmt::format("{}/{}", base, index);
    for (RawMembers members(call); members.Next();) {
      reader_.SetBase(pointer);
      const json::Raw& value = members.value();
      const bool type_is_usual = members.KeyIs("type") && (value.kind == json::Kind::kNull ||
                                                           TextIs(value, "function", scratch));
      if (valid && (members.KeyIs("id") || type_is_usual)) {
        continue;
      }
      if (!members.KeyIs("function") || value.kind != json::Kind::kObject) {
        reader_.Unknown(DecodedKey(members, scratch), value);
        continue;
      }
      reader_.SetBase(pointer + "/function");
      for (RawMembers parts(value); parts.Next();) {
        if (!valid || !(parts.KeyIs("name") || parts.KeyIs("arguments"))) {
          reader_.Unknown(DecodedKey(parts, scratch), parts.value());
        }
      }
    }
  }
}

}  // namespace pchronicle::model::openai
