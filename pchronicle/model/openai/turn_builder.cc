#include "pchronicle/model/openai/turn_builder.h"

#include <fmt/core.h>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/openai/call_reader.h"
#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/openai/embedded_call.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::openai {
namespace {

constexpr std::string_view kContext = "context";
constexpr std::string_view kRequest = "llm.request";
constexpr std::string_view kResponse = "llm.response";
constexpr std::string_view kAutonomous = "autonomous";

std::string RowPointer(const LoadedRow& row) {
  return fmt::format("/session_steps/{}", row.entry->row);
}

std::string MessagePointer(const LoadedRow& row, std::optional<size_t> message) {
  return message ? fmt::format("{}/messages/{}", RowPointer(row), *message)
                 : RowPointer(row) + "/response";
}

}  // namespace

void TurnBuilder::Reset(Arena* arena) {
  arena_ = arena;
  turns_.clear();
  ledger_.Reset(arena);
  context_count_ = 0;
  first_row_ = true;
  unattached_.clear();
}

Turn& TurnBuilder::AddTurn(int64_t id, std::string_view source, std::string_view kind) {
  Turn& turn = turns_.emplace_back();
  turn.ordinal = static_cast<int64_t>(turns_.size() - 1);
  turn.id = id;
  turn.source = source;
  turn.kind = kind;
  turn.message = NullRaw();
  return turn;
}

json::Raw TurnBuilder::Message(const json::Raw& content, MemberReader& reader) {
  if (!wants(Field::kMessage) || !content.present()) {
    return NullRaw();
  }
  reader.ReadAny("content", content);
  return Own(content, *arena_);
}

Status TurnBuilder::AddRow(LoadedRow& row, const Output& output, const RowFacts& facts,
                           MemberReader& reader) {
  const int64_t step = row.entry->step_id;
  unattached_.clear();
  last_row_has_turn_ = output.shape != nullptr;
  const std::optional<size_t> last_user = LastUserMessage(row.shape.messages);
  if (first_row_ && last_user) {
    PCHRONICLE_RETURN_IF_ERROR(AddContext(row, *last_user, reader));
  }
  first_row_ = false;
  if (step > (INT64_MAX - context_count_) / 2) {
    return Status::InvalidArgument("OpenAI corpus step_id overflows Storyline turn id");
  }
  const int64_t response_id = context_count_ + 2 * step;
  if (last_user) {
    last_row_has_turn_ = true;
    PCHRONICLE_RETURN_IF_ERROR(AddRequest(row, *last_user, response_id - 1, facts, reader));
  }
  Turn response;
  answer_calls_.clear();
  if (output.shape != nullptr) {
    response.id = response_id;
    PCHRONICLE_RETURN_IF_ERROR(BuildResponse(output, step, facts, row, reader, &response));
    for (const ToolCall& call : response.calls) {
      answer_calls_.push_back(call.id);
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(AddToolMessages(row, last_user, output.shape != nullptr));
  if (output.shape != nullptr) {
    response.ordinal = static_cast<int64_t>(turns_.size());
    turns_.push_back(std::move(response));
    reader.SetBase(MessagePointer(row, output.message));
    PCHRONICLE_RETURN_IF_ERROR(
        RegisterCalls(turns_.back(), static_cast<uint32_t>(turns_.size() - 1), reader));
  }
  reader.SetBase(RowPointer(row));
  return Status::Ok();
}

/// The first row's messages before its last user message.
Status TurnBuilder::AddContext(LoadedRow& row, size_t end, MemberReader& reader) {
  for (size_t i = 0; i < end; ++i) {
    const MessageShape& message = row.shape.messages.messages[i];
    if (message.role != Role::kSystem && message.role != Role::kUser &&
        message.role != Role::kAssistant) {
      continue;
    }
    const bool assistant = message.role == Role::kAssistant;
    Turn& turn = AddTurn(++context_count_, assistant ? "agent" : RoleName(message.role),
                         assistant                     ? kResponse
                         : message.role == Role::kUser ? kRequest
                                                       : kContext);
    turn.copied = true;
    reader.SetBase(MessagePointer(row, i));
    if (wants(Field::kMessage)) {
      PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw content,
                                  row.message_values->Capture(message.content, row.arena));
      turn.message = Message(DecodeContent(content, row.arena), reader);
    }
    if (assistant && message.tool_calls.kind == json::Kind::kArray) {
      PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw tool_calls,
                                  row.message_values->Capture(message.tool_calls, row.arena));
      ReadCalls(tool_calls, wants(Field::kArguments), *arena_, row.arena, &turn.calls);
      if (!turn.calls.empty()) {
        turn.kind = kAutonomous;
      }
      PCHRONICLE_RETURN_IF_ERROR(
          RegisterCalls(turn, static_cast<uint32_t>(turns_.size() - 1), reader));
    }
  }
  return Status::Ok();
}

