#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <thread>

#include "pchronicle/api/api_fixture_test.h"

namespace pchronicle {
namespace {

/// A statement that keeps the engine busy far longer than any test may take.
constexpr const char* kEndless =
    "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = -1";

TEST_F(ApiTest, RowsComeAsAnArrowStream) {
  Write("a.json", Atif("one", 3));
  Write("b.json", Atif("two", 2));
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  ASSERT_TRUE(snapshot.Query("SELECT step_id, session_id FROM steps", &stream).ok());
  for (int i = 0; i < 2; ++i) {
    ArrowSchema schema;
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.format, "+s");
    ASSERT_EQ(schema.n_children, 2);
    EXPECT_STREQ(schema.children[0]->name, "step_id");
    EXPECT_STREQ(schema.children[0]->format, "l");
    EXPECT_STREQ(schema.children[1]->format, "U");
    schema.release(&schema);
    EXPECT_EQ(schema.release, nullptr);
  }
  EXPECT_EQ(stream.get_last_error(&stream), nullptr);
  EXPECT_THAT(Drain(stream).cells, ElementsAre("1", "2", "3", "1", "2"));
  EXPECT_EQ(stream.release, nullptr) << "release marks the stream as released";
}

TEST_F(ApiTest, TheEndOfAStreamStaysTheEnd) {
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  ASSERT_TRUE(snapshot.Query("SELECT session_id FROM runs", &stream).ok());
  ArrowArray array;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(stream.get_next(&stream, &array), 0);
    EXPECT_EQ(array.release, nullptr);
  }
  stream.release(&stream);
}

