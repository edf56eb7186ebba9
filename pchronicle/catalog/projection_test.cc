#include "pchronicle/catalog/projection.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/store_pin.h"
#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Current;
using testing::EventsManifest;
using testing::Files;
using testing::Reporting;
using testing::RunScan;
using testing::Take;
using testing::TempDataset;

using Strings = std::vector<std::string>;

std::string Lineage(const std::string& uri, const std::string& file, uint64_t facts = 7,
                    uint64_t rows = 120) {
  return fmt::format(
      R"({{"source_id":"events:{}","source_file":"{}","source":{{"kind":"canonical_events",)"
      R"("source_uri":"{}","fact_version":{},"fact_rows":{},"layout_revision":9}},)"
      R"("projector_name":"canonical-events-to-storyline",)"
      R"("recipe_hash":"9928eef97367d7ad6aaf38cccdf97c5475b18766cdc088809be343f54fc6f3aa",)"
      R"("completeness":"full"}})",
      Blake3Hex({uri}), file, uri, facts, rows);
}

/// `run-1` with its facts and a projection of them.
void WriteRun(const TempDataset& dir, const std::string& run, const std::string& recorded_root,
              uint64_t facts = 7) {
  dir.Write(run + "/events.lance/_manifest.json", EventsManifest());
  dir.Write(run + "/storyline/CURRENT",
            Current("gen-2-2-2", Lineage(recorded_root + "/" + run + "/events.lance",
                                         run + "/events.lance", facts)));
}

Strings SourcesRows(const Snapshot& snapshot) {
  Context context;
  QueryScope scope(snapshot, false, context);
  return RunScan(scope, Relation::kSources,
                 {"_file_", "snapshot_ref", "projection_status", "projection_generation",
                  "projection_candidates"})
      .rows;
}

TEST(Projection, AFreshOneJoinsItsFacts_DSC13_CAT14) {
  TempDataset dir;
  WriteRun(dir, "k/run-1", std::filesystem::canonical(dir.path()).string());
  EXPECT_EQ(SourcesRows(*Take(dir.path())),
            Strings{"k/run-1/events.lance|manifest-revision:9|fresh|gen-2-2-2|1"});
}

TEST(Projection, AStaleOneIsHidden_CAT15) {
  TempDataset dir;
  WriteRun(dir, "run-1", std::filesystem::canonical(dir.path()).string(), 6);
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(SourcesRows(*snapshot),
            Strings{"run-1/events.lance|manifest-revision:9|stale|gen-2-2-2|1"});
  // Neither the facts nor the projection give rows yet: no row can come from stale tables.
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_TRUE(RunScan(scope, Relation::kRuns, {"_file_"}).rows.empty());
}

TEST(Projection, OfSeveralTheLastByFreshTimeGenerationAndPathIsChosen_CAT14) {
  TempDataset dir;
  const std::string uri = std::filesystem::canonical(dir.path()).string() + "/run/events.lance";
  dir.Write("run/events.lance/_manifest.json", EventsManifest());
  const auto write = [&](const std::string& name, const std::string& generation, uint64_t facts,
                         int64_t seconds) {
    dir.Write(name + "/CURRENT", Current(generation, Lineage(uri, "run/events.lance", facts)));
    const timespec at[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (dir.path() + "/" + name + "/CURRENT").c_str(), at, 0), 0);
  };
  const auto chosen = [&] {
    const auto snapshot = Take(dir.path());
    EXPECT_EQ(Files(snapshot->datasets()[0]), Strings{"run/events.lance"}) << "all are taken out";
    return snapshot->datasets()[0].sources[0].projection->file;
  };
  write("stale", "gen-9-9-9", 6, 4000);
  EXPECT_EQ(chosen(), "stale");
  write("a", "gen-5-5-5", 7, 1000);
  EXPECT_EQ(chosen(), "a") << "fresh beats newer";
  write("b", "gen-4-4-4", 7, 2000);
  EXPECT_EQ(chosen(), "b") << "newer beats generation";
  write("c", "gen-6-6-6", 7, 2000);
  EXPECT_EQ(chosen(), "c") << "generation beats path";
  write("d", "gen-6-6-6", 7, 2000);
  EXPECT_EQ(chosen(), "d") << "path decides last";
  EXPECT_EQ(Take(dir.path())->datasets()[0].sources[0].projection->candidates, 5u);
}

