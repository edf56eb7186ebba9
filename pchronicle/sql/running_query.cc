#include "pchronicle/sql/running_query.h"

#include "pchronicle/sql/arrow_result.h"
#include "pchronicle/sql/cells.h"
#include "pchronicle/sql/errors.h"
#include "pchronicle/sql/plan_text.h"
#include "pchronicle/sql/query_state.h"
#include "pchronicle/sql/unique_names.h"
#include "pchronicle/sql/watchdog.h"

namespace pchronicle::sql {
namespace {

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

class Stream final : public RunningQuery {
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

  duckdb::ClientContext& client() override { return *connection_.context; }

  Status Start(duckdb::unique_ptr<duckdb::SQLStatement> statement) override {
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

}  // namespace

std::unique_ptr<RunningQuery> RunningQuery::Create(duckdb::DuckDB& database,
                                                   const MemoryLimits& limits, ScanFactory& scans,
                                                   const Context& context, std::string sql) {
  return std::make_unique<Stream>(database, limits, scans, context, std::move(sql));
}

}  // namespace pchronicle::sql
