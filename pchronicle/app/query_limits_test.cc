#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "pchronicle/app/query_fixture_test.h"
#include "pchronicle/app/spill_directory.h"

namespace pchronicle::app {
namespace {

using testing::HasSubstr;

/// Sorts about 60 MB of rows, more than the memory that the tests allow.
constexpr const char* kBigSort =
    "SELECT range AS n, md5(range::VARCHAR) AS h FROM range(800000) ORDER BY h, n";
constexpr uint64_t kMemory = 32ULL << 20;

size_t EntriesIn(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

class LimitsTest : public QueryTest {
 protected:
  void SetUp() override {
    QueryTest::SetUp();
    Write("a.json", Document("s", 1));
    std::filesystem::create_directory(folder_ / "spill");
  }
  Result<QueryOutcome> Sort(const sql::EngineOptions& engine) {
    const auto session = Open(catalog::ErrorPolicy::kStrict, engine);
    QueryOptions options = Options(kBigSort);
    options.max_rows = 0;
    options.encoder.max_bytes = 0;
    return session->Run(options, context_);
  }
};

TEST_F(LimitsTest, ASortBeyondTheMemoryLimitSpillsAndLeavesNothing_STL133) {
  const std::string spill = (folder_ / "spill").string();
  sql::EngineOptions engine;
  engine.memory_limit = kMemory;
  engine.threads = 2;  // each needs memory of its own
  const Status without = Sort(engine).status();
  EXPECT_EQ(without.code(), StatusCode::kResourceExhausted) << without.ToString();
  EXPECT_THAT(without.message(), HasSubstr("max_memory_bytes 33554432"));
  EXPECT_THAT(without.message(), HasSubstr("--spill-directory"));
  {
    auto directory = SpillDirectory::Create(spill);
    ASSERT_TRUE(directory.ok()) << directory.status().ToString();
    engine.spill_directory = directory->path();
    const auto outcome = Sort(engine);
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_EQ(outcome->rows, 800'000u);
    EXPECT_TRUE(outcome->result.in_file());
    loader_.reset();
  }
  EXPECT_EQ(EntriesIn(spill), 0u);
}

TEST_F(LimitsTest, SpillSpaceHasALimitOfItsOwn_LIM02_CAT25) {
  auto directory = SpillDirectory::Create((folder_ / "spill").string());
  ASSERT_TRUE(directory.ok());
  sql::EngineOptions engine;
  engine.memory_limit = kMemory;
  engine.threads = 2;  // each needs memory of its own
  engine.spill_directory = directory->path();
  engine.spill_limit = 1ULL << 20;
  const Status status = Sort(engine).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("max_spill_bytes 1048576"));
}

TEST_F(LimitsTest, ASpillingEngineReadsNoFilesForStatements_SQL03) {
  auto directory = SpillDirectory::Create((folder_ / "spill").string());
  ASSERT_TRUE(directory.ok());
  std::ofstream(directory->path() + "/x.csv") << "a\n1\n";
  sql::EngineOptions engine;
  engine.spill_directory = directory->path();
  const auto session = Open(catalog::ErrorPolicy::kStrict, engine);
  for (const std::string& sql :
       {"SELECT * FROM read_csv('" + directory->path() + "/x.csv')",
        "SELECT * FROM '" + directory->path() + "/x.csv'",
        "SELECT * FROM glob('" + directory->path() + "/*')",
        "SELECT content FROM read_text('" + directory->path() + "/x.csv')"}) {
    EXPECT_FALSE(session->Run(Options(sql), context_).ok()) << sql;
  }
}

TEST(SpillDirectory, MustExistAndIsNeverASource_DSC03a_STL133) {
  EXPECT_EQ(SpillDirectory::Create("/no/such/place").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(SpillDirectory::Create("/dev/null").status().code(), StatusCode::kNotFound);
  std::string parent =
      (std::filesystem::temp_directory_path() / "pchronicle-spills-XXXXXX").string();
  ASSERT_NE(::mkdtemp(parent.data()), nullptr);
  // What a killed process left: nobody holds its lock.
  std::filesystem::create_directory(parent + "/.pchronicle-spill-dead00");
  std::ofstream(parent + "/.pchronicle-spill-dead00/duckdb_temp_storage.tmp") << "x";
  {
    auto first = SpillDirectory::Create(parent);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(EntriesIn(parent), 1u) << "the dead one is gone";
    auto second = SpillDirectory::Create(parent);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(EntriesIn(parent), 2u) << "the living one stays";
    EXPECT_TRUE(
        std::filesystem::path(first->path()).filename().string().starts_with(".pchronicle-"));
    const SpillDirectory moved = std::move(*first);
    EXPECT_TRUE(std::filesystem::exists(moved.path()));
  }
  EXPECT_EQ(EntriesIn(parent), 0u);
  std::filesystem::remove(parent);
}

TEST_F(LimitsTest, ACancelledWriteLeavesNoFile_D22_LIM03) {
  const auto session = Open();
  const auto outcome = session->Run(Options("SELECT range FROM range(1000)"), context_);
  ASSERT_TRUE(outcome.ok());
  Context cancelled;
  cancelled.Cancel();
  const std::string path = (folder_ / "out.jsonl").string();
  EXPECT_EQ(WriteResultFile(*outcome, path, false, cancelled).code(), StatusCode::kCancelled);
  EXPECT_EQ(EntriesIn(folder_), 2u) << "data and spill";
  // The query is done: a deadline that passes while its result is written does not undo it.
  const Context late(std::chrono::steady_clock::now() - std::chrono::seconds(1));
  EXPECT_TRUE(WriteResultFile(*outcome, path, false, late).ok());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(LimitsTest, ASessionKeepsItsSnapshotAlive_LZY06_CAT08) {
  std::weak_ptr<const catalog::Snapshot> watched;
  std::unique_ptr<QuerySession> session;
  {
    Context context;
    auto snapshot = catalog::Snapshot::Build(
        {catalog::PositionalMount((folder_ / "data").string())}, {}, context);
    ASSERT_TRUE(snapshot.ok());
    watched = *snapshot;
    loader_ = std::make_unique<EngineLoader>(sql::EngineOptions{});
    auto created = QuerySession::Create(std::move(snapshot).value(), *loader_);
    ASSERT_TRUE(created.ok());
    session = std::move(created).value();
  }
  EXPECT_FALSE(watched.expired());
  const auto outcome = session->Run(Options("SELECT session_id FROM runs"), context_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->rows, 1u);
  session.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(LimitsTest, DescribeExplainAndPrunedOutSourcesResolveNothing_LZY01_CAT38) {
  Write("b.json", Document("t", 1));
  const auto session = Open();
  for (const char* sql : {"SELECT _file_, status FROM sources", "DESCRIBE steps", "SELECT 1",
                          "EXPLAIN SELECT * FROM steps", "SELECT * FROM information_schema.tables",
                          "SELECT * FROM steps WHERE _file_ = 'none'", "SELECT * FROM events"}) {
    const auto outcome = session->Run(Options(sql), context_);
    ASSERT_TRUE(outcome.ok()) << sql << outcome.status().ToString();
    for (const catalog::Source& source : session->snapshot().datasets()[0].sources) {
      EXPECT_EQ(catalog::ResolveCount(source), 0u) << sql;
    }
    EXPECT_EQ(session->snapshot().datasets()[0].store->counters().opens, 0u) << sql;
  }
}

TEST_F(LimitsTest, NothingIsWrittenIntoADataset_CAT47) {
  const auto list = [&] {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "data")) {
      text += fmt::format("{} {}\n", entry.path().string(),
                          entry.last_write_time().time_since_epoch().count());
    }
    return text +
           std::to_string(
               std::filesystem::last_write_time(folder_ / "data").time_since_epoch().count());
  };
  const std::string before = list();
  const auto session = Open();
  QueryOptions options = Options("SELECT count(*) FROM steps JOIN runs USING (_file_)");
  options.check = true;
  ASSERT_TRUE(session->Run(options, context_).ok());
  EXPECT_EQ(list(), before);
}

TEST_F(LimitsTest, ALimitAboveAFilterSeesEveryRow_PRN08) {
  for (int i = 0; i < 20; ++i) {
    Write(fmt::format("f{:02}.json", i), Document(fmt::format("s{}", i), 3));
  }
  const auto session = Open();
  const auto rows = [&](const char* sql) {
    const auto outcome = session->Run(Options(sql), context_);
    EXPECT_TRUE(outcome.ok()) << sql << outcome.status().ToString();
    return outcome.ok() ? outcome->rows : 0;
  };
  EXPECT_EQ(rows("SELECT _file_ FROM steps WHERE length(_file_) = 8 AND step_id = 3 LIMIT 18"),
            18u);
  EXPECT_EQ(rows("SELECT _file_ FROM steps WHERE message_text LIKE '%age 2' LIMIT 20"), 20u);
  EXPECT_EQ(rows("SELECT _file_ FROM runs WHERE _file_ ILIKE 'F19%' LIMIT 1"), 1u);
}

TEST_F(LimitsTest, EveryLimitIsNamedWithItsValue_LIM02_CAT25_SQL05) {
  const auto session = Open();
  QueryOptions rows = Options("SELECT * FROM range(11)");
  rows.max_rows = 10;
  EXPECT_THAT(session->Run(rows, context_).status().message(), HasSubstr("max_output_rows 10"));
  QueryOptions bytes = Options("SELECT repeat('x', 200)");
  bytes.encoder.max_bytes = 100;
  EXPECT_THAT(session->Run(bytes, context_).status().message(), HasSubstr("max_output_bytes"));
  EXPECT_THAT(session->Run(bytes, context_).status().message(), HasSubstr("100"));
}

}  // namespace
}  // namespace pchronicle::app
