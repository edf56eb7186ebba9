#include "pchronicle/model/agenticmd/wire_text.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/agenticmd/yaml_frontmatter.h"
#include "pchronicle/model/atif/source_hash.h"
#include "pchronicle/model/object_writer.h"
#include "pchronicle/model/text_is.h"

namespace pchronicle::model::agenticmd {
namespace {

constexpr std::string_view kFrameKeys[] = {"type", "length", "source", "step_id",
                                           "message_encoding"};

bool IsFrameKey(std::string_view key) {
  return std::find(std::begin(kFrameKeys), std::end(kFrameKeys), key) != std::end(kFrameKeys);
}

std::string BlockPlace(size_t index, std::string_view part) {
  return fmt::format("block[{}].{}", index, part);
}

/// Integers, also as decimal text (formats.md 1.2).
std::optional<int64_t> IntegerOf(const json::Raw& raw) {
  int64_t value = 0;
  if (json::ToInt64(raw, &value)) {
    return value;
  }
  if (!raw.is_string() || raw.flags != 0) {
    return std::nullopt;
  }
  const std::string_view digits = raw.text.substr(1, raw.text.size() - 2);
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return !digits.empty() && error == std::errc() && stop == end ? std::optional(value)
                                                                : std::nullopt;
}

/// Name of the file without folders and extension.
std::string_view StemOf(std::string_view path) {
  path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? path : path.substr(0, dot);
}

/// Of repeated keys the last one counts.
bool IsLast(const Block& block, size_t member) {
  return std::none_of(block.header.begin() + static_cast<ptrdiff_t>(member) + 1, block.header.end(),
                      [&](const auto& later) { return later.first == block.header[member].first; });
}

}  // namespace

const json::Value& WireText::Front(std::string_view key) const { return front_->root().Find(key); }

/// A scalar as text; empty when there is none.
std::string_view WireText::FrontText(std::string_view key) const {
  const json::Value& value = Front(key);
  const bool scalar = value.is_number() || (value.kind() == json::Kind::kBool);
  return value.is_string() ? value.string() : scalar ? value.raw().text : std::string_view();
}

std::optional<Problem> WireText::Open(const BlockDocument& document, const WalkOptions& options,
                                      bool lenient) {
  document_ = &document;
  options_ = &options;
  if (document.frontmatter) {
    Result<std::string> json = YamlToJson(*document.frontmatter);
    if (!json.ok()) {
      return ProblemAt(json.status(), document.frontmatter_begin, "frontmatter");
    }
    front_json_ = *std::move(json);
  }
  Result<json::Tree> tree = json::Tree::Parse(front_json_, kMaxYamlDepth);
  if (!tree.ok()) {
    return ProblemAt(tree.status(), document.frontmatter_begin, "frontmatter");
  }
  front_.emplace(*std::move(tree));
  const json::Value& storyline = Front("storyline");
  authoritative_ = storyline.has_value();
  if (authoritative_ && !storyline.is_object()) {
    return ProblemAt(Status::InvalidArgument("must be an object"), document.frontmatter_begin,
                     "frontmatter.storyline");
  }
  if (authoritative_) {
    return std::nullopt;
  }
  if (!lenient) {
    return ProblemAt(Status::InvalidArgument("missing authoritative Storyline metadata"),
                     document.frontmatter_begin, "frontmatter");
  }
  SettleLenientHead();
  SettleLenientIds();
  return std::nullopt;
}

void WireText::SettleLenientHead() {
  const auto take = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
      if (const std::string_view text = FrontText(key); !text.empty()) {
        used_keys_.push_back(key);
        return std::string(text);
      }
    }
    return std::string();
  };
  session_ = take({"session_id", "session"});
  if (session_.empty()) {
    session_ = StemOf(options_->source_path);
  }
  if (session_.empty()) {
    session_ = "session";
  }
  agent_ = take({"agent_id", "agent"});
  if (agent_.empty()) {
    agent_ = "unknown";
  }
  model_ = take({"model_name"});
}

