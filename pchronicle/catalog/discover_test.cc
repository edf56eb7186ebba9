#include "pchronicle/catalog/discover.h"

#include <algorithm>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::catalog {
namespace {

using testing::Current;
using testing::EventsManifest;
using testing::Files;
using testing::Reporting;
using testing::Take;
using testing::TempDataset;

using Strings = std::vector<std::string>;

TEST(Discovery, ReferenceTreeGivesFourSources_DSC01_DSC04_DSC09_DSC14) {
  TempDataset dir;
  dir.Write("live/CURRENT", Current());
  dir.Write("live/generations/gen-1/runs.json", "{}");
  dir.Write("agents/codex/run-001/events.lance/_manifest.json", EventsManifest());
  dir.Write("agents/codex/run-001/events.lance/inner.json", "{}");
  dir.Write("imports/batch-a.atif.jsonl", "");
  dir.Write("imports/nested/session.json", "");
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(Files(dataset),
            (Strings{"agents/codex/run-001/events.lance", "imports/batch-a.atif.jsonl",
                     "imports/nested/session.json", "live"}));
  EXPECT_EQ(dataset.sources[0].kind, SourceKind::kStore);
  EXPECT_EQ(dataset.sources[0].format_name, "events");
  EXPECT_EQ(dataset.sources[1].kind, SourceKind::kFile);
  EXPECT_FALSE(dataset.sources[1].format_name) << "DSC-09";
  EXPECT_EQ(dataset.sources[3].format_name, "storyline");
  EXPECT_EQ(KnownContent(dataset.sources[3]).reason, "not readable yet: Storyline store");
  EXPECT_EQ(dataset.sources[3].size_bytes, Current().size());
}

TEST(Discovery, StoreAsRootIsADot_DSC02_CAT02) {
  TempDataset dir;
  dir.Write("CURRENT", Current());
  dir.Write("a.json", "{}");
  EXPECT_EQ(Files(Take(dir.path())->datasets()[0]), Strings{"."});
  TempDataset lance;
  lance.Write("t.lance/data/0.lance", "");
  const auto snapshot = Take(lance.path() + "/t.lance");
  EXPECT_EQ(Files(snapshot->datasets()[0]), Strings{"."});
  EXPECT_EQ(snapshot->datasets()[0].sources[0].ignored_reason, "Lance table, no trajectory store");
}

TEST(Discovery, FileAsRootIsItsName_DSC02) {
  TempDataset dir;
  dir.Write("sub/a.JSON", "{}");
  dir.Write("sub/b.json", "{}");
  dir.Write("notes.txt", "");
  dir.Write("doc.md", "---\n");
  EXPECT_EQ(Files(Take(dir.path() + "/sub/a.JSON")->datasets()[0]), Strings{"a.JSON"});
  EXPECT_EQ(Files(Take(dir.path() + "/doc.md")->datasets()[0]), Strings{"doc.md"});
  ASSERT_EQ(::symlink("sub/b.json", (dir.path() + "/l.json").c_str()), 0);
  const auto linked = Take(dir.path() + "/l.json");
  EXPECT_EQ(Files(linked->datasets()[0]), Strings{"l.json"});
  EXPECT_EQ(linked->datasets()[0].sources[0].size_bytes, 2u);
  Context context;
  EXPECT_EQ(
      Snapshot::Build({PositionalMount(dir.path() + "/notes.txt")}, {}, context).status().code(),
      StatusCode::kInvalidArgument);
}

TEST(Discovery, MissingOrStrangeRootFails_DSC03) {
  Context context;
  for (const char* path : {"/does/not/exist", "/dev/null"}) {
    EXPECT_FALSE(Snapshot::Build({PositionalMount(path)}, Reporting(), context).ok()) << path;
  }
}

TEST(Discovery, DotNamesLinksAndFifosAreCountedNotRead_DSC03a_DSC06_DSC16_CAT30) {
  TempDataset dir;
  dir.Write("a.json", "{}");
  dir.Write(".hidden/b.json", "{}");
  dir.Write(".pchronicle-storyline-stage-abc123/CURRENT", "{}");
  dir.Write(".c.json", "{}");
  dir.Write("d.txt", "");
  dir.Write("e.TXT", "");
  dir.Write("README", "");
  dir.Write("dir.json/f.json", "{}");
  ASSERT_EQ(::symlink("a.json", (dir.path() + "/link.json").c_str()), 0);
  ASSERT_EQ(::symlink(".", (dir.path() + "/loop").c_str()), 0);
  ASSERT_EQ(::mkfifo((dir.path() + "/pipe.json").c_str(), 0600), 0);
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(Files(snapshot->datasets()[0]), (Strings{"a.json", "dir.json/f.json"}));
  const std::vector<std::pair<std::string, uint64_t>> passed_over = {
      {".txt", 2}, {"dot name", 3}, {"no extension", 1}, {"special file", 1}, {"symlink", 2}};
  EXPECT_EQ(snapshot->datasets()[0].passed_over, passed_over);
}

TEST(Discovery, ForeignLanceIsOneSourceNeverSearched_DSC05_CAT04) {
  TempDataset dir;
  dir.Write("t.lance/_versions/1.manifest", "");
  dir.Write("t.lance/inner.json", "{}");
  dir.Write("x/events.lance/data.json", "{}");
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(Files(dataset), (Strings{"t.lance", "x/events.lance"}));
  for (const Source& source : dataset.sources) {
    EXPECT_EQ(source.kind, SourceKind::kStore);
    EXPECT_FALSE(source.format_name);
    EXPECT_EQ(KnownContent(source).status, ContentStatus::kIgnored);
    EXPECT_EQ(KnownContent(source).reason, "Lance table, no trajectory store");
  }
}

TEST(Discovery, EventsAndProjectionAreBothFound_DSC13) {
  TempDataset dir;
  dir.Write("k/events.lance/_manifest.json", EventsManifest());
  dir.Write("k/storyline/CURRENT", Current());
  EXPECT_EQ(Files(Take(dir.path())->datasets()[0]), (Strings{"k/events.lance", "k/storyline"}));
}

TEST(Discovery, NodeManifestsDecide_DSC12_CMF001_CMF008) {
  TempDataset dir;
  dir.Write("chronicle.manifest", "schema_version = 1\nkind = \"branch\" # top\n");
  dir.Write("loose.json", "{}");
  dir.Write("compact/chronicle.manifest",
            "schema_version = 1\nkind = \"leaf\"\nformat = \"compact-jsonl/v1\"\n");
  dir.Write("compact/a.jsonl", "{}");
  dir.Write("new/chronicle.manifest",
            "schema_version = 1\nkind = 'leaf'\nformat = 'later/v9'\n[stats]\nformat = 3\n");
  dir.Write("bad/chronicle.manifest", "schema_version = 2\nkind = \"leaf\"\n");
  dir.Write("bad/b.json", "{}");
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(Files(dataset), (Strings{"bad/b.json", "compact", "new"}));
  EXPECT_EQ(dataset.sources[1].format_name, "compact-jsonl/v1");
  EXPECT_EQ(dataset.sources[2].ignored_reason, "unsupported store format 'later/v9'");
  const std::vector<std::pair<std::string, uint64_t>> passed_over = {
      {".json", 1}, {"invalid chronicle.manifest", 1}};
  EXPECT_EQ(dataset.passed_over, passed_over);
}

TEST(Discovery, StorylineLeafWithoutCurrentIsAnError_CMF007) {
  TempDataset dir;
  dir.Write("s/chronicle.manifest",
            "schema_version = 1\nkind = \"leaf\"\nformat = \"storyline/v1\"\n");
  dir.Write("good.json", "{}");
  const auto snapshot = Take(dir.path(), Reporting());
  EXPECT_EQ(Files(snapshot->datasets()[0]), (Strings{"good.json", "s"}));
  EXPECT_FALSE(snapshot->datasets()[0].sources[1].error.ok());
  Context context;
  const Status strict = Snapshot::Build({PositionalMount(dir.path())}, {}, context).status();
  EXPECT_NE(strict.message().find("Dataset 'dataset': source 's'"), std::string::npos)
      << strict.message();
}

TEST(Discovery, NamesThatAreNoUtf8AreErrors_DSC02) {
  TempDataset dir;
  dir.Write("good.json", "{}");
  dir.Write("bad\xff.json", "{}");
  const auto snapshot = Take(dir.path(), Reporting());
  EXPECT_EQ(Files(snapshot->datasets()[0]), (Strings{"bad\\xff.json", "good.json"}));
  EXPECT_EQ(snapshot->datasets()[0].sources[0].error.message(), "the name is not UTF-8");
  Context context;
  EXPECT_FALSE(Snapshot::Build({PositionalMount(dir.path())}, {}, context).ok());
}

TEST(Discovery, KnownExtensionsAreListedAndNeverOpened_DSC16_BR57) {
  TempDataset dir;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.gz", "not read: compressed (gzip)"},
      {"b.txt.zst", "not read: compressed (zstd)"},
      {"c.tar.gz", "not read: archive (tar, gzip)"},
      {"d.traj", "not read: .traj file (SWE-agent)"},
      {"e.EVAL", "not read: .eval log (Inspect)"},
      {"f.parquet", "not read: Parquet table"},
      {"g.agent.meta.json", "metadata sidecar, not a trajectory"}};
  for (const auto& [name, reason] : files) {
    dir.Write(name, "x");
  }
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  ASSERT_EQ(dataset.sources.size(), files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(dataset.sources[i].file, files[i].first);
    EXPECT_TRUE(dataset.sources[i].error.ok());
    EXPECT_EQ(KnownContent(dataset.sources[i]).status, ContentStatus::kIgnored);
    EXPECT_EQ(KnownContent(dataset.sources[i]).reason, files[i].second);
  }
  EXPECT_EQ(dataset.store->counters().opens, 0u);
}

