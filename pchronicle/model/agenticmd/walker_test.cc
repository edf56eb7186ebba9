#include "pchronicle/model/agenticmd/walker.h"

#include <gtest/gtest.h>

#include <string>

#include "pchronicle/model/agenticmd/encoder.h"
#include "pchronicle/model/decode.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model {
namespace {

constexpr std::string_view kHead =
    "---\nformat: persisting\nstoryline:\n  schema_version: storyline/v1\n  session: s\n  agent:\n"
    "    id: a\n";

std::string Text(std::string_view more_frontmatter, std::string_view blocks) {
  return std::string(kHead) + std::string(more_frontmatter) + "---\n\n" + std::string(blocks);
}

std::string Block(std::string_view storyline, std::string_view more, std::string_view body) {
  return fmt::format(
      "<!-- persisting:block:user {{\"length\":{},\"storyline\":{}{}}} -->\n\n{}\n\n", body.size(),
      storyline, more, body);
}

Decoded Read(const std::string& text, WalkOptions options = {},
             AgenticMdLevel level = AgenticMdLevel::kAuthoritative, SourceNotes notes = {}) {
  const json::MemoryInput input(text);
  HubSink sink;
  const auto walker = MakeAgenticMdWalker(input, options, notes, sink, level);
  while (walker->Advance()) {
  }
  EXPECT_FALSE(walker->needs_second_pass());
  EXPECT_EQ(walker->notes().lost_source, !sink.problems().empty());
  return {sink.Take(), sink.problems(), 0, sink.diagnostics()};
}

std::string Wire(const std::vector<Storyline>& stories) {
  const Result<std::string> wire = Encode(Format::kStoryline, stories, {.pretty = false});
  return wire.ok() ? *wire : "! " + wire.status().message();
}

/// The wire, or `location: message`.
std::string Outcome(const std::string& text, AgenticMdLevel level = AgenticMdLevel::kAuthoritative,
                    WalkOptions options = {}) {
  const Decoded decoded = Read(text, options, level);
  if (decoded.problems.empty()) {
    return Wire(decoded.storylines);
  }
  EXPECT_TRUE(decoded.problems.front().whole_source);
  EXPECT_TRUE(decoded.storylines.empty());
  return decoded.problems.front().location + ": " + decoded.problems.front().status.message();
}

TEST(AgenticMdWalker, ReadsStorylineMetadataAndNativeResiduals_G99_a4) {
  const Decoded decoded = Read(Text(
      "vendor_top: 7\n", Block(R"({"id":1,"src":"user"})", R"(,"vh":null,"call_id":"c")", "hi")));
  ASSERT_EQ(decoded.storylines.size(), 1u);
  const Storyline& story = decoded.storylines[0];
  EXPECT_EQ(story.document.document_id, "s");
  EXPECT_EQ(story.turns.at(0).message.text, "\"hi\"");
  ASSERT_EQ(story.document.unknown.size(), 1u);
  EXPECT_EQ(story.document.unknown[0].source_document_id.size(), 64u);
  const std::string wire = Wire(decoded.storylines);
  EXPECT_NE(
      wire.find(
          R"("fields":{"/blocks/0/header/call_id":"c","/blocks/0/header/vh":null,"/frontmatter/vendor_top":7})"),
      std::string::npos)
      << wire;
  EXPECT_NE(
      wire.find(
          R"("unknown_key_counts":{"agenticmd":{"/blocks/*/header/call_id":1,"/blocks/*/header/vh":1,"/frontmatter/vendor_top":1}})"),
      std::string::npos)
      << wire;
}

TEST(AgenticMdWalker, TheSourceIdSeesEverythingButTheStorylineEntry) {
  const auto id = [](const std::string& text) {
    return std::string(Read(text).storylines.at(0).document.unknown.at(0).source_document_id);
  };
  const std::string turn = R"({"id":1,"src":"user"})";
  const std::string base = id(Text("v: 7\nw: 8\n", Block(turn, "", "hi")));
  EXPECT_EQ(id(Text("w: 8\nv: 7\n", Block(turn, "", "hi"))), base) << "order of members";
  EXPECT_EQ(id(Text("  notes: n\nv: 7\nw: 8\n", Block(turn, "", "hi"))), base) << "storyline entry";
  EXPECT_NE(id(Text("v: 7\nw: 8\n", Block(turn, "", "ho"))), base) << "bodies";
  EXPECT_NE(id(Text("v: 7\nw: 8\n", Block(turn, ",\"x\":1", "hi"))), base) << "headers";
}

TEST(AgenticMdWalker, MetadataMustBeThere_D19) {
  EXPECT_EQ(Outcome("---\nformat: persisting\n---\n\nhi\n"),
            "frontmatter: missing authoritative Storyline metadata");
  EXPECT_EQ(Outcome("hi\n"), "frontmatter: missing authoritative Storyline metadata");
  EXPECT_EQ(Outcome(" \n"), ": AgenticMD document cannot be empty");
  EXPECT_EQ(Outcome("---\nstoryline: 7\n---\n"), "frontmatter.storyline: must be an object");
}

TEST(AgenticMdWalker, ErrorsNameTheirPlace_a1_b7) {
  const std::string good = R"({"id":1,"src":"user"})";
  EXPECT_TRUE(Outcome("---\na: [\n---\n").starts_with("frontmatter: line "));
  EXPECT_EQ(Outcome(Text("  x: 1\n", "")), "frontmatter.storyline: unknown field 'x'");
  EXPECT_EQ(Outcome(Text("  turns: []\n", "")), "frontmatter.storyline: unknown field 'turns'");
  EXPECT_EQ(Outcome(Text("  session: t\n", "")), "frontmatter.storyline: duplicate key 'session'");
  EXPECT_EQ(Outcome("---\nstoryline: {schema_version: storyline/v1}\n---\n"),
            "frontmatter.storyline: storyline.session is required");
  EXPECT_EQ(Outcome(Text("storyline: {}\n", "")), "frontmatter: duplicate key 'storyline'");
  EXPECT_EQ(Outcome(Text("", "<!-- persisting:block:user -->\n\nhi\n")),
            "block[0].storyline: missing the Storyline turn");
  EXPECT_EQ(Outcome(Text("", "plain\n")), "block[0].storyline: missing the Storyline turn");
  EXPECT_EQ(Outcome(Text("", Block("[]", "", ""))), "block[0].storyline: must be an object");
  EXPECT_EQ(Outcome(Text("", Block(good, "", "") + Block(R"({"id":2})", "", ""))),
            "block[1].storyline: turns[1]: missing field 'src'");
  EXPECT_EQ(Outcome(Text("", Block(R"({"id":1,"src":"user","msg":1})", "", ""))),
            "block[0].storyline: unknown field 'msg': the body is the message");
  EXPECT_EQ(Outcome(Text("", Block(good, R"(,"message_encoding":"xml")", ""))),
            "block[0].message_encoding: unsupported message_encoding \"xml\"");
  EXPECT_TRUE(Outcome(Text("", Block(good, R"(,"message_encoding":"json")", "[1")))
                  .starts_with("block[0].body: "));
  EXPECT_EQ(Outcome(Text("", Block(good, R"(,"message_encoding":"json")", "1 2"))),
            "block[0].body: trailing data after JSON document");
}

TEST(AgenticMdWalker, OffsetsAreThoseOfTheFile) {
  const std::string text =
      Text("", Block(R"({"id":1,"src":"user"})", R"(,"message_encoding":"json")", "[1,}"));
  const Decoded decoded = Read(text);
  ASSERT_EQ(decoded.problems.size(), 1u);
  EXPECT_EQ(decoded.problems[0].offset, text.find("[1,}") + 3);
}

TEST(AgenticMdWalker, WrongUnknownCountsAreRefused_a8) {
  EXPECT_EQ(Outcome(Text("  unknown_key_counts: {atif: {/x: 1}}\n", "")),
            "frontmatter.storyline: storyline unknown_key_counts do not match unknown_fields");
}

TEST(AgenticMdWalker, ALostSourceTakesItsRowsBack_STL127) {
  const std::string text =
      Text("", Block(R"({"id":1,"src":"user"})", "", "a") + Block("{}", "", "b"));
  EXPECT_EQ(Outcome(text), "block[1].storyline: turns[1]: missing field 'id'");
  SourceNotes notes;
  notes.lost_source = true;
  const Decoded again = Read(text, {}, AgenticMdLevel::kAuthoritative, notes);
  EXPECT_EQ(again.problems.size(), 1u);
  EXPECT_TRUE(again.storylines.empty());
}

TEST(AgenticMdWalker, OnlyWantedFieldsAreRead) {
  WalkOptions options;
  options.fields = Field::kDocumentId | Field::kMessage;
  const Decoded decoded =
      Read(Text("v: 1\n", Block(R"({"id":4,"src":"user","model":"m"})", "", "hi")), options);
  ASSERT_EQ(decoded.storylines.size(), 1u);
  EXPECT_EQ(decoded.storylines[0].turns.at(0).message.text, "\"hi\"");
  EXPECT_FALSE(decoded.storylines[0].turns[0].model.has_value());
  EXPECT_TRUE(decoded.storylines[0].document.unknown.empty());
}

TEST(AgenticMdWalker, SizeIsBounded_D14) {
  WalkOptions options;
  options.cursor.max_record_bytes = 40;
  EXPECT_EQ(Outcome(Text("", ""), AgenticMdLevel::kAuthoritative, options),
            ": AgenticMD document exceeded max_record_bytes 40");
}

// -- Level 2 --

TEST(AgenticMdWalker, ALenientReaderMakesUpWhatIsMissing) {
  WalkOptions options;
  options.source_path = "runs/agent-7.md";
  EXPECT_EQ(
      Outcome("<!-- persisting:block:user -->\n\nhi\n", AgenticMdLevel::kLenient, options),
      R"({"schema_version":"storyline/v1","origin":{"format":"agenticmd"},"session":"agent-7",)"
      R"("agent":{"id":"unknown"},"turns":[{"id":1,"src":"user","msg":"hi"}]})");
  options.source_path = "";
  EXPECT_NE(
      Outcome("text", AgenticMdLevel::kLenient, options)
          .find(
              R"("session":"session","agent":{"id":"unknown"},"turns":[{"id":1,"src":"system","msg":"text"}])"),
      std::string::npos);
}

TEST(AgenticMdWalker, ALenientReaderTakesWhatIsThere) {
  const std::string wire = Outcome(
      "---\nformat: persisting:1.0\nsession_id: 12\nsession: x\nagent: bot\nmodel_name: m\n---\n"
      "<!-- persisting:block:assistant {\"seq\":\"7\",\"timestamp\":\"2026-01-02T03:04:05Z\","
      "\"model\":\"n\",\"call_id\":\"c\"} -->\n\nhi\n"
      "<!-- persisting:block {\"step_id\":3,\"role\":\"user\",\"timestamp\":\"soon\","
      "\"message_encoding\":\"json\"} -->\n\n{\"a\":1}\n",
      AgenticMdLevel::kLenient);
  EXPECT_NE(wire.find(R"("session":"12","agent":{"id":"bot","model":"m"})"), std::string::npos);
  EXPECT_NE(
      wire.find(
          R"({"id":7,"ts":"2026-01-02T03:04:05Z","src":"agent","msg":"hi","model":"n","extra":{"call_id":"c"}})"),
      std::string::npos)
      << wire;
  EXPECT_NE(wire.find(R"({"id":3,"src":"user","msg":{"a":1}})"), std::string::npos) << wire;
  EXPECT_NE(
      wire.find(R"("fields":{"/blocks/1/header/timestamp":"soon","/frontmatter/session":"x"})"),
      std::string::npos)
      << wire;
}

TEST(AgenticMdWalker, ClashingStepIdsBecomePositions) {
  const std::string wire =
      Outcome("<!-- persisting:block {\"step_id\":2} -->\n\na\n<!-- persisting:block -->\n\nb\n",
              AgenticMdLevel::kLenient);
  EXPECT_NE(wire.find(R"({"id":1,"src":"system","msg":"a","extra":{"step_id":2}},{"id":2,)"),
            std::string::npos)
      << wire;
}

TEST(AgenticMdWalker, StrictTimestampsAreErrors) {
  WalkOptions options;
  options.strict_timestamps = true;
  EXPECT_TRUE(Outcome("<!-- persisting:block {\"timestamp\":\"soon\"} -->\n\na\n",
                      AgenticMdLevel::kLenient, options)
                  .starts_with("block[0].storyline: turns[0].ts: "));
}

TEST(AgenticMdWalker, StrictReadingNeedsLevelOne) {
  const json::MemoryInput input("text\n");
  WalkOptions options;
  EXPECT_TRUE(Decode(Format::kAgenticMd, input, options).ok());
  options.strict = true;
  EXPECT_FALSE(Decode(Format::kAgenticMd, input, options).ok());
}

// -- Encoder --

Result<std::string> Markdown(const std::string& wire, EncodeReport* report = nullptr,
                             bool strict = false) {
  const json::MemoryInput input(wire);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Storyline> stories,
                              Decode(Format::kStoryline, input, {}));
  return EncodeAgenticMd(stories, {.strict = strict}, report);
}

