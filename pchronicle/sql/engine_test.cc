#include "pchronicle/sql/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "pchronicle/sql/fake_scan_test.h"

namespace pchronicle::sql {
namespace {

using columnar::Type;
using model::Relation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

Namespace TestNamespace(std::vector<std::pair<std::string, size_t>> aliases,
                        bool with_default = true) {
  Namespace names;
  for (size_t i = 0; i < aliases.size(); ++i) {
    names.datasets.push_back({aliases[i].first, with_default && i == 0, aliases[i].second, 1000});
  }
  names.relations = {
      {Relation::kRuns,
       "runs",
       {{"_file_", Type::kVarchar, false},
        {"session_id", Type::kVarchar, false},
        {"agent_name", Type::kVarchar, true},
        {"extra", Type::kJson, true},
        {"started_at", Type::kTimestampNs, true}}},
      {Relation::kSteps,
       "steps",
       {{"_file_", Type::kVarchar, false},
        {"session_id", Type::kVarchar, false},
        {"step_id", Type::kBigint, false},
        {"source", Type::kVarchar, false},
        {"message_value", Type::kJson, false},
        {"reward", Type::kDouble, true},
        {"is_copied_context", Type::kBoolean, true},
        {"token_ids", Type::kBigintList, true},
        {"timestamp", Type::kTimestampNs, true}}},
      {Relation::kToolCalls,
       "tool_calls",
       {{"_file_", Type::kVarchar, false}, {"session_id", Type::kVarchar, false}}},
      {Relation::kSources,
       "sources",
       {{"_file_", Type::kVarchar, false}, {"status", Type::kVarchar, false}}},
      {Relation::kRunTree,
       "run_tree",
       {{"_file_", Type::kVarchar, false}, {"session_id", Type::kVarchar, false}}},
  };
  return names;
}

FakeRow Run(const std::string& session, const std::string& agent) {
  return {session, agent, std::string(R"({"a":1.10})"), int64_t{1'760'000'000'500'000'000}};
}

FakeRow Step(const std::string& session, int64_t step, const std::string& source,
             const std::string& message) {
  return {session,
          step,
          source,
          message,
          0.5,
          int64_t{step % 2},
          std::vector<int64_t>{step, step + 1},
          int64_t{1'760'000'000'000'000'000 + step}};
}

std::vector<FakeSource> TestSources() {
  std::vector<FakeSource> sources;
  for (const std::string file : {"a/one.json", "a/two.json", "b/three.jsonl"}) {
    FakeSource source;
    source.file = file;
    source.rows[Relation::kRuns] = {Run("s-" + file, "agent")};
    for (int64_t i = 0; i < 7; ++i) {
      source.rows[Relation::kSteps].push_back(
          Step("s-" + file, i, i == 0 ? "user" : "agent",
               "\"message number " + std::to_string(i) + " of a run\""));
    }
    source.rows[Relation::kToolCalls] = {{std::string("s-" + file)}};
    source.rows[Relation::kSources] = {{std::string("ready")}};
    source.rows[Relation::kRunTree] = {{std::string("s-" + file)}};
    sources.push_back(std::move(source));
  }
  return sources;
}

using Table = std::vector<std::vector<std::string>>;

/// An engine over made-up Datasets, and the rows of queries as text.
class EngineTest : public testing::Test {
 protected:
  void Open(Namespace names, std::vector<std::vector<FakeSource>> datasets,
            EngineOptions options = {}) {
    names_ = std::move(names);
    datasets_ = std::move(datasets);
    auto engine = OpenEngine(options);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(engine).value();
    ASSERT_TRUE(engine_->Mount(names_).ok());
    scans_ = std::make_unique<FakeScans>(datasets_, names_, context_);
  }
  void SetUp() override { Open(TestNamespace({{"dataset", 3}}), {TestSources()}); }

  Result<Table> Query(std::string_view sql, CellStyle style = CellStyle::kText) {
    scans_ = std::make_unique<FakeScans>(datasets_, names_, context_);
    PCHRONICLE_ASSIGN_OR_RETURN(auto stream, engine_->Run(sql, *scans_, context_));
    columns_ = stream->columns();
    Table table;
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const ResultChunk* chunk, stream->Next());
      if (chunk == nullptr) {
        return table;
      }
      for (size_t row = 0; row < chunk->rows(); ++row) {
        table.emplace_back();
        for (size_t column = 0; column < columns_.size(); ++column) {
          chunk->AppendCell(column, row, style, &table.back().emplace_back());
        }
      }
    }
  }
  Table Rows(std::string_view sql, CellStyle style = CellStyle::kText) {
    auto table = Query(sql, style);
    EXPECT_TRUE(table.ok()) << sql << ": " << table.status().ToString();
    return table.ok() ? *table : Table{};
  }
  std::string Cell(std::string_view sql, CellStyle style = CellStyle::kText) {
    const Table table = Rows(sql, style);
    return table.size() == 1 && table[0].size() == 1 ? table[0][0] : "not one cell";
  }
  Status Error(std::string_view sql) {
    auto table = Query(sql);
    EXPECT_FALSE(table.ok()) << sql;
    return table.status();
  }

