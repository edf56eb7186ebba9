#pragma once

#include <cstdint>
#include <string>

namespace pchronicle::app {

/// The four reports over a Dataset (cli.md 4.4).
enum class Report { kOverview, kAgents, kModels, kTools };

/// `overview`, `agents`, `models`, `tools`
std::string ReportName(Report report);
/// One SQL statement over the default Dataset with the report's columns and order. The overview
/// needs every Source read before (`check`), the others do not.
std::string ReportSql(Report report);
/// The statement with at most `limit` rows.
std::string LimitedReportSql(Report report, uint64_t limit);
/// The number of rows that the report has without a limit.
std::string ReportTotalSql(Report report);

}  // namespace pchronicle::app