void WireText::SettleLenientIds() {
  std::unordered_set<int64_t> seen;
  for (size_t i = 0; i < document_->blocks.size(); ++i) {
    int64_t id = static_cast<int64_t>(i) + 1;
    std::string_view from;
    for (const std::string_view key : {"step_id", "seq"}) {
      if (const auto value = IntegerOf(document_->blocks[i].Find(key))) {
        id = *value;
        from = key;
        break;
      }
    }
    ids_.push_back(id);
    id_keys_.push_back(from);
    seen.insert(id);
  }
  if (seen.size() == ids_.size()) {
    return;
  }
  for (size_t i = 0; i < ids_.size(); ++i) {
    ids_[i] = static_cast<int64_t>(i) + 1;
    id_keys_[i] = {};
  }
}

std::optional<Problem> WireText::AppendHead(std::string& out) const {
  if (authoritative_) {
    const json::Value& storyline = Front("storyline");
    const auto same = [](const json::Value::Member& member) { return member.key == "storyline"; };
    const auto members = front_->root().members();
    if (std::count_if(members.begin(), members.end(), same) > 1) {
      return ProblemAt(Status::InvalidArgument("duplicate key 'storyline'"),
                       document_->frontmatter_begin, "frontmatter");
    }
    out += storyline.raw().text;
    return std::nullopt;
  }
  ObjectWriter root(out);
  root.String("schema_version", std::string_view("storyline/v1"));
  root.Json("origin", R"({"format":"agenticmd"})");
  root.String("session", std::string_view(session_));
  root.Key("agent");
  ObjectWriter agent(out);
  agent.String("id", std::string_view(agent_));
  if (!model_.empty()) {
    agent.String("model", std::string_view(model_));
  }
  agent.Close();
  root.Close();
  return std::nullopt;
}

std::optional<Problem> WireText::AppendTurn(size_t index, std::string& out) const {
  if (authoritative_) {
    return AppendAuthoritativeTurn(index, out);
  }
  AppendLenientTurn(index, out);
  return std::nullopt;
}

/// The message value. A lenient reader takes a body that is no JSON as the text it is.
std::optional<Problem> WireText::AppendMessage(size_t index, bool lenient, std::string& out) const {
  const Block& block = document_->blocks[index];
  const json::Raw encoding = block.Find("message_encoding");
  const bool is_json = TextIs(encoding, "json");
  if (!lenient && encoding.has_value() && !is_json && !TextIs(encoding, "text")) {
    return ProblemAt(Status::InvalidArgument("unsupported message_encoding {}", encoding.text),
                     block.begin, BlockPlace(index, "message_encoding"));
  }
  if (is_json) {
    json::Cursor cursor(block.body, block.body_begin, {.max_depth = options_->cursor.max_depth});
    json::Raw value;
    if (cursor.Capture(&value) && cursor.AtEnd()) {
      out += value.text;
      return std::nullopt;
    }
    if (!lenient) {
      return ProblemAt(
          cursor.ok() ? Status::Corruption("trailing data after JSON document") : cursor.status(),
          cursor.error_offset(), BlockPlace(index, "body"));
    }
  }
  json::AppendQuoted(block.body, out);
  return std::nullopt;
}

std::optional<Problem> WireText::AppendAuthoritativeTurn(size_t index, std::string& out) const {
  const Block& block = document_->blocks[index];
  const json::Raw turn = block.Find("storyline");
  if (turn.kind != json::Kind::kObject) {
    return ProblemAt(turn.has_value() ? Status::InvalidArgument("must be an object")
                                      : Status::InvalidArgument("missing the Storyline turn"),
                     block.begin, BlockPlace(index, "storyline"));
  }
  json::Cursor cursor(turn.text, 0, {.max_depth = options_->cursor.max_depth});
  cursor.BeginObject();
  bool empty = true;
  for (std::string_view key; cursor.NextKey(&key); cursor.Skip(), empty = false) {
    if (key == "msg") {
      return ProblemAt(Status::InvalidArgument("unknown field 'msg': the body is the message"),
                       block.begin, BlockPlace(index, "storyline"));
    }
  }
  out += turn.text.substr(0, turn.text.size() - 1);
  out += empty ? "\"msg\":" : ",\"msg\":";
  std::optional<Problem> problem = AppendMessage(index, false, out);
  out += '}';
  return problem;
}