  Context context_;
  Namespace names_;
  std::vector<std::vector<FakeSource>> datasets_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<FakeScans> scans_;
  std::vector<ResultColumn> columns_;
};

// --- relations
// ---------------------------------------------------------------------------------------------------

TEST_F(EngineTest, CountBuildsNoCell_REL06) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps"), "21");
  ASSERT_EQ(scans_->requests().size(), 1u);
  EXPECT_THAT(scans_->requests()[0].columns, IsEmpty());
}

TEST_F(EngineTest, OnlyNamedColumnsAreRead) {
  Rows("SELECT step_id, source FROM steps WHERE session_id LIKE '%two%' ORDER BY reward");
  ASSERT_EQ(scans_->requests().size(), 1u);
  EXPECT_THAT(scans_->requests()[0].columns, UnorderedElementsAre(1, 2, 3, 5));
}

TEST_F(EngineTest, QualifiedAndUnqualifiedNamesAreTheSame_CAT28) {
  EXPECT_EQ(Cell("SELECT count(*) FROM dataset.runs"), "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM RUNS r WHERE r.session_id = 's-a/one.json'"), "1");
  EXPECT_EQ(Cell("SELECT min(dataset.runs.session_id) FROM dataset.runs"), "s-a/one.json");
}

TEST_F(EngineTest, WithMountsOnlyUnqualifiedNamesFail_MNT07) {
  Open(TestNamespace({{"one", 3}, {"two", 3}}, false), {TestSources(), TestSources()});
  EXPECT_EQ(Cell("SELECT count(*) FROM one.runs, two.runs"), "9");
  const Status status = Error("SELECT count(*) FROM runs");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("one.runs"));
}

TEST_F(EngineTest, DescribeShowsSchema_REL05) {
  const Table rows = Rows("DESCRIBE steps");
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_THAT(rows[0], ElementsAre("_file_", "VARCHAR", "NO", "", "", ""));
  EXPECT_THAT(rows[4], ElementsAre("message_value", "JSON", "NO", "", "", ""));
  EXPECT_THAT(rows[7], ElementsAre("token_ids", "BIGINT[]", "YES", "", "", ""));
  EXPECT_THAT(rows[8], ElementsAre("timestamp", "TIMESTAMP_NS", "YES", "", "", ""));
  EXPECT_THAT(scans_->opened(), IsEmpty());
}

TEST_F(EngineTest, InformationSchemaListsRelations_REL05) {
  const Table rows =
      Rows("SELECT table_schema, table_name FROM information_schema.tables ORDER BY table_name");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[0], ElementsAre("dataset", "run_tree"));
  EXPECT_EQ(Cell("SELECT count(*) FROM information_schema.columns WHERE table_name = 'runs'"), "5");
}

TEST_F(EngineTest, RelationsOfAnEmptyDatasetExist_REL01) {
  Open(TestNamespace({{"dataset", 0}}), {{}});
  EXPECT_EQ(Cell("SELECT count(*) FROM steps"), "0");
  EXPECT_THAT(Rows("SELECT * FROM steps"), IsEmpty());
  EXPECT_EQ(columns_.size(), 9u);
}

// --- values
// ------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, CellsOfEveryColumnType) {
  const Table rows =
      Rows("SELECT * EXCLUDE (_file_) FROM steps WHERE step_id = 1 AND _file_ = 'a/one.json'",
           CellStyle::kJson);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0], ElementsAre("\"s-a/one.json\"", "1", "\"agent\"",
                                   R"("\"message number 1 of a run\"")", "0.5", "true", "[1,2]",
                                   "\"2025-10-09T08:53:20.000000001Z\""));
}

TEST_F(EngineTest, JsonColumnsHaveJsonType) {
  EXPECT_EQ(Cell("SELECT extra->>'a' FROM runs LIMIT 1"), "1.1");
  EXPECT_EQ(Cell("SELECT extra::VARCHAR FROM runs LIMIT 1"), R"({"a":1.10})");
  EXPECT_EQ(Cell("SELECT typeof(extra) FROM runs LIMIT 1"), "JSON");
}

