#include "pchronicle/model/storyline/head_reader.h"

#include <algorithm>

#include "pchronicle/model/decode.h"

namespace pchronicle::model::storyline {
namespace {

struct HeadInfo {
  std::string_view key;
  FieldMask needed_for;  // empty: always read
  bool once;             // a second one is an error: two identities are not guessed between
};

constexpr std::array<HeadInfo, kHeadMembers> kHead{{
    {"schema_version", {}, true},
    {"origin", Field::kOrigin, false},
    {"run", Field::kRunId, false},
    {"trajectory", {}, true},
    {"attempt_id", Field::kRunId, false},
    {"session", {}, true},
    {"agent", {}, true},
    {"parent", Field::kParent, false},
    {"children", Field::kChildren, false},
    {"notes", Field::kNotes, false},
    {"task", Field::kTask | Field::kOutcome, false},
    {"prompt", Field::kRootPrompt, false},
    {"started_at", Field::kTimes, false},
    {"finished_at", Field::kTimes, false},
    {"final_metrics", Field::kFinalMetrics, false},
    {"continued_trajectory_ref", Field::kContinuedRef, false},
    {"extra", Field::kRootExtra, false},
    {"meta", Field::kMeta, false},
    {"unknown_fields", Field::kUnknown, false},
    {"unknown_key_counts", Field::kUnknown, false},
}};

size_t FindHead(std::string_view key) {
  const auto* found = std::find_if(kHead.begin(), kHead.end(),
                                   [&](const HeadInfo& info) { return info.key == key; });
  return static_cast<size_t>(found - kHead.begin());
}

constexpr WireMember kTaskMembers[] = {{"env", WireMember::Type::kObject},
                                       {"llm", WireMember::Type::kObject},
                                       {"result", WireMember::Type::kObject}};
constexpr WireMember kLlmMembers[] = {{"k", WireMember::Type::kInt}};
constexpr WireMember kResultMembers[] = {{"correct", WireMember::Type::kBool},
                                         {"status", WireMember::Type::kText},
                                         {"error", WireMember::Type::kText}};
constexpr WireMember kOriginMembers[] = {{"format", WireMember::Type::kText},
                                         {"schema_version", WireMember::Type::kText},
                                         {"document_id", WireMember::Type::kText}};
constexpr WireMember kParentMembers[] = {{"psid", WireMember::Type::kText},
                                         {"scid", WireMember::Type::kText},
                                         {"ptid", WireMember::Type::kInt},
                                         {"rel", WireMember::Type::kText}};

/// The value of one member of an object; absent when there is none.
json::Raw MemberOf(const json::Raw& object, std::string_view name) {
  json::Raw found;
  if (object.kind != json::Kind::kObject) {
    return found;
  }
  json::Cursor cursor(object.text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    key == name ? cursor.Capture(&found) : cursor.Skip();
  }
  return found;
}

}  // namespace

HeadReader::HeadReader(const WalkOptions& options, int64_t ordinal) : options_(options) {
  document_.ordinal = ordinal;
  document_.pointer = "";
  document_.turns_member = "/turns";
}

bool HeadReader::Owns(std::string_view key) const { return FindHead(key) < kHeadMembers; }

Status HeadReader::Read(std::string_view key, json::Cursor& cursor) {
  const size_t place = FindHead(key);
  const HeadInfo& info = kHead[place];
  const HeadMember member = static_cast<HeadMember>(place);
  if (seen(member)) {
    if (info.once) {
      reader_.base().clear();
      return reader_.FailAs(info.key, Status::InvalidArgument("duplicate key '{}'", info.key));
    }
    reader_.Note("duplicate_key", info.key);
  }
  seen_ |= Bit(member);
  if (member == HeadMember::kAgent) {
    return ReadAgent(cursor);
  }
  if (info.needed_for != FieldMask() && !options_.fields.has_any(info.needed_for)) {
    return cursor.Skip() ? Status::Ok() : cursor.status();
  }
  json::Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.status();
  }
  members_[place] = Own(raw, arena_);
  return Status::Ok();
}

