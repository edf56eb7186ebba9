#include <fstream>

#include "pchronicle/api/api_fixture_test.h"

namespace pchronicle {
namespace {

TEST(ApiVersion, IsThatOfTheFileVersion) {
  std::ifstream file(std::string(PCHRONICLE_SOURCE_DIR) + "/VERSION");
  std::string version;
  std::getline(file, version);
  EXPECT_EQ(Version(), version);
}

TEST_F(ApiTest, OneFolderIsTheDatasetOfUnqualifiedNames_CAT28) {
  Write("a.json", Atif("one"));
  const Snapshot snapshot = Open();
  EXPECT_THAT(snapshot.id(), SizeIs(24));
  EXPECT_THAT(Ask(snapshot, "SELECT session_id FROM runs").cells, ElementsAre("one"));
  EXPECT_THAT(Ask(snapshot, "SELECT session_id FROM dataset.runs").cells, ElementsAre("one"));
}

TEST_F(ApiTest, MountsAreSchemasAndNamespaces_MNT03) {
  Write("left/a.json", Atif("l"));
  Write("right/a.json", Atif("r"));
  const auto snapshot = Snapshot::Open({{folder_.path() + "/left", "Old", ""},
                                        {folder_.path() + "/right", "fresh", "prod/agent-data"}});
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  EXPECT_THAT(
      Ask(*snapshot, "SELECT session_id FROM old.runs UNION ALL SELECT session_id FROM fresh.runs")
          .cells,
      ElementsAre("l", "r"));
  ArrowArrayStream stream;
  EXPECT_FALSE(snapshot->Query("SELECT * FROM runs", &stream).ok()) << "no default (MNT-07)";
  const auto roots = snapshot->ListNamespaces();
  ASSERT_TRUE(roots.ok());
  ASSERT_THAT(*roots, SizeIs(2));
  EXPECT_EQ((*roots)[0].path, "Old");
  EXPECT_EQ((*roots)[0].sql_alias, "old");
  EXPECT_EQ((*roots)[1].path, "prod");
  EXPECT_FALSE((*roots)[1].mounted);
  EXPECT_EQ((*snapshot->ListNamespaces("prod"))[0].path, "prod/agent-data");
  EXPECT_EQ(snapshot->ListSources("prod/agent-data")->total, 1U);
  EXPECT_EQ(snapshot->ListSources("prod").status().code(), StatusCode::kNotFound);
}

TEST_F(ApiTest, WrongMountsAreRefused_CAT29_MNT05) {
  const std::string path = folder_.path();
  const auto code = [](const std::vector<Mount>& mounts) {
    return Snapshot::Open(mounts).status().code();
  };
  EXPECT_EQ(code({}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{"", "", ""}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path, "a", ""}, {path, "A", ""}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path, "", ""}, {path, "", "x"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path, "1a", ""}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path, "a", "b//c"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path + std::string("\0x", 2), "a", ""}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({{path + "/none", "a", ""}}), StatusCode::kNotFound);
}

TEST_F(ApiTest, ALimitOfZeroIsRefused_LIM01) {
  const Status status = Snapshot::Open(folder_.path(), {.max_files = 0}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("max_files"));
}

TEST_F(ApiTest, ALimitNamesItself_CAT25) {
  Write("a.json", Atif("one"));
  Write("b.json", Atif("two"));
  const Status status = Snapshot::Open(folder_.path(), {.max_files = 1}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("max_files 1"));
}

TEST_F(ApiTest, SourcesAreDescribedWithoutBeingRead_CAT38) {
  Write("a.json", Atif("one"));
  Write("sub/b.jsonl", "");
  Write("c.json.gz", "\x1f\x8b");
  const Snapshot snapshot = Open();
  const auto page = snapshot.ListSources();
  ASSERT_TRUE(page.ok());
  ASSERT_THAT(page->sources, SizeIs(3));
  EXPECT_EQ(page->sources[0].file, "a.json");
  EXPECT_EQ(page->sources[0].kind, "file");
  EXPECT_EQ(page->sources[0].status, "ready");
  EXPECT_EQ(page->sources[0].content_status, "") << "nobody has read it";
  EXPECT_EQ(page->sources[0].size_bytes, Atif("one").size());
  EXPECT_THAT(page->sources[0].snapshot_ref, testing::StartsWith("local:"));
  const auto found = snapshot.DescribeSource("sub/b.jsonl");
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->size_bytes, 0U);
  EXPECT_EQ(*snapshot.DescribeSource("nope.json"), std::nullopt);
  EXPECT_EQ(snapshot.DescribeSource("a.json", "other").status().code(), StatusCode::kNotFound);
}

TEST_F(ApiTest, PagesGoOnFromTheirToken_PAG02_PAG03) {
  for (int i = 0; i < 7; ++i) {
    Write("f" + std::to_string(i) + ".json", Atif("s" + std::to_string(i)));
  }
  const Snapshot snapshot = Open();
  const auto first = snapshot.ListSources("dataset", "", 4);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->next_token, snapshot.id() + ":4");
  const auto second = snapshot.ListSources("dataset", first->next_token, 4);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->sources.front().file, "f4.json");
  EXPECT_EQ(second->next_token, "");
  EXPECT_EQ(snapshot.ListSources("dataset", "garbage").status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(ApiTest, ARefreshSeesWhatIsNewAndKeepsWhatIsKnown_CAT20_BR29) {
  Write("a.json", Atif("one"));
  const Snapshot before = Open();
  EXPECT_THAT(Ask(before, "SELECT session_id FROM runs").cells, ElementsAre("one"));
  ASSERT_TRUE(before.LoadStoryline({.file = "a.json", .session_id = "one"}).ok());
  const std::string known = (*before.DescribeSource("a.json"))->format;
  EXPECT_EQ(known, "atif");
  Write("b.json", Atif("two"));
  EXPECT_THAT(Ask(before, "SELECT session_id FROM runs").cells, ElementsAre("one"));
  const auto after = before.Refresh();
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_NE(after->id(), before.id());
  EXPECT_THAT(Ask(*after, "SELECT session_id FROM runs ORDER BY 1").cells,
              ElementsAre("one", "two"));
  EXPECT_EQ((*after->DescribeSource("a.json"))->format, "atif");
  EXPECT_EQ(after->ListSources("dataset", before.id() + ":1").status().code(),
            StatusCode::kInvalidArgument)
      << "CAT-27";
}

}  // namespace
}  // namespace pchronicle
