#include "pchronicle/model/atif/document_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace pchronicle::model::atif {
namespace {

constexpr std::string_view kVersionPrefix = "ATIF-v1.";
constexpr int kNewestKnownMinor = 8;

}  // namespace

uint32_t OnceOnlyBit(std::string_view key) {
  constexpr std::pair<std::string_view, uint32_t> kOnce[] = {
      {"schema_version", kSeenSchemaVersion},
      {"session_id", kSeenSessionId},
      {"trajectory_id", kSeenTrajectoryId},
      {"agent", kSeenAgent},
      {"steps", kSeenSteps},
      {"subagent_trajectories", kSeenSubagents}};
  for (const auto& [name, bit] : kOnce) {
    if (key == name) {
      return bit;
    }
  }
  return 0;
}

MemberReader DocumentReader::Members(DocumentState& state) {
  MemberReader reader;
  reader.SetTarget({&state.document, wants(Field::kUnknown) ? &state.residuals : nullptr,
                    &state.arena, state.muted ? nullptr : &sink_});
  reader.SetBase(state.document.pointer);
  return reader;
}

Status DocumentReader::ReadMember(DocumentState& state, std::string_view key,
                                  json::Cursor& cursor) {
  if (const uint32_t bit = OnceOnlyBit(key); bit != 0) {
    if ((state.seen & bit) != 0) {
      cursor.Skip();
      return Status::InvalidArgument("duplicate key '{}'", key);
    }
    state.seen |= bit;
    return bit == kSeenAgent ? ReadAgent(state, cursor) : ReadIdentity(state, key, cursor);
  }
  Document& document = state.document;
  json::Raw* any = key == "final_metrics" && wants(Field::kFinalMetrics) ? &document.final_metrics
                   : key == "extra" && wants(Field::kRootExtra)          ? &document.extra
                                                                         : nullptr;
  Text* text = key == "notes" && wants(Field::kNotes) ? &document.notes
               : key == "continued_trajectory_ref" && wants(Field::kContinuedRef)
                   ? &document.continued_ref
                   : nullptr;
  const bool known = key == "final_metrics" || key == "extra" || key == "notes" ||
                     key == "continued_trajectory_ref";
  const bool is_envelope = key == "_storyline" && state.is_root();
  if (any == nullptr && text == nullptr &&
      (known || (!wants(Field::kUnknown) && !options_.strict))) {
    cursor.Skip();
    return Status::Ok();
  }
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  MemberReader members = Members(state);
  if (is_envelope) {
    envelope_arena_.Reset();
    envelope_ = Own(raw, envelope_arena_);
  } else if (any != nullptr) {
    *any = Own(members.ReadAny(key, raw), state.arena);
  } else if (text != nullptr) {
    *text = OwnText(state, key, raw);
  } else {
    members.Unknown(key, raw);
  }
  return Status::Ok();
}

/// Decoded strings may be views into the cursor's buffers: documents outlive those.
Text DocumentReader::OwnText(DocumentState& state, std::string_view key, const json::Raw& raw) {
  MemberReader members = Members(state);
  const Text text = members.ReadText(key, raw);
  return text ? Text(state.arena.Copy(*text)) : std::nullopt;
}

Status DocumentReader::ReadIdentity(DocumentState& state, std::string_view key,
                                    json::Cursor& cursor) {
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  if (key == "schema_version" && !raw.is_string()) {
    return Status::InvalidArgument("schema_version must be a string");
  }
  const Text text = OwnText(state, key, raw);
  if (key == "schema_version") {
    state.own_schema_version = *text;
    return CheckVersion(state);
  }
  if (key == "session_id") {
    state.own_session_id = text.value_or(std::string_view());
  } else {
    state.has_trajectory_id = text.has_value();
    state.own_trajectory_id = text.value_or(std::string_view());
    if (text) {
      state.document.trajectory_id = text;
    }
  }
  return Status::Ok();
}