Status TurnBuilder::AddRequest(LoadedRow& row, size_t message, int64_t id, const RowFacts& facts,
                               MemberReader& reader) {
  Turn& turn = AddTurn(id, "user", kRequest);
  turn.timestamp = facts.created_at;
  if (wants(Field::kMessage)) {
    reader.SetBase(MessagePointer(row, message));
    const MessageShape& shape = row.shape.messages.messages[message];
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw content,
                                row.message_values->Capture(shape.content, row.arena));
    turn.message = Message(DecodeContent(content, row.arena), reader);
  }
  return Status::Ok();
}

Status TurnBuilder::BuildResponse(const Output& output, int64_t step_id, const RowFacts& facts,
                                  LoadedRow& row, MemberReader& reader, Turn* turn) {
  turn->source = "agent";
  reader.SetBase(MessagePointer(row, output.message));
  turn->message = Message(output.uses_refusal() ? output.refusal : output.content, reader);
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw reasoning,
                              output.values->Capture(output.shape->reasoning, row.arena));
  if (reasoning.is_string() && wants(Field::kReasoning)) {
    turn->reasoning = reader.ReadText("reasoning_content", Own(reasoning, *arena_));
  }
  ReadCalls(output.tool_calls, wants(Field::kArguments), *arena_, row.arena, &turn->calls);
  if (turn->calls.empty()) {
    ReadEmbeddedCall(output.content, step_id, row.arena, turn);
  }
  turn->kind = turn->calls.empty() ? kResponse : kAutonomous;
  turn->llm_calls = 1;
  turn->timestamp = facts.created_at;
  turn->model = facts.model;
  turn->metrics = facts.metrics;
  turn->latency_ms = facts.latency_ms;
  turn->ttft_ms = facts.ttft_ms;
  turn->env = facts.env;
  return Status::Ok();
}

void TurnBuilder::ReadEmbeddedCall(const json::Raw& content, int64_t step_id, Arena& scratch,
                                   Turn* turn) {
  // Most answers have no marker: do not decode them to find that out. An escaped marker needs a
  // backslash.
  if (!content.has_value()) {
    return;
  }
  const bool maybe = Contains(content.text, "tool_call>") || Contains(content.text, "function=") ||
                     Contains(content.text, "\\u");
  if (!maybe) {
    return;
  }
  const std::optional<EmbeddedCall> found = FindEmbeddedCall(ContentText(content, scratch));
  if (!found) {
    return;
  }
  ToolCall& call = turn->calls.emplace_back();
  call.id = arena_->Copy(EmbeddedCallId(step_id, found->name));
  call.function = arena_->Copy(found->name);
  if (wants(Field::kArguments)) {
    call.arguments = json::RawFromText(arena_->Copy(found->arguments));
  }
}

/// Makes a turn's calls known to the ledger.
Status TurnBuilder::RegisterCalls(const Turn& turn, uint32_t index, MemberReader& reader) {
  for (const ToolCall& call : turn.calls) {
    if (!ledger_.AddCall(call.id, index)) {
      continue;
    }
    if (strict_) {
      return Status::InvalidArgument("duplicate tool_call_id {}", call.id);
    }
    reader.Note("duplicate_tool_call_id", "tool_calls", call.id);
  }
  return Status::Ok();
}

Status TurnBuilder::AddToolMessages(LoadedRow& row, std::optional<size_t> last_user,
                                    bool has_response) {
  const uint32_t answer =
      has_response ? static_cast<uint32_t>(turns_.size()) : ResultLedger::kNoTurn;
  ledger_.StartRow(answer, &answer_calls_);
  const auto& messages = row.shape.messages.messages;
  bool fresh = !last_user;
  for (size_t i = 0; i < messages.size(); ++i) {
    const MessageShape& message = messages[i];
    if (last_user && i == *last_user) {
      fresh = true;
    } else if (message.role == Role::kAssistant) {
      fresh = false;
    }
    if (message.role != Role::kTool || message.tool_call_id.kind != json::Kind::kString) {
      continue;
    }
    scratch_.Reset();  // a giant row's history is compared piece by piece, not held
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw id,
                                row.message_values->Capture(message.tool_call_id, scratch_));
    if (!IsNonEmptyText(id)) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool attached,
        ledger_.AddResult(id, json::DecodeString(id, scratch_), message.content,
                          *row.message_values, fresh, scratch_));
    if (!attached) {
      unattached_.push_back(i);
    }
  }
  return Status::Ok();
}

void TurnBuilder::Finish() {
  ledger_.Seal();
  for (size_t i = 0; i < turns_.size(); ++i) {
    Turn& turn = turns_[i];
    turn.had_tool_calls = !turn.calls.empty();
    turn.call_count = turn.calls.size();
    turn.had_observation = ledger_.HasResults(static_cast<uint32_t>(i));
    if (turn.had_observation && wants(Field::kObservation)) {
      turn.observation = ledger_.Observation(static_cast<uint32_t>(i), *arena_);
    }
  }
}

}  // namespace pchronicle::model::openai
