#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "fixture_cells.h"
#include "fixture_table.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/io/store.h"
#include "pchronicle/json/value.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/take.h"

// Tables of official Lance writers against the rows that those writers read back (lance.md F1).
// Fixtures lie below PCHRONICLE_SHARED, else `../shared` beside the source; absent ones are skipped
// and counted.

namespace pchronicle::compat {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFixtures = 118, kBundledFixtures = 79;

// Fixtures copied into the repository, and the shared ones where they lie beside it.
std::vector<fs::path> FixtureRoots() {
  const char* set = std::getenv("PCHRONICLE_SHARED");
  return {fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data",
          fs::path(set != nullptr ? set : PCHRONICLE_SHARED_DIR) / "fixtures/lance"};
}

// The folder of a fixture; that of the repository first.
fs::path FolderOf(const std::string& name) {
  for (const fs::path& root : FixtureRoots()) {
    if (fs::exists(root / name / "t.lance")) {
      return root / name;
    }
  }
  return {};
}

std::vector<std::string> Fixtures() {
  std::set<std::string> out;
  std::error_code ignored;
  for (const fs::path& root : FixtureRoots()) {
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (fs::exists(entry.path() / "t.lance")) {
        out.insert(entry.path().filename());
      }
    }
  }
  return {out.begin(), out.end()};
}

Result<std::shared_ptr<const lance::Table>> OpenFixture(const std::string& name,
                                                        lance::OpenOptions options = {}) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<io::Store> store,
                              io::OpenLocalStore((FolderOf(name) / "t.lance").string()));
  return lance::Table::Open(std::move(store), std::move(options));
}

// expected.ndjson: column names, then rows.
struct Expected {
  std::vector<std::string> names;
  std::vector<std::string> lines;
};

Expected ReadExpected(const std::string& name) {
  Expected out;
  std::ifstream file(FolderOf(name) / "expected.ndjson");
  std::string line;
  std::getline(file, line);
  const auto names = json::Tree::Parse(line);
  for (const json::Value& value : names->root().elements()) {
    out.names.emplace_back(value.string());
  }
  while (std::getline(file, line)) {
    out.lines.push_back(line);
  }
  return out;
}

bool MustRefuse(const std::string& name) {
  return lance::testing_support::ReadFile((FolderOf(name) / "README.md").string())
             .find("must refuse") != std::string::npos;
}

Result<std::vector<columnar::RecordBatch>> ReadAll(const std::shared_ptr<const lance::Scan>& scan,
                                                   size_t threads, bool ordered = true) {
  const Context context;
  const auto stream = lance::ScanStream::Start(scan, threads, ordered, context);
  std::vector<columnar::RecordBatch> out;
  for (;;) {
    columnar::RecordBatch batch;
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
    if (!more) {
      return out;
    }
    out.push_back(std::move(batch));
  }
}

class LanceTable : public testing::TestWithParam<std::string> {};

void CompareRows(const Expected& expected, const std::vector<columnar::RecordBatch>& batches) {
  size_t row = 0;
  for (const columnar::RecordBatch& batch : batches) {
    for (int64_t i = 0; i < batch.rows; ++i, ++row) {
      ASSERT_LT(row, expected.lines.size());
      const auto want = json::Tree::Parse(expected.lines[row]);
      ASSERT_TRUE(want.ok());
      for (size_t c = 0; c < expected.names.size(); ++c) {
        ASSERT_EQ(lance::testing_support::DiffCell(want->root().At(c), *batch.columns[c], i), "")
            << "row " << row << ", column " << expected.names[c];
      }
    }
  }
  EXPECT_EQ(row, expected.lines.size());
}

TEST_P(LanceTable, ReadsAsItsWriterDoes_LNC_F1) {
  const auto table = OpenFixture(GetParam());
  if (MustRefuse(GetParam())) {
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    const auto scan = lance::Scan::Plan(*table, {});
    ASSERT_TRUE(scan.ok());
    const auto rows = ReadAll(*scan, 1);
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.status().code(), StatusCode::kUnsupported);
    EXPECT_NE(rows.status().message().find("file version 2.3"), std::string::npos)
        << rows.status().ToString();
    return;
  }
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  const Expected expected = ReadExpected(GetParam());
  lance::ScanOptions options;
  options.row_id = expected.names.back() == "_rowid";
  options.batch_rows = 257;  // no divisor of anything
  const auto scan = lance::Scan::Plan(*table, options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  ASSERT_EQ((*scan)->schema().size(), expected.names.size());
  for (size_t i = 0; i < expected.names.size(); ++i) {
    EXPECT_EQ((*scan)->schema()[i].name, expected.names[i]);
  }
  const auto batches = ReadAll(*scan, 1);
  ASSERT_TRUE(batches.ok()) << batches.status().ToString();
  CompareRows(expected, *batches);
  EXPECT_EQ((*table)->CountRows(), expected.lines.size());
}

TEST_P(LanceTable, ThreadsGiveTheSameRows_LNC_5) {
  const auto table = OpenFixture(GetParam());
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  if (MustRefuse(GetParam())) {
    return;
  }
  const Expected expected = ReadExpected(GetParam());
  lance::ScanOptions options;
  options.row_id = expected.names.back() == "_rowid";
  options.parallelism = 3;
  const auto scan = lance::Scan::Plan(*table, options);
  ASSERT_TRUE(scan.ok()) << scan.status().ToString();
  const auto batches = ReadAll(*scan, 3);
  ASSERT_TRUE(batches.ok()) << batches.status().ToString();
  CompareRows(expected, *batches);
}

