#include "pchronicle/app/document_selection.h"

#include "pchronicle/app/query.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::app {

Result<std::set<std::pair<std::string, std::string>>> SelectDocuments(
    std::shared_ptr<const catalog::Snapshot> snapshot, std::string_view where,
    uint64_t max_documents, const Context& context) {
  EngineLoader loader({});
  PCHRONICLE_ASSIGN_OR_RETURN(const auto query, QuerySession::Create(std::move(snapshot), loader));
  QueryOptions options;
  // The line feed keeps a comment at the end of the condition from swallowing the bracket.
  options.sql = fmt::format("SELECT _file_, document_id FROM trajectories WHERE (\n{}\n)", where);
  options.encoder.format = QueryFormat::kJsonl;
  options.encoder.max_bytes = 0;
  options.max_rows = max_documents;
  auto outcome = query->Run(options, context);
  if (outcome.status().code() == StatusCode::kResourceExhausted) {
    return Status::ResourceExhausted(
        "export exceeds max_trajectories limit of {}; raise --max-trajectories or narrow the "
        "selection",
        max_documents);
  }
  if (!outcome.ok()) {
    return outcome.status().WithContext("--where");
  }
  std::string rows;
  PCHRONICLE_RETURN_IF_ERROR(outcome->result.ForEach([&](std::string_view piece) {
    rows += piece;
    return Status::Ok();
  }));
  std::set<std::pair<std::string, std::string>> documents;
  json::Cursor cursor(rows);
  while (!cursor.AtEnd()) {
    std::string file, document;
    if (!cursor.BeginObject()) {
      return cursor.status();
    }
    for (std::string_view key; cursor.NextKey(&key);) {
      std::string& target = key == "_file_" ? file : document;
      std::string_view value;
      if (!cursor.ReadString(&value)) {
        return cursor.status();
      }
      target = value;
    }
    documents.emplace(std::move(file), std::move(document));
  }
  loader.Abandon();
  return documents;
}

}  // namespace pchronicle::app