TEST(Discovery, ManyFilesCostOneStatEachAndNoOpen_CAT17_BR19_BR29) {
  TempDataset dir;
  for (int i = 0; i < 300; ++i) {
    dir.Write(fmt::format("d{}/f{}.json", i % 20, i), "{}");
  }
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(snapshot->datasets()[0].sources.size(), 300u);
  EXPECT_TRUE(std::is_sorted(snapshot->datasets()[0].sources.begin(),
                             snapshot->datasets()[0].sources.end(),
                             [](const Source& a, const Source& b) { return a.file < b.file; }));
  const io::Store::Counters counters = snapshot->datasets()[0].store->counters();
  EXPECT_EQ(counters.stats, 300u);
  EXPECT_EQ(counters.lists, 21u);
  EXPECT_EQ(counters.opens, 0u);
  for (const Source& source : snapshot->datasets()[0].sources) {
    EXPECT_EQ(ResolveCount(source), 0u) << "LZY-01";
  }
}

TEST(Discovery, LimitsFailUnderBothPoliciesAndNameThemselves_DSC07_LIM02_CAT25) {
  TempDataset dir;
  for (int i = 0; i < 5; ++i) {
    dir.Write(fmt::format("f{}.json", i), "{}");
  }
  Context context;
  for (const ErrorPolicy policy : {ErrorPolicy::kStrict, ErrorPolicy::kReport}) {
    SnapshotOptions options;
    options.errors = policy;
    options.limits.max_entries = 4;
    Status status = Snapshot::Build({PositionalMount(dir.path())}, options, context).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.message().find("max_entries 4"), std::string::npos) << status.message();
    options.limits = {};
    options.limits.max_files = 4;
    status = Snapshot::Build({PositionalMount(dir.path())}, options, context).status();
    EXPECT_NE(status.message().find("max_files 4"), std::string::npos) << status.message();
    options.limits.max_files = 5;
    EXPECT_TRUE(Snapshot::Build({PositionalMount(dir.path())}, options, context).ok());
  }
}

