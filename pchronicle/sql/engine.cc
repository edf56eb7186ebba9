#include "pchronicle/sql/engine.h"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "pchronicle/sql/arrow_result.h"
#include "pchronicle/sql/cells.h"
#include "pchronicle/sql/errors.h"
#include "pchronicle/sql/functions.h"
#include "pchronicle/sql/guard.h"
#include "pchronicle/sql/join_rule.h"
#include "pchronicle/sql/plan_text.h"
#include "pchronicle/sql/query_state.h"
#include "pchronicle/sql/relation_entry.h"
#include "pchronicle/sql/scan_sharing.h"
#include "pchronicle/sql/unique_names.h"
#include "pchronicle/sql/watchdog.h"

namespace pchronicle::sql {
namespace {

std::string ListOf(const std::vector<RelationSchema>& relations) {
  std::string list;
  for (const RelationSchema& relation : relations) {
    list += list.empty() ? "" : ", ";
    list += relation.name;
  }
  return list;
}

/// Result columns with unique names: the second `n` becomes `n_1`.
std::vector<ResultColumn> MakeColumns(const duckdb::vector<std::string>& names,
                                      const duckdb::vector<duckdb::LogicalType>& types) {
  const std::vector<std::string> unique =
      UniqueNames(std::vector<std::string>(names.begin(), names.end()), NameCase::kKept);
  std::vector<ResultColumn> columns;
  for (size_t i = 0; i < unique.size(); ++i) {
    columns.push_back({unique[i], types[i].ToString(), types[i].IsNumeric()});
  }
  return columns;
}

/// The rows of an EXPLAIN with their second column, a plan in YAML, as lines.
duckdb::unique_ptr<duckdb::DataChunk> WithPlanText(duckdb::DataChunk& chunk) {
  auto readable = duckdb::make_uniq<duckdb::DataChunk>();
  readable->Initialize(duckdb::Allocator::DefaultAllocator(), chunk.GetTypes());
  for (duckdb::idx_t column = 0; column < chunk.ColumnCount(); ++column) {
    for (duckdb::idx_t row = 0; row < chunk.size(); ++row) {
      const duckdb::Value cell = chunk.GetValue(column, row);
      readable->SetValue(column, row,
                         column == 1 ? duckdb::Value(PlanText(cell.ToString())) : cell);
    }
  }
  readable->SetCardinality(chunk.size());
  return readable;
}

class Chunk : public ResultChunk {
 public:
  Chunk(duckdb::unique_ptr<duckdb::DataChunk> chunk, bool plan)
      : chunk_(std::move(chunk)), writer_(*chunk_), plan_(plan) {}

  size_t rows() const override { return chunk_->size(); }
  bool IsNull(size_t column, size_t row) const override { return writer_.IsNull(column, row); }
  void AppendCell(size_t column, size_t row, CellStyle style, std::string* out) const override {
    if (!plan_) {
      writer_.Append(column, row, style, out);
      return;
    }
    std::string cell;
    writer_.Append(column, row, CellStyle::kText, &cell);
    const std::string text = column == 1 ? PlanText(cell) : cell;
    if (style == CellStyle::kJson) {
      AppendJsonString(text, out);
    } else {
      *out += text;
    }
  }

