#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "pchronicle/app/query.h"
#include "pchronicle/app/spill_directory.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/cli/problems.h"
#include "pchronicle/cli/progress.h"

namespace pchronicle::cli {
namespace {

constexpr size_t kMaxSqlBytes = 1 << 20;
constexpr size_t kMaxMounts = 128;

Result<std::string> ReadSqlFile(const std::string& path) {
  const bool is_stdin = path == "-";
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return errno == ENOENT ? Status::NotFound("--file {}: {}", path, std::strerror(errno))
                           : Status::InvalidArgument("--file {}: {}", path, std::strerror(errno));
  }
  std::string sql;
  std::string piece(64 << 10, '\0');
  ssize_t n = 0;
  while ((n = ::read(fd, piece.data(), piece.size())) > 0 && sql.size() <= kMaxSqlBytes) {
    sql.append(piece, 0, static_cast<size_t>(n));
  }
  const int error = n < 0 ? errno : 0;
  if (!is_stdin) {
    ::close(fd);
  }
  if (error == EINTR) {
    return Status::Cancelled("cancelled");
  }
  if (error != 0) {
    return Status::InvalidArgument("--file {}: {}", path, std::strerror(error));
  }
  if (sql.size() > kMaxSqlBytes) {
    return Status::ResourceExhausted("--file {}: more than {} bytes of SQL", path, kMaxSqlBytes);
  }
  return sql;
}

// What is asked, and of what: positionals take older meanings (cli.md 2.3).
struct Request {
  std::string sql;
  std::optional<std::string> dataset;
};

Result<Request> ReadRequest(const QueryArguments& arguments) {
  Request request;
  std::vector<std::string> positionals = arguments.positionals;
  std::optional<std::string> sql = arguments.sql;
  if (sql && arguments.file) {
    return Status::InvalidArgument("--sql and --file exclude each other");
  }
  if (!sql && !arguments.file && !positionals.empty()) {
    const bool looks_like_sql =
        positionals.size() == 2 || positionals.front().find_first_of(" \t\n") != std::string::npos;
    std::error_code error;
    if (looks_like_sql &&
        !(positionals.size() == 1 && std::filesystem::exists(positionals.front(), error))) {
      sql = positionals.back();
      positionals.pop_back();
    }
  }
  if (!sql && !arguments.file) {
    return Status::InvalidArgument("query needs a statement: --sql 'SELECT ...' or --file FILE");
  }
  if (positionals.size() > 1) {
    return Status::InvalidArgument(
        "'{}' is one argument too many; the statement stands in --sql already", positionals.back());
  }
  if (!positionals.empty()) {
    if (!arguments.mounts.empty()) {
      return Status::InvalidArgument(
          "--mount and a positional Dataset exclude each other; mount it as NAME={}",
          positionals.front());
    }
    request.dataset = positionals.front();
  }
  if (sql) {
    request.sql = *sql;
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(request.sql, ReadSqlFile(*arguments.file));
  }
  if (request.sql.size() > kMaxSqlBytes) {
    return Status::ResourceExhausted("the statement is longer than {} bytes", kMaxSqlBytes);
  }
  return request;
}

Result<std::vector<catalog::Mount>> Mounts(const QueryArguments& arguments, const Request& request,
                                           const Session& session) {
  std::vector<catalog::Mount> mounts;
  if (arguments.mounts.empty()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation location,
                                ResolveDataset(request.dataset, session));
    mounts.push_back(catalog::PositionalMount(location.path));
    return mounts;
  }
  if (arguments.mounts.size() > kMaxMounts) {
    return Status::ResourceExhausted("at most {} Datasets can be mounted at once", kMaxMounts);
  }
  for (const std::string& text : arguments.mounts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Status::InvalidArgument("--mount takes NAME=DATASET, not '{}'", text);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const app::DatasetLocation location,
                                ResolveDataset(text.substr(equals + 1), session));
    PCHRONICLE_ASSIGN_OR_RETURN(catalog::Mount mount,
                                catalog::ParseMount(text.substr(0, equals), location.path));
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

app::QueryFormat FormatOf(const QueryArguments& arguments, const Console& console) {
  const bool terminal = arguments.output == "-" && console.stdout_terminal();
  switch (arguments.format) {
    case OutputFormat::kCsv:
      return app::QueryFormat::kCsv;
    case OutputFormat::kTable:
      return terminal ? app::QueryFormat::kBox : app::QueryFormat::kTable;
    case OutputFormat::kAuto:
      return terminal ? app::QueryFormat::kBox : app::QueryFormat::kJsonl;
    case OutputFormat::kJson:
    case OutputFormat::kJsonl:
      break;
  }
  return app::QueryFormat::kJsonl;
}

std::string_view FormatName(app::QueryFormat format) {
  return format == app::QueryFormat::kCsv     ? "csv"
         : format == app::QueryFormat::kJsonl ? "jsonl"
                                              : "table";
}

void Report(const app::QueryOutcome& outcome, Console& console) {
  WarnProblems(outcome.problems, outcome.problem_count, console);
  const app::SourceCounts& sources = outcome.sources;
  if (sources.ignored + sources.empty + sources.open > 0) {
    console.Notice(
        fmt::format("{} Sources are no trajectories, {} are empty, {} are still open; see: "
                    "pchronicle ls --check",
                    sources.ignored, sources.empty, sources.open));
  }
  if (outcome.content_unknown) {
    console.Notice(
        "content columns of `sources` are NULL for Sources not read yet; --check reads all of them "
        "first");
  }
}

/// Leaves the engine to the end of the process also when a query fails: whoever pressed Ctrl-C does
/// not want to wait until it is taken apart.
class LeaveEngine {
 public:
  explicit LeaveEngine(app::EngineLoader& loader) : loader_(loader) {}
  ~LeaveEngine() { loader_.Abandon(); }

