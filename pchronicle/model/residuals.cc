#include "pchronicle/model/residuals.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "pchronicle/json/compare.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/pointer.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

/// The escaped tokens of a pointer: views into it. A pointer starts with '/' or has none.
std::vector<std::string_view> SplitPointer(std::string_view pointer) {
  std::vector<std::string_view> tokens;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    tokens.push_back(pointer.substr(0, end));
    pointer.remove_prefix(end);
  }
  return tokens;
}

/// Walks the tokens of one pointer and stars the schema's array positions.
class Normalizer {
 public:
  explicit Normalizer(std::string_view pointer) : tokens_(SplitPointer(pointer)) {}

  /// Consumes `name` when it is next.
  bool Name(std::string_view name) {
    if (at_ >= tokens_.size() || tokens_[at_] != name) {
      return false;
    }
    ++at_;
    return true;
  }
  bool AnyName() { return at_ < tokens_.size() && (++at_, true); }
  /// Consumes and stars an array index.
  bool Position() {
    if (at_ >= tokens_.size() || !IsIndex(tokens_[at_])) {
      return false;
    }
    tokens_[at_++] = "*";
    return true;
  }
  /// `name/N`; nothing is consumed when it is something else.
  bool Element(std::string_view name) {
    const size_t before = at_;
    if (Name(name) && Position()) {
      return true;
    }
    at_ = before;
    return false;
  }
  std::string Join() const {
    std::string out;
    for (const std::string_view token : tokens_) {
      out += "/";
      out += token;
    }
    return out;
  }

 private:
  static bool IsIndex(std::string_view token) {
    return !token.empty() && (token == "0" || token.front() != '0') &&
           std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  std::vector<std::string_view> tokens_;
  size_t at_ = 0;
};

void NormalizeAtif(Normalizer& at) {
  while (at.Element("subagent_trajectories")) {
  }
  if (at.Element("steps")) {
    at.Element("tool_calls");
  }
}

void NormalizeActf(Normalizer& at) {
  if (at.Name("attempts") && at.AnyName() && at.Name("trajectory") && at.Element("steps")) {
    if (at.Element("tools") || at.Element("observation")) {
      return;
    }
    if (at.Name("assistant_content")) {
      at.Element("tool_calls");
    }
  }
}

void NormalizeOpenAi(Normalizer& at) {
  if (!at.Element("session_steps")) {
    return;
  }
  if (at.Element("messages") || at.Name("response")) {
    at.Element("tool_calls");
  }
}

bool SameText(std::string_view a, std::string_view b) { return a == b || json::SameMeaning(a, b); }

void AppendSource(const UnknownSource& source, std::string& out) {
  json::AppendQuoted(source.format, out);
  out += ":{\"source_document_id\":";
  json::AppendQuoted(source.source_document_id, out);
  out += ",\"fields\":{";
  std::vector<const UnknownField*> fields;
  fields.reserve(source.fields.size());
  for (const UnknownField& field : source.fields) {
    fields.push_back(&field);
  }
  std::sort(fields.begin(), fields.end(),
            [](const UnknownField* a, const UnknownField* b) { return a->pointer < b->pointer; });
  Arena scratch;
  for (const UnknownField* field : fields) {
    out += field == fields.front() ? "" : ",";
    json::AppendQuoted(field->pointer, out);
    out += ":";
    out += json::CellText(field->value, json::Surrogates::kKeep, scratch);
  }
  out += "}}";
}

/// Of equal pointers the last one stays; the result is sorted by pointer.
void SortAndKeepLast(std::vector<UnknownField>& fields) {
  std::stable_sort(fields.begin(), fields.end(), [](const UnknownField& a, const UnknownField& b) {
    return a.pointer < b.pointer;
  });
  size_t kept = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i + 1 < fields.size() && fields[i].pointer == fields[i + 1].pointer) {
      continue;
    }
    fields[kept++] = fields[i];
  }
  fields.resize(kept);
}

Status ReadFields(json::Cursor& cursor, std::vector<UnknownField>& fields, Arena& arena) {
  if (cursor.Peek() != json::Kind::kObject) {
    return Status::InvalidArgument("fields must be an object");
  }
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    PCHRONICLE_RETURN_IF_ERROR(json::ParsePointer(key).status());
    UnknownField field;
    field.pointer = arena.Copy(key);
    json::Raw value;
    if (!cursor.Capture(&value)) {
      break;
    }
    field.value = CopyCell(value, arena);
    fields.push_back(field);
  }
  SortAndKeepLast(fields);
  return cursor.status();
}

/// The entry of one source behind its name.
Status ReadSource(json::Cursor& cursor, UnknownSource& source, Arena& arena) {
  if (cursor.Peek() != json::Kind::kObject) {
    return Status::InvalidArgument("source '{}' must be an object", source.format);
  }
  bool has_id = false;
  bool has_fields = false;
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    if (key == "source_document_id") {
      json::Raw id;
      if (!cursor.Capture(&id) || !id.is_string()) {
        return Status::InvalidArgument("source '{}' source_document_id must be a string",
                                       source.format);
      }
      source.source_document_id = arena.Copy(json::DecodeString(id, arena));
      has_id = true;
    } else if (key == "fields") {
      source.fields.clear();
      PCHRONICLE_RETURN_IF_ERROR(ReadFields(cursor, source.fields, arena));
      has_fields = true;
    } else {
      return Status::InvalidArgument("unknown field '{}'", key);
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  if (!has_id || !has_fields) {
    return Status::InvalidArgument("source '{}' requires {}", source.format,
                                   has_id ? "fields" : "source_document_id");
  }
  return Status::Ok();
}

}  // namespace

