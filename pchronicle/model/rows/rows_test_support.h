#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/columnar/batch.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/relations.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model::testing {

/// A tool call as a test writes it; JSON members are JSON texts, empty is absent.
struct ScriptCall {
  std::string id;
  std::string function = "run";
  std::string arguments = "{}";
  std::string result = {};
  std::string extra = {};
  std::string response = {};
};

struct ScriptTurn {
  int64_t id = 1;
  std::string source = "agent";
  std::string message = "\"hi\"";
  std::string metrics = {};
  std::string observation = {};
  std::vector<ScriptCall> calls = {};
  std::optional<bool> copied = {};
  std::optional<int64_t> timestamp = {};  // nanoseconds
  std::function<void(Turn&)> edit = {};   // anything else
};

struct ScriptDocument {
  std::string document_id;
  std::string session_id = {};  // empty: the document id
  std::vector<ScriptTurn> turns = {};
  std::vector<ScriptDocument> children = {};  // embedded; come after the turns
  std::function<void(Document&)> edit = {};
};

/// Plays documents into a sink as a walker would: nested, in order, asking before it reads turns.
class ScriptedWalk {
 public:
  explicit ScriptedWalk(DocumentSink& sink) : sink_(sink) {}

  /// One record.
  void Play(const ScriptDocument& root) {
    PlayDocument(root, 0, nullptr);
    sink_.OnRecordEnd();
  }
  size_t turns_played() const { return turns_played_; }

  static Document ToDocument(const ScriptDocument& script) {
    Document document;
    document.document_id = script.document_id;
    document.session_id = script.session_id.empty() ? script.document_id : script.session_id;
    return document;
  }

  static Turn ToTurn(const ScriptTurn& script, int64_t ordinal) {
    Turn turn;
    turn.ordinal = ordinal;
    turn.id = script.id;
    turn.source = script.source;
    turn.message = json::RawFromText(script.message);
    turn.metrics = json::RawFromText(script.metrics);
    turn.observation = json::RawFromText(script.observation);
    turn.had_observation = !script.observation.empty();
    turn.had_tool_calls = !script.calls.empty();
    turn.copied = script.copied;
    turn.timestamp.nanoseconds = script.timestamp;
    for (const ScriptCall& call : script.calls) {
      ToolCall& out = turn.calls.emplace_back();
      out.id = call.id;
      out.function = call.function;
      out.arguments = json::RawFromText(call.arguments);
      out.result = json::RawFromText(call.result);
      out.extra = json::RawFromText(call.extra);
      out.response = json::RawFromText(call.response);
    }
    turn.call_count = turn.calls.size();
    if (script.edit) {
      script.edit(turn);
    }
    return turn;
  }

 private:
  void PlayDocument(const ScriptDocument& script, int depth, const Document* holder) {
    Document document = ToDocument(script);
    document.ordinal = next_ordinal_++;
    document.depth = depth;
    if (holder != nullptr) {
      document.parent.emplace();
      document.parent->document_id = holder->document_id;
      document.trajectory_id = document.document_id;
    }
    if (script.edit) {
      script.edit(document);
    }
    const bool wanted = sink_.OnDocument(document) == DocumentSink::Wish::kTurns;
    for (size_t i = 0; wanted && i < script.turns.size(); ++i) {
      sink_.OnTurn(document, ToTurn(script.turns[i], static_cast<int64_t>(i)));
      ++turns_played_;
    }
    for (const ScriptDocument& child : script.children) {
      PlayDocument(child, depth + 1, &document);
    }
    sink_.OnDocumentEnd(document);
  }

  DocumentSink& sink_;
  int64_t next_ordinal_ = 0;
  size_t turns_played_ = 0;
};

/// A document to feed by hand; `id` must outlive it.
inline Document NamedDocument(std::string_view id, int64_t ordinal = 0, int depth = 0) {
  Document document;
  document.document_id = document.session_id = id;
  document.ordinal = ordinal;
  document.depth = depth;
  return document;
}

/// A row as `a|b|NULL|[x,y]`.
inline std::string CellText(const columnar::Column& column, size_t row) {
  if (column.is_null(row)) {
    return "NULL";
  }
  switch (column.type()) {
    case columnar::Type::kVarchar:
    case columnar::Type::kJson:
      return std::string(column.texts()[row]);
    case columnar::Type::kDouble:
      return fmt::format("{}", column.doubles()[row]);
    case columnar::Type::kBoolean:
      return column.ints()[row] != 0 ? "true" : "false";
    case columnar::Type::kBigint:
    case columnar::Type::kUbigint:
    case columnar::Type::kTimestampNs:
      return fmt::format("{}", column.ints()[row]);
    default:
      break;
  }
  std::string text = "[";
  for (size_t i = column.list_begin(row); i < column.list_end(row); ++i) {
    text += (i > column.list_begin(row) ? "," : "") + CellText(column.element(), i);
  }
  return text + "]";
}

inline std::vector<std::string> RowTexts(const columnar::Batch& batch) {
  std::vector<std::string> rows(batch.rows);
  for (size_t row = 0; row < batch.rows; ++row) {
    for (size_t i = 0; i < batch.columns.size(); ++i) {
      rows[row] += (i > 0 ? "|" : "") + CellText(batch.columns[i], row);
    }
  }
  return rows;
}

inline std::vector<uint16_t> Columns(Relation relation,
                                     std::initializer_list<std::string_view> names) {
  std::vector<uint16_t> columns;
  for (const std::string_view name : names) {
    columns.push_back(FindColumn(relation, name).value());
  }
  return columns;
}

inline RowPredicate Where(Relation relation, std::string_view column, RowPredicate::Op op,
                          std::vector<std::variant<int64_t, std::string>> values = {}) {
  return {FindColumn(relation, column).value(), op, std::move(values)};
}

/// Rows of one relation over records.
inline std::vector<std::string> Select(Relation relation,
                                       std::initializer_list<std::string_view> columns,
                                       const std::vector<ScriptDocument>& records,
                                       std::vector<RowPredicate> predicates = {}) {
  const auto sink = MakeRowSink({.relation = relation,
                                 .columns = Columns(relation, columns),
                                 .predicates = std::move(predicates),
                                 .file = "dir/a.json"});
  ScriptedWalk walk(*sink);
  for (const ScriptDocument& record : records) {
    walk.Play(record);
  }
  return RowTexts(sink->batch());
}

}  // namespace pchronicle::model::testing
