#include "pchronicle/catalog/store_pin.h"

#include <gtest/gtest.h>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using testing::Current;
using testing::EventsManifest;

std::string Without(std::string text, std::string_view part, std::string_view instead = "") {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), instead);
}

constexpr std::string_view kLineage =
    R"({"source_id":"events:x","source_file":"r/events.lance",)"
    R"("source":{"kind":"canonical_events","source_uri":"/d/r/events.lance","fact_version":12,)"
    R"("fact_rows":4812,"layout_revision":31},"projector_name":"p","recipe_hash":"h",)"
    R"("completeness":"full"})";

TEST(StorePin, ReadsBothFormsOfCurrent_STL025) {
  const std::string envelope = Current("gen-9-1-2", kLineage);
  const size_t begin = envelope.find("{\"schema_version\"");
  const std::string pointer = envelope.substr(begin, envelope.size() - begin - 1);
  for (const std::string& text :
       {envelope, pointer, Without(pointer, "{", R"({"later":[1,{"x":2}],)")}) {
    const auto pin = ParseCurrent(text);
    ASSERT_TRUE(pin.ok()) << text << pin.status().ToString();
    EXPECT_EQ(pin->kind, StorePin::Kind::kStoryline);
    EXPECT_EQ(pin->storyline.generation, "gen-9-1-2");
    EXPECT_EQ(pin->storyline.table_generation, "gen-1-1-0");
    EXPECT_EQ(pin->storyline.runs_version, 1u);
    EXPECT_EQ(pin->storyline.objects_version, 4u);
    ASSERT_TRUE(pin->storyline.projection);
    EXPECT_TRUE(pin->storyline.projection->canonical_events);
    EXPECT_EQ(pin->storyline.projection->source_uri, "/d/r/events.lance");
    EXPECT_EQ(pin->storyline.projection->fact_rows, 4812u);
    EXPECT_EQ(pin->storyline.projection->layout_revision, 31u);
  }
}

TEST(StorePin, ACurrentThatIsNotSureIsAnError_STL020_STL021_STL022) {
  const std::string good = Current("gen-9-1-2", kLineage);
  const std::string bad[] = {
      "",
      "gen-1-2-3\n",
      "[]",
      "{}",
      good.substr(0, good.size() - 3),
      Without(good, R"("control_version":1)", R"("control_version":2)"),
      Without(good, R"("schema_version":1)", R"("schema_version":2)"),
      Without(good, R"("schema_version":1,)"),
      Without(good, R"("steps_version":2)", R"("steps_version":-2)"),
      Without(good, R"("steps_version":2)", R"("steps_version":2.5)"),
      Without(good, R"("steps_version":2)", R"("steps_version":"2")"),
      Without(good, "gen-9-1-2", "gen-9/../../x"),
      Without(good, "gen-9-1-2", "gen-\\u0000"),
      Without(good, "gen-9-1-2", "latest"),
      Without(good, "gen-9-1-2", ""),
      Without(good, "/d/r/events.lance", "  "),
      Without(good, "canonical_events", "guess"),
      Without(good, R"("source_id":"events:x",)"),
      Without(good, "events:x", "events:\xff"),
  };
  for (const std::string& text : bad) {
    const auto pin = ParseCurrent(text);
    EXPECT_EQ(pin.status().code(), StatusCode::kCorruption) << text;
  }
  EXPECT_EQ(ParseCurrent("gen-1-2-3").status().message(),
            "CURRENT must be a JSON object that pins the versions of all tables and objects");
}

TEST(StorePin, ANewerStoreSaysWhichVersionItNeeds_BR38) {
  EXPECT_EQ(ParseCurrent(Without(Current(), R"("schema_version":1)", R"("schema_version":7)"))
                .status()
                .message(),
            "CURRENT: schema_version 7 is unknown, this program reads 1");
  EXPECT_EQ(ParseCurrent(Without(Current(), R"("control_version":1)", R"("control_version":2)"))
                .status()
                .message(),
            "CURRENT: control_version 2 is unknown, this program reads 1");
}

TEST(StorePin, AnEnvelopeWithoutCommitIsNoSnapshotYet) {
  const auto pin = ParseCurrent(R"({"control_version":1,"revision":1,"lease":{"epoch":1}})");
  ASSERT_TRUE(pin.ok()) << pin.status().ToString();
  EXPECT_EQ(pin->kind, StorePin::Kind::kStorylineUnpublished);
}

TEST(StorePin, EventsManifestsAreCheckedBeforeTheyCount_EVT002_EVT003) {
  const auto pin = ParseEventsManifest(EventsManifest(31, 12, 640));
  ASSERT_TRUE(pin.ok()) << pin.status().ToString();
  EXPECT_EQ(pin->events.revision, 31u);
  EXPECT_EQ(pin->events.fact_version, 12u);
  ASSERT_EQ(pin->events.segments.size(), 1u);
  EXPECT_EQ(pin->events.segments[0].version, 8u);
  const std::string good = EventsManifest();
  const std::string segment = R"({"id":"e1-a","version":8,"rows":120,"level":0,"sealed":false})";
  const std::string bad[] = {
      "",
      "null",
      "{}",
      Without(good, R"("fact_rows":120)", R"("fact_rows":121)"),
      Without(good, segment),
      Without(good, segment, segment + "," + segment),
      Without(good, R"("version":8)", R"("version":0)"),
      Without(good, R"("epoch":1)", R"("epoch":0)"),
      Without(good, R"("writer_id":"w")", R"("writer_id":" ")"),
      Without(good, "e1-a", "../e1-a"),
      Without(good, segment,
              R"({"id":"a","version":1,"rows":9223372036854775807},)"
              R"({"id":"b","version":1,"rows":9223372036854775807},)"
              R"({"id":"c","version":1,"rows":122})"),
  };
  for (const std::string& text : bad) {
    EXPECT_EQ(ParseEventsManifest(text).status().code(), StatusCode::kCorruption) << text;
  }
}

TEST(StorePin, FreshMeansTheSameFactsByTheSameProjector) {
  ProjectionLineage lineage;
  lineage.canonical_events = true;
  lineage.source_uri = "/d/r/events.lance";
  lineage.source_id = "events:" + Blake3Hex({lineage.source_uri});
  lineage.projector_name = "canonical-events-to-storyline";
  lineage.recipe_hash = "9928eef97367d7ad6aaf38cccdf97c5475b18766cdc088809be343f54fc6f3aa";
  lineage.completeness = "full";
  lineage.fact_version = 7;
  lineage.fact_rows = 120;
  EventsPin facts;
  facts.fact_version = 7;
  facts.fact_rows = 120;
  facts.revision = 99;  // compaction does not make a projection stale
  EXPECT_TRUE(IsFresh(lineage, facts));
  for (std::string ProjectionLineage::*member :
       {&ProjectionLineage::source_id, &ProjectionLineage::projector_name,
        &ProjectionLineage::recipe_hash, &ProjectionLineage::completeness}) {
    ProjectionLineage other = lineage;
    other.*member += "x";
    EXPECT_FALSE(IsFresh(other, facts));
  }
  facts.fact_rows = 121;
  EXPECT_FALSE(IsFresh(lineage, facts));
}

}  // namespace
}  // namespace pchronicle::catalog
