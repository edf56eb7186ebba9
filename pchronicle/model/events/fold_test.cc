#include "pchronicle/model/events/fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pchronicle/model/events/synthesize.h"
#include "pchronicle/model/message_text.h"

namespace pchronicle::model::events {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<json::Raw> Records(const std::vector<std::string>& texts) {
  std::vector<json::Raw> records;
  for (const std::string& text : texts) {
    records.push_back(json::RawFromText(text));
  }
  return records;
}

std::string Event(int seq, std::string_view kind, std::string_view call_id,
                  std::string_view payload, std::string_view more = "") {
  std::string text = R"({"seq":)" + std::to_string(seq) + R"(,"source":"gw","kind":")" +
                     std::string(kind) + R"(","session_id":"s","agent_id":"ag")";
  if (!call_id.empty()) {
    text += R"(,"call_id":")" + std::string(call_id) + "\"";
  }
  return text + std::string(more) + R"(,"payload":)" + std::string(payload) + "}";
}

/// (source, text) of every turn.
std::vector<std::pair<std::string, std::string>> Talk(const Storyline& storyline) {
  std::vector<std::pair<std::string, std::string>> talk;
  Arena arena;
  for (const Turn& turn : storyline.turns) {
    talk.emplace_back(turn.source, MessageText(turn.message, arena).value_or("-"));
  }
  return talk;
}

std::vector<std::pair<std::string, std::string>> Talk(const std::vector<std::string>& texts,
                                                      Diagnostics* notes = nullptr) {
  const auto storyline = FoldOne(Records(texts), notes);
  EXPECT_TRUE(storyline.ok()) << storyline.status().ToString();
  return storyline.ok() ? Talk(*storyline) : std::vector<std::pair<std::string, std::string>>();
}

using Line = std::pair<std::string, std::string>;

TEST(EventFold, ALaterDraftWithoutTextKeepsTheLastText) {
  EXPECT_THAT(Talk({Event(0, "llm.response.stream", "c", R"({"assistant_content":"part"})"),
                    Event(1, "llm.response", "c", R"({"usage":{"input_tokens":1}})")}),
              ElementsAre(Line("agent", "part")));
}

TEST(EventFold, TheSameResponseTwiceIsOneTurn_X12) {
  const std::string response = Event(1, "llm.response", "c", R"({"content":"once"})");
  EXPECT_THAT(Talk({response, response}), ElementsAre(Line("agent", "once")));
}

TEST(EventFold, MixedBatchesArePartitionedFirst_X11) {
  std::string other = Event(1, "llm.response", "d", R"({"content":"b"})");
  other.replace(other.find("\"s\""), 3, "\"t\"");
  const auto storylines =
      FoldBatch(Records({Event(0, "llm.response", "c", R"({"content":"a"})"), other,
                         Event(2, "llm.response", "e", R"({"content":"c"})")}));
  ASSERT_TRUE(storylines.ok());
  ASSERT_EQ(storylines->size(), 2U);
  EXPECT_THAT(Talk((*storylines)[0]), ElementsAre(Line("agent", "a"), Line("agent", "c")));
  EXPECT_THAT(Talk((*storylines)[1]), ElementsAre(Line("agent", "b")));
}

TEST(EventFold, WireBodiesOfAllThreeDialectsGiveTextAndCalls) {
  const auto fold = [](std::string_view body) {
    return FoldOne(
        Records({Event(0, "http.response", "c",
                       R"({"http":{"status":200,"response_body":)" + std::string(body) + "}}")}));
  };
  const auto chat = fold(
      R"({"choices":[{"message":{"content":"hi","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]})");
  const auto anthropic = fold(
      R"({"content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}]})");
  const auto responses = fold(
      R"({"output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"t","name":"f","arguments":"{\"a\":1}"}]})");
  for (const auto* story : {&chat, &anthropic, &responses}) {
    ASSERT_TRUE(story->ok());
    EXPECT_THAT(Talk(**story), ElementsAre(Line("agent", "hi")));
    const Turn& turn = (*story)->turns.at(0);
    ASSERT_EQ(turn.calls.size(), 1U);
    EXPECT_EQ(turn.calls[0].id, "t");
    EXPECT_EQ(turn.calls[0].arguments.text, R"({"a":1})");
  }
}

