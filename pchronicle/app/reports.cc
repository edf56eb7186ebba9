#include "pchronicle/app/reports.h"

#include <fmt/core.h>

namespace pchronicle::app {
namespace {

// Runs are told apart by file and document, so that shared session ids do not merge. One scan per
// relation.
constexpr const char* kOverview = R"(
WITH source_states AS MATERIALIZED (SELECT status, content_status FROM sources),
     run_rows AS MATERIALIZED (SELECT agent_id, agent_model_name FROM runs),
     step_rows AS MATERIALIZED (SELECT source, model_name, count(*) AS n FROM steps GROUP BY source, model_name),
     models AS (SELECT agent_model_name AS model FROM run_rows UNION SELECT model_name FROM step_rows)
SELECT (SELECT count(*) FROM source_states) AS sources,
       (SELECT count(*) FROM source_states WHERE status = 'ready' AND content_status = 'ready') AS ready_sources,
       (SELECT count(*) FROM source_states WHERE status = 'error' OR content_status = 'error') AS error_sources,
       (SELECT count(*) FROM run_rows) AS trajectories,
       (SELECT coalesce(sum(n), 0)::BIGINT FROM step_rows) AS steps,
       (SELECT coalesce(sum(n), 0)::BIGINT FROM step_rows WHERE source = 'user') AS user_steps,
       (SELECT coalesce(sum(n), 0)::BIGINT FROM step_rows WHERE source = 'agent') AS agent_steps,
       (SELECT count(*) FROM tool_calls) AS tool_calls,
       (SELECT count(DISTINCT agent_id) FROM run_rows) AS agents,
       (SELECT count(*) FROM models WHERE trim(model) <> '') AS models,
       (SELECT count(*) FROM run_tree WHERE parent_document_id IS NULL) AS top_level_trajectories,
       (SELECT count(*) FROM observation_results) AS observation_results,
       (SELECT count(*) FROM source_states WHERE content_status = 'empty') AS empty_sources,
       (SELECT count(*) FROM source_states WHERE content_status = 'ignored') AS ignored_sources,
       (SELECT count(*) FROM source_states WHERE content_status = 'open') AS open_sources)";

constexpr const char* kAgents = R"(
WITH step_counts AS (SELECT _file_, document_id, count(*) AS steps, count(*) FILTER (source = 'user') AS user_steps,
                            count(*) FILTER (source = 'agent') AS agent_steps
                     FROM steps GROUP BY _file_, document_id),
     call_counts AS (SELECT _file_, document_id, count(*) AS calls FROM tool_calls GROUP BY _file_, document_id)
SELECT r.agent_id, coalesce(r.agent_name, '') AS agent_name, coalesce(r.agent_version, '') AS agent_version,
       count(*) AS trajectories, count(DISTINCT r._file_) AS sources, coalesce(sum(s.steps), 0)::BIGINT AS steps,
       coalesce(sum(s.user_steps), 0)::BIGINT AS user_steps, coalesce(sum(s.agent_steps), 0)::BIGINT AS agent_steps,
       coalesce(sum(c.calls), 0)::BIGINT AS tool_calls
FROM runs r
LEFT JOIN step_counts s ON s._file_ = r._file_ AND s.document_id = r.document_id
LEFT JOIN call_counts c ON c._file_ = r._file_ AND c.document_id = r.document_id
GROUP BY 1, 2, 3
ORDER BY trajectories DESC, r.agent_id, agent_name, agent_version)";

constexpr const char* kModels = R"(
SELECT model, sum(declared)::BIGINT AS declared_trajectories, sum(observed)::BIGINT AS observed_steps
FROM (SELECT agent_model_name AS model, 1 AS declared, 0 AS observed FROM runs
      UNION ALL SELECT model_name, 0, 1 FROM steps)
WHERE trim(model) <> ''
GROUP BY model
ORDER BY observed_steps DESC, declared_trajectories DESC, model)";

constexpr const char* kTools = R"(
SELECT function_name, count(*) AS calls, count(DISTINCT (_file_, document_id)) AS trajectories,
       count(DISTINCT _file_) AS sources, count(duration) AS duration_samples,
       coalesce(sum(duration), 0)::BIGINT AS total_duration_ms
FROM tool_calls
GROUP BY function_name
ORDER BY calls DESC, function_name)";

}  // namespace

std::string ReportName(Report report) {
  switch (report) {
    case Report::kOverview:
      return "overview";
    case Report::kAgents:
      return "agents";
    case Report::kModels:
      return "models";
    case Report::kTools:
      break;
  }
  return "tools";
}

std::string ReportSql(Report report) {
  switch (report) {
    case Report::kOverview:
      return kOverview;
    case Report::kAgents:
      return kAgents;
    case Report::kModels:
      return kModels;
    case Report::kTools:
      break;
  }
  return kTools;
}

std::string LimitedReportSql(Report report, uint64_t limit) {
  return fmt::format("{}\nLIMIT {}", ReportSql(report), limit);
}

std::string ReportTotalSql(Report report) {
  return fmt::format("SELECT count(*) AS total FROM ({})", ReportSql(report));
}

}  // namespace pchronicle::app