Status HeadReader::ReadAgent(json::Cursor& cursor) {
  reader_.base().clear();
  if (cursor.Peek() != json::Kind::kObject) {
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
    return reader_.Fail("agent", Status::InvalidArgument("must be an object"));
  }
  struct Slot {
    std::string_view key;
    json::Raw* raw;
    FieldMask needed_for;
  };
  const Slot slots[] = {{"id", &agent_id_, {}},
                        {"name", &agent_name_, Field::kAgent},
                        {"ver", &agent_version_, Field::kAgent},
                        {"model", &agent_model_, Field::kAgent},
                        {"tools", &document_.agent_tools, Field::kAgentTools},
                        {"extra", &document_.agent_extra, Field::kAgentExtra}};
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const Slot* slot = std::find_if(std::begin(slots), std::end(slots),
                                    [&](const Slot& s) { return s.key == key; });
    if (slot == std::end(slots)) {
      reader_.base() = "/agent";
      return reader_.UnknownField(key);
    }
    if (slot->needed_for != FieldMask() && !options_.fields.has_any(slot->needed_for)) {
      cursor.Skip();
      continue;
    }
    json::Raw raw;
    if (!cursor.Capture(&raw)) {
      break;
    }
    *slot->raw = Own(raw, arena_);
  }
  return cursor.status();
}

Status HeadReader::Build(DocumentSink* sink) {
  residuals_.Clear();
  reader_.SetTarget({&document_, wants(Field::kUnknown) ? &residuals_ : nullptr, &arena_, sink});
  reader_.base().clear();
  PCHRONICLE_RETURN_IF_ERROR(BuildIdentity());
  PCHRONICLE_RETURN_IF_ERROR(BuildAgent());
  PCHRONICLE_RETURN_IF_ERROR(CheckTask());
  ObjectContent content;
  reader_.base().clear();
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.CheckObject("prompt", at(HeadMember::kPrompt), kPromptMembers, false, &content));
  if (at(HeadMember::kPrompt).has_value() && !content.has_value) {
    return reader_.FailAs(
        "prompt",
        Status::InvalidArgument("storyline.prompt must contain a non-empty system or user"));
  }
  document_.prompt = reader_.ReadAny("prompt", at(HeadMember::kPrompt));
  PCHRONICLE_RETURN_IF_ERROR(BuildOrigin());
  PCHRONICLE_RETURN_IF_ERROR(BuildUnknown());
  PCHRONICLE_RETURN_IF_ERROR(BuildParent());
  PCHRONICLE_RETURN_IF_ERROR(BuildChildren());
  return BuildRest();
}

Status HeadReader::BuildIdentity() {
  const json::Raw& version = at(HeadMember::kSchemaVersion);
  if (!version.is_string()) {
    return reader_.FailAs("schema_version",
                          version.present()
                              ? Status::InvalidArgument("schema_version must be a string")
                              : Status::InvalidArgument("storyline.schema_version is required"));
  }
  Arena scratch(256);
  const std::string_view text = json::DecodeString(version, scratch);
  if (text != "storyline/v1") {
    return reader_.FailAs(
        "schema_version",
        Status::Unsupported("unsupported storyline schema_version '{}'; expected storyline/v1",
                            text));
  }
  const json::Raw& session = at(HeadMember::kSession);
  if (session.has_value()) {
    PCHRONICLE_RETURN_IF_ERROR(reader_.ReadRequiredText("session", session, &document_.session_id));
  }
  if (document_.session_id.empty()) {
    return reader_.FailAs("session", Status::InvalidArgument("storyline.session is required"));
  }
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.ReadText("trajectory", at(HeadMember::kTrajectory), &document_.trajectory_id));
  if (document_.trajectory_id && document_.trajectory_id->empty()) {
    return reader_.FailAs("trajectory", Status::InvalidArgument(
                                            "storyline.trajectory must be non-empty when present"));
  }
  return Status::Ok();
}

Status HeadReader::BuildAgent() {
  reader_.base() = "/agent";
  if (agent_id_.has_value()) {
    PCHRONICLE_RETURN_IF_ERROR(reader_.ReadRequiredText("id", agent_id_, &document_.agent_id));
  }
  if (document_.agent_id.empty()) {
    return reader_.FailAs("id", Status::InvalidArgument("storyline.agent.id is required"));
  }
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("name", agent_name_, &document_.agent_name));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("ver", agent_version_, &document_.agent_version));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("model", agent_model_, &document_.agent_model));
  document_.agent_tools = reader_.ReadAny("tools", document_.agent_tools);
  document_.agent_extra = reader_.ReadAny("extra", document_.agent_extra);
  reader_.base().clear();
  return Status::Ok();
}

