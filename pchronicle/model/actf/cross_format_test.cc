#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pchronicle/json/compare.h"
#include "pchronicle/model/actf/actf_test_support.h"
#include "pchronicle/model/atif/encoder.h"
#include "pchronicle/model/atif/walker.h"

namespace pchronicle::model {
namespace {

using actf::testing_support::EncodeBack;
using actf::testing_support::Walked;
using actf::testing_support::WalkText;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Storyline> ReadAtif(const std::string& text) {
  const json::MemoryInput input(text);
  HubSink sink;
  const std::unique_ptr<Walker> walker = MakeAtifWalker(input, {}, {}, sink);
  while (walker->Advance()) {
  }
  EXPECT_THAT(sink.problems(), IsEmpty());
  return sink.Take();
}

TEST(ActfCrossFormat, AtifResidualsSurviveTheWayThroughActf_X01) {
  const std::string source =
      R"({"schema_version":"ATIF-v1.7","session_id":"s","vendor":null,"agent":{"name":"a","version":"1","zz":[1]},)"
      R"("steps":[{"step_id":1,"source":"user","message":"q","vs":1},{"step_id":2,"source":"agent","message":"a",)"
      R"("tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{"x":1},"vt":{"k":null}}]}]})";
  const std::vector<Storyline> first = ReadAtif(source);
  ASSERT_THAT(first, SizeIs(1));
  const Walked back = WalkText(EncodeBack(first));
  ASSERT_THAT(back.problems, IsEmpty());
  ASSERT_THAT(back.stories, SizeIs(1));
  ASSERT_THAT(back.stories[0].document.unknown, SizeIs(1));
  EXPECT_EQ(back.stories[0].document.unknown[0].source_document_id,
            first[0].document.unknown[0].source_document_id);
  EncodeOptions options;
  options.pretty = false;
  const Result<std::string> atif = EncodeAtif(back.stories, options, nullptr);
  ASSERT_TRUE(atif.ok()) << atif.status().ToString();
  for (const char* part : {R"("vendor":null)", R"("zz":[1])", R"("vs":1)", R"("vt":{"k":null})"}) {
    EXPECT_THAT(*atif, HasSubstr(part));
  }
}

}  // namespace
}  // namespace pchronicle::model
