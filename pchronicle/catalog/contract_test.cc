#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <set>

#include "pchronicle/catalog/count.h"
#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/io/faulty_store.h"

// Statements of the catalog contract that cross several parts of this directory.

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::Files;
using testing::Reporting;
using testing::RunScan;
using testing::Scanned;
using testing::Take;
using testing::TempDataset;

using Strings = std::vector<std::string>;

constexpr Relation kRowRelations[] = {Relation::kRuns, Relation::kSteps, Relation::kToolCalls,
                                      Relation::kObservationResults, Relation::kTrajectories};

TEST(Discovery, TenThousandFilesCostOneStatEachAndNoOpen_BR29_CAT17) {
  TempDataset dir;
  constexpr int kFiles = 10'000;
  for (int i = 0; i < kFiles; ++i) {
    dir.Write(fmt::format("d{:02}/f{}.json", i % 100, i), "{}");
  }
  const auto snapshot = Take(dir.path());
  const CatalogDataset& dataset = snapshot->datasets()[0];
  EXPECT_EQ(dataset.sources.size(), size_t{kFiles});
  const io::Store::Counters counters = dataset.store->counters();
  EXPECT_EQ(counters.stats, uint64_t{kFiles});
  EXPECT_EQ(counters.lists, 101u);
  EXPECT_EQ(counters.opens, 0u);
  EXPECT_EQ(counters.bytes_read, 0u);
  // One file of them is wanted: one is opened, by every relation that is no tree (ADD-06).
  Context context;
  QueryScope scope(*snapshot, true, context);
  FilePredicate one;
  one.kind = FilePredicate::Kind::kEq;
  one.values = {"d07/f7.json"};
  uint64_t opens = 0;
  for (const Relation relation : kRowRelations) {
    const Scanned scanned = RunScan(scope, relation, {"_file_"}, one);
    EXPECT_TRUE(scanned.status.ok()) << scanned.status.ToString();
    EXPECT_EQ(scanned.matched, 1u);
    EXPECT_EQ(scanned.total, size_t{kFiles});
    EXPECT_LE(dataset.store->counters().opens - opens, 1u) << model::RelationName(relation);
    opens = dataset.store->counters().opens;
  }
  EXPECT_GE(opens, 1u);
  EXPECT_EQ(RunScan(scope, Relation::kSources, {"_file_"}, one).rows.size(), 1u);
  EXPECT_EQ(RunScan(scope, Relation::kEvents, {"_file_"}, one).rows.size(), 0u);
  EXPECT_EQ(dataset.store->counters().opens, opens);
}

TEST(Refresh, OnlyChangedFilesAreReadAgain_BR29) {
  TempDataset dir;
  constexpr int kFiles = 300;
  for (int i = 0; i < kFiles; ++i) {
    dir.Write(fmt::format("d{}/f{}.json", i % 7, i), Atif(fmt::format("s{}", i)));
  }
  Context context;
  const auto first = Take(dir.path());
  ASSERT_TRUE(CheckAll(*first, context, nullptr).ok());
  const std::string changed = Atif("s5", 4);
  dir.Write("d5/f5.json", changed);
  dir.Write("d0/new.json", Atif("new"));
  const auto second = Take(dir.path(), {}, first.get());
  ASSERT_TRUE(CheckAll(*second, context, nullptr).ok());
  const io::Store::Counters counters = second->datasets()[0].store->counters();
  EXPECT_EQ(counters.opens, 2u);
  EXPECT_EQ(counters.bytes_read, changed.size() + Atif("new").size());
  for (const Source& source : second->datasets()[0].sources) {
    EXPECT_EQ(KnownContent(source).status, ContentStatus::kReady) << source.file;
  }
}

