#include "pchronicle/api/api_fixture_test.h"

namespace pchronicle {
namespace {

TEST_F(ApiTest, AStorylineIsLoadedByFileAndSession_CAT03) {
  Write("a.jsonl", Atif("one", 2) + "\n" + Atif("two", 3) + "\n");
  Write("b.json", Atif("two", 1));
  const Snapshot snapshot = Open();
  const auto text = snapshot.LoadStoryline({.file = "a.jsonl", .session_id = "two"});
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_THAT(*text, HasSubstr("\"m3\""));
  EXPECT_EQ(text->find("\"one\""), std::string::npos);
  const auto other = snapshot.LoadStoryline({.file = "b.json", .session_id = "two"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->find("\"m2\""), std::string::npos) << "equal ids are never merged";
}

TEST_F(ApiTest, AStorylineComesInTheFormatAskedFor) {
  Write("a.json", Atif("one", 2));
  const Snapshot snapshot = Open();
  const StorylineKey key{.file = "a.json", .session_id = "one"};
  EXPECT_THAT(*snapshot.LoadStoryline(key, {.format = "atif"}), HasSubstr("ATIF-v1.4"));
  EXPECT_THAT(*snapshot.LoadStoryline(key, {.format = "atif", .pretty = true}), HasSubstr("\n  "));
  for (const char* format : {"codex", "nothing", ""}) {
    EXPECT_EQ(snapshot.LoadStoryline(key, {.format = format}).status().code(),
              StatusCode::kInvalidArgument)
        << format;
  }
}

TEST_F(ApiTest, WhatIsNotThereIsNotFound) {
  Write("a.json", Atif("one", 2));
  const Snapshot snapshot = Open();
  const auto code = [&](const StorylineKey& key) {
    return snapshot.LoadStoryline(key).status().code();
  };
  EXPECT_EQ(code({.file = "b.json", .session_id = "one"}), StatusCode::kNotFound);
  EXPECT_EQ(code({.file = "a.json", .session_id = "on"}), StatusCode::kNotFound);
  EXPECT_EQ(code({.file = "a.json", .session_id = "one", .document_id = "x"}),
            StatusCode::kNotFound);
  EXPECT_EQ(code({.file = "a.json", .session_id = "one", .name_space = "x"}),
            StatusCode::kNotFound);
}

TEST_F(ApiTest, AnAmbiguousSessionNeedsItsDocument_CAT03) {
  std::string tree = Atif("s", 1);
  tree.pop_back();
  std::string child = Child("kid", 1);
  const size_t id = child.find("\"session_id\":\"kid\"");
  child.replace(id, std::string("\"session_id\":\"kid\"").size(), "\"session_id\":\"s\"");
  Write("a.json", tree + R"(,"trajectory_id":"top","subagent_trajectories":[)" + child + "]}");
  const Snapshot snapshot = Open();
  const Status status = snapshot.LoadStoryline({.file = "a.json", .session_id = "s"}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("give document_id"));
  EXPECT_THAT(status.message(), HasSubstr("kid"));
  const auto documents = Ask(snapshot, "SELECT document_id FROM runs ORDER BY document_id");
  ASSERT_THAT(documents.cells, SizeIs(2));
  for (const std::string& document : documents.cells) {
    const auto text =
        snapshot.LoadStoryline({.file = "a.json", .session_id = "s", .document_id = document});
    EXPECT_TRUE(text.ok()) << document << ": " << text.status().ToString();
  }
}

TEST_F(ApiTest, ABrokenFileIsAnErrorWithItsPlace) {
  Write("a.json", Atif("one", 2).substr(0, 120));
  const Snapshot snapshot = Open();
  const Status status = snapshot.LoadStoryline({.file = "a.json", .session_id = "one"}).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("a.json: line 1, byte"));
}

}  // namespace
}  // namespace pchronicle