TEST_F(EngineTest, WideIntegersAndDecimalsKeepTheirDigits) {
  EXPECT_EQ(Cell("SELECT 170141183460469231731687303715884105727::HUGEINT", CellStyle::kJson),
            "170141183460469231731687303715884105727");
  EXPECT_EQ(Cell("SELECT 12345678901234567890.123456789::DECIMAL(38,9)", CellStyle::kJson),
            "12345678901234567890.123456789");
  EXPECT_EQ(Cell("SELECT 18446744073709551615::UBIGINT", CellStyle::kJson), "18446744073709551615");
  EXPECT_EQ(Cell("SELECT sum(step_id) FROM steps", CellStyle::kJson), "63");
}

TEST_F(EngineTest, NumbersThatJsonLacksAreNull) {
  EXPECT_EQ(Cell("SELECT 'nan'::DOUBLE", CellStyle::kJson), "null");
  EXPECT_EQ(Cell("SELECT '-inf'::DOUBLE", CellStyle::kJson), "null");
  EXPECT_EQ(Cell("SELECT 1e300", CellStyle::kJson), "1e+300");
  EXPECT_EQ(Cell("SELECT 3.0::DOUBLE", CellStyle::kJson), "3.0");
}

TEST_F(EngineTest, TimestampsArePrintedInUtcWithTheFewestDigits) {
  EXPECT_EQ(Cell("SELECT '2026-01-02T03:04:05Z'::TIMESTAMP"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(Cell("SELECT '2026-01-02T03:04:05.5Z'::TIMESTAMP"), "2026-01-02T03:04:05.500Z");
  EXPECT_EQ(Cell("SELECT '2026-01-02T03:04:05.000001Z'::TIMESTAMP"), "2026-01-02T03:04:05.000001Z");
  EXPECT_EQ(Cell("SELECT '2026-01-02T03:04:05.000000001Z'::TIMESTAMP_NS"),
            "2026-01-02T03:04:05.000000001Z");
  EXPECT_EQ(Cell("SELECT '2026-01-02T03:04:05+02:00'::TIMESTAMPTZ"), "2026-01-02T01:04:05Z");
  EXPECT_EQ(Cell("SELECT '9999-01-02'::TIMESTAMP"), "9999-01-02T00:00:00Z");
  EXPECT_EQ(Cell("SELECT '2026-01-02'::DATE", CellStyle::kJson), "\"2026-01-02\"");
}

TEST_F(EngineTest, NestedValuesAreCompactJson) {
  EXPECT_EQ(Cell("SELECT {'a': 1, 'b': ['x', NULL], 'c': '{}'::JSON}"),
            R"({"a":1,"b":["x",null],"c":"{}"})");
  EXPECT_EQ(Cell("SELECT MAP {'k': 1.5}"), R"({"k":1.5})");
  EXPECT_EQ(Cell("SELECT MAP {1: 'v'}"), R"([[1,"v"]])");
  EXPECT_EQ(Cell("SELECT [[1],[2,3]]"), "[[1],[2,3]]");
  EXPECT_EQ(Cell("SELECT '\\xAA\\x01'::BLOB", CellStyle::kJson), "\"aa01\"");
  EXPECT_EQ(Cell("SELECT INTERVAL 3 DAY", CellStyle::kJson), "\"3 days\"");
}

TEST_F(EngineTest, RepeatedColumnNamesGetANumber) {
  Rows("SELECT 1 AS n, 2 AS n, 3 AS n, 4 AS n_1");
  ASSERT_EQ(columns_.size(), 4u);
  EXPECT_EQ(columns_[0].name, "n");
  EXPECT_EQ(columns_[1].name, "n_2");
  EXPECT_EQ(columns_[2].name, "n_3");
  EXPECT_EQ(columns_[3].name, "n_1");
  Rows("SELECT 1 AS n, 2 AS n");
  EXPECT_EQ(columns_[1].name, "n_1");
}

TEST_F(EngineTest, OctetLengthCountsBytesOfText) {
  EXPECT_EQ(Cell("SELECT octet_length('h\xc3\xa9')"), "3");
  EXPECT_EQ(Cell("SELECT octet_length('\\xAA'::BLOB)"), "1");
  EXPECT_EQ(Cell("SELECT max(octet_length(message_value)) FROM steps"), "27");
}

// --- pushdown
// ----------------------------------------------------------------------------------------------------

TEST_F(EngineTest, PathPredicatesOpenOnlyMatchingSources_PRN00_CAT11) {
  const std::vector<std::pair<std::string, size_t>> cases = {
      {"_file_ = 'a/one.json'", 1},
      {"'a/one.json' = _file_", 1},
      {"_file_ IN ('a/one.json', 'b/three.jsonl')", 2},
      {"_file_ NOT IN ('a/one.json')", 2},
      {"_file_ <> 'a/one.json'", 2},
      {"_file_ LIKE 'a/%'", 2},
      {"_file_ LIKE '%.jsonl'", 1},
      {"_file_ LIKE '%o%e%'", 1},
      {"_file_ LIKE 'a_two.json'", 1},
      {"_file_ LIKE 'a!/t%' ESCAPE '!'", 1},
      {"_file_ NOT LIKE 'a/%'", 1},
      {"NOT (_file_ = 'a/one.json')", 2},
      {"_file_ = 'a/' || 'one.json'", 1},
      {"_file_ = 'a/one.json' AND source = 'user'", 1},
      {"_file_ = 'a/one.json' OR _file_ = 'a/two.json'", 2},
      {"_file_ = 'a/one.json' OR source = 'user'", 3},
      {"_file_ > 'a/one.json'", 3},
      {"_file_ ILIKE 'A/%'", 3},
      {"upper(_file_) = 'A/ONE.JSON'", 3},
      {"_file_ = session_id", 3},
      {"_file_ = NULL", 0},
      {"false", 0},
      {"_file_ = 'nowhere'", 0},
  };
  for (const auto& [condition, sources] : cases) {
    Rows("SELECT count(*) FROM steps WHERE " + condition);
    EXPECT_EQ(scans_->opened().size(), sources) << condition;
  }
}

TEST_F(EngineTest, PathPredicatesGiveRightRows_PRN05) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ LIKE 'a/%'"), "14");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ = 'a/one.json' OR source = 'user'"), "9");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ = 'a/one.json' AND source = 'user'"),
            "1");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ > 'a/two.json'"), "7");
}