TEST(Objects, PagesOfOddKeysAreListedWhole_BR28_DSC08) {
  const auto store = io::MakeMemoryStore();
  std::set<std::string> keys;
  for (int i = 0; i < 2'480; ++i) {
    keys.insert(fmt::format("p/k{:04}.json", i));
  }
  for (const char* odd : {"p/with blank.json", "p/plus+sign.json", "p/per%2Fcent.json",
                          "p/\xc3\xa9\xe4\xb8\xad.jsonl", "p/a'b\"c.json", "p/q?x=1&y#z.json",
                          "p/UPPER.JSON", "p/new\nline.json"}) {
    keys.insert(odd);
  }
  for (const std::string& key : keys) {
    ASSERT_TRUE(store->Put(key, Atif("s"), true).ok());
  }
  Mount mount = PositionalMount("memory://test");
  mount.store = store;
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const CatalogDataset& dataset = (*snapshot)->datasets()[0];
  EXPECT_EQ(Files(dataset), Strings(keys.begin(), keys.end()));
  EXPECT_EQ(store->counters().lists, 4u) << "one page of the root, three of the prefix";
  EXPECT_EQ(store->counters().stats, 0u);
  EXPECT_EQ(store->counters().opens, 0u);
  QueryScope scope(**snapshot, false, context);
  const Scanned runs = RunScan(scope, Relation::kRuns, {"_file_"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  EXPECT_EQ(runs.rows, Strings(keys.begin(), keys.end()));
  EXPECT_EQ(store->counters().lists, 4u) << "reading lists nothing again";
}

TEST(Objects, AChangedObjectFailsTheQuery_CAT19_CAT48) {
  const auto store = io::MakeMemoryStore();
  ASSERT_TRUE(store->Put("a.json", Atif("s"), true).ok());
  Mount mount = PositionalMount("memory://test");
  mount.store = store;
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_TRUE((*snapshot)->datasets()[0].sources[0].revision.display().starts_with("version:"));
  ASSERT_TRUE(store->Put("a.json", Atif("t"), false).ok());  // of the same size
  QueryScope scope(**snapshot, true, context);
  const Status status = RunScan(scope, Relation::kRuns, {}).status;
  EXPECT_EQ(status.code(), StatusCode::kConflict) << status.ToString();
}

TEST(Objects, LimitsOfRemoteFilesHoldAtBuild_PIN07_CAT25) {
  const auto store = io::MakeMemoryStore();
  ASSERT_TRUE(store->Put("a.json", std::string(100, ' '), true).ok());
  Mount mount = PositionalMount("memory://test");
  mount.store = store;
  Context context;
  SnapshotOptions options = Reporting();
  options.limits.max_detection_bytes = 99;
  const auto snapshot = Snapshot::Build({mount}, options, context);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ((*snapshot)->datasets()[0].sources[0].error.message(),
            "format detection input a.json is 100 bytes, exceeding max_detection_bytes 99");
  EXPECT_EQ(store->counters().opens, 0u);
}

TEST(Limits, ConcurrencyIsBoundedByBothOfItsLimits_LIM02) {
  TempDataset dir;
  for (int i = 0; i < 200; ++i) {
    dir.Write(fmt::format("f{}.json", i), Atif("s"));
  }
  const std::array<uint32_t, 3> cases[] = {{1, 9, 1}, {9, 1, 1}, {3, 5, 3}, {6, 2, 2}};
  for (const auto& [files, sources, threads] : cases) {
    SnapshotOptions options;
    options.limits.max_concurrent_files = files;
    options.limits.max_concurrent_sources = sources;
    const auto snapshot = Take(dir.path(), options);
    Context context;
    QueryScope scope(*snapshot, false, context);
    ScanRequest request;
    request.relation = Relation::kRuns;
    const auto scan = RelationScan::Create(scope, request);
    ASSERT_TRUE(scan.ok());
    EXPECT_EQ((*scan)->max_threads(), threads);
  }
}

TEST(Limits, EveryZeroIsRefusedByName_LIM01) {
  TempDataset dir;
  Context context;
  const std::pair<uint64_t Limits::*, std::string> limits[] = {
      {&Limits::max_files, "max_files"},
      {&Limits::max_entries, "max_entries"},
      {&Limits::max_detection_bytes, "max_detection_bytes"},
      {&Limits::max_record_bytes, "max_record_bytes"}};
  for (const auto& [member, name] : limits) {
    SnapshotOptions options;
    options.limits.*member = 0;
    EXPECT_EQ(Snapshot::Build({PositionalMount(dir.path())}, options, context).status().message(),
              name + " must be greater than 0");
  }
}

TEST(Identity, EqualIdsInTwoSourcesAreTwoRuns_CAT03_REL02) {
  TempDataset dir;
  dir.Write("a.json", Atif("same"));
  dir.Write("b.json", Atif("same", 2));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kTrajectories, {"_file_", "session_id", "step_count"}).rows,
            (Strings{"a.json|same|1", "b.json|same|2"}));
  for (const Relation relation : kRowRelations) {
    std::map<std::string, int> files;
    for (const std::string& row : RunScan(scope, relation, {"_file_"}).rows) {
      ++files[row];
    }
    for (const auto& [file, rows] : files) {
      EXPECT_TRUE(file == "a.json" || file == "b.json") << file;
    }
  }
}