TEST(EventFold, StreamsOfAllThreeDialectsGiveTextAndCalls) {
  const auto fold = [](const std::string& stream) {
    std::string quoted;
    json::AppendQuoted(stream, quoted);
    return FoldOne(
        Records({Event(0, "http.response.stream", "c",
                       R"({"http":{"body_encoding":"sse","response_body":)" + quoted + "}}")}));
  };
  const auto anthropic = fold(
      "data: "
      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":"
      "\"\"}}\n"
      "data: "
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":"
      "\"h\"}}\n"
      "data: "
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":"
      "\"i\"}}\n"
      "data: "
      "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
      "\"id\":\"t\",\"name\":\"f\"}}\n"
      "data: "
      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"{\\\"a\\\":\"}}\n"
      "data: "
      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"1}\"}}\n");
  const auto chat = fold(
      "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\r\n\r\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{\"name\":"
      "\"f\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n"
      "data: "
      "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":1}\"}}"
      "]}}]}\n"
      "data: not json\ndata: [DONE]\n");
  const auto responses = fold(
      "data: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n"
      "data: {\"type\":\"response.output_text.done\",\"text\":\"hi\"}\n"
      "data: "
      "{\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"id\":\"i\","
      "\"call_id\":\"t\",\"name\":\"f\"}}\n"
      "data: "
      "{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i\",\"delta\":\"{"
      "\\\"a\\\":1}\"}\n");
  for (const auto* story : {&anthropic, &chat, &responses}) {
    ASSERT_TRUE(story->ok());
    EXPECT_THAT(Talk(**story), ElementsAre(Line("agent", "hi")));
    const Turn& turn = (*story)->turns.at(0);
    ASSERT_EQ(turn.calls.size(), 1U);
    EXPECT_EQ(turn.calls[0].function, "f");
    EXPECT_EQ(turn.calls[0].arguments.text, R"({"a":1})");
  }
}

TEST(EventFold, Base64BodiesAreDecoded) {
  // {"content":"hi"}
  EXPECT_THAT(
      Talk({Event(
          0, "http.response", "c",
          R"({"http":{"body_encoding":"base64","response_body":"eyJjb250ZW50IjoiaGkifQ=="}})")}),
      ElementsAre(Line("agent", "hi")));
}

TEST(EventFold, InjectedRemindersAreNoUserText) {
  EXPECT_THAT(
      Talk({Event(
          0, "http.request", "c",
          R"({"http":{"request_body":{"messages":[{"role":"user","content":"<session>real</session>"},{"role":"user","content":"<system-reminder>x"}]}}})")}),
      ElementsAre(Line("user", "real")));
}

TEST(EventFold, ACallIdUsedAgainForAnotherCallGetsASuffix) {
  Diagnostics notes;
  const auto call = [](std::string_view id, std::string_view arguments) {
    return Event(0, "llm.response", id,
                 R"({"content":[{"type":"tool_use","id":"t","name":"f","input":)" +
                     std::string(arguments) + "}]}");
  };
  const auto storyline = FoldOne(Records({call("a", "1"), call("b", "2"), call("c", "1")}), &notes);
  ASSERT_TRUE(storyline.ok());
  ASSERT_EQ(storyline->turns.size(), 3U);
  EXPECT_EQ(storyline->turns[0].calls.at(0).id, "t");
  EXPECT_EQ(storyline->turns[1].calls.at(0).id, "t#2");
  EXPECT_TRUE(storyline->turns[2].calls.empty());
  EXPECT_THAT(notes.ToJson(), HasSubstr("renamed_tool_call_id"));
  EXPECT_THAT(notes.ToJson(), HasSubstr("dropped_tool_call"));
}