TEST(Projection, AMovedOrCopiedFolderCountsOnce_BR28) {
  TempDataset moved;  // the recorded place is gone
  WriteRun(moved, "codex/run-1", "/no/such/place");
  EXPECT_EQ(Files(Take(moved.path())->datasets()[0]), Strings{"codex/run-1/events.lance"});
  // Mounted one level deeper, so that only the sibling rule helps.
  const auto deeper = Take(moved.path() + "/codex");
  EXPECT_EQ(Files(deeper->datasets()[0]), Strings{"run-1/events.lance"});
  EXPECT_TRUE(deeper->datasets()[0].sources[0].projection->fresh);

  TempDataset original;
  WriteRun(original, "codex/run-1", std::filesystem::canonical(original.path()).string());
  TempDataset copy;
  std::filesystem::copy(original.path(), copy.path() + "/all",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(Files(Take(copy.path())->datasets()[0]), Strings{"all/codex/run-1/events.lance"});
  // The copy lives on: its projection becomes stale, but stays bound.
  copy.Write("all/codex/run-1/events.lance/_manifest.json", EventsManifest(12, 9, 130));
  const auto stale = Take(copy.path());
  EXPECT_EQ(Files(stale->datasets()[0]), Strings{"all/codex/run-1/events.lance"});
  EXPECT_FALSE(stale->datasets()[0].sources[0].projection->fresh);
}

TEST(Projection, StoresOfOtherFactsAndWithoutLineageStay) {
  TempDataset elsewhere;
  elsewhere.Write("other/events.lance/_manifest.json", EventsManifest());
  const std::string uri =
      std::filesystem::canonical(elsewhere.path()).string() + "/other/events.lance";
  TempDataset dir;
  dir.Write("k/events.lance/_manifest.json", EventsManifest(9, 3, 5));
  dir.Write("k/storyline/CURRENT", Current("gen-1-1-1", Lineage(uri, "other/events.lance")));
  dir.Write("plain/CURRENT", Current());
  dir.Write(
      "plain/../copy/CURRENT",
      Current("gen-3-3-3", R"({"source_id":"x","source_file":"y","source":{"kind":"exchange",)"
                           R"("source_uri":"/z","snapshot_ref":"r"},"projector_name":"p",)"
                           R"("recipe_hash":"h","completeness":"full"})"));
  EXPECT_EQ(Files(Take(dir.path())->datasets()[0]),
            (Strings{"copy", "k/events.lance", "k/storyline", "plain"}));
}

TEST(Projection, ItsChoiceIsPartOfTheSnapshotId_SID02_SID03_CAT26) {
  TempDataset dir;
  WriteRun(dir, "run-1", std::filesystem::canonical(dir.path()).string());
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  const std::string nul(1, '\0');
  const std::string text = "dataset" + nul + dataset.root_uri + nul + "run-1/events.lance" + nul +
                           "manifest-revision:9" + nul + "projection:gen-2-2-2:fresh";
  EXPECT_EQ(snapshot->id(), Blake3Hex({text}, 24));
  WriteRun(dir, "run-1", std::filesystem::canonical(dir.path()).string(), 6);
  EXPECT_NE(Take(dir.path())->id(), snapshot->id());
}

TEST(Projection, BindingOpensNothingButMarkers_PIN02_CAT17) {
  TempDataset dir;
  for (int i = 0; i < 8; ++i) {
    WriteRun(dir, fmt::format("run-{}", i), std::filesystem::canonical(dir.path()).string());
    dir.Write(fmt::format("run-{}/events.lance/segments/e1-a.lance/data/0.lance", i), "x");
    dir.Write(fmt::format("run-{}/storyline/generations/gen-1-1-0/runs.lance/0.lance", i), "x");
  }
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 16u);
}

