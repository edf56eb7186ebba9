#include "pchronicle/app/catalog_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace pchronicle::app {
namespace {

using catalog::Mount;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Document(const std::string& session) {
  return fmt::format(
      R"({{"schema_version":"ATIF-v1.4","session_id":"{}","agent":{{"name":"a","version":"1"}},)"
      R"("steps":[{{"step_id":1,"source":"user","message":"m"}}]}})",
      session);
}

Mount MountAt(NamespacePath path, std::string alias, std::shared_ptr<io::Store> store) {
  Mount mount;
  mount.alias = std::move(alias);
  mount.name_space = std::move(path);
  mount.uri = store->uri();
  mount.store = std::move(store);
  return mount;
}

std::shared_ptr<io::Store> StoreWith(int files, std::string uri = "memory://pages") {
  auto store = io::MakeMemoryStore(std::move(uri));
  for (int i = 0; i < files; ++i) {
    EXPECT_TRUE(
        store->Put(fmt::format("run-{}.json", i), Document(fmt::format("s{}", i)), true).ok());
  }
  return store;
}

std::shared_ptr<const catalog::Snapshot> Take(std::vector<Mount> mounts) {
  Context context;
  auto snapshot = catalog::Snapshot::Build(std::move(mounts), {}, context);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  return *snapshot;
}

uint64_t Resolves(const catalog::Snapshot& snapshot) {
  uint64_t resolves = 0;
  for (const catalog::CatalogDataset& dataset : snapshot.datasets()) {
    for (const catalog::Source& source : dataset.sources) {
      resolves += catalog::ResolveCount(source);
    }
  }
  return resolves;
}

TEST(CatalogPages, NamespacesAreDirectChildrenInPathOrder_PAG01) {
  const auto snapshot =
      Take({MountAt({"prod", "web"}, "web", StoreWith(1)), MountAt({"prod"}, "prod", StoreWith(2)),
            MountAt({"dev", "a", "b"}, "deep", StoreWith(3)),
            MountAt({"prod", "api"}, "api", StoreWith(4))});
  const auto names = [&](const NamespacePath& parent) {
    std::vector<std::string> texts;
    auto entries = ListNamespaces(*snapshot, parent);
    EXPECT_TRUE(entries.ok()) << entries.status().ToString();
    for (const NamespaceEntry& entry : *entries) {
      EXPECT_EQ(entry.mounted, entry.sql_alias.has_value());
      texts.push_back(JoinNamespacePath(entry.path) + "=" + entry.sql_alias.value_or("-"));
    }
    return texts;
  };
  EXPECT_THAT(names({}), ElementsAre("dev=-", "prod=prod"));
  EXPECT_THAT(names({"prod"}), ElementsAre("prod/api=api", "prod/web=web"));
  EXPECT_THAT(names({"dev"}), ElementsAre("dev/a=-"));
  EXPECT_THAT(names({"dev", "a", "b"}), IsEmpty());
  EXPECT_EQ(ListNamespaces(*snapshot, {"pro"}).status().code(), StatusCode::kNotFound);
}

TEST(CatalogPages, NamespacePathsAreParsedAndPrinted_MNT02) {
  EXPECT_THAT(*ParseNamespacePath("prod/agent-data"), ElementsAre("prod", "agent-data"));
  EXPECT_THAT(*ParseNamespacePath(""), IsEmpty());
  for (const char* bad : {"/", "/a", "a/", "a//b"}) {
    EXPECT_EQ(ParseNamespacePath(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST(CatalogPages, AnUnmountedNamespaceIsAnError_PAG01) {
  const auto snapshot = Take({MountAt({"prod", "web"}, "web", StoreWith(1))});
  for (const NamespacePath& path : {NamespacePath{"prod"}, NamespacePath{"web"}, NamespacePath{}}) {
    EXPECT_EQ(ListSources(*snapshot, path).status().code(), StatusCode::kNotFound);
    const Status status = DescribeSource(*snapshot, path, "run-0.json").status();
    EXPECT_EQ(status.code(), StatusCode::kNotFound);
    EXPECT_THAT(status.message(), HasSubstr("mounted: prod/web"));
  }
}

TEST(CatalogPages, DescribeFindsExactlyOneOrNone_PAG01) {
  const auto snapshot = Take({MountAt({"d"}, "d", StoreWith(12))});
  EXPECT_EQ((*DescribeSource(*snapshot, {"d"}, "run-7.json"))->file, "run-7.json");
  for (const char* other : {"run-7.jso", "RUN-7.json", "./run-7.json", ""}) {
    EXPECT_EQ(*DescribeSource(*snapshot, {"d"}, other), nullptr) << other;
  }
}

TEST(CatalogPages, TokensNameTheSnapshotAndTheOffset_PAG02) {
  const auto snapshot = Take({MountAt({"d"}, "d", StoreWith(7))});
  auto page = ListSources(*snapshot, {"d"}, std::nullopt, 3);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->next_token, snapshot->id() + ":3");
  page = ListSources(*snapshot, {"d"}, page->next_token, 4);
  EXPECT_EQ(page->sources.size(), 4U);
  EXPECT_EQ(page->next_token, std::nullopt) << "the second page is the last one";
  EXPECT_EQ(ListSources(*snapshot, {"d"}, std::nullopt, 7)->next_token, std::nullopt);
}

TEST(CatalogPages, AnEmptyDatasetHasOneEmptyPage_PAG02) {
  const auto snapshot = Take({MountAt({"d"}, "d", StoreWith(0))});
  const auto page = ListSources(*snapshot, {"d"});
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->total, 0U);
  EXPECT_THAT(page->sources, IsEmpty());
  EXPECT_EQ(page->next_token, std::nullopt);
}

TEST(CatalogPages, BadTokensAreRefused_PAG03) {
  const auto snapshot = Take({MountAt({"d"}, "d", StoreWith(5))});
  const std::string id = snapshot->id();
  for (const std::string& token :
       {std::string(), std::string(":"), id, id + ":", id + ":-1", id + ":+1", id + ":01",
        id + ":1 ", id + ": 1", id + ":1x", id + ":0x1", id + ":6", id + ":18446744073709551615",
        id + ":99999999999999999999", id.substr(1) + ":1", "x" + id + ":1", id + ":1:1",
        std::string("\x1b[31m") + id + ":1", id + std::string(":1\0", 3)}) {
    const Status status = ListSources(*snapshot, {"d"}, token).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << token;
    EXPECT_THAT(status.message(), HasSubstr("start again without a token"));
  }
  EXPECT_TRUE(ListSources(*snapshot, {"d"}, id + ":5")->sources.empty()) << "the end itself";
}

TEST(CatalogPages, TokensOfAnotherSnapshotAreRefused_CAT27_PAG03) {
  auto store = StoreWith(5);
  const auto before = Take({MountAt({"d"}, "d", store)});
  const auto token = ListSources(*before, {"d"}, std::nullopt, 2)->next_token;
  ASSERT_TRUE(token);
  ASSERT_TRUE(store->Put("run-new.json", Document("new"), true).ok());
  const auto after = Take({MountAt({"d"}, "d", store)});
  ASSERT_NE(before->id(), after->id());
  const Status status = ListSources(*after, {"d"}, token, 2).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("another snapshot"));
  EXPECT_TRUE(ListSources(*before, {"d"}, token, 2).ok()) << "the old one still answers";
}

TEST(CatalogPages, LimitsAreWithinOneAndTenThousand_PAG04) {
  const auto snapshot = Take({MountAt({"d"}, "d", StoreWith(137))});
  EXPECT_EQ(ListSources(*snapshot, {"d"})->sources.size(), 100U);
  EXPECT_EQ(ListSources(*snapshot, {"d"}, std::nullopt, 10'000)->sources.size(), 137U);
  for (const uint64_t limit : {uint64_t{0}, uint64_t{10'001}, UINT64_MAX}) {
    EXPECT_EQ(ListSources(*snapshot, {"d"}, std::nullopt, limit).status().code(),
              StatusCode::kInvalidArgument)
        << limit;
  }
}

TEST(CatalogPages, PagingOpensNoSource_PAG05_CAT38) {
  auto store = StoreWith(137);
  const auto snapshot = Take({MountAt({"d"}, "d", store)});
  const io::Store::Counters before = store->counters();
  std::optional<std::string> token;
  do {
    const auto page = ListSources(*snapshot, {"d"}, token, 5);
    ASSERT_TRUE(page.ok());
    for (const catalog::Source* source : page->sources) {
      EXPECT_EQ(*DescribeSource(*snapshot, {"d"}, source->file), source);
    }
    token = page->next_token;
  } while (token);
  ASSERT_TRUE(ListNamespaces(*snapshot).ok());
  const io::Store::Counters after = store->counters();
  EXPECT_EQ(Resolves(*snapshot), 0U);
  EXPECT_EQ(after.opens + after.reads + after.stats + after.lists,
            before.opens + before.reads + before.stats + before.lists);
}

TEST(CatalogPages, EveryPageSizeGivesTheSameSourcesWhileFilesArrive_BR24) {
  auto store = StoreWith(137);
  const auto snapshot = Take({MountAt({"d"}, "d", store)});
  int added = 0;
  for (const uint64_t limit : {5U, 10U, 50U, 1000U}) {
    std::vector<std::string> files;
    std::optional<std::string> token;
    do {
      const auto page = ListSources(*snapshot, {"d"}, token, limit);
      ASSERT_TRUE(page.ok()) << page.status().ToString();
      EXPECT_EQ(page->total, 137U);
      for (const catalog::Source* source : page->sources) {
        files.push_back(source->file);
      }
      token = page->next_token;
      // In front of, between and behind what is listed.
      for (const char* name : {"aaa", "run-5", "zzz"}) {
        ASSERT_TRUE(store->Put(fmt::format("{}-{}.json", name, added++), Document("n"), true).ok());
      }
    } while (token);
    EXPECT_EQ(files.size(), 137U) << limit;
    EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), 137U) << limit;
    EXPECT_TRUE(std::is_sorted(files.begin(), files.end())) << limit;
  }
  EXPECT_GT(added, 0);
}

}  // namespace
}  // namespace pchronicle::app