TEST_F(EngineTest, ExactPathPredicatesNeedNoCell_PRN02) {
  Rows("SELECT count(*) FROM steps WHERE _file_ LIKE 'a/%' AND _file_ <> 'a/two.json'");
  ASSERT_EQ(scans_->requests().size(), 1u);
  EXPECT_THAT(scans_->requests()[0].columns, IsEmpty());
}

TEST_F(EngineTest, RunTreeReadsAllSources_ADD06) {
  EXPECT_EQ(Cell("SELECT count(*) FROM run_tree WHERE _file_ = 'a/one.json'"), "1");
  EXPECT_EQ(scans_->opened().size(), 3u);
}

std::string Describe(const Namespace& names, const catalog::ScanRequest& request) {
  static constexpr const char* kOps[] = {
      "=", "!=", "in", "notin", "<", "<=", ">", ">=", "contains", "prefix", "null", "notnull"};
  std::string text;
  for (const model::RowPredicate& predicate : request.predicates) {
    text += text.empty() ? "" : "; ";
    text += SchemaOf(names, request.relation)[predicate.column].name + " " +
            kOps[static_cast<int>(predicate.op)];
    for (const auto& value : predicate.values) {
      text +=
          " " + (std::holds_alternative<int64_t>(value) ? std::to_string(std::get<int64_t>(value))
                                                        : std::get<std::string>(value));
    }
  }
  return text;
}

TEST_F(EngineTest, BusinessPredicatesReachTheScanAsHints_PRN03_ADD02) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"source = 'agent'", "source = agent"},
      {"'agent' <> source", "source != agent"},
      {"step_id > 3", "step_id > 3"},
      {"3 > step_id", "step_id < 3"},
      {"step_id BETWEEN 2 AND 4", "step_id >= 2; step_id <= 4"},
      {"step_id IN (1, 2)", "step_id in 1 2"},
      {"source NOT IN ('a', 'b')", "source notin a b"},
      {"source IN ('a', NULL)", ""},
      {"message_value LIKE '%number 3%'", "message_value contains number 3"},
      {"message_value LIKE '\"message%run%'",
       "message_value prefix \"message; message_value contains run"},
      {"contains(source, 'ag')", "source contains ag"},
      {"source LIKE 'ag%'", "source prefix ag"},
      {"source LIKE '%ent'", "source contains ent"},
      {"source ILIKE '%ENT'", ""},
      {"reward IS NULL", "reward null"},
      {"reward IS NOT NULL", "reward notnull"},
      {"is_copied_context", "is_copied_context = 1"},
      {"NOT is_copied_context", "is_copied_context = 0"},
      {"timestamp >= '2025-10-09T08:53:20Z'", "timestamp >= 1760000000000000000"},
      {"source = 'agent' OR step_id = 1", ""},
      {"source = 'agent' AND session_id = 'x'", "source = agent; session_id = x"},
      {"lower(source) = 'agent'", ""},
      {"step_id + 1 = 3", "step_id = 2"},
      {"step_id = 1.5", ""},
      {"random() > 2 AND source = 'agent'", "source = agent"},
  };
  for (const auto& [condition, expected] : cases) {
    Rows("SELECT count(*) FROM steps WHERE " + condition);
    const auto requests = scans_->requests();
    EXPECT_EQ(requests.empty() ? "" : Describe(names_, requests[0]), expected) << condition;
  }
}