Status HeadReader::CheckTask() {
  const json::Raw& task = at(HeadMember::kTask);
  ObjectContent ignored, env, llm, result;
  PCHRONICLE_RETURN_IF_ERROR(reader_.CheckObject("task", task, kTaskMembers, false, &ignored));
  document_.task = reader_.ReadAny("task", task);
  if (!task.has_value()) {
    return Status::Ok();
  }
  reader_.base() = "/task";
  const json::Raw llm_value = MemberOf(task, "llm");
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.CheckObject("env", MemberOf(task, "env"), kEnvMembers, false, &env));
  PCHRONICLE_RETURN_IF_ERROR(reader_.CheckObject("llm", llm_value, kLlmMembers, false, &llm));
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.CheckObject("result", MemberOf(task, "result"), kResultMembers, true, &result));
  int64_t k = 0;
  if (json::ToInt64(MemberOf(llm_value, "k"), &k) && k <= 0) {
    return reader_.FailAs("llm/k",
                          Status::InvalidArgument("storyline.task.llm.k must be positive"));
  }
  if (!env.has_value && !llm.has_value && !result.has_value) {
    reader_.base().clear();
    return reader_.FailAs(
        "task", Status::InvalidArgument("storyline.task must contain env, llm, or result"));
  }
  const json::Raw outcome = MemberOf(task, "result");
  document_.outcome_pointer = MemberOf(outcome, "correct").has_value()  ? "/task/result/correct"
                              : MemberOf(outcome, "status").has_value() ? "/task/result/status"
                                                                        : "";
  reader_.base().clear();
  return Status::Ok();
}

Status HeadReader::BuildOrigin() {
  const json::Raw& origin = at(HeadMember::kOrigin);
  ObjectContent content;
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.CheckObject("origin", origin, kOriginMembers, false, &content));
  if (!origin.has_value()) {
    return Status::Ok();
  }
  reader_.base() = "/origin";
  const std::pair<std::string_view, Text*> texts[] = {
      {"format", &document_.origin_format},
      {"schema_version", &document_.origin_schema_version},
      {"document_id", &document_.origin_document_id}};
  for (const auto& [key, text] : texts) {
    PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText(key, MemberOf(origin, key), text));
    if (text->has_value() ? (*text)->empty() : key == "format") {
      return reader_.FailAs(
          key, text->has_value()
                   ? Status::InvalidArgument("storyline.origin.{} must be non-empty", key)
                   : Status::InvalidArgument("storyline.origin.{} is required", key));
    }
  }
  reader_.base().clear();
  return Status::Ok();
}

Status HeadReader::BuildParent() {
  const json::Raw& parent = at(HeadMember::kParent);
  ObjectContent content;
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.CheckObject("parent", parent, kParentMembers, false, &content));
  document_.parent.reset();
  if (!parent.has_value()) {
    return Status::Ok();
  }
  reader_.base() = "/parent";
  Parent& built = document_.parent.emplace();
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.ReadRequiredText("psid", MemberOf(parent, "psid"), &built.document_id));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("scid", MemberOf(parent, "scid"), &built.call_id));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadInt("ptid", MemberOf(parent, "ptid"), &built.turn_id));
  Text relation;
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("rel", MemberOf(parent, "rel"), &relation));
  const json::Raw written = MemberOf(parent, "rel");
  if (written.kind == json::Kind::kNull) {
    return reader_.Fail("rel", Status::InvalidArgument("must be a string"));
  }
  built.relation = relation.value_or("spawn");
  reader_.base().clear();
  return Status::Ok();
}

Status HeadReader::BuildChildren() {
  const json::Raw& children = at(HeadMember::kChildren);
  document_.children.reset();
  if (!children.has_value()) {
    return Status::Ok();
  }
  if (children.kind != json::Kind::kArray) {
    return reader_.Fail("children", Status::InvalidArgument("must be an array of strings"));
  }
  document_.children.emplace();
  json::Cursor cursor(children.text);
  cursor.BeginArray();
  while (cursor.NextElement()) {
    json::Raw child;
    if (!cursor.Capture(&child)) {
      break;
    }
    if (!child.is_string()) {
      return reader_.Fail("children", Status::InvalidArgument("must be an array of strings"));
    }
    document_.children->push_back(json::DecodeString(child, arena_));
  }
  return cursor.status();
}

