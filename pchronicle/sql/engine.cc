#include "pchronicle/sql/engine.h"

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "pchronicle/sql/errors.h"
#include "pchronicle/sql/functions.h"
#include "pchronicle/sql/guard.h"
#include "pchronicle/sql/join_rule.h"
#include "pchronicle/sql/relation_entry.h"
#include "pchronicle/sql/running_query.h"
#include "pchronicle/sql/scan_sharing.h"

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
      auto stream = RunningQuery::Create(*database_, limits_, scans, context, std::string(sql));
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
        stream = RunningQuery::Create(*database_, limits_, scans, context, std::string(sql));
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
