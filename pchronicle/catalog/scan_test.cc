#include "pchronicle/catalog/scan.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "pchronicle/catalog/count.h"
#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/io/faulty_store.h"

namespace pchronicle::catalog {
namespace {

using model::Relation;
using testing::Atif;
using testing::Reporting;
using testing::RunScan;
using testing::Scanned;
using testing::Take;
using testing::TempDataset;

using Strings = std::vector<std::string>;

FilePredicate FileIs(std::string file) {
  FilePredicate predicate;
  predicate.kind = FilePredicate::Kind::kEq;
  predicate.values = {std::move(file)};
  return predicate;
}

TEST(Scan, RowsComeInFileThenByteOrder_REL14) {
  TempDataset dir;
  dir.Write("b.json", Atif("s2", 2));
  dir.Write("a.jsonl", Atif("s0") + "\n" + Atif("s1", 3) + "\n");
  dir.Write("c/d.json", "[" + Atif("s3") + "," + Atif("s4") + "]");
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned runs = RunScan(scope, Relation::kRuns, {"_file_", "session_id"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  EXPECT_EQ(runs.rows,
            (Strings{"a.jsonl|s0", "a.jsonl|s1", "b.json|s2", "c/d.json|s3", "c/d.json|s4"}));
  const Scanned steps = RunScan(scope, Relation::kSteps, {"session_id", "step_id"});
  EXPECT_EQ(steps.rows, (Strings{"s0|1", "s1|1", "s1|2", "s1|3", "s2|1", "s2|2", "s3|1", "s4|1"}));
}

TEST(Scan, CountNeedsNoColumn_REL06_STL121) {
  TempDataset dir;
  dir.Write("a.jsonl", Atif("s0") + "\n" + Atif("s1", 3) + "\n");
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {}).rows.size(), 4u);
  EXPECT_EQ(RunScan(scope, Relation::kEvents, {}).rows.size(), 0u) << "REL-04, CAT-06";
}

TEST(Scan, FilePredicateOpensExactlyOneFile_CAT11_PRN01_LZY01) {
  TempDataset dir;
  for (int i = 0; i < 50; ++i) {
    dir.Write(fmt::format("f{:02}.json", i), Atif(fmt::format("s{}", i)));
  }
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  for (const Relation relation : {Relation::kRuns, Relation::kSteps, Relation::kToolCalls,
                                  Relation::kObservationResults, Relation::kTrajectories}) {
    const Scanned scanned = RunScan(scope, relation, {"_file_"}, FileIs("f07.json"));
    EXPECT_TRUE(scanned.status.ok());
    EXPECT_EQ(scanned.total, 50u);
    EXPECT_EQ(scanned.matched, 1u);
  }
  for (const Source& source : snapshot->datasets()[0].sources) {
    EXPECT_EQ(ResolveCount(source), source.file == "f07.json" ? 1u : 0u) << source.file;
  }
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"_file_"}, FileIs("absent")).matched, 0u);
}

TEST(Scan, OneSmallFileIsOpenedAndReadOnce) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  ASSERT_TRUE(RunScan(scope, Relation::kRuns, {"session_id"}).status.ok());
  const io::Store::Counters counters = snapshot->datasets()[0].store->counters();
  EXPECT_EQ(counters.opens, 1u);
  EXPECT_EQ(counters.reads, 1u);
  EXPECT_EQ(scope.metrics().sources_opened, 1u);
  EXPECT_EQ(scope.metrics().rows_emitted, 1u);
  EXPECT_GT(scope.metrics().bytes_read, 0u);
}

TEST(Scan, SourcesRelationNeverResolves_REL11_CAT38) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  dir.Write("b.gz", "x");
  dir.Write("live/CURRENT", testing::Current());
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned before = RunScan(
      scope, Relation::kSources,
      {"_file_", "format", "kind", "size_bytes", "status", "content_status", "reason", "runs"});
  EXPECT_EQ(
      before.rows,
      (Strings{fmt::format("a.json|NULL|file|{}|ready|NULL|NULL|NULL", Atif("s").size()),
               "b.gz|NULL|file|1|ready|ignored|not read: compressed (gzip)|NULL",
               fmt::format("live|storyline|store|{}|ready|ignored|not readable yet: Storyline "
                           "store|NULL",
                           testing::Current().size())}));
  EXPECT_EQ(snapshot->datasets()[0].store->counters().opens, 1u) << "the marker of the store";
  ASSERT_TRUE(CheckAll(*snapshot, context).ok());
  const Scanned after =
      RunScan(scope, Relation::kSources, {"format", "content_status", "runs"}, FileIs("a.json"));
  EXPECT_EQ(after.rows, Strings{"atif|ready|1"});
  EXPECT_EQ(RunScan(scope, Relation::kSources, {}).rows.size(), 3u);
}

