#include "pchronicle/model/document.h"

#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

Text CopyText(const Text& text, Arena& arena) {
  return text ? Text(arena.Copy(*text)) : std::nullopt;
}

Timestamp CopyTimestamp(const Timestamp& timestamp, Arena& arena) {
  return {CopyCell(timestamp.scalar, arena), timestamp.nanoseconds};
}

}  // namespace

std::string_view EffectiveKind(const Turn& turn) {
  if (turn.kind) {
    return *turn.kind;
  }
  if (turn.source == "system") {
    return "internal";
  }
  return turn.source == "agent" && turn.call_count > 0 ? "autonomous" : "dialogue";
}

json::Raw CopyCell(const json::Raw& raw, Arena& arena) {
  if (!raw.present()) {
    return {};
  }
  json::Raw copy = raw;
  copy.text = json::CellText(raw, json::Surrogates::kKeep, arena);
  if (copy.text.data() == raw.text.data()) {
    copy.text = arena.Copy(copy.text);
  }
  if ((raw.flags & json::kHasNonFinite) != 0) {
    copy.kind = copy.text == "null" ? json::Kind::kNull : raw.kind;
  }
  copy.flags = raw.flags & static_cast<uint8_t>(json::kHasEscapes | json::kHasLoneSurrogate);
  return copy;
}

Turn CopyTurn(const Turn& turn, Arena& arena) {
  Turn copy = turn;  // numbers and flags; every view is replaced below
  copy.source = arena.Copy(turn.source);
  copy.kind = CopyText(turn.kind, arena);
  copy.timestamp = CopyTimestamp(turn.timestamp, arena);
  copy.finished_at = CopyTimestamp(turn.finished_at, arena);
  copy.message = CopyCell(turn.message, arena);
  copy.reasoning = CopyText(turn.reasoning, arena);
  copy.effort = CopyCell(turn.effort, arena);
  copy.metrics = CopyCell(turn.metrics, arena);
  copy.model = CopyText(turn.model, arena);
  copy.observation = CopyCell(turn.observation, arena);
  copy.extra = CopyCell(turn.extra, arena);
  copy.env = CopyCell(turn.env, arena);
  copy.prompt = CopyCell(turn.prompt, arena);
  for (ToolCall& call : copy.calls) {
    call.id = arena.Copy(call.id);
    call.function = arena.Copy(call.function);
    call.arguments = CopyCell(call.arguments, arena);
    call.result = CopyCell(call.result, arena);
    call.extra = CopyCell(call.extra, arena);
    call.response = CopyCell(call.response, arena);
    call.kind = CopyText(call.kind, arena);
  }
  return copy;
}

Document CopyDocument(const Document& document, Arena& arena) {
  Document copy = document;  // numbers and flags; every view is replaced below
  copy.document_id = arena.Copy(document.document_id);
  copy.session_id = arena.Copy(document.session_id);
  copy.trajectory_id = CopyText(document.trajectory_id, arena);
  copy.run_id = CopyText(document.run_id, arena);
  copy.attempt_id = CopyText(document.attempt_id, arena);
  copy.agent_id = arena.Copy(document.agent_id);
  copy.agent_name = CopyText(document.agent_name, arena);
  copy.agent_version = CopyText(document.agent_version, arena);
  copy.agent_model = CopyText(document.agent_model, arena);
  copy.agent_tools = CopyCell(document.agent_tools, arena);
  copy.agent_extra = CopyCell(document.agent_extra, arena);
  copy.origin_format = CopyText(document.origin_format, arena);
  copy.origin_schema_version = CopyText(document.origin_schema_version, arena);
  copy.origin_document_id = CopyText(document.origin_document_id, arena);
  if (copy.parent) {
    copy.parent->document_id = arena.Copy(document.parent->document_id);
    copy.parent->call_id = CopyText(document.parent->call_id, arena);
    copy.parent->relation = arena.Copy(document.parent->relation);
  }
  if (copy.children) {
    for (std::string_view& child : *copy.children) {
      child = arena.Copy(child);
    }
  }
  copy.notes = CopyText(document.notes, arena);
  copy.task = CopyCell(document.task, arena);
  copy.prompt = CopyCell(document.prompt, arena);
  copy.started_at = CopyTimestamp(document.started_at, arena);
  copy.finished_at = CopyTimestamp(document.finished_at, arena);
  copy.final_metrics = CopyCell(document.final_metrics, arena);
  copy.continued_ref = CopyText(document.continued_ref, arena);
  copy.extra = CopyCell(document.extra, arena);
  copy.meta = CopyCell(document.meta, arena);
  for (UnknownSource& source : copy.unknown) {
    source.format = arena.Copy(source.format);
    source.source_document_id = arena.Copy(source.source_document_id);
    for (UnknownField& field : source.fields) {
      field.pointer = arena.Copy(field.pointer);
      field.value = CopyCell(field.value, arena);
    }
  }
  copy.pointer = arena.Copy(document.pointer);
  copy.turns_member = arena.Copy(document.turns_member);
  copy.metrics_member = arena.Copy(document.metrics_member);
  copy.outcome_pointer = arena.Copy(document.outcome_pointer);
  return copy;
}

}  // namespace pchronicle::model