bool WireText::TakesTimestamp(const json::Raw& raw) const {
  Arena scratch(256);
  if (raw.is_string()) {
    return options_->strict_timestamps || ParseTimestampText(json::DecodeString(raw, scratch)).ok();
  }
  return raw.kind == json::Kind::kNumber &&
         (options_->strict_timestamps || ParseTimestampNumber(raw.text).ok());
}

void WireText::AppendLenientTurn(size_t index, std::string& out) const {
  const Block& block = document_->blocks[index];
  const json::Raw timestamp = block.Find("timestamp"), model = block.Find("model");
  ObjectWriter turn(out);
  turn.Int("id", ids_[index]);
  if (TakesTimestamp(timestamp)) {
    turn.Cell("ts", timestamp);
  }
  turn.String("src", block.source);
  turn.Key("msg");
  AppendMessage(index, true, out);
  if (model.is_string()) {
    turn.Cell("model", model);
  }
  std::string extra;
  ObjectWriter rest(extra);
  for (size_t i = 0; i < block.header.size(); ++i) {
    const auto& [key, value] = block.header[i];
    const bool is_id = key == "step_id" || key == "seq";
    const bool used = is_id ? key == id_keys_[index]
                            : IsFrameKey(key) || key == "role" || key == "timestamp" ||
                                  (key == "model" && model.is_string());
    if (!used && IsLast(block, i)) {
      rest.QuotedKey(key);
      extra += value.text;
    }
  }
  rest.Close();
  turn.Json("extra", extra == "{}" ? "" : extra);
  turn.Close();
}

bool WireText::ConsumedByFrontmatter(std::string_view key) const {
  return key == "format" || key == "storyline" ||
         std::find(used_keys_.begin(), used_keys_.end(), key) != used_keys_.end();
}

void WireText::ReadResiduals(MemberReader& members) const {
  members.SetBase("/frontmatter");
  for (const json::Value::Member& member : front_->root().members()) {
    if (!ConsumedByFrontmatter(member.key)) {
      members.Unknown(member.key, json::RawFromText(member.value.raw().text));
    }
  }
  for (size_t i = 0; i < document_->blocks.size(); ++i) {
    members.SetBase(fmt::format("/blocks/{}/header", i));
    const Block& block = document_->blocks[i];
    if (!authoritative_) {
      const json::Raw timestamp = block.Find("timestamp");
      if (timestamp.has_value() && !TakesTimestamp(timestamp)) {
        members.Bad("timestamp", timestamp);
      }
      continue;
    }
    for (const auto& [key, value] : block.header) {
      if (!IsFrameKey(key) && key != "storyline") {
        members.Unknown(key, value);
      }
    }
  }
}

std::string WireText::SourceId(const json::CursorOptions& options) const {
  std::string json;
  ObjectWriter root(json);
  root.Key("frontmatter");
  ObjectWriter front(json);
  for (const json::Value::Member& member : front_->root().members()) {
    if (member.key != "storyline") {
      front.QuotedKey(member.key);
      json += member.value.raw().text;
    }
  }
  front.Close();
  root.Key("blocks");
  json += '[';
  for (const Block& block : document_->blocks) {
    json += &block == document_->blocks.data() ? "" : ",";
    ObjectWriter entry(json);
    entry.Key("header");
    ObjectWriter header(json);
    for (const auto& [key, value] : block.header) {
      header.QuotedKey(key);
      json += value.text;
    }
    header.Close();
    entry.String("body", block.body);
    entry.Close();
  }
  json += ']';
  root.Close();
  json::CursorOptions whole = options;
  whole.max_depth = 1024;
  whole.max_record_bytes = UINT64_MAX;
  uint64_t bytes_read = 0;
  return atif::SourceDocumentId(json::MemoryInput(std::move(json)), 0, whole, &bytes_read);
}

}  // namespace pchronicle::model::agenticmd
