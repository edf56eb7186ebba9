#include "pchronicle/columnar/arrow_abi.h"
#include "pchronicle/sql/engine_fixture_test.h"

namespace pchronicle::sql {
namespace {

/// `name:format` of every column, releasing the schema.
std::vector<std::string> TakeColumns(const ResultStream& stream) {
  ArrowSchema schema;
  EXPECT_TRUE(stream.GetArrowSchema(&schema).ok());
  EXPECT_STREQ(schema.format, "+s");
  std::vector<std::string> columns;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    columns.push_back(std::string(schema.children[i]->name) + ":" + schema.children[i]->format);
  }
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
  return columns;
}

/// Element `row` of a text column with 64-bit offsets.
std::string Text(const ArrowArray& column, int64_t row) {
  const auto* offsets = static_cast<const int64_t*>(column.buffers[1]) + column.offset;
  const auto* bytes = static_cast<const char*>(column.buffers[2]);
  return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
}

bool IsValid(const ArrowArray& column, int64_t row) {
  const auto* bits = static_cast<const uint8_t*>(column.buffers[0]);
  const int64_t bit = column.offset + row;
  return bits == nullptr || ((bits[bit / 8] >> (bit % 8)) & 1) != 0;
}

TEST_F(EngineTest, ArrowColumnsKeepNamesAndTypes) {
  auto stream = engine_->Run("SELECT * FROM steps", *scans_, context_);
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  EXPECT_THAT(TakeColumns(**stream),
              ElementsAre("_file_:U", "session_id:U", "step_id:l", "source:U", "message_value:U",
                          "reward:g", "is_copied_context:b", "token_ids:+L", "timestamp:tsn:"));
  EXPECT_THAT(TakeColumns(**stream), testing::SizeIs(9)) << "a schema can be asked for twice";
}

TEST_F(EngineTest, TypesThatArrowCannotCarryAreRefused) {
  for (const char* value :
       {"1::BIGNUM", "[1::BIGNUM]", "struct_pack(a := 1::UHUGEINT)", "TIMETZ '10:00:00+01'",
        "1::VARIANT", "'POINT(1 2)'::GEOMETRY", "MAP {'k': 1::BIGNUM}"}) {
    const std::string sql = std::string("SELECT ") + value + " AS odd";
    auto stream = engine_->Run(sql, *scans_, context_);
    ASSERT_TRUE(stream.ok()) << sql << ": " << stream.status().ToString();
    ArrowSchema schema;
    const Status status = (*stream)->GetArrowSchema(&schema);
    EXPECT_EQ(status.code(), StatusCode::kUnsupported) << sql;
    EXPECT_THAT(status.message(), HasSubstr("'odd'"));
    EXPECT_EQ(schema.release, nullptr);
  }
}

TEST_F(EngineTest, ArrowColumnsHaveDifferentNames) {
  auto stream = engine_->Run("SELECT 1 AS n, 2 AS n, 'x' AS n", *scans_, context_);
  ASSERT_TRUE(stream.ok());
  EXPECT_THAT(TakeColumns(**stream), ElementsAre("n:i", "n_1:i", "n_2:U"));
}

TEST_F(EngineTest, ArrowCellsAreWhatTheTextEncoderPrints) {
  const Table table = Rows(
      "SELECT _file_, step_id, message_value, token_ids[2] AS t FROM steps ORDER BY _file_, "
      "step_id");
  auto stream = engine_->Run(
      "SELECT _file_, step_id, message_value, token_ids[2] AS t FROM steps ORDER BY _file_, "
      "step_id",
      *scans_, context_);
  ASSERT_TRUE(stream.ok());
  ArrowArray array;
  size_t row = 0;
  while ((*stream)->NextArrow(&array).ok() && array.release != nullptr) {
    ASSERT_EQ(array.n_children, 4);
    EXPECT_EQ(array.null_count, 0);
    for (int64_t i = 0; i < array.length; ++i, ++row) {
      ASSERT_LT(row, table.size());
      EXPECT_EQ(Text(*array.children[0], i), table[row][0]);
      EXPECT_EQ(std::to_string(static_cast<const int64_t*>(array.children[1]->buffers[1])[i]),
                table[row][1]);
      EXPECT_EQ(Text(*array.children[2], i), table[row][2]);
      EXPECT_EQ(std::to_string(static_cast<const int64_t*>(array.children[3]->buffers[1])[i]),
                table[row][3]);
    }
    array.release(&array);
    EXPECT_EQ(array.release, nullptr);
  }
  EXPECT_EQ(row, table.size());
  EXPECT_TRUE((*stream)->NextArrow(&array).ok()) << "the end stays the end";
  EXPECT_EQ(array.release, nullptr);
}

TEST_F(EngineTest, ArrowNullsAreInTheBitmap) {
  auto stream = engine_->Run(
      "SELECT CASE WHEN step_id = 3 THEN NULL ELSE source END AS s FROM "
      "steps WHERE _file_ = 'a/one.json' ORDER BY step_id",
      *scans_, context_);
  ASSERT_TRUE(stream.ok());
  ArrowArray array;
  ASSERT_TRUE((*stream)->NextArrow(&array).ok());
  ASSERT_EQ(array.length, 7);
  for (int64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(IsValid(*array.children[0], i), i != 3) << i;
  }
  array.release(&array);
}

TEST_F(EngineTest, ArrowArraysOutliveStreamAndEngine_CAT08) {
  ArrowArray array;
  ArrowSchema schema;
  {
    auto stream = engine_->Run("SELECT session_id FROM runs ORDER BY 1", *scans_, context_);
    ASSERT_TRUE(stream.ok());
    ASSERT_TRUE((*stream)->GetArrowSchema(&schema).ok());
    ASSERT_TRUE((*stream)->NextArrow(&array).ok());
  }
  engine_.reset();
  ASSERT_EQ(array.length, 3);
  EXPECT_EQ(Text(*array.children[0], 2), "s-b/three.jsonl");
  EXPECT_STREQ(schema.children[0]->name, "session_id");
  array.release(&array);
  schema.release(&schema);
}

TEST_F(EngineTest, ArrowPlansAreLinesAndNotYaml_EXP04) {
  auto stream = engine_->Run("EXPLAIN SELECT * FROM steps", *scans_, context_);
  ASSERT_TRUE(stream.ok());
  ArrowArray array;
  ASSERT_TRUE((*stream)->NextArrow(&array).ok());
  ASSERT_GE(array.length, 1);
  EXPECT_THAT(Text(*array.children[1], 0), HasSubstr("sources: 3/3"));
  array.release(&array);
}

TEST_F(EngineTest, AFailedScanIsTheStatusAndNoArray) {
  std::vector<FakeSource> sources = TestSources();
  sources[1].error = Status::Corruption("a/two.json: line 3: broken");
  Open(TestNamespace({{"dataset", 3}}), {sources});
  auto stream = engine_->Run("SELECT * FROM steps", *scans_, context_);
  Status status = stream.status();
  ArrowArray array;
  array.release = nullptr;
  while (stream.ok() && status.ok()) {
    status = (*stream)->NextArrow(&array);
    if (array.release == nullptr) {
      break;
    }
    array.release(&array);
  }
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("line 3: broken"));
}

}  // namespace
}  // namespace pchronicle::sql