TEST_F(EngineTest, HintsAreCheckedAgain) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE source = 'agent' AND step_id BETWEEN 2 AND 4"),
            "9");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE message_value LIKE '%number 3%'"), "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE timestamp > '2025-10-09T08:53:20.000000005Z'"),
            "3");
}

TEST_F(EngineTest, ExplainNamesRelationSourcesAndFilters_EXP04) {
  const auto plan = [this](const std::string& condition) {
    return Rows("EXPLAIN SELECT step_id FROM steps WHERE " + condition)[0][1];
  };
  const std::string one = plan("_file_ = 'a/one.json' AND source = 'agent'");
  EXPECT_THAT(one, HasSubstr("relation: dataset.steps"));
  EXPECT_THAT(one, HasSubstr("sources: 1/3"));
  EXPECT_THAT(one, Not(HasSubstr("UnionExec")));
  EXPECT_THAT(one, HasSubstr("projection: source, step_id"));
  EXPECT_THAT(one, HasSubstr("filters pushed: _file_, source ="));
  EXPECT_THAT(plan("_file_ = 'none'"), HasSubstr("sources: 0/3 EmptyExec"));
  EXPECT_THAT(plan("source = 'agent'"), HasSubstr("sources: 3/3 UnionExec"));
  EXPECT_THAT(Rows("EXPLAIN SELECT session_id FROM run_tree")[0][1],
              HasSubstr("tree: all sources"));
  EXPECT_THAT(scans_->opened(), IsEmpty());
}

// --- order
// -------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, RowsComeInSourceOrderWithAnyNumberOfThreads_REL14) {
  std::vector<FakeSource> sources;
  for (int i = 0; i < 300; ++i) {
    FakeSource source;
    source.file = fmt::format("f{:04}.json", i);
    source.rows_per_batch = static_cast<size_t>(1 + i % 5);
    for (int64_t step = 0; step < i % 40; ++step) {
      source.rows[Relation::kSteps].push_back(Step("s", step, "agent", "\"m\""));
    }
    sources.push_back(std::move(source));
  }
  std::string first, limited;
  for (const uint32_t threads : {1u, 2u, 5u}) {
    EngineOptions options;
    options.threads = threads;
    Open(TestNamespace({{"dataset", 300}}), {sources}, options);
    std::string all;
    for (const auto& row : Rows("SELECT _file_, step_id FROM steps")) {
      all += row[0] + row[1] + "\n";
    }
    std::string some;
    for (const auto& row :
         Rows("SELECT _file_, step_id FROM steps WHERE step_id > 3 LIMIT 500 OFFSET 20")) {
      some += row[0] + row[1] + "\n";
    }
    if (threads == 1) {
      first = all;
      limited = some;
      std::vector<std::string> lines;
      for (size_t i = 0; i < sources.size(); ++i) {
        for (size_t step = 0; step < i % 40; ++step) {
          lines.push_back(sources[i].file + std::to_string(step) + "\n");
        }
      }
      std::string expected;
      for (const auto& line : lines) {
        expected += line;
      }
      EXPECT_EQ(first, expected);
    }
    EXPECT_EQ(all, first) << threads;
    EXPECT_EQ(some, limited) << threads;
  }
}

TEST_F(EngineTest, LimitOpensFewSources_STL120) {
  std::vector<FakeSource> sources;
  for (int i = 0; i < 500; ++i) {
    sources.push_back(TestSources()[0]);
    sources.back().file = fmt::format("f{:04}", i);
  }
  Open(TestNamespace({{"dataset", 500}}), {sources});
  EXPECT_EQ(Rows("SELECT session_id, step_id FROM steps LIMIT 10").size(), 10u);
  EXPECT_LT(scans_->opened().size(), 60u);
}

TEST_F(EngineTest, ManySmallSourcesAndLargeBatches) {
  std::vector<FakeSource> sources(1);
  sources[0].file = "large";
  sources[0].rows_per_batch = 5000;
  for (int64_t i = 0; i < 12'345; ++i) {
    sources[0].rows[Relation::kSteps].push_back(
        Step("s", i, "agent", std::string(40, 'x') + std::to_string(i)));
  }
  Open(TestNamespace({{"dataset", 1}}), {sources});
  EXPECT_EQ(Cell("SELECT count(*) FROM steps"), "12345");
  EXPECT_EQ(Cell("SELECT count(DISTINCT message_value::VARCHAR) FROM steps"), "12345");
  EXPECT_EQ(Cell("SELECT sum(len(token_ids)) FROM steps"), "24690");
  EXPECT_EQ(Cell("SELECT sum(token_ids[2] - step_id) FROM steps"), "12345");
}