TEST(Discovery, ZeroLimitsAreRejectedByName_LIM01) {
  Context context;
  SnapshotOptions options;
  options.limits.max_record_bytes = 0;
  EXPECT_EQ(Snapshot::Build({PositionalMount("/tmp")}, options, context).status().message(),
            "max_record_bytes must be greater than 0");
}

TEST(Discovery, OversizedCandidateIsItsOwnError_PIN07) {
  TempDataset dir;
  dir.Write("big.json", "0123456789");
  dir.Write("small.json", "{}");
  SnapshotOptions options = Reporting();
  options.limits.max_file_bytes = 5;
  const auto snapshot = Take(dir.path(), options);
  EXPECT_EQ(snapshot->datasets()[0].sources[0].error.message(),
            "trajectory input big.json is 10 bytes, exceeding max_file_bytes 5");
  EXPECT_TRUE(snapshot->datasets()[0].sources[1].error.ok());
}

TEST(Discovery, MemoryStoreListsLikeADirectory_DSC08_BR28) {
  const auto store = io::MakeMemoryStore();
  ASSERT_TRUE(store->Put("live/CURRENT", Current(), true).ok());
  ASSERT_TRUE(store->Put("live/events.lance/_manifest.json", EventsManifest(), true).ok());
  ASSERT_TRUE(store->Put("live/x.json", "{}", true).ok());
  ASSERT_TRUE(store->Put("a b/c+d.json", "{}", true).ok());
  ASSERT_TRUE(store->Put("e/events.lance/_manifest.json", EventsManifest(), true).ok());
  ASSERT_TRUE(store->Put("e/events.lance/inner.json", "{}", true).ok());
  ASSERT_TRUE(store->Put("foreign.lance/inner.json", "{}", true).ok());
  Mount mount = PositionalMount("memory://test");
  mount.store = store;
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  EXPECT_EQ(Files((*snapshot)->datasets()[0]),
            (Strings{"a b/c+d.json", "e/events.lance", "foreign.lance", "live"}));
  EXPECT_EQ((*snapshot)->datasets()[0].sources[0].revision.display(), "version:4");
}