TEST(Scan, StrictNamesFileLineByteAndPointer_BR10_ERR01) {
  TempDataset dir;
  std::string lines;
  uint64_t bad_line_at = 0;
  for (int i = 1; i <= 100; ++i) {
    const std::string line = Atif(fmt::format("s{}", i));
    bad_line_at = i == 41 ? lines.size() : bad_line_at;
    lines += (i == 41 ? line.substr(0, 60) : line) + "\n";
  }
  dir.Write("sub/x.jsonl", lines);
  dir.Write("good.json", Atif("g"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope strict(*snapshot, false, context);
  const Status status = RunScan(strict, Relation::kSteps, {"session_id"}).status;
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.message().starts_with("sub/x.jsonl: line 41, byte ")) << status.message();
  QueryScope report(*snapshot, true, context);
  const Scanned scanned = RunScan(report, Relation::kSteps, {"session_id"});
  ASSERT_TRUE(scanned.status.ok()) << scanned.status.ToString();
  EXPECT_EQ(scanned.rows.size(), 100u) << "99 lines and the good file";
  ASSERT_EQ(report.problems().size(), 1u);
  EXPECT_EQ(report.problems()[0].line, 41u);
  EXPECT_GE(report.problems()[0].byte_offset, bad_line_at);
  EXPECT_FALSE(report.restart_requested());
}

TEST(Scan, ManyProblemsAreFoundWithOneMoreReading) {
  TempDataset dir;
  std::string lines;
  for (int i = 0; i < 3000; ++i) {
    lines += (i % 3 == 0 ? "{oops" : Atif(fmt::format("s{}", i))) + "\n";
  }
  dir.Write("a.jsonl", lines);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"session_id"}).rows.size(), 2000u);
  const auto problems = scope.problems();
  ASSERT_EQ(problems.size(), 1000u);
  for (size_t i = 0; i < problems.size(); ++i) {
    ASSERT_EQ(problems[i].line, 3 * i + 1);
  }
  EXPECT_LT(snapshot->datasets()[0].store->counters().bytes_read, 4 * lines.size());
}

TEST(Scan, ChildErrorLeavesTheParent_BR08) {
  TempDataset dir;
  std::string text = Atif("parent", 2);
  text.pop_back();
  std::string child = testing::Child("child");
  child.replace(child.find("\"step_id\":1"), 11, "\"step_id\":[]");
  text += R"(,"subagent_trajectories":[)" + child + "," + testing::Child("sibling") + "]}";
  dir.Write("a.json", text);
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope report(*snapshot, true, context);
  Scanned scanned = RunScan(report, Relation::kSteps, {"session_id"});
  ASSERT_TRUE(scanned.status.ok()) << scanned.status.ToString();
  if (report.restart_requested()) {
    report.BeginRestart();
    scanned = RunScan(report, Relation::kSteps, {"session_id"});
  }
  EXPECT_EQ(scanned.rows, (Strings{"parent", "parent", "sibling"}));
  ASSERT_EQ(report.problems().size(), 1u);
  EXPECT_NE(report.problems()[0].pointer.find("/subagent_trajectories/0"), std::string::npos)
      << report.problems()[0].ToString();
}

TEST(Scan, AllScansOfAQueryLeaveOutTheSameUnits_STL127) {
  TempDataset dir;
  std::string bad = Atif("bad");
  bad.replace(bad.find("m1"), 2, "\xe6\x87");
  dir.Write("a.jsonl", Atif("good") + "\n" + bad + "\n");
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"session_id"}).rows, (Strings{"good", "bad"}))
      << "a skipped value is not looked into";
  EXPECT_FALSE(scope.restart_requested());
  ASSERT_TRUE(RunScan(scope, Relation::kSteps, {"message_value"}).status.ok());
  ASSERT_TRUE(scope.restart_requested()) << "the first scan has handed on a run that is lost";
  scope.BeginRestart();
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"session_id"}).rows, Strings{"good"});
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {"message_value"}).rows.size(), 1u);
  EXPECT_FALSE(scope.restart_requested());
  EXPECT_EQ(scope.problems().size(), 1u);
  QueryScope other(*snapshot, false, context);
  EXPECT_EQ(RunScan(other, Relation::kRuns, {"session_id"}).rows, (Strings{"good", "bad"}))
      << "what one query lost is no other's business";
}

