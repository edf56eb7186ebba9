// Compressed sources give what their text gives, in every relation and format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "pchronicle/catalog/compressed_input.h"
#include "pchronicle/catalog/problem.h"
#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/json/compress_test_support.h"

namespace pchronicle::catalog {
namespace {

using json::testing_support::Gzip;
using model::Relation;
using testing::Atif;
using testing::RunScan;
using testing::Scanned;
using Strings = std::vector<std::string>;

constexpr Relation kAll[] = {Relation::kRuns,         Relation::kSteps,
                             Relation::kToolCalls,    Relation::kObservationResults,
                             Relation::kTrajectories, Relation::kRunTree};

std::vector<std::string> AllColumns(Relation relation) {
  std::vector<std::string> names;
  for (const auto& column : model::RelationColumns(relation)) {
    names.emplace_back(column.field.name);
  }
  return names;
}

/// Rows of all relations, problems, and the content status of every file, without the extensions of
/// compression.
std::string Everything(const std::string& path) {
  const auto snapshot = testing::Take(path, testing::Reporting());
  Context context;
  std::string all;
  QueryScope scope(*snapshot, true, context);
  for (int pass = 0; pass < 2; ++pass) {
    all.clear();
    for (const Relation relation : kAll) {
      const Scanned scanned = RunScan(scope, relation, AllColumns(relation));
      EXPECT_TRUE(scanned.status.ok()) << scanned.status.ToString();
      all += std::string(model::RelationName(relation)) + "\n";
      for (const std::string& row : scanned.rows) {
        all += row + "\n";
      }
    }
    if (!scope.restart_requested()) {
      break;
    }
    scope.BeginRestart();
  }
  for (SourceProblem problem : scope.problems()) {
    problem.in_decompressed = false;
    all += problem.ToString() + "\n";
  }
  EXPECT_TRUE(CheckAll(*snapshot, context).ok());
  for (const Source& source : snapshot->datasets()[0].sources) {
    const SourceContent content = KnownContent(source);
    all += fmt::format("{} {} {} {}\n", source.file, ContentStatusName(content.status),
                       content.runs.value_or(0), content.reason);
  }
  for (const std::string_view suffix : {".gz", ".zst", " of the decompressed text"}) {
    for (size_t at = 0; (at = all.find(suffix, at)) != std::string::npos;) {
      all.erase(at, suffix.size());
    }
  }
  return all;
}

/// The seeds of the format fuzzers: texts of all formats, many of them odd. Name and text.
std::vector<std::pair<std::string, std::string>> Seeds() {
  namespace fs = std::filesystem;
  std::vector<std::pair<std::string, std::string>> seeds;
  for (const std::string_view format : {"atif", "openai", "actf", "storyline", "chat", "detect"}) {
    for (const auto& entry :
         fs::directory_iterator(fs::path(PCHRONICLE_SOURCE_DIR) / "fuzz/corpus" / format)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
      if (bytes.empty()) {
        continue;
      }
      seeds.emplace_back(fmt::format("{}_{}{}", format, entry.path().stem().string(),
                                     (bytes[0] & 1) != 0 ? ".jsonl" : ".json"),
                         bytes.substr(1));
    }
  }
  return seeds;
}

TEST(CompressedScan, GivesWhatTheTextGivesInEveryRelationAndFormat_BR57) {
  const auto seeds = Seeds();
  ASSERT_GT(seeds.size(), 30U);
  testing::TempDataset plain, gzip, zstd;
  for (const auto& [name, text] : seeds) {
    plain.Write(name, text);
    gzip.Write(name + ".gz", Gzip(text));
    zstd.Write(name + ".zst", json::testing_support::Zstd(text));
  }
  const std::string expected = Everything(plain.path());
  EXPECT_GT(expected.size(), 20'000U);
  EXPECT_EQ(Everything(gzip.path()), expected);
  EXPECT_EQ(Everything(zstd.path()), expected);
}

TEST(CompressedScan, TellsTheContentByItsBytesNotByItsName_BR58) {
  testing::TempDataset dir;
  dir.Write("gzip.json", Gzip(Atif("s1")));
  dir.Write("plain.json.gz", Atif("s2"));
  dir.Write("zstd.jsonl.gz", json::testing_support::Zstd(Atif("s3") + "\n" + Atif("s4") + "\n"));
  dir.Write("UPPER.JSON.GZ", Gzip(Atif("s5")));
  dir.Write("png.json.gz", Gzip("\x89PNG\r\n\x1a\n"));
  dir.Write("other.gz", Gzip(Atif("s6")));
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned runs = RunScan(scope, Relation::kRuns, {"_file_", "session_id"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  EXPECT_EQ(runs.rows, (Strings{"UPPER.JSON.GZ|s5", "gzip.json|s1", "plain.json.gz|s2",
                                "zstd.jsonl.gz|s3", "zstd.jsonl.gz|s4"}));
  const Scanned sources = RunScan(scope, Relation::kSources, {"_file_", "reason"});
  EXPECT_THAT(sources.rows, ::testing::Contains("other.gz|not read: compressed (gzip)"));
  EXPECT_THAT(sources.rows, ::testing::Contains("png.json.gz|not JSON: PNG image"));
}

TEST(CompressedScan, ACutLineFileIsOpenAndLosesNothingBeforeTheCut_BR11) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += Atif(fmt::format("session-{}-{}", i, i * 7919 % 1013), 3) + "\n";
  }
  const std::string compressed = Gzip(text);
  testing::TempDataset dir;
  dir.Write("cut.jsonl.gz", compressed.substr(0, compressed.size() / 2));
  dir.Write("tail.jsonl.gz", compressed.substr(0, compressed.size() - 5));  // in the trailer
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned runs = RunScan(scope, Relation::kRuns, {"_file_", "session_id"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  const auto in_tail = std::count_if(runs.rows.begin(), runs.rows.end(), [](const auto& row) {
    return row.starts_with("tail.jsonl.gz");
  });
  EXPECT_EQ(in_tail, 2000);
  EXPECT_GT(runs.rows.size(), 2800U);
  EXPECT_TRUE(CheckAll(*snapshot, context).ok());
  for (const Source& source : snapshot->datasets()[0].sources) {
    EXPECT_EQ(KnownContent(source).status, ContentStatus::kOpen) << source.file;
    EXPECT_EQ(KnownContent(source).reason, "the gzip data is cut off");
  }
}

TEST(CompressedScan, DamageNamesFileAndBothOffsetsAndKeepsWhatCameBefore) {
  std::string text = "[";
  for (int i = 0; i < 4000; ++i) {
    text += (i == 0 ? "" : ",") + Atif(fmt::format("session-{}-{}", i, i * 7919 % 1013), 3);
  }
  text += "]";
  const std::string compressed = Gzip(text);
  testing::TempDataset dir;
  dir.Write("cut.json.gz", compressed.substr(0, compressed.size() / 2));
  const std::string half = Gzip(text.substr(0, text.size() / 2));
  dir.Write("bad.json.gz", half + "no gzip member");
  dir.Write("good.json.zst", json::testing_support::Zstd(Atif("good")));
  const auto snapshot = testing::Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope strict(*snapshot, false, context);
  const Scanned failed = RunScan(strict, Relation::kRuns, {"session_id"});
  EXPECT_THAT(failed.status.message(), ::testing::HasSubstr("bad.json.gz: "));
  EXPECT_THAT(failed.status.message(),
              ::testing::HasSubstr(fmt::format("gzip data damaged at compressed byte {}, "
                                               "decompressed byte {}: no gzip member begins here",
                                               half.size(), text.size() / 2)));
  EXPECT_THAT(failed.status.message(), ::testing::HasSubstr(" of the decompressed text"));

  QueryScope report(*snapshot, true, context);
  const Scanned runs = RunScan(report, Relation::kRuns, {"_file_"});
  ASSERT_TRUE(runs.status.ok()) << runs.status.ToString();
  ASSERT_EQ(report.problems().size(), 2U);
  EXPECT_THAT(report.problems()[1].ToString(),
              ::testing::HasSubstr("is cut off at compressed byte "));
  EXPECT_GT(runs.rows.size(), 2000U);
  EXPECT_EQ(runs.rows.back(), "good.json.zst");
}

TEST(CompressedScan, ProblemsArePlacedInTheDecompressedText) {
  testing::TempDataset dir;
  const std::string text = Atif("a") + "\n{\"schema_version\":\"ATIF-v1.4\",\"steps\":7}\n";
  dir.Write("x.jsonl.gz", Gzip(text));
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  const Scanned runs = RunScan(scope, Relation::kSteps, {"message_value"});
  EXPECT_THAT(runs.status.message(), ::testing::HasSubstr("x.jsonl.gz: line 2, byte "));
  EXPECT_THAT(runs.status.message(), ::testing::HasSubstr(" of the decompressed text"));
}

TEST(CompressedScan, ABombEndsTheQueryWithTheLimitAndItsFlag_LIM02) {
  testing::TempDataset dir;
  dir.Write("a.json", Atif("a"));
  std::string text = Atif("b");
  text.insert(text.size() - 1, ",\"extra\":\"" + std::string(40 << 20, 'x') + "\"");
  dir.Write("bomb.json.gz", Gzip(text, 9));
  const auto snapshot = testing::Take(dir.path(), testing::Reporting());
  Context context;
  QueryScope scope(*snapshot, true, context);
  const Scanned runs = RunScan(scope, Relation::kSteps, {"message_value"});
  EXPECT_EQ(runs.status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(runs.status.message(), ::testing::HasSubstr("bomb.json.gz: "));
  EXPECT_THAT(runs.status.message(), ::testing::HasSubstr("max_decompression_ratio 1000"));
  SnapshotOptions wide;
  wide.limits.max_decompression_ratio = 100'000;
  const auto again = testing::Take(dir.path(), wide);
  QueryScope raised(*again, false, context);
  EXPECT_EQ(RunScan(raised, Relation::kSteps, {"message_value"}).rows.size(), 2U);
}

TEST(CompressedScan, ARestartReadsTheCompressedFileAgain_STL127) {
  // The id of the document comes behind its steps, and there are too many to wait for it.
  std::string text = Atif("late", 20'000);
  text.insert(text.size() - 1, ",\"trajectory_id\":\"named\"");
  testing::TempDataset dir;
  dir.Write("late.json.gz", Gzip(text));
  const auto snapshot = testing::Take(dir.path());
  Context context;
  QueryScope scope(*snapshot, false, context);
  ASSERT_TRUE(RunScan(scope, Relation::kSteps, {"document_id"}).status.ok());
  ASSERT_TRUE(scope.restart_requested());
  scope.BeginRestart();
  const Scanned steps = RunScan(scope, Relation::kSteps, {"document_id"});
  EXPECT_FALSE(scope.restart_requested());
  EXPECT_EQ(steps.rows, Strings(20'000, "named"));
  EXPECT_EQ(scope.metrics().restarts, 1U);
}

}  // namespace
}  // namespace pchronicle::catalog