Status HeadReader::BuildRest() {
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("run", at(HeadMember::kRun), &document_.run_id));
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.ReadText("attempt_id", at(HeadMember::kAttemptId), &document_.attempt_id));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText("notes", at(HeadMember::kNotes), &document_.notes));
  PCHRONICLE_RETURN_IF_ERROR(reader_.ReadText(
      "continued_trajectory_ref", at(HeadMember::kContinuedRef), &document_.continued_ref));
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.ReadTimestamp("started_at", at(HeadMember::kStartedAt), &document_.started_at));
  PCHRONICLE_RETURN_IF_ERROR(
      reader_.ReadTimestamp("finished_at", at(HeadMember::kFinishedAt), &document_.finished_at));
  document_.final_metrics = reader_.ReadAny("final_metrics", at(HeadMember::kFinalMetrics));
  document_.extra = reader_.ReadAny("extra", at(HeadMember::kExtra));
  document_.meta = reader_.ReadAny("meta", at(HeadMember::kMeta));
  return Status::Ok();
}

// -- Residuals --

Status HeadReader::BuildUnknown() {
  if (!wants(Field::kUnknown)) {
    return Status::Ok();
  }
  written_unknown_.clear();
  const json::Raw& fields = at(HeadMember::kUnknownFields);
  if (fields.present()) {
    constexpr WireMember kSources[] = {{"sources", WireMember::Type::kObject}};
    ObjectContent content;
    PCHRONICLE_RETURN_IF_ERROR(
        reader_.CheckObject("unknown_fields", fields, kSources, false, &content));
    const json::Raw sources = MemberOf(fields, "sources");
    if (!sources.has_value()) {
      return reader_.Fail("unknown_fields",
                          Status::InvalidArgument("must be an object of sources"));
    }
    Result<std::vector<UnknownSource>> parsed = ParseUnknownSources(sources, arena_);
    if (!parsed.ok()) {
      return reader_.Fail("unknown_fields", parsed.status());
    }
    written_unknown_ = std::move(*parsed);
  }
  return CheckCounts(at(HeadMember::kUnknownKeyCounts));
}

Status HeadReader::CheckCounts(const json::Raw& counts) {
  const Status differ =
      Status::InvalidArgument("storyline unknown_key_counts do not match unknown_fields");
  const UnknownKeyCounts computed = CountUnknownKeys(written_unknown_);
  UnknownKeyCounts written;
  if (counts.present()) {
    if (counts.kind != json::Kind::kObject) {
      return reader_.Fail("unknown_key_counts", Status::InvalidArgument("must be an object"));
    }
    json::Cursor cursor(counts.text);
    cursor.BeginObject();
    for (std::string_view source; cursor.NextKey(&source);) {
      auto& by_pointer = written[std::string(source)];
      if (cursor.Peek() != json::Kind::kObject) {
        return reader_.Fail("unknown_key_counts",
                            Status::InvalidArgument("must hold an object for each source"));
      }
      cursor.BeginObject();
      for (std::string_view pointer; cursor.NextKey(&pointer);) {
        uint64_t& slot = by_pointer[std::string(pointer)];
        json::Raw count;
        int64_t value = 0;
        if (!cursor.Capture(&count) || !json::ToInt64(count, &value) || value < 0) {
          return reader_.Fail("unknown_key_counts",
                              Status::InvalidArgument("counts must be non-negative integers"));
        }
        slot = static_cast<uint64_t>(value);
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  }
  return written == computed ? Status::Ok() : reader_.FailAs("unknown_key_counts", differ);
}

Status HeadReader::FinishUnknown() {
  if (!wants(Field::kUnknown)) {
    return Status::Ok();
  }
  document_.unknown = written_unknown_;
  // Lone surrogates of decoded texts are residuals of the wire itself: only the wire's writer looks
  // at them.
  PCHRONICLE_RETURN_IF_ERROR(
      MergeUnknown(residuals_.Finish("storyline", own_id()), document_.unknown));
  return MergeUnknown(turn_residuals_.Finish("storyline", own_id()), document_.unknown);
}

}  // namespace pchronicle::model::storyline
