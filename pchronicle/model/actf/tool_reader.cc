#include "pchronicle/model/actf/tool_reader.h"

#include <fmt/format.h>

#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::actf {
namespace {

using json::Kind;

json::Raw StringOrAbsent(const json::Raw& raw) { return raw.is_string() ? raw : json::Raw(); }

}  // namespace

bool ToolReader::ReadArray(json::Cursor& cursor, Arena& arena) {
  Clear();
  if (!cursor.BeginArray()) {
    return false;
  }
  while (cursor.NextElement()) {
    ++count_;
    if (!wants_.calls) {
      if (!cursor.Skip()) {
        return false;
      }
      continue;
    }
    ToolParts& tool = tools_.emplace_back();
    tool.is_object = cursor.Peek() == Kind::kObject;
    tool.begin = cursor.offset();
    if (!(tool.is_object ? ReadTool(cursor, arena, &tool) : cursor.Skip())) {
      return false;
    }
    tool.end = cursor.offset();
  }
  return cursor.ok();
}

/// Where a member goes; null: it is not needed.
json::Raw* ToolReader::Slot(std::string_view key, ToolParts* tool, bool* known) const {
  *known = true;
  if (key == "id") {
    return &tool->id;
  }
  if (key == "type") {
    return &tool->type;
  }
  if (key == "name") {
    return &tool->name;
  }
  if (key == "input") {
    return wants_.arguments ? &tool->input : nullptr;
  }
  if (key == "arguments") {
    return wants_.arguments ? &tool->arguments : nullptr;
  }
  if (key == "command") {
    return wants_.arguments ? &tool->command : nullptr;
  }
  if (key == "aggregated_output") {
    return wants_.result ? &tool->output : nullptr;
  }
  if (key == "status") {
    return wants_.response ? &tool->status : nullptr;
  }
  if (key == "exit_code") {
    return wants_.response ? &tool->exit_code : nullptr;
  }
  *known = false;
  return nullptr;
}

bool ToolReader::ReadTool(json::Cursor& cursor, Arena& arena, ToolParts* tool) {
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    bool done;
    if (key == "function") {
      done = cursor.Peek() == Kind::kObject ? ReadFunction(cursor, tool) : cursor.Skip();
    } else {
      bool known;
      json::Raw* slot = Slot(key, tool, &known);
      if (slot != nullptr) {
        done = cursor.Capture(slot);
      } else if (!known && wants_.residuals) {
        const std::string_view name = arena.Copy(key);
        json::Raw raw;
        done = cursor.Capture(&raw);
        tool->more.emplace_back(name, raw);
      } else {
        done = cursor.Skip();
      }
    }
    if (!done) {
      return false;
    }
  }
  return cursor.ok();
}

bool ToolReader::ReadFunction(json::Cursor& cursor, ToolParts* tool) {
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    const bool done = key == "name" ? cursor.Capture(&tool->function_name)
                      : key == "arguments" && wants_.arguments
                          ? cursor.Capture(&tool->function_arguments)
                          : cursor.Skip();
    if (!done) {
      return false;
    }
  }
  return cursor.ok();
}

Status ToolReader::Map(size_t index, int64_t step_id, MemberReader& members, Arena& arena,
                       ToolCall* call) {
  const ToolParts& tool = tools_[index];
  *call = {};
  const Text id = members.ReadText("id", tool.id);
  call->id = id && !IsBlank(*id) ? *id : arena.Copy(fmt::format("step-{}-tool-{}", step_id, index));
  const Text type = members.ReadText("type", tool.type);
  if (type && !type->empty()) {
    call->kind = type;
  }
  if (const Text name = members.ReadText("name", tool.name); name && !name->empty()) {
    call->function = *name;
  } else if (const json::Raw inner = StringOrAbsent(tool.function_name); inner.text.size() > 2) {
    call->function = json::DecodeString(inner, arena);
  } else {
    call->function = call->kind.value_or("unknown_tool");
  }
  if (wants_.response) {
    call->response = Response(tool, members, arena);
  }
  call->result = members.ReadAny("aggregated_output", tool.output);
  return wants_.arguments ? MapArguments(tool, arena, call) : Status::Ok();
}

json::Raw ToolReader::Response(const ToolParts& tool, MemberReader& members, Arena& arena) {
  ObjectComposer response(arena);
  if (tool.status.has_value()) {
    if (!tool.status.is_string()) {
      members.Bad("status", tool.status);
    } else if (tool.status.text.size() > 2) {
      response.Add("status", tool.status);
    }
  }
  if (const std::optional<int64_t> exit_code = members.ReadInt("exit_code", tool.exit_code)) {
    response.AddText("exit_code", std::to_string(*exit_code));
  }
  return response.FinishOrAbsent();
}

Status ToolReader::MapArguments(const ToolParts& tool, Arena& arena, ToolCall* call) {
  if (tool.input.has_value()) {
    call->arguments = tool.input;
  } else if (tool.arguments.has_value()) {
    call->arguments = tool.arguments;
  } else if (tool.function_arguments.has_value()) {
    call->arguments = tool.function_arguments;
  } else if (tool.command.has_value()) {
    ObjectComposer command(arena);
    command.Add("command", tool.command);
    call->arguments = command.Finish();
  } else {
    return RestOfTool(tool, arena, &call->arguments);
  }
  return Status::Ok();
}

/// The tool without `type`, `id`, `status` and `exit_code`; rare, so its bytes are looked up again.
Status ToolReader::RestOfTool(const ToolParts& tool, Arena& arena, json::Raw* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes,
                              bytes_.Text(tool.begin, tool.end, arena));
  json::Cursor cursor(bytes, tool.begin);
  json::Raw whole;
  if (!cursor.Capture(&whole)) {
    return cursor.status();
  }
  whole.text = arena.Copy(whole.text);
  if (!tool.is_object) {
    *out = whole;
    return Status::Ok();
  }
  std::string text;
  for (RawMembers members(whole); members.Next();) {
    if (members.KeyIs("type") || members.KeyIs("id") || members.KeyIs("status") ||
        members.KeyIs("exit_code")) {
      continue;
    }
    text += text.empty() ? '{' : ',';
    text += members.quoted_key();
    text += ':';
    text += json::CellText(members.value(), json::Surrogates::kKeep, arena);
  }
  text += text.empty() ? "{}" : "}";
  *out = RawOf(text, Kind::kObject, CellFlags(whole), arena);
  return Status::Ok();
}

void ToolReader::AddResiduals(size_t index, MemberReader& members) const {
  for (const auto& [key, raw] : tools_[index].more) {
    members.Unknown(key, raw);
  }
}

}  // namespace pchronicle::model::actf