TEST(Identity, ASnapshotIdIsNoChecksum_SID04) {
  TempDataset here, there;
  here.Write("a.json", "{}");
  there.Write("a.json", "{}");
  EXPECT_NE(Take(here.path())->id(), Take(there.path())->id()) << "equal bytes, two views";
}

TEST(Identity, ErrorsArePartOfTheSnapshotId_SID02_SID03) {
  TempDataset dir;
  dir.Write("a.json", "0123456789");
  SnapshotOptions small = Reporting();
  small.limits.max_file_bytes = 5;
  EXPECT_NE(Take(dir.path(), small)->id(), Take(dir.path())->id());
}

TEST(ErrorPolicy, ErrorCandidatesAppearInSourcesOnly_REL09_ERR03) {
  TempDataset dir;
  dir.Write("big.json", Atif("big", 40));
  dir.Write("good.json", Atif("good"));
  SnapshotOptions options = Reporting();
  options.limits.max_file_bytes = 1'000;
  const auto snapshot = Take(dir.path(), options);
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kSources, {"_file_", "status"}).rows,
            (Strings{"big.json|error", "good.json|ready"}));
  for (const Relation relation : kRowRelations) {
    const Scanned scanned = RunScan(scope, relation, {"_file_"});
    EXPECT_TRUE(scanned.status.ok()) << scanned.status.ToString();
    EXPECT_EQ(scanned.total, 1u);
  }
  EXPECT_EQ(RunScan(scope, Relation::kRunTree, {"_file_"}).rows, Strings{"good.json"});
}

TEST(ErrorPolicy, ScanErrorsFailUnlessAskedForAndChangeNoStatus_CAT22_LZY05) {
  TempDataset dir;
  dir.Write("bad.json", R"({"schema_version":"ATIF-v1.4","session_id":)");
  dir.Write("good.json", Atif("good"));
  for (const SnapshotOptions& options : {SnapshotOptions(), Reporting()}) {
    const auto snapshot = Take(dir.path(), options);
    Context context;
    QueryScope scope(*snapshot, false, context);
    const Status failed = RunScan(scope, Relation::kRuns, {"_file_"}).status;
    EXPECT_FALSE(failed.ok());
    EXPECT_NE(failed.message().find("bad.json"), std::string::npos) << failed.message();
    QueryScope asked(*snapshot, true, context);
    EXPECT_EQ(RunScan(asked, Relation::kRuns, {"_file_"}).rows, Strings{"good.json"});
    EXPECT_EQ(asked.problems().size(), 1u);
    EXPECT_EQ(RunScan(scope, Relation::kSources, {"_file_", "status"}).rows,
              (Strings{"bad.json|ready", "good.json|ready"}));
  }
}

TEST(Resolve, FailuresAreCachedWordForWord_LZY03_CAT13) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  const auto local = io::OpenLocalStore(dir.path());
  ASSERT_TRUE(local.ok());
  int opens = 0;
  Mount mount = PositionalMount(dir.path());
  mount.store = io::MakeFaultyStore(*local, [&](io::StoreCall call, std::string_view) {
    return call == io::StoreCall::kOpen && ++opens == 1 ? Status::Io("open: the disk is on fire")
                                                        : Status::Ok();
  });
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok());
  const CatalogDataset& dataset = (*snapshot)->datasets()[0];
  const Status first = Resolve(dataset, dataset.sources[0], {}).status();
  const Status second = Resolve(dataset, dataset.sources[0], {}).status();
  EXPECT_EQ(first.ToString(), "io: a.json: open: the disk is on fire");
  EXPECT_EQ(second.ToString(), first.ToString());
  EXPECT_EQ(opens, 1) << "the store would answer now, the snapshot stays as it is";
  EXPECT_EQ(ResolveCount(dataset.sources[0]), 1u);
}