std::string WithResidual(std::string_view pointer, std::string_view normal) {
  return fmt::format(
      R"({{"schema_version":"storyline/v1","session":"s","agent":{{"id":"a"}},"unknown_fields":{{"sources":)"
      R"({{"agenticmd":{{"source_document_id":"h","fields":{{"{}":[1]}}}}}}}},"unknown_key_counts":)"
      R"({{"agenticmd":{{"{}":1}}}},"turns":[{{"id":1,"src":"user","msg":{{"a":1}}}}]}})",
      pointer, normal);
}

TEST(AgenticMdEncoder, WritesFrontmatterAndBlocks) {
  const Result<std::string> text = Markdown(WithResidual("/frontmatter/v", "/frontmatter/v"));
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(*text,
            std::string(kHead).replace(kHead.find("storyline/v1"), 12, "storyline/v1") +
                "v:\n  - 1\n---\n\n<!-- persisting:block:user {\"type\":\"json\","
                "\"length\":12,\"source\":\"user\",\"step_id\":1,\"message_encoding\":"
                "\"json\",\"storyline\":{\"id\":1,\"src\":\"user\"}} -->\n\n{\n  \"a\": 1\n}\n\n");
}

TEST(AgenticMdEncoder, NativeResidualsGoBackToTheirPlace_a5) {
  const Result<std::string> text =
      Markdown(WithResidual("/blocks/0/header/a~1b", "/blocks/*/header/a~1b"));
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find(",\"a/b\":[1]} -->"), std::string::npos) << *text;
  const Result<std::string> again = Markdown(Outcome(*text));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *text);
}

