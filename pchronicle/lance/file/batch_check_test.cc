#include "pchronicle/lance/file/batch_check.h"

#include <gtest/gtest.h>

#include "pchronicle/lance/file/built_file_test.h"
#include "pchronicle/lance/file/file_writer.h"
#include "pchronicle/lance/file/random_arrays_test.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;
using testing_support::MakeField;
using testing_support::RandomArrays;

/// struct<tags: list<item: string>, point: fixed_size_list<float, 2>, n: int64 not null>
FieldNode Nested() {
  std::vector<proto::Field> fields = {MakeField(0, "s", "struct"), MakeField(1, "tags", "list", 0),
                                      MakeField(2, "item", "string", 1),
                                      MakeField(3, "point", "fixed_size_list:float:2", 0),
                                      MakeField(4, "n", "int64", 0)};
  fields[4].nullable = false;
  return (*BuildFieldTree(fields))[0];
}

std::shared_ptr<Array> Copy(const ArrayPtr& array) { return std::make_shared<Array>(*array); }

class LanceBatchCheck : public testing::Test {
 protected:
  LanceBatchCheck() : field_(Nested()), good_(Copy(RandomArrays(4).Make(field_, 20))) {}

  std::string Check(const Array& array, int64_t rows = 20) {
    return CheckArray(array, field_, rows).ToString();
  }
  /// The struct with another child.
  std::string CheckWith(size_t child, ArrayPtr array) {
    const auto changed = Copy(good_);
    changed->children[child] = std::move(array);
    return Check(*changed);
  }

  FieldNode field_;
  ArrayPtr good_;
};

TEST_F(LanceBatchCheck, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(Check(*good_), "ok");
  EXPECT_EQ(Check(*good_, 21).substr(0, 47), "invalid_argument: column 's': 20 rows of struct");

  auto tags = Copy(good_->children[0]);
  tags->length = 19;
  EXPECT_EQ(CheckWith(0, tags), "invalid_argument: column 's': members of different lengths");
  tags->length = 20;
  const auto offsets = std::make_shared<columnar::Buffer>();
  offsets->AppendZeros(21 * sizeof(int32_t));
  offsets->as<int32_t>()[3] = 2;
  tags->offsets = offsets;
  EXPECT_EQ(CheckWith(0, tags),
            "invalid_argument: column 's.tags': offsets that do not ascend within its values");
  tags->offsets = nullptr;
  EXPECT_EQ(CheckWith(0, tags),
            "invalid_argument: column 's.tags': offsets that do not ascend within its values");

  const auto items = Copy(good_->children[0]);
  const auto texts = Copy(items->children[0]);
  texts->type = columnar::MakeType(columnar::TypeId::kBinary);
  items->children[0] = texts;
  EXPECT_EQ(CheckWith(0, items),
            "invalid_argument: column 's.tags': a child that is missing or of another type");

  const auto point = Copy(good_->children[1]);
  const auto floats = Copy(point->children[0]);
  floats->length = 39;
  point->children[0] = floats;
  EXPECT_EQ(CheckWith(1, point), "invalid_argument: column 's.point': fewer items than its length");

  const auto numbers = Copy(good_->children[2]);
  numbers->values = std::make_shared<columnar::Buffer>(8 * 19);
  EXPECT_EQ(CheckWith(2, numbers), "invalid_argument: column 's.n': fewer values than its length");
  EXPECT_EQ(CheckWith(2, nullptr),
            "invalid_argument: column 's': a child that is missing or of another type");
}

TEST_F(LanceBatchCheck, NullsOfAStrictFieldMustLieBelowANull) {
  const auto all_null = [](size_t bytes, uint8_t value) {
    const auto bits = std::make_shared<columnar::Buffer>(bytes);
    std::fill(bits->data(), bits->data() + bytes, value);
    return bits;
  };
  const auto numbers = Copy(good_->children[2]);
  numbers->validity = all_null(3, 0);
  const auto above = Copy(good_);
  above->children[2] = numbers;
  above->validity = all_null(3, 0);
  EXPECT_EQ(Check(*above), "ok");
  above->validity = all_null(3, 0x10);
  EXPECT_EQ(Check(*above), "invalid_argument: column 's.n': nulls in a field that has none");
  above->validity = nullptr;
  EXPECT_EQ(Check(*above), "invalid_argument: column 's.n': nulls in a field that has none");
}

TEST_F(LanceBatchCheck, AWrongBatchTakesNothing) {
  std::string bytes;
  auto writer = FileWriter::Create({MakeField(0, "n", "int64")}, [&](std::string_view more) {
    bytes += more;
    return Status::Ok();
  });
  columnar::RecordBatch batch;
  batch.rows = 3;
  EXPECT_EQ((*writer)->Append(batch).code(), StatusCode::kInvalidArgument);
  batch.columns = {nullptr};
  EXPECT_EQ((*writer)->Append(batch).ToString(), "invalid_argument: column 'n' is missing");
  batch.columns = {columnar::MakeNullArray(columnar::MakeType(columnar::TypeId::kInt32), 3)};
  EXPECT_EQ((*writer)->Append(batch).ToString(),
            "invalid_argument: column 'n': 3 rows of int32 for 3 of int64");
  EXPECT_EQ((*writer)->rows(), 0U);
  EXPECT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ((*writer)->Append(batch).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*writer)->Finish().status().code(), StatusCode::kInvalidArgument);
}

TEST(LanceWriterErrors, AnErrorOfTheSinkComesBack) {
  for (const size_t threads : {1, 3}) {
    FileWriterOptions options;
    options.page_bytes = 1000;
    options.threads = threads;
    auto writer = FileWriter::Create(
        {MakeField(0, "n", "int64")}, [](std::string_view) { return Status::Io("disk full"); },
        options);
    columnar::RecordBatch batch;
    batch.rows = 5000;
    FieldNode field;
    field.type = columnar::MakeType(columnar::TypeId::kInt64);
    batch.columns = {RandomArrays(1).Make(field, 5000)};
    EXPECT_EQ((*writer)->Append(batch).ToString(), "io: disk full");
    EXPECT_EQ((*writer)->Append(batch).ToString(), "io: disk full");
    EXPECT_EQ((*writer)->Finish().status().ToString(), "io: disk full");
  }
}

}  // namespace
}  // namespace pchronicle::lance