TEST(Scan, FileChangedSinceDiscoveryFailsUnderEveryPolicy_CAT18_STL110) {
  for (const bool report_errors : {false, true}) {
    TempDataset dir;
    dir.Write("a.json", Atif("s"));
    const auto snapshot = Take(dir.path());
    dir.Write("a.json", Atif("longer"));
    Context context;
    QueryScope scope(*snapshot, report_errors, context);
    const Status status = RunScan(scope, Relation::kRuns, {"session_id"}).status;
    EXPECT_EQ(status.code(), StatusCode::kConflict);
    EXPECT_EQ(status.message(), "a.json: changed since discovery");
    EXPECT_EQ(RunScan(scope, Relation::kSteps, {}).status.message(), status.message()) << "LZY-03";
  }
}

TEST(Scan, FileGoneSinceDiscoverySaysSo_BR30) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  std::filesystem::remove(dir.path() + "/a.json");
  Context context;
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {}).status.message(), "a.json: gone since discovery");
}

TEST(Scan, ChangeWhileReadingIsSeenAtTheEnd_CAT18) {
  const auto base = io::MakeMemoryStore();
  TempDataset dir;
  std::string lines;
  while (lines.size() < (1 << 20)) {
    lines += Atif("s") + "\n";
  }
  dir.Write("a.jsonl", lines);
  const auto local = io::OpenLocalStore(dir.path());
  int reads = 0;
  Mount mount = PositionalMount(dir.path());
  mount.store = io::MakeFaultyStore(*local, [&](io::StoreCall call, std::string_view) {
    if (call == io::StoreCall::kRead && ++reads == 3) {
      std::ofstream(dir.path() + "/a.jsonl", std::ios::app) << Atif("late") << "\n";
    }
    return Status::Ok();
  });
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  ASSERT_TRUE(snapshot.ok());
  QueryScope scope(**snapshot, true, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {}).status.code(), StatusCode::kConflict);
}

TEST(Scan, NewFilesAppearInTheNextSnapshotOnly_CAT20) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  dir.Write("b.json", Atif("t"));
  Context context;
  QueryScope scope(*snapshot, false, context);
  EXPECT_EQ(RunScan(scope, Relation::kRuns, {"session_id"}).rows, Strings{"s"});
  EXPECT_EQ(Take(dir.path())->datasets()[0].sources.size(), 2u);
}

TEST(Scan, StorageErrorsAreReportedOrFatal_LZY05_ERR03) {
  const auto base = io::MakeMemoryStore();
  ASSERT_TRUE(base->Put("a.json", Atif("s"), true).ok());
  ASSERT_TRUE(base->Put("b.json", Atif("t"), true).ok());
  Mount mount = PositionalMount("memory://x");
  mount.store = io::MakeFaultyStore(base, [](io::StoreCall call, std::string_view path) {
    return call == io::StoreCall::kOpen && path == "a.json" ? Status::PermissionDenied("no")
                                                            : Status::Ok();
  });
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  QueryScope strict(**snapshot, false, context);
  EXPECT_EQ(RunScan(strict, Relation::kRuns, {"session_id"}).status.message(), "a.json: no");
  QueryScope report(**snapshot, true, context);
  const Scanned scanned = RunScan(report, Relation::kRuns, {"session_id"});
  EXPECT_TRUE(scanned.status.ok());
  EXPECT_EQ(scanned.rows, Strings{"t"});
  ASSERT_EQ(report.problems().size(), 1u);
  EXPECT_EQ(report.problems()[0].ToString(), "a.json: no");
}

TEST(Scan, ShortReadsGiveTheSameRows) {
  const auto base = io::MakeMemoryStore();
  std::string lines;
  for (int i = 0; i < 5000; ++i) {
    lines += Atif(fmt::format("s{}", i)) + "\n";
  }
  ASSERT_TRUE(base->Put("a.jsonl", lines, true).ok());
  ASSERT_TRUE(base->Put("b.json", Atif("t"), true).ok());
  Mount mount = PositionalMount("memory://x");
  mount.store = io::MakeFaultyStore(
      base, [](io::StoreCall, std::string_view) { return Status::Ok(); }, 777);
  Context context;
  const auto snapshot = Snapshot::Build({mount}, {}, context);
  QueryScope scope(**snapshot, false, context);
  const Scanned scanned = RunScan(scope, Relation::kRuns, {"session_id"});
  ASSERT_TRUE(scanned.status.ok()) << scanned.status.ToString();
  ASSERT_EQ(scanned.rows.size(), 5001u);
  EXPECT_EQ(scanned.rows[4999], "s4999");
}

