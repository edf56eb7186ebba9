// Data files of official Lance writers against the rows that the official readers gave. A part of
// the fixtures lies in data/ (README.md there), the rest beside the checkout.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "fixture_cells.h"
#include "fixture_table.h"
#include "pchronicle/json/value.h"

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::RecordBatch;
using testing_support::FixtureTable;

std::string SharedFixtures() {
  const char* shared = std::getenv("PCHRONICLE_SHARED");
  return std::string(shared != nullptr ? shared : PCHRONICLE_SHARED_DIR) + "/fixtures/lance";
}

std::vector<std::string> Fixtures() {
  std::vector<std::string> found;
  for (const std::string& folder :
       {std::string(PCHRONICLE_SOURCE_DIR) + "/tests/compat/lance/data", SharedFixtures()}) {
    if (!std::filesystem::is_directory(folder)) {
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (std::filesystem::is_directory(entry.path() / "t.lance")) {
        found.push_back(entry.path().string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

class LanceFixture : public testing::TestWithParam<std::string> {};

/// All rows of a reader, in batches of `step` rows; batches are cut up so that each keeps its own
/// arrays.
Status ReadAll(RowReader* reader, uint64_t rows, uint64_t step, std::vector<RecordBatch>* out) {
  for (uint64_t at = 0; at < rows; at += step) {
    PCHRONICLE_RETURN_IF_ERROR(
        reader->ReadRows(at, std::min(rows, at + step), &out->emplace_back()));
  }
  return Status::Ok();
}

/// The parts of one field that the files of a fragment have, as whole columns; more than one for
/// structs whose members lie in several files.
Result<std::vector<ArrayPtr>> ReadField(const FixtureTable& table,
                                        const FixtureTable::Fragment& fragment,
                                        const FieldNode& field) {
  std::vector<ArrayPtr> parts;
  for (const FixtureTable::File& file : fragment.files) {
    PCHRONICLE_ASSIGN_OR_RETURN(auto opened, table.OpenFile(file));
    PCHRONICLE_ASSIGN_OR_RETURN(auto reader, opened->Read({&field, 1}, file.columns));
    if (reader->fields().empty()) {
      continue;
    }
    RecordBatch whole;
    PCHRONICLE_RETURN_IF_ERROR(reader->ReadRows(0, fragment.rows, &whole));
    // Other batch sizes and single rows give the same.
    for (const uint64_t step : {uint64_t{1000}, uint64_t{37}}) {
      std::vector<RecordBatch> batches;
      PCHRONICLE_RETURN_IF_ERROR(ReadAll(reader.get(), fragment.rows, step, &batches));
      for (size_t i = 0; i < batches.size(); ++i) {
        std::vector<int64_t> slots;
        for (int64_t k = 0; k < batches[i].rows; ++k) {
          slots.push_back(static_cast<int64_t>(i * step) + k);
        }
        if (!columnar::SameValues(*columnar::TakeSlots(*whole.columns[0], slots),
                                  *batches[i].columns[0])) {
          return Status::Internal("batches of {} rows differ from one of all at batch {}", step, i);
        }
      }
    }
    std::vector<uint64_t> rows;
    std::vector<int64_t> slots;
    for (uint64_t row = 3; row < fragment.rows; row += row % 5 == 0 ? 1 : 41) {
      rows.push_back(row);
      slots.push_back(static_cast<int64_t>(row));
    }
    RecordBatch taken;
    PCHRONICLE_RETURN_IF_ERROR(reader->Take(rows, &taken));
    if (!columnar::SameValues(*columnar::TakeSlots(*whole.columns[0], slots), *taken.columns[0])) {
      return Status::Internal("rows taken differ from those scanned");
    }
    parts.push_back(whole.columns[0]);
  }
  return parts;
}

TEST_P(LanceFixture, DecodesEveryFileToTheOfficialRows_LNCB) {
  const std::string folder = GetParam();
  const bool refuse =
      testing_support::ReadFile(folder + "/README.md").find("must refuse") != std::string::npos;
  auto table = FixtureTable::Open(folder + "/t.lance");
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  std::istringstream expected(testing_support::ReadFile(folder + "/expected.ndjson"));
  std::string line;
  std::getline(expected, line);
  auto names = json::Tree::Parse(line);
  ASSERT_TRUE(names.ok());
  const std::string header = line;
  bool complete = true;
  for (const FixtureTable::Fragment& fragment : table->fragments) {
    complete = complete && !fragment.deletions;
    for (const FixtureTable::File& file : fragment.files) {
      complete = complete && !file.elsewhere;
    }
  }
  for (const FixtureTable::Fragment& fragment : table->fragments) {
    std::vector<std::vector<ArrayPtr>> columns;
    for (const FieldNode& field : table->fields) {
      if (std::any_of(fragment.files.begin(), fragment.files.end(),
                      [](const auto& file) { return file.elsewhere; })) {
        continue;
      }
      auto parts = ReadField(*table, fragment, field);
      if (refuse) {
        ASSERT_FALSE(parts.ok());
        EXPECT_EQ(parts.status().code(), StatusCode::kUnsupported);
        EXPECT_NE(parts.status().message().find("file version 2.3"), std::string::npos);
        continue;
      }
      ASSERT_TRUE(parts.ok()) << field.name << ": " << parts.status().ToString();
      columns.push_back(*std::move(parts));
    }
    for (uint64_t row = 0; complete && !refuse && row < fragment.rows; ++row) {
      ASSERT_TRUE(std::getline(expected, line));
      const auto values = json::Tree::Parse(line);
      ASSERT_TRUE(values.ok());
      for (size_t i = 0; i < columns.size(); ++i) {
        const json::Value& cell = values->root().At(i);
        if (columns[i].empty()) {
          ASSERT_FALSE(cell.has_value()) << table->fields[i].name;
        } else if (columns[i].size() == 1 &&
                   columns[i][0]->type->children.size() == table->fields[i].type->children.size()) {
          const std::string diff =
              testing_support::DiffCell(cell, *columns[i][0], static_cast<int64_t>(row));
          ASSERT_EQ(diff, "") << "row " << row << " column " << table->fields[i].name;
        }
      }
    }
  }
  if (!complete) {
    GTEST_SKIP() << "has deletions or files elsewhere: pages decoded, rows compared by table tests";
  }
}

std::string FixtureName(const testing::TestParamInfo<std::string>& fixture) {
  const std::filesystem::path path(fixture.param);
  return path.filename().string() + (path.parent_path().filename() == "data" ? "_copy" : "");
}

INSTANTIATE_TEST_SUITE_P(Official, LanceFixture, testing::ValuesIn(Fixtures()), FixtureName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LanceFixture);

}  // namespace
}  // namespace pchronicle::lance
