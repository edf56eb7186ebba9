#include "pchronicle/sql/engine_fixture_test.h"

namespace pchronicle::sql {
namespace {

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
  EXPECT_THAT(table.message(),
              HasSubstr("relations: runs, steps, trajectories, tool_calls, sources, run_tree"));
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

}  // namespace
}  // namespace pchronicle::sql
