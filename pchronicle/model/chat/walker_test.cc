#include "pchronicle/model/chat/walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "pchronicle/model/actf/actf_test_support.h"

namespace pchronicle::model {
namespace {

using actf::testing_support::Walked;
using actf::testing_support::WalkWith;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Walked Rows(const std::string& text, json::Container container = json::Container::kLines,
            FieldMask fields = FieldMask::All(), bool strict = false) {
  WalkOptions options;
  options.container = container;
  options.source_path = "folder/d.jsonl";
  options.fields = fields;
  options.strict = strict;
  return WalkWith(Format::kHfChat, json::MemoryInput(text), options);
}

std::vector<std::string> Ids(const Walked& walked) {
  std::vector<std::string> ids;
  for (const Storyline& story : walked.stories) {
    ids.emplace_back(story.document.document_id);
  }
  return ids;
}

std::vector<std::string> Sources(const Storyline& story) {
  std::vector<std::string> sources;
  for (const Turn& turn : story.turns) {
    sources.emplace_back(turn.source);
  }
  return sources;
}

constexpr const char* kGolden =
    R"x({"instance_id":"s-1","messages":"[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]","resolved":true,"patch":"d"}
{"conversations":[{"from":"human","value":"w?"},{"from":"function_call","value":"{\"name\": \"w\", \"arguments\": {\"c\": 1}}"},{"from":"observation","value":"sun"},{"from":"gpt","value":"sunny"}],"tools":"[]"}
{"instance_id":"n-1","model_name":"m","target":false,"exit_status":"submitted","trajectory":[{"role":"system","system_prompt":"S","text":null,"mask":false},{"role":"user","text":"t"},{"role":"ai","text":"a"}]}
{"id":"p","conversations":[{"from":"human","value":"x"}],"chosen":{"from":"gpt","value":"good"},"rejected":{"from":"gpt","value":"bad"}}
)x";

TEST(ChatReader, ReadsTheFourFamiliesOfRows_HFG1) {
  const Walked walked = Rows(kGolden);
  ASSERT_THAT(walked.problems, IsEmpty());
  EXPECT_THAT(Ids(walked), ElementsAre("s-1", "d-1", "n-1", "p#chosen", "p#rejected"));
  size_t steps = 0;
  for (const Storyline& story : walked.stories) {
    steps += story.turns.size();
  }
  EXPECT_EQ(steps, 12U);
  EXPECT_EQ(walked.stories[0].document.task.text,
            R"({"result":{"correct":true,"final_answer":"d"}})");
  EXPECT_EQ(walked.stories[0].document.outcome_pointer, "/resolved");
  const Turn& agent = walked.stories[0].turns[1];
  EXPECT_EQ(agent.calls[0].arguments.text, "{}");
  EXPECT_EQ(agent.observation.text, R"({"results":[{"source_call_id":"c","content":"r"}]})");
  EXPECT_TRUE(walked.notes.contains("messages_as_text"));

  const Storyline& share = walked.stories[1];
  EXPECT_THAT(Sources(share), ElementsAre("user", "agent", "agent"));
  EXPECT_EQ(share.turns[1].calls[0].id, "m1/0");
  EXPECT_EQ(share.turns[1].calls[0].function, "w");
  EXPECT_EQ(share.turns[1].calls[0].arguments.text, R"({"c":1})");
  EXPECT_EQ(share.turns[1].observation.text, R"({"results":[{"content":"sun"}]})");
  EXPECT_EQ(share.turns[2].message.text, "\"sunny\"");
  EXPECT_EQ(share.document.agent_tools.text, "[]");

  const Storyline& nebius = walked.stories[2];
  EXPECT_THAT(Sources(nebius), ElementsAre("system", "user", "agent"));
  EXPECT_EQ(nebius.turns[0].message.text, "\"S\"");
  EXPECT_EQ(nebius.turns[0].extra.text, R"({"mask":false})");
  EXPECT_EQ(nebius.document.task.text, R"({"result":{"correct":false,"status":"submitted"}})");
  EXPECT_EQ(*nebius.document.agent_model, "m");
  EXPECT_EQ(nebius.document.agent_id, "hf-chat");
  EXPECT_FALSE(nebius.turns[2].llm_calls.has_value());

  EXPECT_EQ(walked.stories[3].document.extra.text, R"({"preference":"chosen"})");
  EXPECT_EQ(walked.stories[4].turns[1].message.text, "\"bad\"");
  EXPECT_EQ(*walked.stories[4].document.origin_document_id, "folder/d.jsonl#3");
}

TEST(ChatReader, RepeatedCallIdsGetANumber_SRC14_SRC15) {
  const std::string call = R"({"id":"X","function":{"name":"f","arguments":"not json"}})";
  const Walked walked = Rows(
      R"({"id":"a","messages":[{"role":"tool","tool_call_id":"early","content":"0"},)"
      R"({"role":"assistant","tool_calls":[)" +
      call + "," + call +
      R"(]},{"role":"user","content":"u"},{"role":"tool","tool_call_id":"X","content":"1"},)"
      R"({"role":"tool","tool_call_id":"X","content":"2"},{"role":"tool","tool_call_id":"X","content":"3"},)"
      R"({"role":"tool","tool_call_id":"Y","content":"4"}]})");
  ASSERT_THAT(walked.stories, SizeIs(1));
  const std::vector<Turn>& turns = walked.stories[0].turns;
  EXPECT_THAT(Sources(walked.stories[0]), ElementsAre("system", "agent", "user"));
  EXPECT_EQ(turns[0].observation.text,
            R"({"results":[{"content":"0","extra":{"source_call_id":"early"}}]})");
  EXPECT_EQ(turns[1].calls[1].id, "X#2");
  EXPECT_EQ(turns[1].calls[1].extra.text, R"({"source_call_id":"X"})");
  EXPECT_EQ(turns[1].calls[0].arguments.text, R"("not json")");
  EXPECT_EQ(
      turns[1].observation.text,
      R"({"results":[{"source_call_id":"X","content":"1"},{"source_call_id":"X#2","content":"2"},)"
      R"({"content":"3","extra":{"source_call_id":"X"}}]})");
  EXPECT_EQ(turns[2].observation.text,
            R"({"results":[{"content":"4","extra":{"source_call_id":"Y"}}]})");
  EXPECT_EQ(walked.notes.at("duplicate_tool_call_id").count, 1U);
}

TEST(ChatReader, ResultsWithoutIdGoByPosition_HF05) {
  const Walked walked = Rows(
      R"({"id":"a","messages":[{"role":"assistant","content":"x","tool_calls":[{"id":"1","name":"f","arguments":{"a":1}},)"
      R"({"name":"g"}]},{"role":"tool","content":"r1"},{"role":"tool","content":"r2"},{"role":"user","content":"u"},)"
      R"({"role":"tool","content":"r3"}]})");
  const std::vector<Turn>& turns = walked.stories[0].turns;
  EXPECT_EQ(turns[0].observation.text, R"({"results":[{"content":"r1"},{"content":"r2"}]})");
  EXPECT_EQ(turns[0].calls[1].id, "m0/1");
  EXPECT_EQ(turns[0].calls[1].arguments.text, "null");
  EXPECT_EQ(turns[1].observation.text, R"({"results":[{"content":"r3"}]})");
}

TEST(ChatReader, MessagesOfPartsKeepTheirShape_SRC10_SRC11) {
  const Walked walked = Rows(
      R"({"id":"a","messages":[{"role":"user","content":[{"type":"text","value":"one"}]},)"
      R"({"role":"user","content":[{"type":"image_url","value":"i"},{"type":"text","value":"t"}]},)"
      R"({"role":"assistant","content":[{"type":"reasoning","value":"why"},{"type":"text","text":"so"}],"reasoning_content":"first"},)"
      R"({"role":"assistant","content":null},{"role":"critic","content":"odd"}]})");
  const std::vector<Turn>& turns = walked.stories[0].turns;
  EXPECT_EQ(turns[0].message.text, "\"one\"");
  EXPECT_EQ(turns[1].message.text,
            R"([{"type":"image_url","value":"i"},{"type":"text","value":"t"}])");
  EXPECT_EQ(turns[2].message.text, "\"so\"");
  EXPECT_EQ(*turns[2].reasoning, "first\n\nwhy");
  EXPECT_EQ(turns[3].message.text, "\"\"");
  EXPECT_EQ(turns[4].source, "critic");
}

TEST(ChatReader, TheSystemTextOfTheRowComesFirst_HF07) {
  const Walked walked = Rows(
      "{\"id\":\"a\",\"system\":\"S\",\"messages\":[{\"role\":\"user\",\"content\":\"u\"}],"
      "\"images\":[\"i.png\"],"
      "\"tools\":[{\"n\":1}],\"score\":0.5,\"label\":false}\n"
      "{\"id\":\"b\",\"system\":\"S\",\"messages\":[{\"role\":\"system\",\"content\":\"own\"}]}\n");
  EXPECT_THAT(Sources(walked.stories[0]), ElementsAre("system", "user"));
  EXPECT_EQ(walked.stories[0].document.extra.text, R"({"images":["i.png"]})");
  EXPECT_EQ(walked.stories[0].document.agent_tools.text, R"([{"n":1}])");
  EXPECT_EQ(walked.stories[0].document.task.text, R"({"result":{"score":0.5,"label":false}})");
  EXPECT_EQ(walked.stories[0].document.outcome_pointer, "/score");
  ASSERT_THAT(walked.stories[1].turns, SizeIs(1));
  EXPECT_EQ(walked.stories[1].turns[0].message.text, "\"own\"");
}

TEST(ChatReader, ABadRowCostsOnlyItself_SRC24_HF02) {
  const std::string good = R"({"messages":[{"role":"user","content":"u"}]})";
  const std::string text =
      good + "\n{\"messages\":\"[{\"}\n5\n{\"instruction\":\"x\"}\n{\"messages\":\"no\"}\n" + good +
      "\n" + R"({"messages":[{"role")";
  const Walked walked = Rows(text);
  EXPECT_THAT(walked.problems, IsEmpty());
  EXPECT_THAT(Ids(walked), ElementsAre("d-0", "d-5"));
  EXPECT_EQ(walked.notes.at("bad_line").count, 4U);
  EXPECT_EQ(walked.notes.at("bad_line").pointer, "/events/1");
  EXPECT_TRUE(walked.open_tail);
  EXPECT_THAT(Rows(text, json::Container::kLines, FieldMask::All(), true).problems, SizeIs(4));
}

TEST(ChatReader, AFileWithoutAnyRowIsAnError) {
  EXPECT_THAT(Rows("5\n{}\n").problems, SizeIs(1));
  EXPECT_THAT(Rows("[]", json::Container::kDocument).problems, SizeIs(1));
}

TEST(ChatReader, RowsMayStandInAnArrayOrInOneList_HF11) {
  const std::string rows =
      R"([{"id":"a","messages":[{"role":"user","content":"u"}]},{"id":"a","messages":[]}])";
  for (const std::string& text : {rows, R"({"version":"1","data":)" + rows + R"(,"n":2})"}) {
    const Walked walked = Rows(text, json::Container::kDocument);
    ASSERT_THAT(walked.problems, IsEmpty());
    EXPECT_THAT(Ids(walked), ElementsAre("a", "a~2"));
    EXPECT_EQ(*walked.stories[1].document.origin_document_id, "folder/d.jsonl#1");
  }
  const Walked one = Rows(R"({"id":"a","x":[1],"messages":[{"role":"user","content":"u"}]})",
                          json::Container::kDocument);
  EXPECT_THAT(Ids(one), ElementsAre("a"));
  EXPECT_EQ(*one.stories[0].document.origin_document_id, "folder/d.jsonl");
}

TEST(ChatReader, WhatNothingMapsIsAResidual_SRC27) {
  const Walked walked = Rows(
      "\n{\"id\":\"a\",\"uuid\":\"u\",\"source\":\"web\",\"messages\":[{\"role\":\"assistant\","
      "\"content\":\"c\",\"lang\":\"en\",\"weight\":1,"
      "\"tool_calls\":[{\"id\":\"1\",\"type\":\"function\",\"index\":0,\"function\":{\"name\":"
      "\"f\",\"arguments\":{}}}]}]}\n");
  ASSERT_THAT(walked.stories, SizeIs(1));
  ASSERT_THAT(walked.stories[0].document.unknown, SizeIs(1));
  std::vector<std::string> pointers;
  for (const UnknownField& field : walked.stories[0].document.unknown[0].fields) {
    pointers.emplace_back(field.pointer);
  }
  EXPECT_THAT(pointers,
              ElementsAre("/events/1/messages/0/lang", "/events/1/messages/0/tool_calls/0/index",
                          "/events/1/source", "/events/1/uuid"));
  EXPECT_EQ(walked.stories[0].turns[0].extra.text, R"({"weight":1})");
}

TEST(ChatReader, CountingRowsBuildsNoTurn_STL121) {
  const Walked walked = Rows(kGolden, json::Container::kLines, FieldMask());
  EXPECT_THAT(walked.stories, SizeIs(5));
  EXPECT_THAT(walked.stories[1].turns, IsEmpty());
}

TEST(ChatReader, ARangeCannotNumberItsRowsAlone_STL128) {
  const std::string row = "{\"messages\":[{\"role\":\"user\",\"content\":\"u\"}]}\n";
  WalkOptions options;
  options.container = json::Container::kLines;
  options.range.begin = 5;
  const Walked walked = WalkWith(Format::kHfChat, json::MemoryInput(row + row), options);
  EXPECT_TRUE(walked.source_notes.serial);
}

std::string ReadShared(const char* name) {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  const std::filesystem::path root =
      shared != nullptr ? std::filesystem::path(shared)
                        : std::filesystem::path(PCHRONICLE_SOURCE_DIR) / "../shared";
  std::ifstream file(root / "fixtures" / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ChatFixtures, RealDataSetsGiveTheirRuns) {
  struct Case {
    const char* name;
    json::Container container;
    size_t runs;
    size_t steps;
  };
  for (const Case& each :
       {Case{"real/openai-lf-v1-multimodal.jsonl", json::Container::kLines, 24, 96},
        Case{"real/openai-tk-conversations.jsonl", json::Container::kLines, 128, 281},
        Case{"real-sources/hf-lf-v1-dpo.jsonl", json::Container::kLines, 20, 60},
        Case{"real-sources/hf-lf-video.json", json::Container::kDocument, 3, 6}}) {
    const std::string text = ReadShared(each.name);
    if (text.empty()) {
      GTEST_SKIP() << each.name << " is absent";
    }
    const Walked walked = Rows(text, each.container);
    EXPECT_THAT(walked.problems, IsEmpty()) << each.name;
    EXPECT_THAT(walked.stories, SizeIs(each.runs)) << each.name;
    size_t steps = 0;
    for (const Storyline& story : walked.stories) {
      steps += story.turns.size();
      EXPECT_THAT(story.document.unknown, IsEmpty()) << each.name;
    }
    EXPECT_EQ(steps, each.steps) << each.name;
  }
}

}  // namespace
}  // namespace pchronicle::model