 private:
  app::EngineLoader& loader_;
};

Status CheckOutput(const QueryArguments& arguments) {
  if (arguments.output == "-") {
    return arguments.overwrite ? Status::InvalidArgument("--overwrite makes no sense with stdout")
                               : Status::Ok();
  }
  // Known before the work is done; the final rename checks it again.
  std::error_code error;
  return !arguments.overwrite &&
                 std::filesystem::exists(std::filesystem::symlink_status(arguments.output, error))
             ? Status::AlreadyExists("{} already exists; pass --overwrite to replace it",
                                     arguments.output)
             : Status::Ok();
}

}  // namespace

Status RunQuery(const QueryArguments& arguments, Session& session) {
  Console& console = session.console;
  PCHRONICLE_RETURN_IF_ERROR(CheckOutput(arguments));
  PCHRONICLE_ASSIGN_OR_RETURN(const Request request, ReadRequest(arguments));
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<catalog::Mount> mounts,
                              Mounts(arguments, request, session));
  sql::EngineOptions engine;
  engine.memory_limit = arguments.max_memory_bytes.value_or(0);
  engine.spill_limit = arguments.max_spill_bytes.value_or(0);
  std::optional<app::SpillDirectory> spill;
  if (arguments.spill_directory) {
    PCHRONICLE_ASSIGN_OR_RETURN(spill, app::SpillDirectory::Create(*arguments.spill_directory));
    engine.spill_directory = spill->path();
  } else if (arguments.max_spill_bytes) {
    return Status::InvalidArgument("--max-spill-bytes needs --spill-directory");
  }
  app::EngineLoader loader(engine);  // loads while the Datasets are discovered
  const LeaveEngine leave(loader);
  const bool report = arguments.errors == Errors::kReport;
  const InterruptibleContext discovery;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto snapshot,
                              catalog::Snapshot::Build(std::move(mounts),
                                                       {report ? catalog::ErrorPolicy::kReport
                                                               : catalog::ErrorPolicy::kStrict,
                                                        ToLimits(arguments.limits)},
                                                       discovery.get()));
  const InterruptibleContext context(arguments.limits.timeout);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto query, app::QuerySession::Create(snapshot, loader));

  app::QueryOptions options;
  options.sql = request.sql;
  options.encoder = {FormatOf(arguments, console),
                     arguments.output == "-" && console.stdout_terminal(), console.width(),
                     arguments.max_output_bytes};
  options.max_rows = arguments.max_output_rows;
  options.report_errors = report;
  options.check = arguments.check;
  options.metrics = arguments.query_metrics;
  Progress progress(console, "reading");
  options.check_progress = [&](size_t done, size_t total) { progress.Update(done, total); };
  PCHRONICLE_ASSIGN_OR_RETURN(const app::QueryOutcome outcome, query->Run(options, context.get()));
  progress.Finish();

  if (arguments.output == "-") {
    PCHRONICLE_RETURN_IF_ERROR(outcome.result.ForEach(
        [&](std::string_view piece) { return console.Write(piece); }, &context.get()));
  } else {
    PCHRONICLE_RETURN_IF_ERROR(
        app::WriteResultFile(outcome, arguments.output, arguments.overwrite, context.get()));
  }
  Report(outcome, console);
  if (arguments.query_metrics) {
    console.Info(outcome.metrics.ToString());
    for (const catalog::SourceCost& cost : outcome.metrics.slowest) {
      console.Info(fmt::format("source={} busy_us={} source_bytes_read={}", LogValue(cost.file),
                               cost.busy_ns / 1000, cost.bytes_read));
    }
  }
  std::string datasets;
  for (const catalog::CatalogDataset& dataset : snapshot->datasets()) {
    datasets += (datasets.empty() ? "" : ",") + dataset.mount.alias;
  }
  console.Info(
      fmt::format("snapshot_id={} datasets={} rows={} format={} output_bytes={} complete={} "
                  "errors={} ignored={} empty={} open={}",
                  snapshot->id(), datasets, outcome.rows, FormatName(options.encoder.format),
                  outcome.result.size(), outcome.complete, outcome.problem_count,
                  outcome.sources.ignored, outcome.sources.empty, outcome.sources.open));
  return Status::Ok();
}

}  // namespace pchronicle::cli