TEST(Stores, NoDataRelationShowsWhatCannotBeRead_REL04_REL12_CAT06_CAT43) {
  TempDataset dir;
  dir.Write("c/chronicle.manifest",
            "schema_version = 1\nkind = \"leaf\"\nformat = \"compact-jsonl/v1\"\n"
            "[identity]\nfingerprint = \"lance:version:1\"\n[stats]\nrecord_count = 999\n"
            "failed_count = 7\n");
  dir.Write("c/rows.jsonl", Atif("inside") + "\n");
  dir.Write("s/CURRENT", testing::Current());
  dir.Write("f.json", Atif("file"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  for (const Relation relation : kRowRelations) {
    EXPECT_EQ(RunScan(scope, relation, {"_file_"}).total, 1u) << model::RelationName(relation);
  }
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"_file_"}).rows, Strings{"f.json"});
  EXPECT_TRUE(RunScan(scope, Relation::kEvents, {"_file_"}).rows.empty());
  // What a sidecar counts is no answer to a question.
  EXPECT_EQ(RunScan(scope, Relation::kSources, {"_file_", "format", "runs"}).rows,
            (Strings{"c|compact-jsonl/v1|NULL", "f.json|atif|NULL", "s|storyline|NULL"}));
}

/// A random predicate over paths, three levels deep at most.
FilePredicate RandomPredicate(int depth) {
  using Kind = FilePredicate::Kind;
  FilePredicate predicate;
  const bool leaf = depth == 0 || *rc::gen::inRange(0, 3) == 0;
  if (!leaf) {
    predicate.kind = *rc::gen::element(Kind::kAnd, Kind::kOr, Kind::kNot);
    const int children = predicate.kind == Kind::kNot ? 1 : *rc::gen::inRange(1, 4);
    for (int i = 0; i < children; ++i) {
      predicate.children.push_back(RandomPredicate(depth - 1));
    }
    return predicate;
  }
  predicate.kind = *rc::gen::element(Kind::kEq, Kind::kNe, Kind::kIn, Kind::kNotIn, Kind::kLike,
                                     Kind::kNotLike, Kind::kUnknown);
  const auto name = rc::gen::element<std::string>("a.json", "ab.json", "b/a.json", "b/b.json",
                                                  "c.jsonl", "absent.json");
  const auto pattern =
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc/%_.json")));
  switch (predicate.kind) {
    case Kind::kEq:
    case Kind::kNe:
      predicate.values = {*name};
      break;
    case Kind::kIn:
    case Kind::kNotIn:
      for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        predicate.values.push_back(*name);
      }
      break;
    case Kind::kLike:
    case Kind::kNotLike:
      predicate.values = {*pattern};
      break;
    default:
      break;
  }
  return predicate;
}

TEST(PruningProperty, TwoThousandPredicatesGiveTheUnprunedRows_PRN07_CAT37) {
  TempDataset dir;
  for (const char* name : {"a.json", "ab.json", "b/a.json", "b/b.json"}) {
    dir.Write(name, Atif(name, 2));
  }
  dir.Write("c.jsonl", Atif("c1") + "\n" + Atif("c2") + "\n");
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Strings all = RunScan(scope, Relation::kSteps, {"_file_", "session_id", "step_id"}).rows;
  int compared = 0;
  const auto holds = rc::check([&] {
    // One case of the checker stands for twenty predicates: its own bookkeeping is the dear part.
    for (int i = 0; i < 20; ++i) {
      const FilePredicate predicate = RandomPredicate(3);
      Strings expected;
      for (const std::string& row : all) {
        // A row is wanted unless the condition is surely false for its file.
        if (Evaluate(predicate, row.substr(0, row.find('|'))) != Truth::kFalse) {
          expected.push_back(row);
        }
      }
      const Scanned pruned =
          RunScan(scope, Relation::kSteps, {"_file_", "session_id", "step_id"}, predicate);
      RC_ASSERT(pruned.status.ok());
      RC_ASSERT(pruned.rows == expected);
      ++compared;
    }
  });
  EXPECT_TRUE(holds);
  EXPECT_GE(compared, 2'000);
}

}  // namespace
}  // namespace pchronicle::catalog