Status DocumentReader::CheckVersion(DocumentState& state) {
  const std::string_view version = state.own_schema_version;
  const bool known_major = version.starts_with(kVersionPrefix) &&
                           version.size() > kVersionPrefix.size() &&
                           std::all_of(version.begin() + kVersionPrefix.size(), version.end(),
                                       [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (!known_major) {
    return Status::Unsupported("unsupported ATIF schema_version '{}'; expected ATIF-v1.x", version);
  }
  const std::string_view minor = version.substr(kVersionPrefix.size());
  if (minor.size() != 1 || minor[0] > '0' + kNewestKnownMinor) {
    Members(state).Note("unknown_version", "schema_version", version);
  }
  state.document.origin_schema_version = version;
  return Status::Ok();
}

Status DocumentReader::ReadAgent(DocumentState& state, json::Cursor& cursor) {
  if (cursor.Peek() != json::Kind::kObject) {
    cursor.Skip();
    return Status::InvalidArgument("agent must be an object");
  }
  Document& document = state.document;
  MemberReader members = Members(state);
  members.SetBase(std::string(document.pointer) + "/agent");
  cursor.BeginObject();
  json::Raw raw;
  Status invalid;
  for (std::string_view view; cursor.NextKey(&view);) {
    const std::string key(view);
    const bool is_tools = key == "tool_definitions";
    const bool is_extra = key == "extra";
    const bool is_text = key == "name" || key == "version" || key == "model_name";
    if ((is_tools && !wants(Field::kAgentTools)) || (is_extra && !wants(Field::kAgentExtra)) ||
        (!is_tools && !is_extra && !is_text && !wants(Field::kUnknown))) {
      cursor.Skip();
      continue;
    }
    if (!cursor.Capture(&raw)) {
      break;
    }
    if (is_tools) {
      document.agent_tools = Own(members.ReadAny(key, raw), state.arena);
    } else if (is_extra) {
      document.agent_extra = Own(members.ReadAny(key, raw), state.arena);
    } else if (is_text) {
      const Text decoded = members.ReadText(key, raw);
      const Text text = decoded ? Text(state.arena.Copy(*decoded)) : std::nullopt;
      if (key == "name") {
        document.agent_name = text;
        document.agent_id = text.value_or(std::string_view());
      } else if (key == "version") {
        document.agent_version = text && !text->empty() ? text : std::nullopt;
      } else {
        document.agent_model = text;
      }
    } else {
      members.Unknown(key, raw);
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  if (document.agent_id.empty()) {
    return Status::InvalidArgument("agent.name is required");
  }
  if (!document.agent_version) {
    if (options_.strict) {
      return Status::InvalidArgument("agent.version is required");
    }
    members.Note("missing_agent_version", "version");
  }
  state.agent_is_valid = true;
  return Status::Ok();
}

/// Reads the head members of one document ahead of the main walk (STL-126).
Status DocumentReader::Skim(DocumentState& state) {
  if (state.skimmed) {
    return Status::Ok();
  }
  state.skimmed = true;
  Result<std::unique_ptr<json::ByteSource>> source = input_.Open(state.offset, json::kToEnd);
  if (!source.ok()) {
    return source.status();
  }
  json::Cursor ahead(std::move(*source), state.offset, options_.cursor);
  if (!ahead.BeginObject()) {
    return Status::Ok();  // the main walk meets the same error and places it
  }
  json::Raw raw;
  for (std::string_view key; ahead.NextKey(&key);) {
    std::string_view* slot = key == "schema_version"  ? &state.own_schema_version
                             : key == "session_id"    ? &state.own_session_id
                             : key == "trajectory_id" ? &state.own_trajectory_id
                                                      : nullptr;
    if (slot == nullptr) {
      ahead.Skip();
      continue;
    }
    if (ahead.Capture(&raw) && raw.is_string()) {
      *slot = state.arena.Copy(json::DecodeString(raw, state.arena));
    }
  }
  bytes_read_ahead_ += ahead.bytes_read();
  if (!state.own_trajectory_id.empty()) {
    state.document.trajectory_id = state.own_trajectory_id;
  }
  return Status::Ok();
}

Status DocumentReader::CheckComplete(const DocumentState& state) {
  if ((state.seen & kSeenSchemaVersion) == 0) {
    return Status::InvalidArgument("schema_version is required");
  }
  if ((state.seen & kSeenAgent) == 0) {
    return Status::InvalidArgument("agent is required");
  }
  if ((state.seen & kSeenSteps) == 0) {
    return Status::InvalidArgument("steps is required");
  }
  if (!state.is_root() && state.own_trajectory_id.empty()) {
    return Status::InvalidArgument("embedded ATIF trajectory requires trajectory_id");
  }
  return Status::Ok();
}

}  // namespace pchronicle::model::atif