// --- guard
// -------------------------------------------------------------------------------------------------------

TEST_F(EngineTest, ExactlyOneStatement_SQL01) {
  EXPECT_EQ(Cell("SELECT 1;"), "1");
  EXPECT_EQ(Error("SELECT 1; SELECT 2").code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Error("SELECT 1; SELECT 2").message(), HasSubstr("exactly one"));
  EXPECT_EQ(Error("").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Error("-- nothing").code(), StatusCode::kInvalidArgument);
}

TEST_F(EngineTest, QueriesAreAllowed_SQL02) {
  for (const char* sql :
       {"SELECT 1", "VALUES (1), (2)", "WITH a AS (SELECT 1 AS x) SELECT * FROM a",
        "SELECT 1 UNION ALL SELECT 2", "DESCRIBE runs", "DESCRIBE SELECT 1", "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT count(*) FROM runs", "FROM runs", "SELECT * FROM range(3)",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r",
        "SELECT * FROM (PIVOT steps ON source IN ('user', 'agent') USING count(*))",
        "EXPLAIN (FORMAT json) SELECT 1", "(SELECT 1)"}) {
    Rows(sql);
  }
}

TEST_F(EngineTest, EverythingElseIsRefused_SQL03_CAT35) {
  for (const char* sql : {"CREATE TABLE t (i INT)",
                          "DROP SCHEMA dataset",
                          "INSERT INTO runs VALUES (1)",
                          "UPDATE runs SET session_id = 'x'",
                          "DELETE FROM runs",
                          "COPY runs TO 'x.csv'",
                          "COPY (SELECT 1) TO 'x.csv'",
                          "SET threads = 1",
                          "RESET threads",
                          "PRAGMA threads",
                          "PRAGMA database_list",
                          "ATTACH 'x.db'",
                          "DETACH memory",
                          "USE dataset",
                          "BEGIN",
                          "COMMIT",
                          "CALL pragma_version()",
                          "EXPLAIN DELETE FROM runs",
                          "EXPLAIN COPY runs TO 'x'",
                          "SHOW TABLES",
                          "SHOW runs",
                          "SUMMARIZE runs",
                          "SELECT * FROM (SHOW TABLES)",
                          "INSTALL httpfs",
                          "LOAD httpfs",
                          "CHECKPOINT",
                          "VACUUM",
                          "EXPORT DATABASE 'x'",
                          "PREPARE p AS SELECT 1",
                          "EXECUTE p",
                          "CREATE VIEW v AS SELECT 1",
                          "CREATE MACRO m() AS 1",
                          "SELECT * FROM read_csv('/etc/passwd')",
                          "SELECT * FROM read_json('x')",
                          "SELECT * FROM read_parquet('x')",
                          "SELECT * FROM glob('*')",
                          "SELECT * FROM read_text('/etc/passwd')",
                          "SELECT * FROM read_blob('/etc/passwd')",
                          "SELECT * FROM sniff_csv('x')",
                          "SELECT * FROM parquet_metadata('x')",
                          "SELECT * FROM query('SELECT 1')",
                          "SELECT * FROM arrow_scan(1::UBIGINT, 1::UBIGINT, 1::UBIGINT)",
                          "SELECT * FROM checkpoint()",
                          "SELECT * FROM enable_logging()",
                          "SELECT * FROM duckdb_secrets()",
                          "SELECT nextval('x')",
                          "SELECT getenv('HOME')",
                          "SELECT write_log('x')",
                          "SELECT (SELECT max(column0) FROM read_csv('x'))",
                          "WITH x AS (SELECT * FROM read_csv('x')) SELECT 1",
                          "SELECT 1 ORDER BY (SELECT 1 FROM read_csv('x'))",
                          "SELECT 1 LIMIT (SELECT 1 FROM read_csv('x'))",
                          "SELECT * FROM pchronicle_scan()"}) {
    const Status status = Error(sql);
    EXPECT_TRUE(status.code() == StatusCode::kUnsupported ||
                status.code() == StatusCode::kInvalidArgument)
        << sql << ": " << status.ToString();
    EXPECT_THAT(status.message(), Not(HasSubstr("\n"))) << sql;
  }
  EXPECT_EQ(Error("SELECT 1 INTO x").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Error("DELETE FROM runs").message(),
            "only SELECT, VALUES, DESCRIBE and EXPLAIN statements are accepted, not DELETE");
}

TEST_F(EngineTest, GuardReadsTheTreeNotTheText_SQL04) {
  EXPECT_EQ(Cell("SELECT 'drop table x; insert'"), "drop table x; insert");
  EXPECT_EQ(Cell("SELECT count(*) AS \"delete from\" FROM runs -- copy x to 'y'"), "3");
}