TEST(AgenticMdEncoder, CollisionsAndStrayPlacesAreRefused_a6_a7) {
  const auto error = [](const char* pointer, const char* normal) {
    return Markdown(WithResidual(pointer, normal)).status().message();
  };
  EXPECT_EQ(error("/frontmatter/format", "/frontmatter/format"),
            "JSON Pointer '/frontmatter/format' collides with a canonical value");
  EXPECT_EQ(error("/blocks/0/header/length", "/blocks/*/header/length"),
            "JSON Pointer '/blocks/0/header/length' collides with a canonical value");
  for (const char* stray : {"", "/x", "/frontmatter/a/b", "/blocks/x/header/a"}) {
    EXPECT_NE(error(stray, stray).find("names no place of an agenticmd residual"),
              std::string::npos)
        << stray;
  }
}

TEST(AgenticMdEncoder, ABlockThatIsGoneIsCounted_D17) {
  const std::string wire = WithResidual("/blocks/3/header/a", "/blocks/*/header/a");
  EncodeReport report;
  ASSERT_TRUE(Markdown(wire, &report).ok());
  EXPECT_EQ(LossyFields(report), "unknown_fields");
  EXPECT_FALSE(Markdown(wire, nullptr, true).ok());
}

TEST(AgenticMdEncoder, AFileHoldsOneStoryline) {
  const std::string one =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"turns":[]})";
  EXPECT_EQ(Markdown("[" + one + "," + one + "]").status().message(),
            "an AgenticMD document holds one Storyline, not 2");
  EXPECT_EQ(EncodeAgenticMd({}, {}, nullptr).status().code(), StatusCode::kUnsupported);
}

TEST(AgenticMdEncoder, AFrontmatterNobodyWouldReadIsRefused) {
  const std::string wire =
      R"({"schema_version":"storyline/v1","session":"s","agent":{"id":"a"},"notes":")" +
      std::string(2 << 20, 'n') + R"(","turns":[]})";
  EXPECT_EQ(Markdown(wire).status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace pchronicle::model
