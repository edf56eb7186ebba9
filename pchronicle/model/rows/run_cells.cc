#include "pchronicle/model/rows/run_cells.h"

#include <fmt/format.h>

#include <iterator>

#include "pchronicle/model/residuals.h"
#include "pchronicle/model/rows/columns.h"

namespace pchronicle::model::rows {

Cell RunCells::Of(uint16_t column, const Document& document, Arena& arena) {
  switch (column) {
    case kRunSchemaVersion:
      return Cell::Stable("storyline/v1");
    case kRunOrigin:
      return Origin(document, arena);
    case kRunDocumentId:
      return Cell::Borrowed(document.document_id);
    case kRunStorageOrdinal:
      return Cell::Int(document.ordinal);
    case kRunTrajectoryIdExplicit:
      return Cell::Bool(document.trajectory_id.has_value());
    case kRunRunId:
      return Cell::Of(document.run_id);
    case kRunAttemptId:
      return Cell::Of(document.attempt_id);
    case kRunSessionId:
      return Cell::Borrowed(document.session_id);
    case kRunAgentId:
      return Cell::Borrowed(document.agent_id);
    case kRunAgentName:
      return Cell::Of(document.agent_name);
    case kRunAgentVersion:
      return Cell::Of(document.agent_version);
    case kRunAgentModelName:
      return Cell::Of(document.agent_model);
    case kRunAgentToolDefinitions:
      return JsonCell(document.agent_tools, arena);
    case kRunAgentExtra:
      return JsonCell(document.agent_extra, arena);
    case kRunParent:
      return Parent(document, arena);
    case kRunChildSessionIds:
      return Children(document, arena);
    case kRunNotes:
      return Cell::Of(document.notes);
    case kRunFinalMetrics:
      return JsonCell(document.final_metrics, arena);
    case kRunContinuedRef:
      return Cell::Of(document.continued_ref);
    case kRunExtra:
      return JsonCell(document.extra, arena);
    case kRunMeta:
      return JsonCell(document.meta, arena);
    case kRunUnknownFields:
      return UnknownFields(document, arena);
    case kRunUnknownKeyCounts:
      return UnknownKeyCounts(document, arena);
    case kRunTask:
      return JsonCell(document.task, arena);
    case kRunStartedAt:
      return Cell::Of(document.started_at.nanoseconds);
    case kRunFinishedAt:
      return Cell::Of(document.finished_at.nanoseconds);
    case kRunPrompt:
      return JsonCell(document.prompt, arena);
    default:
      return Cell::Null();
  }
}

void RunCells::AddMember(std::string_view key, std::string_view text) {
  fmt::format_to(std::back_inserter(composed_), "{}\"{}\":", composed_.size() > 1 ? "," : "", key);
  json::AppendQuoted(text, composed_);
}

Cell RunCells::Origin(const Document& document, Arena& arena) {
  if (!document.origin_format) {
    return Cell::Null();
  }
  composed_ = "{";
  AddMember("format", *document.origin_format);
  if (document.origin_schema_version) {
    AddMember("schema_version", *document.origin_schema_version);
  }
  if (document.origin_document_id) {
    AddMember("document_id", *document.origin_document_id);
  }
  composed_.push_back('}');
  return Cell::Stable(arena.Copy(composed_));
}

Cell RunCells::Parent(const Document& document, Arena& arena) {
  if (!document.parent) {
    return Cell::Null();
  }
  const model::Parent& parent = *document.parent;
  composed_ = "{";
  AddMember("psid", parent.document_id);
  if (parent.call_id) {
    AddMember("scid", *parent.call_id);
  }
  if (parent.turn_id) {
    fmt::format_to(std::back_inserter(composed_), ",\"ptid\":{}", *parent.turn_id);
  }
  if (parent.relation != "spawn") {
    AddMember("rel", parent.relation);
  }
  composed_.push_back('}');
  return Cell::Stable(arena.Copy(composed_));
}

Cell RunCells::Children(const Document& document, Arena& arena) {
  if (!document.children) {
    return Cell::Null();
  }
  composed_ = "[";
  for (const std::string_view child : *document.children) {
    if (composed_.size() > 1) {
      composed_.push_back(',');
    }
    json::AppendQuoted(child, composed_);
  }
  composed_.push_back(']');
  return Cell::Stable(arena.Copy(composed_));
}

Cell RunCells::UnknownFields(const Document& document, Arena& arena) {
  if (document.unknown.empty()) {
    return Cell::Null();
  }
  const std::string text = UnknownFieldsJson(document.unknown);
  if (text.empty()) {
    return Cell::Null();
  }
  // Residuals keep lone surrogates as written; SQL must not see them.
  const std::string_view cell =
      json::CellText(json::RawFromText(text), json::Surrogates::kReplace, arena);
  return Cell::Stable(cell.data() == text.data() ? arena.Copy(cell) : cell);
}

Cell RunCells::UnknownKeyCounts(const Document& document, Arena& arena) {
  if (document.unknown.empty()) {
    return Cell::Null();
  }
  const std::string text = UnknownKeyCountsJson(CountUnknownKeys(document.unknown));
  return text.empty() ? Cell::Null() : Cell::Stable(arena.Copy(text));
}

}  // namespace pchronicle::model::rows