TEST(Projection, WorksOnObjectsLikeOnFiles_DSC08_BR28) {
  const auto store = io::MakeMemoryStore("memory://lib");
  ASSERT_TRUE(store->Put("r/events.lance/_manifest.json", EventsManifest(), true).ok());
  ASSERT_TRUE(
      store
          ->Put("r/storyline/CURRENT",
                Current("gen-2-2-2", Lineage("memory://lib/r/events.lance", "r/events.lance")),
                true)
          .ok());
  Mount mount = PositionalMount("memory://lib");
  mount.store = store;
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const CatalogDataset& dataset = (*snapshot)->datasets()[0];
  EXPECT_EQ(Files(dataset), Strings{"r/events.lance"});
  ASSERT_NE(dataset.sources[0].projection, nullptr);
  EXPECT_TRUE(dataset.sources[0].projection->fresh);
}

TEST(Projection, StoresOfTheReleasedProgramAreBound_SID03a) {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  const std::string folder =
      (shared != nullptr ? std::string(shared)
                         : std::string(PCHRONICLE_SOURCE_DIR) + "/../shared") +
      "/fixtures/peer/g-events/store";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "no fixtures at " << folder;
  }
  const Strings expected = {
      "codex/run-1/events.lance|manifest-revision:17|fresh|gen-1796048487168262339-30087-10|1",
      "codex/run-2/events.lance|manifest-revision:6|fresh|gen-1796048485888510035-30087-6|1"};
  EXPECT_EQ(SourcesRows(*Take(folder)), expected);
}

TEST(Stores, PinsAreTypedAndReadOnce_PIN01_PIN03_PIN08_CAT12) {
  TempDataset dir;
  dir.Write("s/CURRENT", Current("gen-7-7-7"));
  dir.Write("e/events.lance/_manifest.json", EventsManifest());
  dir.Write("f.json", "{}");
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(dataset.Find("e/events.lance")->revision.ToJson(),
            R"({"kind":"events","fact_version":7,"fact_rows":120,"layout_revision":9})");
  EXPECT_EQ(dataset.Find("s")->revision.ToJson(),
            R"({"kind":"storyline","generation":"gen-7-7-7"})");
  EXPECT_EQ(dataset.Find("s")->revision.display(), "gen-7-7-7");
  const Revision& file = dataset.Find("f.json")->revision;
  EXPECT_EQ(file.ToJson(), R"({"kind":"local_file","fingerprint":")" + file.fingerprint + R"("})");
  // A commit after the snapshot is invisible: what a reader may open was read already.
  dir.Write("s/CURRENT", Current("gen-8-8-8"));
  const uint64_t opens = dataset.store->counters().opens;
  EXPECT_TRUE(Resolve(dataset, *dataset.Find("s"), {}).ok());
  EXPECT_EQ(dataset.store->counters().opens, opens);
  EXPECT_EQ(dataset.Find("s")->store_pin->storyline.generation, "gen-7-7-7");
  const auto later = Take(dir.path());
  EXPECT_NE(later->id(), snapshot->id());
  // The same generation under a marker that was only touched is the same version.
  dir.Write("s/CURRENT", Current("gen-8-8-8"));
  EXPECT_EQ(Take(dir.path())->datasets()[0].Find("s")->revision.ToJson(),
            later->datasets()[0].Find("s")->revision.ToJson());
}

