#include "pchronicle/model/chat/documents.h"

#include <array>
#include <optional>

#include "pchronicle/model/compose.h"

namespace pchronicle::model::chat {
namespace {

using json::Kind;

constexpr std::array kIds{RowMember::kTrajectoryId,   RowMember::kTrajId,
                          RowMember::kConversationId, RowMember::kId,
                          RowMember::kInstanceId,     RowMember::kUuid};
constexpr std::array kPatches{RowMember::kGeneratedPatch, RowMember::kModelPatch,
                              RowMember::kPatch};
constexpr std::array kMedia{RowMember::kImages, RowMember::kVideos, RowMember::kAudios};

bool HasText(const json::Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

/// The first of the members that holds a value of this kind.
template <size_t N>
std::optional<RowMember> FirstOf(const Row& row, const std::array<RowMember, N>& members,
                                 Kind kind) {
  for (const RowMember member : members) {
    if (row[member].kind == kind && !IsEmptyValue(row[member])) {
      return member;
    }
  }
  return std::nullopt;
}

std::optional<RowMember> CorrectOf(const Row& row) {
  return FirstOf(row, std::array{RowMember::kResolved, RowMember::kTarget}, Kind::kBool);
}

std::optional<RowMember> ScoreOf(const Row& row) {
  return FirstOf(row, std::array{RowMember::kReward, RowMember::kScore}, Kind::kNumber);
}

std::optional<RowMember> ModelOf(const Row& row) {
  return FirstOf(row, std::array{RowMember::kModel, RowMember::kModelName}, Kind::kString);
}

json::Raw ValueOf(const Row& row, std::optional<RowMember> member) {
  return member ? row[*member] : json::Raw();
}

json::Raw ComposeTask(const Row& row, MemberReader& members, Arena& arena) {
  ObjectComposer result(arena);
  result.Add("correct", ValueOf(row, CorrectOf(row)));
  result.Add("score", ValueOf(row, ScoreOf(row)));
  const json::Raw& label = row[RowMember::kLabel];
  result.Add("label", label.kind == Kind::kBool ? label : json::Raw());
  const json::Raw& status = row[RowMember::kExitStatus];
  if (status.has_value() && !status.is_string()) {
    members.Bad("exit_status", status);
  } else {
    result.Add("status", HasText(status) ? status : json::Raw());
  }
  result.Add("final_answer",
             members.ReadAny("patch", ValueOf(row, FirstOf(row, kPatches, Kind::kString))));
  const json::Raw& logs = row[RowMember::kEvalLogs];
  result.Add("artifacts", IsEmptyValue(logs) ? json::Raw() : members.ReadAny("eval_logs", logs));
  if (result.empty()) {
    return {};
  }
  ObjectComposer task(arena);
  task.Add("result", result.Finish());
  return task.Finish();
}

json::Raw ComposeExtra(const Row& row, Side side, Arena& arena) {
  ObjectComposer extra(arena);
  for (const RowMember media : kMedia) {
    extra.Add(RowMemberName(media), row.has(media) ? row[media] : json::Raw());
  }
  if (side != Side::kWhole) {
    extra.AddText("preference", side == Side::kChosen ? "\"chosen\"" : "\"rejected\"");
  }
  return extra.FinishOrAbsent();
}

}  // namespace

std::string_view RowId(const Row& row, Arena& arena) {
  const std::optional<RowMember> member = FirstOf(row, kIds, Kind::kString);
  return member ? arena.Copy(json::DecodeString(row[*member], arena)) : std::string_view();
}

bool IsPreference(const Row& row) { return HasSide(row, Side::kChosen); }

bool HasSide(const Row& row, Side side) {
  switch (side) {
    case Side::kWhole:
      return !IsPreference(row);
    case Side::kChosen:
      return row.has(RowMember::kChosenMessages) || row.has(RowMember::kChosen);
    case Side::kRejected:
      return row.has(RowMember::kRejectedMessages) || row.has(RowMember::kRejected);
  }
  return false;
}

RowMember MessagesOf(const Row& row) {
  return row.has(RowMember::kMessages)        ? RowMember::kMessages
         : row.has(RowMember::kConversations) ? RowMember::kConversations
                                              : RowMember::kTrajectory;
}

std::string_view OutcomePointer(const Row& row) {
  std::optional<RowMember> member = CorrectOf(row);
  member = member ? member : ScoreOf(row);
  if (!member) {
    return {};
  }
  switch (*member) {
    case RowMember::kResolved:
      return "/resolved";
    case RowMember::kTarget:
      return "/target";
    case RowMember::kReward:
      return "/reward";
    default:
      return "/score";
  }
}

void FillDocument(const Row& row, Side side, FieldMask fields, MemberReader& members, Arena& arena,
                  Document* document) {
  document->agent_id = "hf-chat";
  if (const std::optional<RowMember> model = ModelOf(row); model && fields.has(Field::kAgent)) {
    document->agent_model = members.ReadText(RowMemberName(*model), row[*model]);
  }
  if (fields.has(Field::kAgentTools)) {
    const json::Raw& tools = row[RowMember::kTools];
    const json::Raw parsed = ParseText(tools, arena);
    document->agent_tools = members.ReadAny("tools", parsed.present() ? parsed : tools);
  }
  if (fields.has(Field::kTask)) {
    document->task = ComposeTask(row, members, arena);
  }
  if (fields.has(Field::kRootExtra)) {
    document->extra = ComposeExtra(row, side, arena);
  }
}

void AddRowResiduals(const Row& row, Side side, MemberReader& members) {
  const auto unused = [&](RowMember member) {
    if (row[member].present()) {
      members.Unknown(RowMemberName(member), row[member]);
    }
  };
  const auto unused_but = [&](const auto& group, std::optional<RowMember> taken) {
    for (const RowMember member : group) {
      if (member != taken) {
        unused(member);
      }
    }
  };
  unused_but(kIds, FirstOf(row, kIds, Kind::kString));
  unused_but(std::array{RowMember::kResolved, RowMember::kTarget}, CorrectOf(row));
  unused_but(std::array{RowMember::kReward, RowMember::kScore}, ScoreOf(row));
  unused_but(std::array{RowMember::kModel, RowMember::kModelName}, ModelOf(row));
  unused_but(kPatches, FirstOf(row, kPatches, Kind::kString));
  if (row.has(RowMember::kLabel) && row[RowMember::kLabel].kind != Kind::kBool) {
    unused(RowMember::kLabel);
  }
  const bool whole_lists =
      row.has(RowMember::kChosenMessages) || row.has(RowMember::kRejectedMessages);
  std::optional<RowMember> taken;
  if (side == Side::kWhole || !whole_lists) {
    taken = MessagesOf(row);
  }
  unused_but(std::array{RowMember::kMessages, RowMember::kConversations, RowMember::kTrajectory},
             taken);
  for (const auto& [key, value] : row.more) {
    members.Unknown(key, value);
  }
}

}  // namespace pchronicle::model::chat