 private:
  duckdb::unique_ptr<duckdb::DataChunk> chunk_;
  CellWriter writer_;
  const bool plan_;  // the second column is a plan in YAML
};

/// A plain EXPLAIN asks for the YAML form, which is then printed as lines; forms asked for by name
/// are left alone.
bool WantsPlanText(duckdb::SQLStatement& statement) {
  if (statement.type != duckdb::StatementType::EXPLAIN_STATEMENT) {
    return false;
  }
  auto& explain = statement.Cast<duckdb::ExplainStatement>();
  if (explain.explain_type != duckdb::ExplainType::EXPLAIN_STANDARD ||
      explain.explain_format != duckdb::ExplainFormat::DEFAULT) {
    return false;
  }
  explain.explain_format = duckdb::ExplainFormat::YAML;
  return true;
}

/// What the engine may use, for messages.
struct MemoryLimits {
  uint64_t memory = 0;
  uint64_t spill = 0;  // 0: no limit of its own
  bool spills = false;
};

/// The engine ran out of memory or of spill space: the limit by name, and what to do (LIM-02).
Status OutOfMemory(const std::string& message, const MemoryLimits& limits) {
  if (message.find("max_temp_directory_size") != std::string::npos) {
    return Status::ResourceExhausted(
        "the query needs more spill space than max_spill_bytes {}; raise --max-spill-bytes, or "
        "narrow the query",
        limits.spill);
  }
  return Status::ResourceExhausted(
      "the query needs more memory than max_memory_bytes {}; raise --max-memory-bytes, {}narrow "
      "the query",
      limits.memory, limits.spills ? "or " : "give --spill-directory DIR, or ");
}

class Stream : public ResultStream {
 public:
  Stream(duckdb::DuckDB& database, const MemoryLimits& limits, ScanFactory& scans,
         const Context& context, std::string sql)
      : limits_(limits),
        context_(context),
        sql_(std::move(sql)),
        state_(duckdb::make_shared_ptr<QueryState>(scans, context)),
        connection_(database),
        watchdog_(*connection_.context, context) {
    connection_.context->registered_state->Insert(QueryState::kKey, state_);
  }
  ~Stream() override {
    result_.reset();
    connection_.context->registered_state->Remove(QueryState::kKey);
  }

  duckdb::ClientContext& client() { return *connection_.context; }

  /// Plans and starts the statement.
  Status Start(duckdb::unique_ptr<duckdb::SQLStatement> statement) {
    plan_ = WantsPlanText(*statement);
    try {
      auto pending = connection_.PendingQuery(std::move(statement),
                                              duckdb::QueryResultOutputType::ALLOW_STREAMING);
      if (pending->HasError()) {
        return Failure(pending->GetErrorObject());
      }
      result_ = pending->Execute();
      if (result_->HasError()) {
        return Failure(result_->GetErrorObject());
      }
    } catch (const std::exception& exception) {
      return Failure(duckdb::ErrorData(exception));
    }
    types_ = result_->types;
    columns_ = MakeColumns(result_->names, types_);
    return Status::Ok();
  }

  const std::vector<ResultColumn>& columns() const override { return columns_; }

  Result<const ResultChunk*> Next() override {
    chunk_.reset();
    duckdb::unique_ptr<duckdb::DataChunk> chunk;
    PCHRONICLE_RETURN_IF_ERROR(Fetch(&chunk));
    if (!chunk) {
      return static_cast<const ResultChunk*>(nullptr);
    }
    chunk_ = std::make_unique<Chunk>(std::move(chunk), plan_);
    return static_cast<const ResultChunk*>(chunk_.get());
  }

  Status GetArrowSchema(ArrowSchema* out) const override {
    out->release = nullptr;
    duckdb::vector<std::string> names;
    for (const ResultColumn& column : columns_) {
      names.push_back(column.name);
    }
    PCHRONICLE_RETURN_IF_ERROR(CheckArrowTypes(types_, names));
    try {
      ExportArrowSchema(*connection_.context, types_, names, out);
    } catch (const std::exception& exception) {
      return Failure(duckdb::ErrorData(exception));
    }
    return Status::Ok();
  }

  Status NextArrow(ArrowArray* out) override {
    out->release = nullptr;
    duckdb::unique_ptr<duckdb::DataChunk> chunk;
    PCHRONICLE_RETURN_IF_ERROR(Fetch(&chunk));
    if (!chunk) {
      return Status::Ok();
    }
    try {
      if (plan_) {
        chunk = WithPlanText(*chunk);
      }
      ExportArrowArray(*connection_.context, *chunk, out);
    } catch (const std::exception& exception) {
      return Failure(duckdb::ErrorData(exception));
    }
    return Status::Ok();
  }

  double progress() const override {
    auto progress = connection_.context->GetQueryProgress();
    return progress.GetPercentage() / 100.0;
  }