TEST(Stores, ABrokenMarkerIsAnErrorCandidate_ERR03_CAT21) {
  TempDataset dir;
  dir.Write("s/CURRENT", "gen-1-2-3\n");
  dir.Write("e/events.lance/_manifest.json", "{}");
  dir.Write("good.json", "{}");
  const auto snapshot = Take(dir.path(), Reporting());
  EXPECT_EQ(Files(snapshot->datasets()[0]), (Strings{"e/events.lance", "good.json", "s"}));
  EXPECT_FALSE(snapshot->datasets()[0].Find("s")->error.ok());
  EXPECT_FALSE(snapshot->datasets()[0].Find("e/events.lance")->error.ok());
  Context context;
  const Status strict = Snapshot::Build({PositionalMount(dir.path())}, {}, context).status();
  EXPECT_NE(strict.message().find("Dataset 'dataset': source"), std::string::npos)
      << strict.ToString();
  // A listing that is not complete fails also where bad candidates are tolerated.
  SnapshotOptions options = Reporting();
  options.limits.max_entries = 3;
  EXPECT_EQ(Snapshot::Build({PositionalMount(dir.path())}, options, context).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(Stores, MarkersThatAreLinksAreNone_DSC06_CAT30) {
  TempDataset dir;
  dir.Write("real/CURRENT", Current());
  dir.Write("real/events.lance/_manifest.json", EventsManifest());
  dir.Write("e/events.lance/x.json", "{}");
  dir.Write("s/a.json", "{}");
  ASSERT_EQ(::symlink("../real/CURRENT", (dir.path() + "/s/CURRENT").c_str()), 0);
  ASSERT_EQ(::symlink("../../real/events.lance/_manifest.json",
                      (dir.path() + "/e/events.lance/_manifest.json").c_str()),
            0);
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(Files(dataset), (Strings{"e/events.lance", "real", "s/a.json"}));
  EXPECT_EQ(dataset.sources[0].ignored_reason, "Lance table, no trajectory store");
}

TEST(Stores, AVortexPointerIsItsOwnKind_CAT46_VTX121) {
  TempDataset dir;
  dir.Write(
      "v/CURRENT",
      R"({"format":"pchronicle-vortex-current/v1","snapshot_id":"s","manifest":"manifests/s.json",)"
      R"("manifest_digest":"blake3:00"})");
  dir.Write("v/data/p/a.json", "{}");
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(Files(dataset), Strings{"v"});
  EXPECT_EQ(dataset.sources[0].format_name, "vortex");
  EXPECT_EQ(KnownContent(dataset.sources[0]).reason, "not readable yet: Vortex dataset");
}

TEST(Stores, AHintMustBeTheStoresFormat_DSC11) {
  TempDataset dir;
  dir.Write("s/CURRENT", Current());
  dir.Write("e/events.lance/_manifest.json", EventsManifest());
  dir.Write("foreign.lance/x", "");
  dir.Write("a.json", testing::Atif("a"));
  Context context;
  Mount mount = PositionalMount(dir.path());
  mount.format_hint = model::Format::kAtif;
  const auto snapshot = Snapshot::Build({mount}, Reporting(), context);
  ASSERT_TRUE(snapshot.ok());
  const CatalogDataset& dataset = (*snapshot)->datasets()[0];
  EXPECT_EQ(dataset.Find("a.json")->format_name, "atif");
  EXPECT_TRUE(dataset.Find("foreign.lance")->error.ok()) << "no trajectory store";
  EXPECT_EQ(dataset.Find("s")->error.message(),
            "the format hint 'atif' does not fit a store of format 'storyline'");
  EXPECT_FALSE(dataset.Find("e/events.lance")->error.ok());
  EXPECT_FALSE(Snapshot::Build({mount}, {}, context).ok());
  mount.format_hint = model::Format::kStoryline;
  const auto fitting = Snapshot::Build({mount}, Reporting(), context);
  ASSERT_TRUE(fitting.ok());
  EXPECT_TRUE((*fitting)->datasets()[0].Find("s")->error.ok());
}

TEST(Stores, ARemotelyInvalidManifestIsAnErrorOfItsPrefix_DSC12_CMF008) {
  const auto store = io::MakeMemoryStore();
  ASSERT_TRUE(store->Put("bad/chronicle.manifest", "kind = 3", true).ok());
  ASSERT_TRUE(store->Put("bad/a.json", "{}", true).ok());
  ASSERT_TRUE(store->Put("b.json", "{}", true).ok());
  Mount mount = PositionalMount("memory://test");
  mount.store = store;
  Context context;
  const auto snapshot = Snapshot::Build({mount}, Reporting(), context);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(Files((*snapshot)->datasets()[0]), (Strings{"b.json", "bad"}));
  EXPECT_FALSE((*snapshot)->datasets()[0].sources[1].error.ok());
}

}  // namespace
}  // namespace pchronicle::catalog