TEST_F(EngineTest, QuotedPathIsAnUnknownTable_SQL00) {
  const Status status = Error("SELECT * FROM '/etc/passwd.csv'");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("does not exist"));
}

TEST_F(EngineTest, UnknownNamesShowNearOnes) {
  const Status table = Error("SELECT * FROM stepz");
  EXPECT_THAT(table.message(), HasSubstr("did you mean \"steps\""));
  EXPECT_THAT(table.message(), HasSubstr("relations: runs, steps, tool_calls, sources, run_tree"));
  EXPECT_THAT(table.message(), Not(HasSubstr("\n")));
  const Status column = Error("SELECT\n  sourze FROM steps");
  EXPECT_THAT(column.message(), HasSubstr("\"source\""));
  EXPECT_THAT(column.message(), HasSubstr("(line 2, column 3)"));
  EXPECT_EQ(column.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Error("SELECT nosuch(1)").message(), HasSubstr("nosuch"));
  EXPECT_THAT(Error("SELEC 1").message(), HasSubstr("syntax error"));
}

TEST_F(EngineTest, AnEngineSurvivesEveryError) {
  for (const char* sql : {"SELECT 'x'::INT", "SELECT error('boom')", "SELECT 1/0::INT",
                          "SELECT * FROM nowhere", "SELECT repeat('x', 100000000000)"}) {
    (void)Query(sql);
    EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3") << sql;
  }
}

// --- scan errors, cancellation
// -------------------------------------------------------------------------------------

TEST_F(EngineTest, ScanErrorsKeepTheirStatus_LZY05) {
  auto sources = TestSources();
  sources[1].error = Status::Corruption("a/two.json: line 3, byte 77: bad {{}} %s %d");
  Open(TestNamespace({{"dataset", 3}}), {sources});
  const Status status = Error("SELECT max(step_id) FROM steps");
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_EQ(status.message(), "a/two.json: line 3, byte 77: bad {} %s %d");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ <> 'a/two.json'"), "14");
}

TEST_F(EngineTest, CancellationStopsScansAndEngineWork) {
  for (const char* sql : {"SELECT count(*) FROM steps a WHERE reward > 7",
                          "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE "
                          "a.range + b.range = 7"}) {
    Context context;
    FakeScans scans(datasets_, names_, context);
    scans.endless = true;
    std::jthread canceller([&context] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      context.Cancel();
    });
    auto stream = engine_->Run(sql, scans, context);
    const Status status = stream.ok() ? (*stream)->Next().status() : stream.status();
    EXPECT_EQ(status.code(), StatusCode::kCancelled) << sql << status.ToString();
  }
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3");
}

TEST_F(EngineTest, DeadlineIsUnavailable_SQL05) {
  Context context(std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
  FakeScans scans(datasets_, names_, context);
  auto stream = engine_->Run(
      "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7",
      scans, context);
  const Status status = stream.ok() ? (*stream)->Next().status() : stream.status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
}

TEST_F(EngineTest, MemoryLimitIsNamed) {
  EngineOptions options;
  options.memory_limit = 30 << 20;
  Open(TestNamespace({{"dataset", 3}}), {TestSources()}, options);
  const Status status = Error(
      "SELECT count(*) FROM (SELECT DISTINCT range, range::VARCHAR || 'xxxxxxxxxxxxxxxxxxxx' FROM "
      "range(20000000))");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3");
}

TEST_F(EngineTest, AbandonedStreamsStop) {
  Context context;
  FakeScans scans(datasets_, names_, context);
  scans.endless = true;
  auto stream = engine_->Run("SELECT step_id FROM steps", scans, context);
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE((*stream)->Next().ok());
  stream->reset();
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3");
}

TEST_F(EngineTest, QueriesRunSideBySide) {
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        FakeScans scans(datasets_, names_, context_);
        auto stream = engine_->Run("SELECT sum(step_id), count(*) FROM steps", scans, context_);
        if (!stream.ok()) {
          continue;
        }
        const auto chunk = (*stream)->Next();
        std::string cell;
        if (chunk.ok() && *chunk != nullptr) {
          (*chunk)->AppendCell(0, 0, CellStyle::kText, &cell);
        }
        right += cell == "63";
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 20);
}

// --- join rule
// ---------------------------------------------------------------------------------------------------

class JoinRuleTest : public EngineTest {
 protected:
  void Refused(const std::string& sql) {
    const Status status = Error(sql);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << sql;
    EXPECT_THAT(status.message(), HasSubstr("must include")) << sql;
    EXPECT_THAT(status.message(), HasSubstr("_file_")) << sql;
    EXPECT_THAT(scans_->opened(), IsEmpty()) << sql;
  }
};