// Rows in any order by address, against the scan.
TEST_P(LanceTable, TakeGivesTheRowsOfTheScan_LNC_5) {
  const auto table = OpenFixture(GetParam());
  ASSERT_TRUE(table.ok());
  if (MustRefuse(GetParam())) {
    return;
  }
  lance::ScanOptions options;
  options.row_address = true;
  const auto scan = lance::Scan::Plan(*table, options);
  ASSERT_TRUE(scan.ok());
  const auto batches = ReadAll(*scan, 1);
  ASSERT_TRUE(batches.ok()) << batches.status().ToString();
  for (const columnar::RecordBatch& batch : *batches) {
    std::vector<lance::RowAddress> rows;
    std::vector<int64_t> slots;
    const int64_t step = std::max<int64_t>(1, batch.rows / 23);
    for (int64_t i = batch.rows - 1; i >= 0; i -= step) {
      rows.push_back(lance::RowAddress::FromU64(batch.columns.back()->Value<uint64_t>(i)));
      slots.push_back(i);
    }
    rows.push_back(rows.front());  // once more
    slots.push_back(slots.front());
    const auto taken = lance::TakeAddresses(*table, rows, {}, nullptr);
    ASSERT_TRUE(taken.ok()) << taken.status().ToString();
    for (size_t c = 0; c < taken->columns.size(); ++c) {
      EXPECT_TRUE(
          columnar::SameValues(*columnar::TakeSlots(*batch.columns[c], slots), *taken->columns[c]))
          << taken->fields[c].name;
    }
  }
}

std::vector<uint64_t> Addresses(const std::vector<columnar::RecordBatch>& batches) {
  std::vector<uint64_t> out;
  for (const columnar::RecordBatch& batch : batches) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      out.push_back(batch.columns.back()->Value<uint64_t>(i));
    }
  }
  return out;
}

void SameWithAndWithoutIndex(const std::shared_ptr<const lance::Table>& table,
                             const columnar::PredicatePtr& filter) {
  SCOPED_TRACE(columnar::ToString(*filter));
  std::vector<uint64_t> found[2];
  for (const bool indexed : {false, true}) {
    lance::ScanOptions options;
    options.columns = std::vector<std::string>();
    options.row_address = true;
    options.filter = filter;
    options.use_indices = indexed;
    const auto scan = lance::Scan::Plan(table, options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    const auto batches = ReadAll(*scan, 1);
    ASSERT_TRUE(batches.ok()) << batches.status().ToString();
    found[indexed ? 1 : 0] = Addresses(*batches);
  }
  EXPECT_EQ(found[1], found[0]);
}

// Every index gives what a scan gives, for values that are there, values that are not, ranges and
// nulls.
TEST_P(LanceTable, IndicesFindWhatAScanFinds_LNC_D) {
  const auto table = OpenFixture(GetParam());
  ASSERT_TRUE(table.ok());
  for (const lance::proto::Index& index : (*table)->indices()) {
    if (index.fields.size() != 1 || !lance::WhyUnusable(**table, index).empty()) {
      continue;
    }
    const lance::FieldNode* field = nullptr;
    for (const lance::FieldNode& candidate : (*table)->schema()) {
      field = candidate.id == index.fields[0] ? &candidate : field;
    }
    if (field == nullptr) {
      continue;  // on a column that was dropped
    }
    lance::ScanOptions options;
    options.columns = std::vector<std::string>{field->name};
    const auto scan = lance::Scan::Plan(*table, options);
    ASSERT_TRUE(scan.ok());
    const auto batches = ReadAll(*scan, 1);
    ASSERT_TRUE(batches.ok());
    SameWithAndWithoutIndex(*table, columnar::IsNull(field->name));
    for (const columnar::RecordBatch& batch : *batches) {
      const bool list = columnar::IsListLike(field->type->id);
      const columnar::Array& values = list ? *batch.columns[0]->children[0] : *batch.columns[0];
      std::vector<columnar::Scalar> literals;
      const int64_t step = std::max<int64_t>(1, values.length / 5);
      for (int64_t i = 0; i < values.length; i += step) {
        const auto literal = columnar::ScalarAt(values, i);
        if (literal) {
          literals.push_back(*literal);
        }
      }
      for (const columnar::Scalar& literal : literals) {
        if (list) {
          SameWithAndWithoutIndex(*table, columnar::Contains(field->name, literal));
          continue;
        }
        for (const auto op :
             {columnar::CompareOp::kEq, columnar::CompareOp::kNe, columnar::CompareOp::kLt,
              columnar::CompareOp::kLe, columnar::CompareOp::kGt, columnar::CompareOp::kGe}) {
          SameWithAndWithoutIndex(*table, columnar::Compare(field->name, op, literal));
        }
        SameWithAndWithoutIndex(
            *table,
            columnar::And({columnar::Compare(field->name, columnar::CompareOp::kGe, literal),
                           columnar::Not(columnar::Compare(field->name, columnar::CompareOp::kEq,
                                                           literal))}));
        SameWithAndWithoutIndex(
            *table,
            columnar::Or({columnar::IsNull(field->name),
                          columnar::Compare(field->name, columnar::CompareOp::kEq, literal)}));
      }
      if (!list) {
        SameWithAndWithoutIndex(*table, columnar::In(field->name, literals));
      }
    }
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Official, LanceTable, testing::ValuesIn(Fixtures()), TestName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LanceTable);

TEST(LanceTables, AreAllThere_LNC_F1) {
  const bool whole = fs::exists(FixtureRoots().back());
  EXPECT_GE(Fixtures().size(), whole ? kFixtures : kBundledFixtures)
      << "some are missing in " << FixtureRoots()[whole ? 1 : 0];
  if (!whole) {
    GTEST_SKIP() << "only the bundled tables: no fixtures in " << FixtureRoots().back();
  }
}

}  // namespace
}  // namespace pchronicle::compat
