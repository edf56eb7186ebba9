#include "pchronicle/lance/file/file_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/file/built_file_test.h"

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::RecordBatch;
using testing_support::MakeField;
using testing_support::OpenBytes;

/// How the values of a column look.
enum class Style { kSmall, kWide, kFew, kRuns, kAny, kNull };

ArrayPtr RandomArray(const columnar::DataTypePtr& type, Style style, size_t rows, bool nullable,
                     std::mt19937_64* random) {
  ValueBuilder values(ValueShape::Of(*type));
  ValidityBuilder validity;
  uint64_t last = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (style == Style::kNull || (nullable && (*random)() % 5 == 0)) {
      values.AppendEmpty(1);
      validity.AppendNull(1);
      continue;
    }
    validity.AppendValid(1);
    last += (*random)() % 50 == 0 ? 1 : 0;
    const uint64_t number = style == Style::kSmall  ? (*random)() % 100
                            : style == Style::kFew  ? (*random)() % 4 * 0x123456789abcdef1
                            : style == Style::kRuns ? last
                                                    : (*random)();
    if (values.shape().kind == ValueShape::Kind::kVariable) {
      std::string text = fmt::format("text {}", number);
      const size_t length = style == Style::kWide ? 100 + (*random)() % 400 : 0;
      while (text.size() < length) {
        text += fmt::format(" {}", (*random)() % 50);
      }
      EXPECT_TRUE(
          values.AppendText(reinterpret_cast<const uint8_t*>(text.data()), text.size()).ok());
    } else {
      std::string bytes(std::max<size_t>(values.shape().PlainBytes(), 8), '\x05');
      bytes.replace(0, 8, reinterpret_cast<const char*>(&number), 8);
      values.AppendPlain(reinterpret_cast<const uint8_t*>(bytes.data()), 1,
                         static_cast<size_t>(values.shape().PlainBytes()));
    }
  }
  const size_t nulls = validity.nulls();
  columnar::BufferPtr bits = validity.Finish();
  return values.Finish(type, std::move(bits), nulls);
}

constexpr std::string_view kTypes[] = {"int8",
                                       "int16",
                                       "int32",
                                       "int64",
                                       "uint64",
                                       "float",
                                       "double",
                                       "bool",
                                       "string",
                                       "large_string",
                                       "binary",
                                       "large_binary",
                                       "date32:day",
                                       "timestamp:ns:UTC",
                                       "decimal:128:20:2",
                                       "fixed_size_binary:5",
                                       "fixed_size_binary:300"};