 private:
  /// The next rows; none at the end.
  Status Fetch(duckdb::unique_ptr<duckdb::DataChunk>* chunk) {
    if (!result_) {
      return Status::Ok();
    }
    try {
      *chunk = result_->Fetch();
      if (result_->HasError()) {
        return Failure(result_->GetErrorObject());
      }
      if (!*chunk || (*chunk)->size() == 0) {
        chunk->reset();
        result_.reset();
        // A scan may have failed while the engine already had all the rows it wanted.
        return state_->failure();
      }
    } catch (const std::exception& exception) {
      return Failure(duckdb::ErrorData(exception));
    }
    return Status::Ok();
  }

  /// Our own status when a scan failed or the caller stopped the query, else the engine's.
  Status Failure(const duckdb::ErrorData& error) const {
    if (const Status stopped = context_.Check(); !stopped.ok()) {
      return stopped;
    }
    if (Status ours = state_->failure(); !ours.ok()) {
      return ours;
    }
    if (error.Type() == duckdb::ExceptionType::OUT_OF_MEMORY) {
      return OutOfMemory(error.RawMessage(), limits_);
    }
    return ToStatus(error, sql_);
  }

  const MemoryLimits limits_;
  const Context& context_;
  const std::string sql_;
  duckdb::shared_ptr<QueryState> state_;
  duckdb::Connection connection_;
  Watchdog watchdog_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  duckdb::vector<duckdb::LogicalType> types_;
  std::vector<ResultColumn> columns_;
  std::unique_ptr<Chunk> chunk_;
  bool plan_ = false;
};

class DuckDbEngine : public Engine {
 public:
  DuckDbEngine(std::unique_ptr<duckdb::DuckDB> database, const MemoryLimits& limits)
      : database_(std::move(database)), limits_(limits) {}

  Status Mount(Namespace names) override {
    names_ = std::make_shared<const Namespace>(std::move(names));
    Status status;
    try {
      duckdb::Connection connection(*database_);
      default_catalog_ = duckdb::DatabaseManager::GetDefaultDatabase(*connection.context);
      connection.context->RunFunctionInTransaction(
          [&] { status = MountRelations(*connection.context, names_); });
    } catch (const std::exception& exception) {
      return ToStatus(duckdb::ErrorData(exception), {});
    }
    return status;
  }

  Result<std::unique_ptr<ResultStream>> Run(std::string_view sql, ScanFactory& scans,
                                            const Context& context) override {
    if (!names_) {
      return Status::Internal("SQL engine: Run before Mount");
    }
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    try {
      auto stream = std::make_unique<Stream>(*database_, limits_, scans, context, std::string(sql));
      PCHRONICLE_ASSIGN_OR_RETURN(CheckedStatement checked,
                                  CheckStatement(sql, stream->client().GetParserOptions()));
      SetSearchPath(stream->client());
      auto statement = checked.statement->Copy();
      if (!RunsWithoutFunctionLibrary(checked)) {
        LoadFunctionLibrary();
      }
      const bool had_library = library_loaded_.load();
      Status status = stream->Start(std::move(checked.statement));
      if (!status.ok() && !had_library && status.code() == StatusCode::kInvalidArgument) {
        // The engine may have wanted a function that the statement does not name.
        LoadFunctionLibrary();
        stream.reset();
        stream = std::make_unique<Stream>(*database_, limits_, scans, context, std::string(sql));
        SetSearchPath(stream->client());
        status = stream->Start(std::move(statement));
      }
      if (!status.ok()) {
        return WithRelations(status);
      }
      return std::unique_ptr<ResultStream>(std::move(stream));
    } catch (const std::exception& exception) {
      return ToStatus(duckdb::ErrorData(exception), sql);
    }
  }

  /// Aggregates, list, date and JSON functions beyond the engine's core, and time zones.
  void LoadFunctionLibrary() {
    const std::lock_guard lock(library_mutex_);
    if (library_loaded_.load()) {
      return;
    }
    for (const char* name : {"core_functions", "icu"}) {
      duckdb::ExtensionHelper::LoadExtension(*database_, name);
    }
    library_loaded_.store(true);
  }

