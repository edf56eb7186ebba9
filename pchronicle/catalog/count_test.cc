#include "pchronicle/catalog/count.h"

#include <atomic>

#include "pchronicle/catalog/test_dataset_test.h"

namespace pchronicle::catalog {
namespace {

using testing::Atif;
using testing::Take;
using testing::TempDataset;

SourceContent Content(const Snapshot& snapshot, std::string_view file) {
  const Source* source = snapshot.datasets()[0].Find(file);
  EXPECT_NE(source, nullptr) << file;
  return source == nullptr ? SourceContent() : KnownContent(*source);
}

TEST(CheckAll, EveryFileGetsOneHonestLine_BR09_BR10_BR11_BR12_BR57_BR58) {
  TempDataset dir;
  dir.Write("atif.json", Atif("s"));
  dir.Write("bad_line.jsonl", Atif("a") + "\n{oops\n" + Atif("b") + "\n");
  dir.Write("binary.json", "\x89PNG\r\n\x1a\n");
  dir.Write("codex.jsonl", R"({"type":"session_meta","payload":{}})"
                           "\n");
  dir.Write("empty.json", "");
  dir.Write("nothing.json", "{}");
  dir.Write("open.jsonl", Atif("a") + "\n" + Atif("b").substr(0, 80));
  dir.Write("other.json", R"({"name":"x"})");
  dir.Write("utf16.json", std::string("\xff\xfe{\0}\0", 6));
  dir.Write("utf8.jsonl", Atif("a") + "\n" + Atif("b\xe6\x87") + "\n");
  dir.Write("z.zst", "x");
  const auto snapshot = Take(dir.path());
  Context context;
  std::atomic<size_t> calls{0};
  const Status status = CheckAll(*snapshot, context, [&calls](size_t done, size_t total) {
    EXPECT_LE(done, total);
    ++calls;
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(calls, 10u);

  EXPECT_EQ(Content(*snapshot, "atif.json").status, ContentStatus::kReady);
  EXPECT_EQ(Content(*snapshot, "atif.json").runs, 1u);
  EXPECT_EQ(Content(*snapshot, "atif.json").format, model::Format::kAtif);
  const SourceContent bad_line = Content(*snapshot, "bad_line.jsonl");
  EXPECT_EQ(bad_line.status, ContentStatus::kError);
  EXPECT_EQ(bad_line.runs, 2u);
  EXPECT_TRUE(bad_line.reason.starts_with("line 2, byte ")) << bad_line.reason;
  EXPECT_NE(bad_line.diagnostics.ToJson().find("lost_unit"), std::string::npos);
  EXPECT_EQ(Content(*snapshot, "binary.json").reason, "not JSON: PNG image");
  EXPECT_EQ(Content(*snapshot, "codex.jsonl").status, ContentStatus::kIgnored);
  EXPECT_EQ(Content(*snapshot, "codex.jsonl").reason, "not read yet: codex");
  EXPECT_EQ(Content(*snapshot, "empty.json").status, ContentStatus::kEmpty);
  EXPECT_EQ(Content(*snapshot, "nothing.json").status, ContentStatus::kEmpty);
  EXPECT_EQ(Content(*snapshot, "open.jsonl").status, ContentStatus::kOpen);
  EXPECT_EQ(Content(*snapshot, "open.jsonl").runs, 1u);
  EXPECT_EQ(Content(*snapshot, "other.json").reason, "not a trajectory (members: name)");
  EXPECT_EQ(Content(*snapshot, "utf16.json").status, ContentStatus::kError);
  const SourceContent utf8 = Content(*snapshot, "utf8.jsonl");
  EXPECT_EQ(utf8.status, ContentStatus::kError);
  EXPECT_EQ(utf8.runs, 1u);
  EXPECT_TRUE(utf8.reason.starts_with("line 2, byte ")) << utf8.reason;
  EXPECT_EQ(Content(*snapshot, "z.zst").reason, "not read: compressed (zstd)");
}

TEST(CheckAll, OfManyBadLinesTheFirstAreKeptAndAllAreCounted_ERR03) {
  constexpr size_t kBad = 3000;
  TempDataset dir;
  std::string text = Atif("first") + "\n";
  for (size_t i = 0; i < kBad; ++i) {
    text += "{\"bad\n";
  }
  dir.Write("a.jsonl", text);
  dir.Write("b.jsonl", Atif("b") + "\n{\"bad\n");
  const auto snapshot = Take(dir.path());
  Context context;
  ASSERT_TRUE(CheckAll(*snapshot, context).ok());
  const SourceContent content = Content(*snapshot, "a.jsonl");
  EXPECT_TRUE(content.reason.starts_with("line 2, byte ")) << content.reason;
  EXPECT_TRUE(content.reason.ends_with(" (and 2999 more)")) << content.reason;
  ASSERT_EQ(content.diagnostics.Sorted().size(), 1U);
  EXPECT_EQ(content.diagnostics.Sorted()[0].count, kBad);
  const auto counts = CountAll(*snapshot, context);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ((*counts)[0].problems.size(), QueryScope::kMostProblems + 1);
  EXPECT_EQ((*counts)[0].problems_left_out, kBad - QueryScope::kMostProblems);
}

TEST(CheckAll, SharedExtensionsAreToldApartByContent_BR58) {
  TempDataset dir;
  dir.Write("a.traj", std::string("\x01\x02\x03\x04 atoms\x05"));
  dir.Write("b.traj", R"({"trajectory":[{"action":"a","observation":"o","response":"r"}]})");
  dir.Write("c.eval", "PK\x03\x04 method 93");
  dir.Write("d.json", "\x89PNG\r\n\x1a\n");
  const auto snapshot = Take(dir.path());
  EXPECT_EQ(Content(*snapshot, "b.traj").reason, "not read: .traj file (SWE-agent)");
  Context context;
  ASSERT_TRUE(CheckAll(*snapshot, context).ok());
  EXPECT_EQ(Content(*snapshot, "a.traj").reason,
            "not read: .traj file (SWE-agent); not JSON: binary data");
  EXPECT_EQ(Content(*snapshot, "b.traj").reason, "not read yet: swe-agent");
  EXPECT_EQ(Content(*snapshot, "c.eval").reason,
            "not read: .eval log (Inspect); not JSON: zip archive");
  EXPECT_EQ(Content(*snapshot, "d.json").reason, "not JSON: PNG image");
  for (const char* file : {"a.traj", "b.traj", "c.eval", "d.json"}) {
    EXPECT_EQ(Content(*snapshot, file).status, ContentStatus::kIgnored) << file;
  }
}

TEST(CountAll, CountsEqualTheRelations_BR56) {
  TempDataset dir;
  std::string parent = Atif("parent", 3);
  parent.pop_back();
  parent += R"(,"subagent_trajectories":[)" + testing::Child("child", 2) + "]}";
  dir.Write("a.json", parent);
  dir.Write("b.jsonl", Atif("x") + "\n" + Atif("y", 4) + "\n");
  dir.Write("c.json", "broken");
  dir.Write("trajectory.json", R"({"schema_version":"ATIF-v1.4","steps":[!]})");
  const auto snapshot = Take(dir.path());
  Context context;
  const auto counts = CountAll(*snapshot, context);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  const DatasetCounts& dataset = (*counts)[0];
  EXPECT_EQ(dataset.sources.size(), 4u);
  QueryScope scope(*snapshot, true, context);
  EXPECT_EQ(dataset.total.runs, testing::RunScan(scope, model::Relation::kRuns, {}).rows.size());
  EXPECT_EQ(dataset.total.steps, testing::RunScan(scope, model::Relation::kSteps, {}).rows.size());
  EXPECT_EQ(dataset.total.runs, 4u);
  EXPECT_EQ(dataset.total.steps, 10u);
  EXPECT_EQ(dataset.sources[0].runs, 2u);
  EXPECT_EQ(dataset.top_level_runs, 3u);
  ASSERT_EQ(dataset.problems.size(), 1u);
  EXPECT_EQ(dataset.problems[0].file, "trajectory.json");
  EXPECT_EQ(Content(*snapshot, "trajectory.json").status, ContentStatus::kError);
}

TEST(CheckAll, RefreshReadsOnlyWhatChanged_BR29) {
  TempDataset dir;
  for (int i = 0; i < 30; ++i) {
    dir.Write(fmt::format("f{:02}.json", i), Atif("s"));
  }
  const auto first = Take(dir.path());
  Context context;
  ASSERT_TRUE(CheckAll(*first, context).ok());
  EXPECT_EQ(first->datasets()[0].store->counters().opens, 30u);
  dir.Write("f07.json", Atif("changed"));
  const auto second = Take(dir.path(), {}, first.get());
  ASSERT_TRUE(CheckAll(*second, context).ok());
  EXPECT_EQ(second->datasets()[0].store->counters().opens, 1u);
  EXPECT_EQ(second->datasets()[0].store->counters().bytes_read, Atif("changed").size());
  EXPECT_EQ(Content(*second, "f08.json").status, ContentStatus::kReady);
}

}  // namespace
}  // namespace pchronicle::catalog