TEST(EventFold, RepeatedLifecycleRecordsCountOnce) {
  const std::string note = Event(5, "note", "", "{}", R"(,"event_id":"e")");
  EXPECT_EQ(Talk({note, note, Event(6, "note", "", "{}")}).size(), 2U);
}

TEST(EventFold, RequestsWithoutACallIdAreCountedNotShown) {
  Diagnostics notes;
  EXPECT_EQ(
      Talk({Event(0, "llm.request", "", R"({"user_content":"x"})"), Event(1, "note", "", "{}")},
           &notes)
          .size(),
      1U);
  EXPECT_THAT(notes.ToJson(), HasSubstr("uncorrelated_events"));
}

TEST(EventFold, NamesTheRecordThatIsWrong) {
  const auto message = [](const std::string& text) {
    return FoldOne(Records({Event(0, "note", "", "{}"), text})).status().message();
  };
  EXPECT_EQ(message(R"({"seq":0,"source":" ","kind":"note","payload":{}})"),
            "event 1: event source is required");
  EXPECT_EQ(message(R"({"seq":0,"source":"g","kind":"","payload":{}})"),
            "event 1: event kind is required");
  EXPECT_THAT(message(R"({"seq":-1,"source":"g","kind":"k","payload":{}})"),
              HasSubstr("event seq"));
  EXPECT_THAT(message(R"({"seq":1,"source":"g","kind":"k"})"), HasSubstr("payload is required"));
  EXPECT_THAT(message(R"({"seq":1,"source":"g","kind":"k","session_id":7,"payload":1})"),
              HasSubstr("session_id must be a string"));
  EXPECT_EQ(message("5"), "event 1: an event record must be an object");
}

TEST(EventFold, TimestampsMayAgreeAtMillisecondPrecision) {
  const auto storyline = FoldOne(
      Records({Event(0, "note", "", "{}",
                     R"(,"timestamp":"1970-01-01T00:00:01.000999Z","timestamp_unix_ms":1000)")}));
  ASSERT_TRUE(storyline.ok());
  EXPECT_EQ(storyline->turns[0].timestamp.nanoseconds, 1'000'999'000);
}

TEST(EventSynthesis, FoldingItsRecordsGivesTheSameTalkAndCalls_X15) {
  const auto original = FoldOne(Records(
      {Event(0, "session.started", "", "{}"),
       Event(1, "llm.request", "a", R"({"model":"m","user_content":"go"})"),
       Event(
           2, "llm.response", "a",
           R"({"content":[{"type":"text","text":"run"},{"type":"tool_use","id":"t","name":"f","input":{"x":1}}]})"),
       Event(
           3, "llm.request", "b",
           R"({"http":{"request_body":{"messages":[{"role":"tool","tool_call_id":"t","content":"ok"},{"role":"user","content":"more"}]}}})"),
       Event(4, "llm.response", "b", R"({"content":"done"})")}));
  ASSERT_TRUE(original.ok());
  const std::vector<std::string> records = Synthesize(*original);
  const auto again = FoldOne(Records(records));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  ASSERT_EQ(Talk(*again).size(), 5U);
  EXPECT_THAT(Talk(*again),
              ElementsAre(Line("user", "go"), Line("agent", "run"), Line("user", "more"),
                          Line("agent", "done"), Line("system", "-")));
  ASSERT_EQ(again->turns[1].calls.size(), 1U);
  EXPECT_EQ(again->turns[1].calls[0].result.text, "\"ok\"");
  for (const std::string& record : records) {
    if (record.find("\"note\"") == std::string::npos) {
      EXPECT_THAT(record, HasSubstr("\"degraded\":true"));
    }
  }
}

}  // namespace
}  // namespace pchronicle::model::events