TEST(Scan, MixedKindsOfFilesNeverFailAQuery_D13_CAT31) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  dir.Write("b.json", R"({"x":1})");
  dir.Write("c.json", "");
  dir.Write("d.json", "\x89PNG\r\n\x1a\n");
  dir.Write("e.jsonl", R"({"type":"session_meta","payload":{}})"
                       "\n");
  dir.Write("f.tar.gz", "x");
  dir.Write("g.jsonl", Atif("t") + "\n" + Atif("cut").substr(0, 70));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned scanned = RunScan(scope, Relation::kRuns, {"session_id"});
  ASSERT_TRUE(scanned.status.ok()) << scanned.status.ToString();
  EXPECT_EQ(scanned.rows, (Strings{"s", "t"})) << "BR-11";
}

TEST(Scan, WholeFileErrorsAreProblemsOfTheFile_BR16) {
  TempDataset dir;
  dir.Write("a.json", std::string("\xff\xfe{\0}\0", 6));
  dir.Write("b.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope report(*snapshot, true, context);
  EXPECT_EQ(RunScan(report, Relation::kRuns, {"session_id"}).rows, Strings{"s"});
  ASSERT_EQ(report.problems().size(), 1u);
  EXPECT_NE(report.problems()[0].ToString().find("UTF-16 text; convert it to UTF-8"),
            std::string::npos);
}

TEST(Scan, CancellationStopsEveryTask_LZY04) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  const auto snapshot = Take(dir.path());
  Context cancelled;
  cancelled.Cancel();
  QueryScope scope(*snapshot, true, cancelled);
  for (const Relation relation : {Relation::kRuns, Relation::kSources, Relation::kRunTree}) {
    EXPECT_EQ(RunScan(scope, relation, {}).status.code(), StatusCode::kCancelled);
  }
  EXPECT_EQ(CheckAll(*snapshot, cancelled).code(), StatusCode::kCancelled);
  Context context;
  QueryScope next(*snapshot, false, context);
  EXPECT_EQ(RunScan(next, Relation::kRuns, {"session_id"}).rows, Strings{"s"})
      << "the cell is not poisoned";
}