 private:
  void SetSearchPath(duckdb::ClientContext& client) const {
    for (const DatasetSchema& dataset : names_->datasets) {
      if (dataset.is_default) {
        duckdb::ClientData::Get(client).catalog_search_path->Set(
            duckdb::CatalogSearchEntry(default_catalog_, dataset.alias),
            duckdb::CatalogSetPathType::SET_DIRECTLY);
      }
    }
  }

  /// An unknown table's error also says which tables there are.
  Status WithRelations(const Status& status) const {
    if (status.message().starts_with("Table with name ") &&
        status.message().find("does not exist") != std::string::npos) {
      std::string schemas;
      for (const DatasetSchema& dataset : names_->datasets) {
        schemas += schemas.empty() ? "" : ", ";
        schemas += dataset.alias;
      }
      return Status(status.code(), fmt::format("{}; relations: {} (in {})", status.message(),
                                               ListOf(names_->relations), schemas));
    }
    return status;
  }

  const std::unique_ptr<duckdb::DuckDB> database_;
  const MemoryLimits limits_;
  std::shared_ptr<const Namespace> names_;
  std::string default_catalog_;
  std::mutex library_mutex_;  // guards loading
  std::atomic<bool> library_loaded_{false};
};

void Configure(duckdb::DBConfig& config, const EngineOptions& options) {
  config.options.load_extensions = false;  // each when it is needed
  config.options.use_temporary_directory = !options.spill_directory.empty();
  if (!options.spill_directory.empty()) {
    const std::string spill = std::filesystem::weakly_canonical(options.spill_directory).string();
    config.options.temporary_directory = spill;
    // The one place outside of memory that the engine itself may touch; the guard lets no
    // statement name files.
    config.options.allowed_directories.insert(spill + "/");
  }
  if (options.memory_limit != 0) {
    config.options.maximum_memory = options.memory_limit;
  }
  if (options.threads != 0) {
    config.options.maximum_threads = options.threads;
  }
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("enable_external_access", duckdb::Value::BOOLEAN(false));
}

/// The library is found by its name, so a program that uses DuckDB itself may have brought along
/// another build, whose classes differ from ours: nothing of them may be touched.
Status CheckLibrary() {
  constexpr const char* kVersion = PCHRONICLE_DUCKDB_VERSION;
  constexpr const char* kSource = PCHRONICLE_DUCKDB_SOURCE;
  const char* version = duckdb::DuckDB::LibraryVersion();
  const char* source = duckdb::DuckDB::SourceID();
  if (std::strcmp(version, kVersion) == 0 &&
      std::strncmp(source, kSource, std::strlen(kSource)) == 0) {
    return Status::Ok();
  }
  return Status::Unsupported(
      "the SQL engine needs DuckDB {} {}, but this process has loaded DuckDB {} {}; a program that "
      "uses pChronicle must not link another DuckDB library",
      kVersion, kSource, version, source);
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenEngine(const EngineOptions& options) {
  PCHRONICLE_RETURN_IF_ERROR(CheckLibrary());
  try {
    duckdb::DBConfig config;
    Configure(config, options);
    auto database = std::make_unique<duckdb::DuckDB>(nullptr, &config);
    duckdb::ExtensionHelper::LoadExtension(*database, "json");
    RegisterFunctions(*database->instance);
    if (options.spill_limit != 0) {
      // The engine looks at this option of its configuration only when it is set while running.
      duckdb::BufferManager::GetBufferManager(*database->instance)
          .SetSwapLimit(duckdb::optional_idx(options.spill_limit));
    }
    auto& active = duckdb::DBConfig::GetConfig(*database->instance);
    RegisterJoinRule(active);
    RegisterScanSharing(active);
    active.replacement_scans.clear();  // a quoted path is an unknown table, not a file
    active.SetOptionByName("lock_configuration", duckdb::Value::BOOLEAN(true));
    const MemoryLimits limits{active.options.maximum_memory, options.spill_limit,
                              !options.spill_directory.empty()};
    return std::unique_ptr<Engine>(std::make_unique<DuckDbEngine>(std::move(database), limits));
  } catch (const std::exception& exception) {
    return ToStatus(duckdb::ErrorData(exception), {}).WithContext("open SQL engine");
  }
}

}  // namespace pchronicle::sql
