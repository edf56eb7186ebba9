#include "pchronicle/model/agenticmd/encoder.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/pointer.h"
#include "pchronicle/json/writer.h"
#include "pchronicle/model/agenticmd/block_writer.h"
#include "pchronicle/model/agenticmd/yaml_frontmatter.h"
#include "pchronicle/model/agenticmd/yaml_writer.h"
#include "pchronicle/model/object_writer.h"
#include "pchronicle/model/storyline/encoder.h"

namespace pchronicle::model {
namespace {

constexpr std::string_view kSource = "agenticmd";
/// Values come from other limits than ours: whatever a Storyline holds is taken apart.
constexpr uint32_t kAnyDepth = 1024;

using Members = std::vector<std::pair<std::string, std::string_view>>;  // key and JSON text

/// Residuals by where they go back.
struct Native {
  Members frontmatter;
  std::map<uint64_t, Members> blocks;
};

Status Collides(std::string_view pointer) {
  return Status::InvalidArgument("JSON Pointer '{}' collides with a canonical value", pointer);
}

bool IsIn(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Status Place(const UnknownField& field, Native& native) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<std::string> tokens,
                              json::ParsePointer(field.pointer));
  uint64_t block = 0;
  if (tokens.size() == 2 && tokens[0] == "frontmatter") {
    if (IsIn(tokens[1], {"format", "storyline"})) {
      return Collides(field.pointer);
    }
    native.frontmatter.emplace_back(tokens[1], field.value.text);
    return Status::Ok();
  }
  if (tokens.size() == 4 && tokens[0] == "blocks" && json::PointerIndex(tokens[1], &block) &&
      tokens[2] == "header") {
    if (IsIn(tokens[3], {"type", "length", "source", "step_id", "message_encoding", "storyline"})) {
      return Collides(field.pointer);
    }
    native.blocks[block].emplace_back(tokens[3], field.value.text);
    return Status::Ok();
  }
  return Status::InvalidArgument(
      "JSON Pointer '{}' names no place of an agenticmd residual: expected /frontmatter/KEY or "
      "/blocks/N/header/KEY",
      field.pointer);
}

Result<Native> PlaceResiduals(const Storyline& storyline, EncodeReport& report) {
  Native native;
  for (const UnknownSource& source : storyline.document.unknown) {
    if (source.format != kSource) {
      continue;
    }
    for (const UnknownField& field : source.fields) {
      PCHRONICLE_RETURN_IF_ERROR(Place(field, native));
    }
  }
  const auto first = native.blocks.lower_bound(storyline.turns.size());
  for (auto at = first; at != native.blocks.end(); ++at) {
    report.lossy["unknown_fields"] += at->second.size();
  }
  native.blocks.erase(first, native.blocks.end());
  return native;
}

void AppendMembers(const Members& members, ObjectWriter& writer) {
  for (const auto& [key, value] : members) {
    writer.QuotedKey(key);
    writer.out() += value;
  }
}

/// The wire without the residuals that are written natively.
Result<std::string> WireOf(const Storyline& storyline, const EncodeOptions& options,
                           EncodeReport& report) {
  Storyline rest;
  rest.document = storyline.document;
  rest.turns = storyline.turns;
  std::erase_if(rest.document.unknown,
                [](const UnknownSource& source) { return source.format == kSource; });
  EncodeOptions compact = options;
  compact.pretty = false;
  return EncodeStoryline(std::span(&rest, 1), compact, &report);
}

/// One turn object of the wire, taken apart.
struct TurnParts {
  std::string metadata = "{}";  // without `msg`
  json::Raw message;
  std::string source;
  std::string_view id;
};

TurnParts TakeApart(std::string_view turn) {
  TurnParts parts;
  parts.metadata.clear();
  ObjectWriter metadata(parts.metadata);
  json::Cursor cursor(turn, 0, {.max_depth = kAnyDepth});
  cursor.BeginObject();
  for (std::string_view view; cursor.NextKey(&view);) {
    const std::string key(view);
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    if (key == "msg") {
      parts.message = value;
      continue;
    }
    metadata.Key(key);
    parts.metadata += value.text;
    if (key == "id") {
      parts.id = value.text;
    } else if (key == "src") {
      Arena scratch(256);
      parts.source = json::DecodeString(value, scratch);
    }
  }
  metadata.Close();
  return parts;
}

void AppendTurn(std::string_view turn, const Members* residuals, std::string& out) {
  const TurnParts parts = TakeApart(turn);
  // Text with a lone surrogate has no UTF-8 form; its JSON string has.
  const bool text =
      parts.message.is_string() && (parts.message.flags & json::kHasLoneSurrogate) == 0;
  Arena scratch;
  const std::string body = text ? std::string(json::DecodeString(parts.message, scratch))
                                : json::Pretty(parts.message.text);
  const std::string_view encoding = text ? "text" : "json";
  std::string header;
  ObjectWriter writer(header);
  writer.String("type", encoding);
  writer.Int("length", static_cast<int64_t>(body.size()));
  writer.String("source", std::string_view(parts.source));
  writer.Json("step_id", parts.id);
  writer.String("message_encoding", encoding);
  writer.Json("storyline", parts.metadata);
  if (residuals != nullptr) {
    AppendMembers(*residuals, writer);
  }
  writer.Close();
  agenticmd::AppendBlock(parts.source, header, body, out);
}

/// Splits the wire into its root without `turns` and the blocks of its turns.
void SplitWire(std::string_view wire, const Native& native, std::string& root,
               std::string& blocks) {
  ObjectWriter writer(root);
  json::Cursor cursor(wire, 0, {.max_depth = kAnyDepth});
  cursor.BeginObject();
  for (std::string_view view; cursor.NextKey(&view);) {
    const std::string key(view);
    if (key != "turns") {
      json::Raw value;
      if (!cursor.Capture(&value)) {
        break;
      }
      writer.Key(key);
      root += value.text;
      continue;
    }
    cursor.BeginArray();
    for (uint64_t i = 0; cursor.NextElement(); ++i) {
      json::Raw turn;
      if (!cursor.Capture(&turn)) {
        break;
      }
      const auto found = native.blocks.find(i);
      AppendTurn(turn.text, found == native.blocks.end() ? nullptr : &found->second, blocks);
    }
  }
  writer.Close();
}

Result<std::string> Frontmatter(std::string_view root, const Native& native) {
  std::string json;
  ObjectWriter writer(json);
  writer.String("format", std::string_view("persisting"));
  writer.Json("storyline", root);
  AppendMembers(native.frontmatter, writer);
  writer.Close();
  PCHRONICLE_ASSIGN_OR_RETURN(std::string yaml, agenticmd::JsonToYaml(json));
  if (yaml.size() > agenticmd::kMaxYamlBytes) {
    return Status::ResourceExhausted("AgenticMD frontmatter of {} bytes exceeds {}", yaml.size(),
                                     agenticmd::kMaxYamlBytes);
  }
  return yaml;
}

}  // namespace

Result<std::string> EncodeAgenticMd(std::span<const Storyline> storylines,
                                    const EncodeOptions& options, EncodeReport* report) {
  if (storylines.empty()) {
    return Status::Unsupported("AgenticMD document cannot be empty");
  }
  if (storylines.size() > 1) {
    return Status::InvalidArgument("an AgenticMD document holds one Storyline, not {}",
                                   storylines.size());
  }
  const Storyline& storyline = storylines.front();
  EncodeReport counted;
  PCHRONICLE_ASSIGN_OR_RETURN(const Native native, PlaceResiduals(storyline, counted));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string wire, WireOf(storyline, options, counted));
  std::string root, blocks;
  SplitWire(wire, native, root, blocks);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string yaml, Frontmatter(root, native));
  if (options.strict && !counted.lossy.empty()) {
    return Status::InvalidArgument("lossy_export fields={}", LossyFields(counted));
  }
  AddReport(counted, report);
  std::string out = "---\n" + yaml + "---\n\n" + blocks;
  return out;
}

}  // namespace pchronicle::model
