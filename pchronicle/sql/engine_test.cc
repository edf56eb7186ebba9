#include "pchronicle/sql/engine.h"

#include <thread>

#include "pchronicle/sql/engine_fixture_test.h"

namespace pchronicle::sql {
namespace {

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
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_THAT(rows[0], ElementsAre("dataset", "run_tree"));
  EXPECT_EQ(Cell("SELECT count(*) FROM information_schema.columns WHERE table_name = 'runs'"), "5");
}

TEST_F(EngineTest, RelationsOfAnEmptyDatasetExist_REL01) {
  Open(TestNamespace({{"dataset", 0}}), {{}});
  EXPECT_EQ(Cell("SELECT count(*) FROM steps"), "0");
  EXPECT_THAT(Rows("SELECT * FROM steps"), IsEmpty());
  EXPECT_EQ(columns_.size(), 9u);
}

TEST_F(EngineTest, CellsOfEveryColumnType) {
  const Table rows =
      Rows("SELECT * EXCLUDE (_file_) FROM steps WHERE step_id = 1 AND _file_ = 'a/one.json'",
           CellStyle::kJson);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0], ElementsAre("\"s-a/one.json\"", "1", "\"agent\"",
                                   R"("\"message number 1 of a run\"")", "0.5", "true", "[1,2]",
                                   "\"2025-10-09T08:53:20.000000001Z\""));
}

TEST_F(EngineTest, ListsNullsAndUnsignedNumbersOverManyBatches) {
  FakeSource source;
  source.file = "lists";
  source.rows_per_batch = 3;
  const std::string long_text = "a text that is too long to be inlined";
  for (int64_t i = 0; i < 10; ++i) {
    source.rows[Relation::kTrajectories].push_back(
        {int64_t{-1}, std::vector<double>{0.5, double(i)}, std::vector<std::string>{"x", long_text},
         std::vector<std::string>{R"({"k":[1.10]})"}});
    source.rows[Relation::kTrajectories].push_back(
        {FakeCell(), FakeCell(), std::vector<std::string>{}, FakeCell()});
  }
  Open(TestNamespace({{"dataset", 1}}), {{source}});
  const Table rows = Rows("SELECT * EXCLUDE (_file_) FROM trajectories", CellStyle::kJson);
  ASSERT_EQ(rows.size(), 20u);
  for (size_t i = 0; i < rows.size(); i += 2) {
    EXPECT_THAT(rows[i], ElementsAre("18446744073709551615", fmt::format("[0.5,{}.0]", i / 2),
                                     "[\"x\",\"" + long_text + "\"]", R"(["{\"k\":[1.10]}"])"));
    EXPECT_THAT(rows[i + 1], ElementsAre("null", "null", "[]", "null"));
  }
  EXPECT_EQ(Cell("SELECT sum(len(names)) FROM trajectories WHERE numbers IS NOT NULL"), "20");
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

TEST_F(EngineTest, ScanErrorsKeepTheirStatus_LZY05) {
  auto sources = TestSources();
  sources[1].error = Status::Corruption("a/two.json: line 3, byte 77: bad {{}} %s %d");
  Open(TestNamespace({{"dataset", 3}}), {sources});
  const Status status = Error("SELECT max(step_id) FROM steps");
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_EQ(status.message(), "a/two.json: line 3, byte 77: bad {} %s %d");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ <> 'a/two.json'"), "14");
}

TEST_F(EngineTest, CancellationStopsScansAndEngineWork_SQL05) {
  for (const char* sql :
       {"SELECT count(*) FROM steps a WHERE reward > 7",
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7",
        "SELECT range FROM range(10000000000) ORDER BY range % 1000 DESC",
        "SELECT count(*) FROM (SELECT range % 100000 FROM range(10000000000) GROUP BY 1)",
        "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY -range) AS n FROM "
        "range(10000000000))",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"}) {
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

TEST_F(EngineTest, MemoryLimitIsNamed_LIM02_CAT25) {
  EngineOptions options;
  options.memory_limit = 30 << 20;
  Open(TestNamespace({{"dataset", 3}}), {TestSources()}, options);
  const Status status = Error(
      "SELECT count(*) FROM (SELECT DISTINCT range, range::VARCHAR || 'xxxxxxxxxxxxxxxxxxxx' FROM "
      "range(20000000))");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("max_memory_bytes 31457280"));
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "3");
}

TEST_F(EngineTest, ATableThatCannotBeOpenedExistsAndSaysWhy_DSC17) {
  class Broken : public catalog::RowTable {
   public:
    Result<std::vector<catalog::RowColumn>> Columns() const override {
      return Status::Corruption("the manifest is 100% damaged");
    }
    Result<uint64_t> CountRows() const override { return Columns().status(); }
    std::string Describe() const override { return "broken"; }
  };
  Namespace names = TestNamespace({{"dataset", 0}});
  names.datasets[0].rows = std::make_shared<Broken>();
  Open(names, {{}});
  for (const char* sql : {"SELECT * FROM rows", "SELECT count(*) FROM dataset.rows",
                          "SELECT 1 FROM runs, rows", "EXPLAIN SELECT * FROM rows"}) {
    const Status status = Error(sql);
    EXPECT_EQ(status.code(), StatusCode::kCorruption) << sql;
    EXPECT_EQ(status.message(), "the manifest is 100% damaged") << sql;
  }
  EXPECT_EQ(Cell("SELECT count(*) FROM information_schema.tables WHERE table_name = 'rows'"), "1");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs"), "0");
  Open(TestNamespace({{"dataset", 1}}), {{TestSources()[0]}});
  EXPECT_THAT(Error("SELECT * FROM rows").message(), HasSubstr("does not exist"));
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

}  // namespace
}  // namespace pchronicle::sql