std::string WriteAll(const std::vector<proto::Field>& fields,
                     const std::vector<RecordBatch>& batches, FileWriterOptions options) {
  std::string bytes;
  auto writer = FileWriter::Create(
      fields,
      [&](std::string_view more) {
        bytes += more;
        return Status::Ok();
      },
      std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  for (const RecordBatch& batch : batches) {
    EXPECT_TRUE((*writer)->Append(batch).ok());
  }
  const auto size = (*writer)->Finish();
  EXPECT_TRUE(size.ok());
  EXPECT_EQ(*size, bytes.size());
  return bytes;
}

TEST(LanceWriter, WhatIsWrittenIsRead_LNCC1) {
  std::mt19937_64 random(11);
  for (const uint32_t minor : {1U, 2U}) {
    for (const Style style :
         {Style::kSmall, Style::kWide, Style::kFew, Style::kRuns, Style::kAny, Style::kNull}) {
      for (const size_t rows : {size_t{1}, size_t{64}, size_t{1500}}) {
        for (const bool nullable : {false, true}) {
          if (style == Style::kNull && !nullable) {
            continue;
          }
          std::vector<proto::Field> fields;
          std::vector<RecordBatch> batches(2);
          for (const std::string_view type : kTypes) {
            const auto id = static_cast<int32_t>(fields.size());
            fields.push_back(MakeField(id, fmt::format("c{}", id), std::string(type)));
            fields.back().nullable = nullable;
            for (RecordBatch& batch : batches) {
              batch.columns.push_back(
                  RandomArray(ParseLogicalType(type), style, rows, nullable, &random));
              batch.rows = static_cast<int64_t>(rows);
            }
          }
          FileWriterOptions options;
          options.version = {2, minor};
          options.page_bytes = 20000;
          const auto file = OpenBytes(WriteAll(fields, batches, options));
          ASSERT_TRUE(file.ok()) << file.status().ToString();
          EXPECT_EQ((*file)->version(), options.version);
          auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
          ASSERT_TRUE(reader.ok()) << reader.status().ToString();
          for (size_t b = 0; b < batches.size(); ++b) {
            RecordBatch read;
            const Status status = (*reader)->ReadRows(b * rows, (b + 1) * rows, &read);
            ASSERT_TRUE(status.ok()) << status.ToString();
            for (size_t i = 0; i < fields.size(); ++i) {
              EXPECT_TRUE(SameValues(*batches[b].columns[i], *read.columns[i]))
                  << kTypes[i] << " rows " << rows << " batch " << b << " minor " << minor;
            }
          }
        }
      }
    }
  }
}

std::string EncodingOf(std::string_view type, Style style, size_t rows) {
  std::mt19937_64 random(3);
  std::vector<RecordBatch> batches(1);
  batches[0].rows = static_cast<int64_t>(rows);
  batches[0].columns = {RandomArray(ParseLogicalType(type), style, rows, false, &random)};
  const auto file = OpenBytes(WriteAll({MakeField(0, "c", std::string(type))}, batches, {}));
  const auto info = (*file)->DescribeColumn(0);
  return info.ok() ? info->pages[0].encoding : info.status().ToString();
}

TEST(LanceWriter, ChoosesWhatIsSmallest_LNCC1) {
  EXPECT_EQ(EncodingOf("int64", Style::kSmall, 3000), "mini_block inline_bitpacking(64)");
  EXPECT_EQ(EncodingOf("int64", Style::kAny, 3000), "mini_block flat(64)");
  EXPECT_EQ(EncodingOf("int64", Style::kRuns, 3000), "mini_block rle(flat(64), flat(8))");
  EXPECT_EQ(EncodingOf("int64", Style::kFew, 3000),
            "mini_block dictionary(flat(64), inline_bitpacking(32))");
  EXPECT_EQ(EncodingOf("string", Style::kFew, 3000),
            "mini_block dictionary(variable(flat(32)), inline_bitpacking(32))");
  EXPECT_EQ(EncodingOf("string", Style::kAny, 3000), "mini_block fsst(variable(flat(32)))");
  EXPECT_EQ(EncodingOf("large_string", Style::kWide, 3000), "full_zip fsst(variable(flat(64)))");
  EXPECT_EQ(EncodingOf("string", Style::kAny, 30), "mini_block variable(flat(32))");
  EXPECT_EQ(EncodingOf("double", Style::kNull, 10), "constant");
}

TEST(LanceWriter, RefusesWhatItCannotWrite) {
  const auto message = [](const std::vector<proto::Field>& fields) {
    return FileWriter::Create(fields, [](std::string_view) { return Status::Ok(); })
        .status()
        .ToString();
  };
  EXPECT_EQ(message({MakeField(0, "l", "list"), MakeField(1, "item", "json", 0)}),
            "unsupported: writing field 'l.item' of type 'json'");
  EXPECT_EQ(message({MakeField(0, "m", "map"), MakeField(1, "entries", "struct", 0),
                     MakeField(2, "key", "string", 1), MakeField(3, "value", "int64", 1)}),
            "unsupported: writing field 'm' of type 'map' in a file before version 2.2");
  EXPECT_EQ(message({MakeField(0, "x", "json")}), "unsupported: writing field 'x' of type 'json'");
  proto::Field strict = MakeField(0, "n", "int64");
  strict.nullable = false;
  auto writer = FileWriter::Create({strict}, [](std::string_view) { return Status::Ok(); });
  RecordBatch batch;
  batch.rows = 2;
  batch.columns = {columnar::MakeNullArray(columnar::MakeType(columnar::TypeId::kInt64), 2)};
  EXPECT_EQ((*writer)->Append(batch).ToString(),
            "invalid_argument: column 'n': nulls in a field that has none");
}

}  // namespace
}  // namespace pchronicle::lance
