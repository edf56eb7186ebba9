#include "pchronicle/model/envelope.h"

#include <gtest/gtest.h>

#include "pchronicle/model/residuals.h"

namespace pchronicle::model {
namespace {

constexpr char kPart[] = R"({"sources":{"actf":{"source_document_id":"t","fields":{"/w":1}}}})";

std::string Envelope(const std::string& carriers) {
  return R"({"unknown_fields":{"version":1,"by_trajectory":{)" + carriers + "}}}";
}

/// Residuals bound to "" and "/k", or the error.
std::string DecodeText(const std::string& envelope) {
  Arena arena;
  std::vector<UnknownSource> root, child;
  const EnvelopeBinding bindings[] = {{"", &root}, {"/k", &child}};
  const Status status = DecodeEnvelope(json::RawFromText(envelope), "atif", bindings, arena);
  return status.ok() ? UnknownFieldsJson(root) + "|" + UnknownFieldsJson(child) : status.message();
}

TEST(Envelope, EachCarrierGetsItsPart_G70) {
  EXPECT_EQ(DecodeText(Envelope(std::string("\"/k\":") + kPart)), std::string("|") + kPart);
  EXPECT_EQ(DecodeText(Envelope("")), "|");
}

TEST(Envelope, AllLevelsAreClosed_G71_G72_G73) {
  EXPECT_EQ(DecodeText(R"({"unknown_fields":{"version":2,"by_trajectory":{}}})"),
            "unsupported _storyline unknown_fields version 2; expected 1");
  EXPECT_EQ(DecodeText(Envelope(std::string("\"/x\":") + kPart)),
            "_storyline envelope carrier '/x' is not bound to a trajectory");
  EXPECT_EQ(
      DecodeText(Envelope(R"("":{"sources":{"atif":{"source_document_id":"","fields":{}}}})")),
      "_storyline envelope must not carry target source 'atif'");
  for (const std::string& bad :
       {std::string("null"), std::string("{}"), std::string(R"({"unknown_fields":{"version":1}})"),
        std::string(R"({"unknown_fields":{"version":"1","by_trajectory":{}}})"),
        std::string(R"({"unknown_fields":{"version":1,"by_trajectory":{}},"more":1})"),
        std::string(R"({"unknown_fields":{"version":1,"by_trajectory":{},"more":1}})"),
        Envelope("\"\":{}"), Envelope(R"("":{"sources":{},"more":1})"),
        Envelope(R"("":{"sources":{"x":{"fields":{}}}})")}) {
    EXPECT_TRUE(DecodeText(bad).starts_with("invalid _storyline envelope: ")) << bad;
  }
}

class AddEnvelopeTest : public testing::Test {
 protected:
  AddEnvelopeTest() {
    ResidualBuilder own(arena_), foreign(arena_);
    own.Add("/a", json::RawFromText("1"));
    foreign.Add("/b", json::RawFromText("null"));
    unknown_ = own.Finish("atif", "h");
    EXPECT_TRUE(MergeUnknown(foreign.Finish("actf", "t"), unknown_).ok());
  }
  std::string Add(const std::string& document, const std::string& carrier) {
    const CarrierBinding bindings[] = {{carrier, &unknown_}};
    const Result<std::string> out = AddEnvelope(document, bindings, "atif");
    return out.ok() ? *out : out.status().message();
  }
  Arena arena_;
  std::vector<UnknownSource> unknown_;
};

TEST_F(AddEnvelopeTest, OnlyForeignResidualsTravel_G69) {
  EXPECT_TRUE(HasForeign(unknown_, "atif"));
  EXPECT_EQ(
      Add(R"({"k":{}})", "/k"),
      R"({"k":{},"_storyline":{"unknown_fields":{"version":1,"by_trajectory":{"/k":{"sources":{"actf":{"source_document_id":"t","fields":{"/b":null}}}}}}}})");
  unknown_.pop_back();
  EXPECT_EQ(Add("{}", ""), "{}");
}

TEST_F(AddEnvelopeTest, Errors_G74) {
  EXPECT_EQ(Add("[]", ""), "foreign unknown fields require an object document root");
  EXPECT_EQ(Add("{}", "/k"), "carrier JSON Pointer '/k' does not exist in target document");
  EXPECT_EQ(Add(R"({"_storyline":1})", ""),
            "target document already contains reserved key '_storyline'");
}

}  // namespace
}  // namespace pchronicle::model
