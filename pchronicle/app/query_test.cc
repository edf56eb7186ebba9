#include "pchronicle/app/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "pchronicle/app/query_fixture_test.h"

namespace pchronicle::app {
namespace {

using testing::HasSubstr;

TEST_F(QueryTest, AnswersComeAsJsonLines) {
  Write("a.json", Document("s", 2));
  const auto session = Open();
  auto outcome =
      session->Run(Options("SELECT step_id, message_value, timestamp FROM steps"), context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(Text(*outcome),
            "{\"step_id\":1,\"message_value\":\"\\\"message 1\\\"\",\"timestamp\":null}\n"
            "{\"step_id\":2,\"message_value\":\"\\\"message 2\\\"\",\"timestamp\":null}\n");
  EXPECT_EQ(outcome->rows, 2u);
  EXPECT_TRUE(outcome->complete);
}

TEST_F(QueryTest, RowLimitTellsExactlyTheLimitFromOneMore_BR23_LIM02) {
  Write("a.json", Document("s", 5));
  const auto session = Open();
  QueryOptions options = Options("SELECT step_id FROM steps");
  options.max_rows = 5;
  auto outcome = session->Run(options, context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->rows, 5u);
  EXPECT_TRUE(outcome->complete);
  options.max_rows = 4;
  const Status status = session->Run(options, context_).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("max_output_rows 4"));
  options.max_rows = 0;
  EXPECT_TRUE(session->Run(options, context_).ok());
  options.sql = "SELECT count(*) AS n FROM steps";
  options.max_rows = 1;
  outcome = session->Run(options, context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(Text(*outcome), "{\"n\":5}\n");  // aggregates are computed over everything
}

TEST_F(QueryTest, ByteLimitIsDistinctFromTheRowLimit_SQL05_LIM03) {
  Write("a.json", Document("s", 50));
  const auto session = Open();
  QueryOptions options = Options("SELECT step_id FROM steps");
  options.encoder.max_bytes = 100;
  const Status status = session->Run(options, context_).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("max_output_bytes 100"));
}

TEST_F(QueryTest, UnlimitedResultsGoThroughASpoolFile_D22) {
  Write("a.json", Document("s", 1));
  const auto session = Open();
  QueryOptions options = Options("SELECT range AS n, repeat('x', 100) AS t FROM range(200000)");
  options.max_rows = 0;
  options.encoder.max_bytes = 0;
  auto outcome = session->Run(options, context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_TRUE(outcome->result.in_file());
  EXPECT_EQ(outcome->rows, 200'000u);
  uint64_t lines = 0;
  ASSERT_TRUE(outcome->result
                  .ForEach([&](std::string_view piece) {
                    lines += static_cast<uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
                    return Status::Ok();
                  })
                  .ok());
  EXPECT_EQ(lines, 200'000u);
}

TEST_F(QueryTest, TimeoutAndCancellationAreDistinct_SQL05) {
  Write("a.json", Document("s", 1));
  const auto session = Open();
  const QueryOptions options = Options(
      "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7");
  Context late(std::chrono::steady_clock::now() + std::chrono::milliseconds(30));
  const Status timeout = session->Run(options, late).status();
  EXPECT_EQ(timeout.code(), StatusCode::kUnavailable);
  EXPECT_THAT(timeout.message(), HasSubstr("timeout"));
  Context stopped;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stopped.Cancel();
  });
  EXPECT_EQ(session->Run(options, stopped).status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(session->Run(Options("SELECT 1"), context_).ok());
}

TEST_F(QueryTest, StrictNamesTheBadSourceAndReportAnswersFromTheRest_D13) {
  Write("a.json", Document("good", 2));
  Write("b.jsonl", Document("one", 1) +
                       "\n{\"schema_version\":\"ATIF-v1.4\", \"session_id\": 3]\n" +
                       Document("three", 1) + "\n");
  auto session = Open();
  const Status status = session->Run(Options("SELECT count(*) FROM steps"), context_).status();
  EXPECT_THAT(status.message(), HasSubstr("b.jsonl"));
  EXPECT_THAT(status.message(), HasSubstr("line 2"));
  session = Open(catalog::ErrorPolicy::kReport);
  auto outcome = session->Run(Options("SELECT session_id FROM runs", true), context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_FALSE(outcome->complete);
  ASSERT_EQ(outcome->problems.size(), 1u);
  EXPECT_EQ(outcome->problems[0].file, "b.jsonl");
  EXPECT_EQ(outcome->problems[0].line, 2u);
  EXPECT_EQ(Text(*outcome),
            "{\"session_id\":\"good\"}\n{\"session_id\":\"one\"}\n{\"session_id\":\"three\"}\n");
}

TEST_F(QueryTest, RowsOfALostRecordNeverShow_STL127) {
  std::string bad = Document("bad", 3);
  bad.replace(bad.size() - 2, 2, ")}");  // wrong bracket at the very end
  Write("a.jsonl", Document("one", 1) + "\n" + bad + "\n" + Document("three", 1) + "\n");
  const auto session = Open(catalog::ErrorPolicy::kReport);
  for (const char* sql :
       {"SELECT session_id FROM runs", "SELECT DISTINCT session_id FROM steps ORDER BY 1"}) {
    auto outcome = session->Run(Options(sql, true), context_);
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_EQ(Text(*outcome), "{\"session_id\":\"one\"}\n{\"session_id\":\"three\"}\n") << sql;
    EXPECT_EQ(outcome->problems.size(), 1u) << sql;
    EXPECT_LE(outcome->metrics.restarts, 1u) << sql;
  }
}

TEST_F(QueryTest, IgnoredAndEmptySourcesAreCountedNotErrors_ERR01) {
  Write("a.json", Document("s", 1));
  Write("note.json", R"({"title":"x"})");
  Write("empty.json", "");
  auto outcome = Open()->Run(Options("SELECT count(*) FROM steps"), context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->sources.ignored, 1u);
  EXPECT_EQ(outcome->sources.empty, 1u);
  EXPECT_TRUE(outcome->complete);
}

TEST_F(QueryTest, SourcesAreNotReadUnlessAsked_REL11_LZY01) {
  Write("a.json", Document("s", 1));
  Write("note.json", R"({"title":"x"})");
  const auto session = Open();
  auto outcome = session->Run(Options("SELECT _file_, content_status FROM sources"), context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->content_unknown);
  EXPECT_EQ(outcome->metrics.projected_files, 0u);
  EXPECT_THAT(Text(*outcome), HasSubstr("{\"_file_\":\"a.json\",\"content_status\":null}"));
  outcome = session->Run(Options("SELECT _file_, status FROM sources"), context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->content_unknown);
  QueryOptions options = Options("SELECT _file_, content_status, runs FROM sources");
  options.check = true;
  outcome = session->Run(options, context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->content_unknown);
  EXPECT_EQ(Text(*outcome),
            "{\"_file_\":\"a.json\",\"content_status\":\"ready\",\"runs\":1}\n"
            "{\"_file_\":\"note.json\",\"content_status\":\"ignored\",\"runs\":null}\n");
}

TEST_F(QueryTest, PrunedSourcesAreNeverOpened_CAT11_ADD06) {
  for (int i = 0; i < 20; ++i) {
    Write(fmt::format("f{:02}.json", i), Document(fmt::format("s{}", i), 2));
  }
  const auto session = Open();
  for (const char* relation :
       {"runs", "steps", "tool_calls", "observation_results", "trajectories"}) {
    auto outcome = session->Run(
        Options(fmt::format("SELECT * FROM {} WHERE _file_ = 'f07.json'", relation)), context_);
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_EQ(outcome->metrics.projected_files, 1u) << relation;
  }
}

TEST_F(QueryTest, MetricsCountWhatWasRead_LZY07) {
  Write("a.jsonl", Document("one", 3) + "\n" + Document("two", 4) + "\n");
  QueryOptions options = Options("SELECT message_value FROM steps WHERE session_id = 'two'");
  options.metrics = true;
  auto outcome = Open()->Run(options, context_);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->rows, 4u);
  EXPECT_EQ(outcome->metrics.projected_files, 1u);
  EXPECT_EQ(outcome->metrics.emitted_rows, 4u);
  EXPECT_GE(outcome->metrics.projected_bytes, 4 * 11u);
  EXPECT_THAT(outcome->metrics.ToString(), HasSubstr("projected_files=1 "));
}

TEST_F(QueryTest, AJoinOfTwoRelationsReadsTheFilesOnce) {
  Write("a.jsonl", Document("one", 3) + "\n" + Document("two", 4) + "\n");
  Write("b.json", Document("three", 2));
  const auto session = Open();
  const auto join = session->Run(
      Options("SELECT count(*) AS n FROM runs r JOIN steps s ON r._file_ = s._file_ AND "
              "r.document_id = s.document_id"),
      context_);
  ASSERT_TRUE(join.ok()) << join.status().ToString();
  EXPECT_EQ(Text(*join), "{\"n\":9}\n");
  EXPECT_EQ(join->metrics.projected_files, 2u);
}

TEST_F(QueryTest, ResultFilesAreCreateOnlyUnlessReplacing_D22) {
  Write("a.json", Document("s", 1));
  auto outcome = Open()->Run(Options("SELECT step_id FROM steps"), context_);
  ASSERT_TRUE(outcome.ok());
  const std::string path = (folder_ / "out.jsonl").string();
  ASSERT_TRUE(WriteResultFile(*outcome, path, false, Context()).ok());
  EXPECT_EQ(WriteResultFile(*outcome, path, false, Context()).code(), StatusCode::kAlreadyExists);
  std::ofstream(path) << "older";
  ASSERT_TRUE(WriteResultFile(*outcome, path, true, Context()).ok());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "{\"step_id\":1}\n");
}

TEST_F(QueryTest, FileChangedSinceDiscoveryFails_CAT18) {
  Write("a.json", Document("s", 1));
  const auto session = Open();
  Write("a.json", Document("other", 7));
  EXPECT_FALSE(session->Run(Options("SELECT count(*) FROM steps"), context_).ok());
}

}  // namespace
}  // namespace pchronicle::app