TEST_F(JoinRuleTest, JoinsWithoutFileEqualityAreRefused_JON01_CAT07) {
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s USING (session_id)");
  Refused("SELECT count(*) FROM runs r LEFT JOIN steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs r FULL JOIN tool_calls s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs, steps");
  Refused("SELECT count(*) FROM runs r, steps s WHERE r.session_id = s.session_id");
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id OR r._file_ = "
      "s._file_");
  Refused("EXPLAIN SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id");
}

TEST_F(JoinRuleTest, FileEqualityIsAccepted_JON01_JON04_JON06) {
  const char* all[] = {
      "SELECT count(*) FROM runs r JOIN steps s ON r._file_ = s._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM runs r JOIN steps s ON s._file_ = r._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM runs JOIN steps USING (_file_, session_id)",
      "SELECT count(*) FROM runs NATURAL JOIN steps",
      "SELECT count(*) FROM runs r, steps s WHERE r._file_ = s._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM (SELECT _file_ AS f, session_id AS i FROM runs) r JOIN steps s ON r.f "
      "= s._file_",
      "WITH r AS (SELECT * FROM runs) SELECT count(*) FROM r JOIN steps s ON r._file_ = s._file_",
      "SELECT count(*) FROM (SELECT _file_, count(*) AS n FROM steps GROUP BY _file_) a JOIN steps "
      "s USING (_file_)",
      "SELECT count(*) FROM runs r LEFT JOIN steps s ON r._file_ = s._file_",
  };
  for (const char* sql : all) {
    EXPECT_EQ(Cell(sql), "21") << sql;
  }
}

TEST_F(JoinRuleTest, AliasesSelfJoinsAndNestedJoinsAreCovered_JON02) {
  Refused("SELECT count(*) FROM runs r JOIN dataset.steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM steps a JOIN steps b ON a.session_id = b.session_id");
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s USING (_file_) JOIN tool_calls t ON t.session_id = "
      "s.session_id");
  Refused(
      "SELECT count(*) FROM (SELECT session_id FROM runs) r JOIN (SELECT session_id FROM steps) s "
      "USING (session_id)");
  Refused(
      "WITH a AS (SELECT session_id FROM steps) SELECT count(*) FROM a x JOIN a y USING "
      "(session_id)");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r, tool_calls t, steps s WHERE r._file_ = s._file_ AND "
                 "s._file_ = t._file_"),
            "21");
}

TEST_F(JoinRuleTest, SelfEqualityAndOneSideDoNotSatisfy_JON05) {
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s ON s._file_ = s._file_ AND r.session_id = "
      "s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r._file_ = s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r._file_ <> s._file_");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON upper(r._file_) = upper(s._file_)");
}

TEST_F(JoinRuleTest, SubqueriesAreCovered_JON00) {
  Refused("SELECT count(*) FROM runs WHERE session_id IN (SELECT session_id FROM steps)");
  Refused("SELECT (SELECT count(*) FROM steps s WHERE s.session_id = r.session_id) FROM runs r");
  Refused(
      "SELECT count(*) FROM runs r WHERE EXISTS (SELECT 1 FROM steps s WHERE s.session_id = "
      "r.session_id)");
  EXPECT_EQ(Cell("SELECT sum((SELECT count(*) FROM steps s WHERE s._file_ = r._file_ AND "
                 "s.session_id = r.session_id)) "
                 "FROM runs r"),
            "21");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs WHERE (_file_, session_id) IN (SELECT _file_, "
                 "session_id FROM steps)"),
            "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r WHERE EXISTS (SELECT 1 FROM steps s WHERE s._file_ = "
                 "r._file_)"),
            "3");
}

TEST_F(JoinRuleTest, TotalsOverEverythingAreFree) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE step_id > (SELECT avg(step_id) FROM steps)"),
            "9");
  EXPECT_EQ(Cell("SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM steps)"), "24");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs JOIN sources ON true"), "9");
}

TEST_F(JoinRuleTest, OtherDatasetsAndSingleSourcesAreFree_JON03_CAT36) {
  Open(TestNamespace({{"one", 3}, {"two", 3}}), {TestSources(), TestSources()});
  EXPECT_EQ(Cell("SELECT count(*) FROM one.runs a JOIN two.steps b ON a.session_id = b.session_id"),
            "21");
  Refused(
      "SELECT count(*) FROM one.runs a JOIN two.steps b USING (session_id) JOIN one.steps c ON "
      "c.session_id = b.session_id");
  Open(TestNamespace({{"dataset", 1}}), {{TestSources()[0]}});
  EXPECT_EQ(Cell("SELECT count(*) FROM runs a JOIN steps b ON a.session_id = b.session_id"), "7");
}

}  // namespace
}  // namespace pchronicle::sql
