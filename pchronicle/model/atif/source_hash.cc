#include "pchronicle/model/atif/source_hash.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/hash.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::atif {
namespace {

void AppendCanonical(json::Cursor& cursor, Arena& arena, int depth, std::string& out);

void AppendObject(json::Cursor& cursor, Arena& arena, int depth, std::string& out) {
  std::vector<std::pair<std::string_view, json::Raw>> members;
  cursor.BeginObject();
  json::Raw value;
  for (std::string_view key; cursor.NextKey(&key);) {
    const std::string_view kept = arena.Copy(key);
    if (!cursor.Capture(&value)) {
      return;
    }
    if (depth > 0 || kept != "_storyline") {
      members.emplace_back(kept, value);
    }
  }
  // Bytes of UTF-8 sort like code points; of equal keys the last one stands.
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  out += '{';
  bool first = true;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 1 < members.size() && members[i + 1].first == members[i].first) {
      continue;
    }
    if (!first) {
      out += ',';
    }
    first = false;
    json::AppendQuoted(members[i].first, out);
    out += ':';
    json::Cursor member(members[i].second.text);
    AppendCanonical(member, arena, depth + 1, out);
  }
  out += '}';
}

void AppendCanonical(json::Cursor& cursor, Arena& arena, int depth, std::string& out) {
  switch (cursor.Peek()) {
    case json::Kind::kObject:
      AppendObject(cursor, arena, depth, out);
      return;
    case json::Kind::kArray: {
      out += '[';
      cursor.BeginArray();
      for (bool first = true; cursor.NextElement(); first = false) {
        if (!first) {
          out += ',';
        }
        AppendCanonical(cursor, arena, depth + 1, out);
      }
      out += ']';
      return;
    }
    default: {
      json::Raw raw;
      if (!cursor.Capture(&raw)) {
        return;
      }
      if (raw.is_string()) {
        json::AppendQuoted(json::DecodeString(raw, arena), out);
      } else {
        out += json::CellText(raw, json::Surrogates::kKeep, arena);
      }
    }
  }
}

}  // namespace

std::string SourceDocumentId(const json::ByteInput& input, uint64_t record_offset,
                             const json::CursorOptions& options, uint64_t* bytes_read) {
  Result<std::unique_ptr<json::ByteSource>> source = input.Open(record_offset, json::kToEnd);
  std::string canonical;
  if (source.ok()) {
    json::Cursor cursor(std::move(*source), record_offset, options);
    json::Raw whole;
    if (cursor.Capture(&whole)) {
      Arena arena;
      json::Cursor tree(whole.text);
      AppendCanonical(tree, arena, 0, canonical);
    }
    *bytes_read += cursor.bytes_read();
  }
  if (canonical.empty()) {
    canonical = "record at " + std::to_string(record_offset);
  }
  return Blake3Hex({canonical});
}

}  // namespace pchronicle::model::atif