TEST(Scan, ThreadsShareOneResolve_LZY02_CAT13) {
  TempDataset dir;
  for (int i = 0; i < 20; ++i) {
    dir.Write(fmt::format("f{:02}.json", i), Atif(fmt::format("s{}", i)));
  }
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  std::vector<std::thread> threads;
  std::vector<size_t> rows(4);
  for (size_t t = 0; t < rows.size(); ++t) {
    threads.emplace_back(
        [&, t] { rows[t] = RunScan(scope, Relation::kRuns, {"session_id"}).rows.size(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(rows, std::vector<size_t>(4, 20));
  for (const Source& source : snapshot->datasets()[0].sources) {
    EXPECT_EQ(ResolveCount(source), 1u);
  }
}

/// A line file of more than two ranges.
std::string BigLines(size_t* count, size_t repeat_last_id_of = SIZE_MAX) {
  std::string lines;
  const std::string padding(2000, 'x');
  for (*count = 0; lines.size() < (20 << 20); ++*count) {
    std::string line = Atif(fmt::format("s{}", *count));
    line.insert(line.size() - 1, fmt::format(R"(,"extra":{{"pad":"{}"}})", padding));
    lines += line + "\n";
  }
  if (repeat_last_id_of != SIZE_MAX) {
    lines += Atif(fmt::format("s{}", repeat_last_id_of)) + "\n";
    ++*count;
  }
  return lines;
}

TEST(Scan, LargeLineFilesAreReadInRangesWithEqualRows_STL128_BR19) {
  TempDataset dir;
  size_t count = 0;
  dir.Write("a.jsonl", BigLines(&count));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  auto scan = RelationScan::Create(scope, {0, Relation::kRuns, {}, {}, {}});
  ASSERT_TRUE(scan.ok());
  size_t tasks = 0;
  uint64_t last = 0;
  for (auto task = (*scan)->NextTask(); task.ok() && *task != nullptr; task = (*scan)->NextTask()) {
    EXPECT_TRUE(tasks == 0 || (*task)->order() > last);
    last = (*task)->order();
    ++tasks;
  }
  EXPECT_EQ(tasks, 3u);
  const Scanned split = RunScan(scope, Relation::kRuns, {"session_id", "document_id"});
  ASSERT_TRUE(split.status.ok()) << split.status.ToString();
  const Scanned serial =
      RunScan(scope, Relation::kRuns, {"session_id", "document_id", "storage_ordinal"});
  ASSERT_EQ(split.rows.size(), count);
  ASSERT_EQ(serial.rows.size(), count);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(split.rows[i] + fmt::format("|{}", i), serial.rows[i]);
  }
  EXPECT_FALSE(scope.restart_requested());
  EXPECT_EQ(RunScan(scope, Relation::kSteps, {}).rows.size(), count);
  EXPECT_LT(scope.metrics().buffer_peak_bytes, 4u << 20) << "STL-117";
}

TEST(Scan, IdsThatCollideAcrossRangesRestartTheQuery_STL127_STL128_D8) {
  TempDataset dir;
  size_t count = 0;
  dir.Write("a.jsonl", BigLines(&count, 0));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  ASSERT_TRUE(RunScan(scope, Relation::kRuns, {"document_id"}).status.ok());
  ASSERT_TRUE(scope.restart_requested());
  scope.BeginRestart();
  const Scanned again = RunScan(scope, Relation::kRuns, {"document_id"});
  EXPECT_FALSE(scope.restart_requested());
  EXPECT_EQ(scope.metrics().restarts, 1u);
  ASSERT_EQ(again.rows.size(), count);
  EXPECT_EQ(again.rows.back(), again.rows.front() + "~2");
}

TEST(Scan, RunTreeReadsEverySourceWhateverTheFilePredicate_ADD06) {
  TempDataset dir;
  dir.Write("a.json", Atif("s"));
  dir.Write("b.json", Atif("t"));
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned tree =
      RunScan(scope, Relation::kRunTree, {"_file_", "session_id", "depth"}, FileIs("a.json"));
  ASSERT_TRUE(tree.status.ok()) << tree.status.ToString();
  EXPECT_EQ(tree.matched, 2u);
  EXPECT_EQ(tree.rows, (Strings{"a.json|s|0", "b.json|t|0"}));
}

TEST(Scan, LimitsFailUnderReportAndNameThemselves_LIM02_CAT25) {
  TempDataset dir;
  std::string text = Atif("s");
  text.replace(text.find("\"m1\""), 4, "\"" + std::string(300'000, 'x') + "\"");
  dir.Write("a.jsonl", text + "\n");
  SnapshotOptions options;
  options.limits.max_record_bytes = 100'000;
  const auto snapshot = Take(dir.path(), options);
  Context context;
  QueryScope scope(*snapshot, true, context);
  const Status status = RunScan(scope, Relation::kSteps, {"message_value"}).status;
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find("max_record_bytes 100000"), std::string::npos)
      << status.message();
  QueryScope counting(*snapshot, false, context);
  const Scanned counted = RunScan(counting, Relation::kSteps, {});
  EXPECT_TRUE(counted.status.ok()) << counted.status.ToString();
  EXPECT_EQ(counted.rows.size(), 1u) << "skipped values cost nothing (D14)";
}

TEST(Scan, EmptyDatasetHasEveryRelation_REL01_CAT05) {
  TempDataset dir;
  const auto snapshot = Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  for (int relation = 0; relation < model::kRelationCount; ++relation) {
    const Scanned scanned = RunScan(scope, static_cast<Relation>(relation), {"_file_"});
    EXPECT_TRUE(scanned.status.ok());
    EXPECT_TRUE(scanned.rows.empty());
    EXPECT_EQ(scanned.total, 0u);
  }
}

RC_GTEST_PROP(ScanProperty, PruningByFileNeverChangesTheRows_PRN07_CAT37, ()) {
  static TempDataset dir;
  static const std::shared_ptr<const Snapshot> snapshot = [] {
    for (const char* name : {"a.json", "ab.json", "b/a.json", "b/b.json"}) {
      dir.Write(name, Atif(name));
    }
    return Take(dir.path());
  }();
  FilePredicate predicate;
  predicate.kind = *rc::gen::element(FilePredicate::Kind::kLike, FilePredicate::Kind::kNotLike);
  predicate.values = {
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/%_.json")))};
  Context context;
  QueryScope scope(*snapshot, false, context);
  std::vector<std::string> expected;
  for (const std::string& row : RunScan(scope, Relation::kRuns, {"_file_"}).rows) {
    if (Evaluate(predicate, row) == Truth::kTrue) {
      expected.push_back(row);
    }
  }
  RC_ASSERT(RunScan(scope, Relation::kRuns, {"_file_"}, predicate).rows == expected);
}

}  // namespace
}  // namespace pchronicle::catalog
