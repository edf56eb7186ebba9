#include "pchronicle/model/decode.h"

#include <gtest/gtest.h>

namespace pchronicle::model {
namespace {

Document Doc(int64_t ordinal, int depth, std::string_view id) {
  Document document;
  document.ordinal = ordinal;
  document.depth = depth;
  document.document_id = id;
  document.session_id = id;
  return document;
}

std::string Ids(const std::vector<Storyline>& stories) {
  std::string ids;
  for (const Storyline& story : stories) {
    ids += fmt::format("{}({}) ", story.document.document_id, story.turns.size());
  }
  return ids;
}

TEST(HubSink, DocumentsComeInTheOrderTheyOpen_Guarantee6) {
  HubSink sink;
  const Document root = Doc(0, 0, "root"), kid = Doc(1, 1, "kid"), other = Doc(2, 1, "other");
  Turn turn;
  sink.OnDocument(root);
  sink.OnTurn(root, turn);
  sink.OnDocument(kid);
  sink.OnTurn(kid, turn);
  sink.OnDocumentEnd(kid);
  sink.OnDocument(other);
  sink.OnTurn(root, turn);
  sink.OnDocumentEnd(other);
  EXPECT_TRUE(sink.Take().empty()) << "nothing counts before its record ends";
  sink.OnDocumentEnd(root);
  sink.OnRecordEnd();
  EXPECT_EQ(Ids(sink.Take()), "root(2) kid(1) other(0) ");
  EXPECT_TRUE(sink.Take().empty());
}

TEST(HubSink, ALostDocumentTakesItsChildrenAlong_BR08) {
  HubSink sink;
  const Document root = Doc(0, 0, "root"), kid = Doc(1, 1, "kid"), grandkid = Doc(2, 2, "grandkid"),
                 other = Doc(3, 1, "other");
  for (const Document* document : {&root, &kid, &grandkid}) {
    sink.OnDocument(*document);
  }
  sink.OnDocumentEnd(grandkid);
  sink.OnDocumentLost(kid);
  sink.OnDocument(other);
  sink.OnTurn(other, Turn());
  sink.OnDocumentEnd(other);
  sink.OnDocumentEnd(root);
  sink.OnRecordEnd();
  EXPECT_EQ(Ids(sink.Take()), "root(0) other(1) ");
}

TEST(HubSink, CellsAreMinifiedAndOwned_D6) {
  Arena arena;
  std::string text = "{ \"a\" : [ NaN , \"\\ud800\" ] }";
  const json::Raw cell = CopyCell(json::RawFromText(text), arena);
  text.assign(text.size(), 'x');
  EXPECT_EQ(cell.text, R"({"a":[null,"\ud800"]})");
  EXPECT_EQ(cell.flags & json::kHasBlanks, 0);
  EXPECT_NE(cell.flags & json::kHasLoneSurrogate, 0);
  EXPECT_FALSE(CopyCell({}, arena).present());
  EXPECT_EQ(CopyCell(json::RawFromText("-Infinity"), arena).kind, json::Kind::kNull);
}

TEST(Decode, TheFirstProblemIsTheErrorWithItsPlace_G95) {
  const json::MemoryInput input("\n{}\n");
  WalkOptions options;
  options.container = json::Container::kLines;
  const auto stories = Decode(Format::kStoryline, input, options);
  ASSERT_FALSE(stories.ok());
  EXPECT_TRUE(stories.status().message().starts_with("line 2: ")) << stories.status().message();
}

TEST(Decode, AgenticMdWithoutAnEndOfItsHeadSaysSo) {
  const json::MemoryInput input("---\n");
  const auto stories = Decode(Format::kAgenticMd, input, {});
  ASSERT_FALSE(stories.ok());
  EXPECT_EQ(stories.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(stories.status().message().find("unclosed YAML frontmatter"), std::string::npos);
}

TEST(FormatNames, EverySpellingIsAcceptedAndOneIsPrinted_D15) {
  for (const char* name : {"openai-msg", "openai_msg", "openai-messages", "session_steps"}) {
    EXPECT_EQ(ParseFormatName(name), Format::kOpenAiMessages) << name;
  }
  EXPECT_EQ(FormatName(Format::kOpenAiMessages), "openai_msg");
  EXPECT_EQ(HubFormatName(Format::kOpenAiMessages), "openai-msg");
  EXPECT_EQ(ParseFormatName("md"), Format::kAgenticMd);
  EXPECT_EQ(ParseFormatName("ATIF"), std::nullopt);
  for (const Format format : {Format::kStoryline, Format::kAtif, Format::kActf,
                              Format::kOpenAiMessages, Format::kAgenticMd, Format::kHfChat}) {
    EXPECT_EQ(ParseFormatName(FormatName(format)), format);
    EXPECT_EQ(ParseFormatName(HubFormatName(format)), format);
  }
}

TEST(EffectiveKind, ByKindThenBySourceAndCalls) {
  Turn turn;
  turn.source = "agent";
  EXPECT_EQ(EffectiveKind(turn), "dialogue");
  turn.call_count = 1;
  EXPECT_EQ(EffectiveKind(turn), "autonomous");
  turn.source = "user";
  EXPECT_EQ(EffectiveKind(turn), "dialogue");
  turn.source = "system";
  EXPECT_EQ(EffectiveKind(turn), "internal");
  turn.kind = "llm.request";
  EXPECT_EQ(EffectiveKind(turn), "llm.request");
}

}  // namespace
}  // namespace pchronicle::model