TEST(Revision, FingerprintIsTheReleasedLayout_SID03a_PIN05) {
  io::Entry entry;
  entry.size = 0x1234;
  entry.modified_ns = 1'700'000'000'123'456'789;
  entry.device = 7;
  entry.inode = 0xabcdef;
  std::string bytes = "/data/a.json";
  const auto append = [&bytes](uint64_t value, int width) {
    for (int i = 0; i < width; ++i) {
      bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 255 : 0);
    }
  };
  append(entry.size, 8);
  append(static_cast<uint64_t>(entry.modified_ns), 16);
  append(entry.device, 8);
  append(entry.inode, 8);
  const Revision revision = MakeRevision(entry, "/data/a.json");
  EXPECT_EQ(revision.display(), "local:" + Blake3Hex({bytes}));
  EXPECT_EQ(revision.kind, Revision::Kind::kLocalFile);
}

TEST(Revision, WeakPinsSaySo_PIN04_CAT39_CAT48) {
  io::Entry entry;
  entry.size = 10;
  entry.modified_ns = 0;
  EXPECT_EQ(MakeRevision(entry, "s3://b/k").display(), "object:10:1970-01-01T00:00:00Z:s3://b/k");
  entry.etag = "e";
  EXPECT_EQ(MakeRevision(entry, "s3://b/k").display(), "etag:e");
  entry.version = "v";
  EXPECT_EQ(MakeRevision(entry, "s3://b/k").display(), "version:v");
}

TEST(SnapshotId, IsTheReleasedLayout_SID01_SID02_SID03_CAT26) {
  TempDataset dir;
  dir.Write("a.json", "{}");
  dir.Write("b.json", "[]");
  const auto first = Take(dir.path());
  EXPECT_EQ(first->id().size(), 24u);
  EXPECT_EQ(first->id(), Take(dir.path())->id());
  const CatalogDataset& dataset = first->datasets()[0];
  std::string text = "dataset" + std::string(1, '\0') + dataset.root_uri;
  for (const Source& source : dataset.sources) {
    text += std::string(1, '\0') + source.file + std::string(1, '\0') + source.revision.display();
  }
  EXPECT_EQ(first->id(), Blake3Hex({text}, 24));
  dir.Write("c.json", "{}");
  const auto second = Take(dir.path());
  EXPECT_NE(second->id(), first->id());
  dir.Write("c.json", "{ }");
  EXPECT_NE(Take(dir.path())->id(), second->id());
}

TEST(Utf8, AcceptsExactlyTheScalarValues) {
  EXPECT_TRUE(json::IsValidUtf8("a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"));
  for (const char* bad :
       {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\x80"}) {
    EXPECT_FALSE(json::IsValidUtf8(bad));
  }
}

}  // namespace
}  // namespace pchronicle::catalog