void ResidualBuilder::Add(std::string_view pointer, const json::Raw& value) {
  fields_.push_back({arena_->Copy(pointer), CopyCell(value, *arena_)});
}

void ResidualBuilder::AddIfLoneSurrogate(std::string_view pointer, const json::Raw& value) {
  if (value.is_string() && (value.flags & json::kHasLoneSurrogate) != 0) {
    Add(pointer, value);
  }
}

void ResidualBuilder::Clear() { fields_.clear(); }

std::vector<UnknownSource> ResidualBuilder::Finish(std::string_view format,
                                                   std::string_view source_document_id) {
  if (fields_.empty()) {
    return {};
  }
  UnknownSource source{arena_->Copy(format), arena_->Copy(source_document_id), std::move(fields_)};
  fields_.clear();
  SortAndKeepLast(source.fields);
  std::vector<UnknownSource> sources;
  sources.push_back(std::move(source));
  return sources;
}

Status MergeUnknown(const std::vector<UnknownSource>& more, std::vector<UnknownSource>& into) {
  for (const UnknownSource& source : more) {
    auto same = std::find_if(into.begin(), into.end(), [&](const UnknownSource& candidate) {
      return candidate.format == source.format;
    });
    if (same == into.end()) {
      into.push_back(source);
      continue;
    }
    if (same->source_document_id != source.source_document_id) {
      return Status::InvalidArgument("unknown fields source '{}' cannot change source_document_id",
                                     source.format);
    }
    std::map<std::string_view, std::string_view> present;
    for (const UnknownField& field : same->fields) {
      present.emplace(field.pointer, field.value.text);
    }
    for (const UnknownField& field : source.fields) {
      const auto [found, added] = present.emplace(field.pointer, field.value.text);
      if (added) {
        same->fields.push_back(field);
      } else if (!SameText(found->second, field.value.text)) {
        return Status::InvalidArgument("unknown fields source '{}' has conflicting values at '{}'",
                                       source.format, field.pointer);
      }
    }
  }
  return Status::Ok();
}

Result<std::vector<UnknownSource>> ParseUnknownSources(const json::Raw& sources, Arena& arena) {
  if (sources.kind != json::Kind::kObject) {
    return Status::InvalidArgument("sources must be an object");
  }
  std::vector<UnknownSource> parsed;
  json::Cursor cursor(sources.text);
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    UnknownSource source;
    source.format = arena.Copy(key);
    PCHRONICLE_RETURN_IF_ERROR(ReadSource(cursor, source, arena));
    std::erase_if(parsed,
                  [&](const UnknownSource& other) { return other.format == source.format; });
    parsed.push_back(std::move(source));
  }
  PCHRONICLE_RETURN_IF_ERROR(cursor.status());
  return parsed;
}

std::string NormalizePointer(std::string_view format, std::string_view pointer) {
  Normalizer at(pointer);
  if (format == "atif") {
    NormalizeAtif(at);
  } else if (format == "actf") {
    NormalizeActf(at);
  } else if (format == "openai-msg") {
    NormalizeOpenAi(at);
  } else if (format == "agenticmd") {
    at.Element("blocks");
  } else {
    return std::string(pointer);
  }
  return at.Join();
}

UnknownKeyCounts CountUnknownKeys(const std::vector<UnknownSource>& sources) {
  UnknownKeyCounts counts;
  for (const UnknownSource& source : sources) {
    if (source.fields.empty()) {
      continue;
    }
    std::map<std::string, uint64_t>& of_source = counts[std::string(source.format)];
    for (const UnknownField& field : source.fields) {
      uint64_t& count = of_source[NormalizePointer(source.format, field.pointer)];
      count += count < std::numeric_limits<uint64_t>::max() ? 1 : 0;
    }
  }
  return counts;
}

std::string UnknownFieldsJson(const std::vector<UnknownSource>& sources) {
  std::vector<const UnknownSource*> filled;
  for (const UnknownSource& source : sources) {
    if (!source.fields.empty()) {
      filled.push_back(&source);
    }
  }
  if (filled.empty()) {
    return "";
  }
  std::sort(filled.begin(), filled.end(),
            [](const UnknownSource* a, const UnknownSource* b) { return a->format < b->format; });
  std::string out = "{\"sources\":{";
  for (const UnknownSource* source : filled) {
    out += source == filled.front() ? "" : ",";
    AppendSource(*source, out);
  }
  return out + "}}";
}

std::string UnknownKeyCountsJson(const UnknownKeyCounts& counts) {
  if (counts.empty()) {
    return "";
  }
  std::string out = "{";
  for (const auto& [source, by_pointer] : counts) {
    out += out.size() == 1 ? "" : ",";
    json::AppendQuoted(source, out);
    out += ":{";
    bool first = true;
    for (const auto& [pointer, count] : by_pointer) {
      out += first ? "" : ",";
      first = false;
      json::AppendQuoted(pointer, out);
      out += fmt::format(":{}", count);
    }
    out += "}";
  }
  return out + "}";
}

uint64_t ResidualBytes(const std::vector<UnknownSource>& sources) {
  uint64_t bytes = 0;
  for (const UnknownSource& source : sources) {
    bytes += source.fields.empty() ? 0 : source.source_document_id.size();
    for (const UnknownField& field : source.fields) {
      bytes += field.pointer.size() + field.value.text.size();
    }
  }
  return bytes;
}

}  // namespace pchronicle::model