TEST_F(ApiTest, AStreamMayBeReleasedBeforeItsEnd) {
  Write("a.json", Atif("one", 20'000));
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  ASSERT_TRUE(snapshot.Query("SELECT message_text FROM steps", &stream).ok());
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  stream.release(&stream);
  EXPECT_EQ(Cell(*array.children[0], 1), "m2") << "an array outlives its stream";
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
}

TEST_F(ApiTest, AStreamKeepsItsSnapshotAlive_CAT08) {
  Write("a.json", Atif("one", 20'000));
  ArrowArrayStream stream;
  {
    const Snapshot snapshot = Open();
    ASSERT_TRUE(snapshot.Query("SELECT step_id FROM steps", &stream).ok());
  }
  const Rows rows = Drain(stream);
  EXPECT_EQ(rows.error, 0) << rows.message;
  EXPECT_THAT(rows.cells, SizeIs(20'000));
  EXPECT_GT(rows.arrays, 1U) << "chunk by chunk";
}

TEST_F(ApiTest, WrongSqlIsAnErrorOfQueryAndLeavesAReleasedStream) {
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  Status status = snapshot.Query("SELECT nothing FROM runs", &stream);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("nothing"));
  EXPECT_EQ(stream.release, nullptr);
  for (const char* sql : {"DROP TABLE runs", "COPY runs TO '/tmp/x'", "SELECT 1; SELECT 2"}) {
    EXPECT_FALSE(snapshot.Query(sql, &stream).ok()) << sql;
    EXPECT_EQ(stream.release, nullptr) << sql;
  }
}

TEST_F(ApiTest, AColumnThatArrowCannotCarryIsAnErrorOfQuery) {
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  const Status status = snapshot.Query("SELECT 1::BIGNUM AS odd", &stream);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("cast it to VARCHAR"));
  EXPECT_EQ(stream.release, nullptr);
}

TEST_F(ApiTest, AFailureInTheMiddleIsTheAnswerOfEveryLaterCall) {
  Write("a.json", Atif("one", 3));
  Write("b.json", R"({"schema_version":"ATIF-v1.4","session_id":"x","agent":{"name":"a")");
  const Snapshot snapshot = Open();
  ArrowArrayStream stream;
  const Status status = snapshot.Query("SELECT session_id FROM runs ORDER BY 1", &stream);
  if (!status.ok()) {  // the engine may have met it while starting
    EXPECT_THAT(status.message(), HasSubstr("b.json"));
    return;
  }
  ArrowArray array;
  const int error = stream.get_next(&stream, &array);
  EXPECT_NE(error, 0);
  EXPECT_EQ(array.release, nullptr);
  const std::string message = stream.get_last_error(&stream);
  EXPECT_THAT(message, HasSubstr("b.json"));
  EXPECT_EQ(stream.get_next(&stream, &array), error);
  EXPECT_EQ(stream.get_last_error(&stream), message);
  ArrowSchema schema;
  EXPECT_EQ(stream.get_schema(&stream, &schema), error);
  EXPECT_EQ(schema.release, nullptr);
  stream.release(&stream);
}

TEST_F(ApiTest, ReportAnswersFromTheRestAndNamesWhatIsMissing_ERR01) {
  Write("a.json", Atif("one", 3));
  Write("b.json", R"({"schema_version":"ATIF-v1.4","session_id":"x","agent":{"name":"a")");
  const Snapshot snapshot = Open();
  QueryOptions options;
  options.errors = ErrorPolicy::kReport;
  options.complete = true;
  options.report = std::make_shared<QueryReport>();
  EXPECT_THAT(Ask(snapshot, "SELECT session_id FROM runs", options).cells, ElementsAre("one"));
  EXPECT_EQ(options.report->rows, 1U);
  EXPECT_FALSE(options.report->complete);
  ASSERT_THAT(options.report->left_out, SizeIs(1));
  EXPECT_THAT(options.report->left_out[0], HasSubstr("b.json: line 1"));

  options.report = std::make_shared<QueryReport>();
  Ask(snapshot, "SELECT session_id FROM runs WHERE _file_ = 'a.json'", options);
  EXPECT_TRUE(options.report->complete);
}

TEST_F(ApiTest, RowsOfALostRecordAreTakenBackOnlyWhileNobodyHasThem_STL127) {
  std::string bad = Atif("bad", 50'000);
  bad.replace(bad.size() - 2, 2, ")}");  // a wrong bracket at the very end
  Write("a.jsonl", Atif("one") + "\n" + bad + "\n" + Atif("three") + "\n");
  const Snapshot snapshot = Open();
  QueryOptions options;
  options.errors = ErrorPolicy::kReport;
  const Rows streamed = Ask(snapshot, "SELECT session_id FROM steps", options);
  EXPECT_EQ(streamed.error, EAGAIN);
  EXPECT_THAT(streamed.message, HasSubstr("ask for the complete result"));
  options.complete = true;
  const Rows held = Ask(snapshot, "SELECT session_id FROM steps", options);
  EXPECT_EQ(held.error, 0) << held.message;
  EXPECT_THAT(held.cells, ElementsAre("one", "three"));
}

TEST_F(ApiTest, LimitsOfAResultNameThemselves_LIM02) {
  Write("a.json", Atif("one", 20'000));
  const Snapshot snapshot = Open();
  for (const bool complete : {false, true}) {
    QueryOptions options;
    options.complete = complete;
    options.max_output_rows = 3000;
    const Rows rows = Ask(snapshot, "SELECT step_id FROM steps", options);
    EXPECT_EQ(rows.error, ENOMEM);
    EXPECT_THAT(rows.message, HasSubstr("max_output_rows 3000"));
    EXPECT_EQ(rows.cells.empty(), complete) << "a complete result is all or nothing";
    options.max_output_rows = 20'000;
    EXPECT_THAT(Ask(snapshot, "SELECT step_id FROM steps", options).cells, SizeIs(20'000));
  }
  QueryOptions options;
  options.complete = true;
  options.max_held_bytes = 20'000 * sizeof(int64_t);
  EXPECT_THAT(Ask(snapshot, "SELECT step_id FROM steps", options).message,
              HasSubstr("max_held_bytes 160000"));
  options.max_held_bytes = 200'000;
  EXPECT_THAT(Ask(snapshot, "SELECT step_id FROM steps", options).cells, SizeIs(20'000));
}

TEST_F(ApiTest, HeldTextAndListsCountWithTheirBytes) {
  Write("a.json", Atif("one"));
  const Snapshot snapshot = Open();
  QueryOptions options;
  options.complete = true;
  for (const char* sql :
       {"SELECT repeat('x', 100000) FROM runs", "SELECT list_value(repeat('x', 100000)) FROM runs",
        "SELECT struct_pack(a := repeat('x', 100000)) FROM runs",
        "SELECT range(100000 // 8) FROM runs"}) {
    options.max_held_bytes = 99'999;
    ArrowArrayStream stream;
    ASSERT_TRUE(snapshot.Query(sql, &stream, options).ok()) << sql;
    ArrowArray array;
    EXPECT_EQ(stream.get_next(&stream, &array), ENOMEM) << sql;
    stream.release(&stream);
    options.max_held_bytes = 102'000;
    ASSERT_TRUE(snapshot.Query(sql, &stream, options).ok()) << sql;
    ASSERT_EQ(stream.get_next(&stream, &array), 0) << sql;
    ASSERT_NE(array.release, nullptr);
    array.release(&array);
    stream.release(&stream);
  }
}

TEST_F(ApiTest, CancellationStopsAQueryFromAnotherThread) {
  const Snapshot snapshot = Open();
  QueryOptions options;
  options.cancellation.emplace();
  const Cancellation stop = *options.cancellation;
  ArrowArrayStream stream;
  std::thread canceller([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.Cancel();
  });
  const Status status = snapshot.Query(kEndless, &stream, options);
  if (status.ok()) {
    const Rows rows = Drain(stream);
    EXPECT_EQ(rows.error, ECANCELED) << rows.message;
  } else {
    EXPECT_EQ(status.code(), StatusCode::kCancelled);
  }
  canceller.join();
  EXPECT_TRUE(stop.cancelled());
  EXPECT_EQ(snapshot.Query("SELECT 1", &stream, options).code(), StatusCode::kCancelled)
      << "a switch stays off";
  EXPECT_EQ(Snapshot::Open(folder_.path(), {.cancellation = stop}).status().code(),
            StatusCode::kCancelled);
}

TEST_F(ApiTest, ATimeoutEndsAQuery) {
  const Snapshot snapshot = Open();
  QueryOptions options;
  options.timeout = std::chrono::milliseconds(50);
  ArrowArrayStream stream;
  const Status status = snapshot.Query(kEndless, &stream, options);
  if (status.ok()) {
    const Rows rows = Drain(stream);
    EXPECT_EQ(rows.error, EAGAIN);
    EXPECT_THAT(rows.message, HasSubstr("timeout"));
  } else {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  }
  options.timeout = std::chrono::milliseconds(-1);
  EXPECT_EQ(snapshot.Query("SELECT 1", &stream, options).code(), StatusCode::kInvalidArgument);
  options.timeout = std::chrono::milliseconds::max();
  EXPECT_TRUE(snapshot.Query("SELECT 1", &stream, options).ok()) << "longer than the clock runs";
  stream.release(&stream);
}

TEST_F(ApiTest, AChangedFileFailsTheQueryThatReadsIt_CAT18) {
  Write("a.json", Atif("one"));
  const Snapshot snapshot = Open();
  Write("a.json", Atif("one", 2));
  ArrowArrayStream stream;
  Status status = snapshot.Query("SELECT step_id FROM steps", &stream);
  if (status.ok()) {
    const Rows rows = Drain(stream);
    EXPECT_NE(rows.error, 0);
    EXPECT_THAT(rows.message, HasSubstr("a.json"));
  }
}

TEST_F(ApiTest, ManyThreadsAskOneSnapshot) {
  for (int i = 0; i < 8; ++i) {
    Write("f" + std::to_string(i) + ".json", Atif("s" + std::to_string(i), 5000));
  }
  const Snapshot snapshot = Open();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([snapshot, i, &right] {
      const std::string file = "f" + std::to_string(i) + ".json";
      const auto rows = Ask(snapshot, "SELECT step_id FROM steps WHERE _file_ = '" + file + "'");
      const auto page = snapshot.ListSources("dataset", "", 3);
      right += rows.cells.size() == 5000 && page.ok() && page->total == 8 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right.load(), 4);
}

TEST_F(ApiTest, PagesOfRunsStayThemselvesWhileFilesArrive_BR24) {
  for (int i = 0; i < 137; ++i) {
    Write("run-" + std::to_string(i) + ".json", Atif("s" + std::to_string(i)));
  }
  const Snapshot snapshot = Open();
  for (const size_t size : {5U, 10U, 50U, 1000U}) {
    std::vector<std::string> seen;
    for (size_t offset = 0; offset < 137; offset += size) {
      const Rows page =
          Ask(snapshot, "SELECT session_id FROM runs ORDER BY _file_ LIMIT " +
                            std::to_string(size) + " OFFSET " + std::to_string(offset));
      EXPECT_EQ(page.error, 0) << page.message;
      seen.insert(seen.end(), page.cells.begin(), page.cells.end());
      Write("aaa-" + std::to_string(size) + "-" + std::to_string(offset) + ".json", Atif("new"));
    }
    EXPECT_THAT(seen, SizeIs(137)) << size;
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << size;
    EXPECT_THAT(Ask(snapshot, "SELECT count(*) FROM runs").cells, ElementsAre("137"));
  }
}

}  // namespace
}  // namespace pchronicle
