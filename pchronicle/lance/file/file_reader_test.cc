#include "pchronicle/lance/file/file_reader.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pchronicle/lance/file/built_file_test.h"

namespace pchronicle::lance {
namespace {

using columnar::RecordBatch;
using testing_support::BuiltFile;
using testing_support::BuiltPage;
using testing_support::MakeField;
using testing_support::OpenBytes;
using testing_support::ReadBytes;
using namespace std::string_literals;

template <typename T>
std::string Numbers(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// lance.md B9: int64, 10 squares, 2.1.
BuiltFile Squares() {
  BuiltFile file;
  file.fields = {MakeField(0, "v", "int64")};
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < 10; ++i) {
    values.push_back(i * i);
  }
  BuiltPage page;
  page.rows = 10;
  page.buffers = {"\xa0\x00"s, "\x00\x00\x50\x00\xfe\xfe\xfe\xfe"s + Numbers(values)};
  page.layout = "\x0a\x0d\x1a\x04\x0a\x02\x08\x40\x32\x01\x01\x38\x01\x48\x0a"s;
  file.columns = {{page}};
  file.rows = 10;
  return file;
}

/// lance.md B9: nullable utf8, 2.1 or 2.2.
BuiltFile Greek(bool v22) {
  BuiltFile file;
  file.minor = v22 ? 2 : 1;
  file.fields = {MakeField(0, "s", "string")};
  BuiltPage page;
  page.rows = 7;
  page.buffers = {
      v22 ? "\xa0\x00\x00\x00"s : "\xa0\x00"s,
      (v22 ? "\x07\x00\x0e\x00\x3c\x00\x00\x00"s : "\x07\x00\x0e\x00\x3c\x00\xfe\xfe"s) +
          Numbers<uint16_t>({0, 1, 0, 0, 0, 1, 0}) + "\xfe\xfe"s +
          Numbers<uint32_t>({32, 37, 37, 37, 41, 57, 57, 58}) + "alphabetagamma-long-valuez"s +
          "HH" + "\xfe\xfe\xfe\xfe"s};
  const std::string body =
      "\x12\x04\x0a\x02\x08\x10\x1a\x08\x12\x06\x0a\x04\x0a\x02\x08\x20"
      "\x32\x01\x03\x38\x01\x48\x07"s +
      (v22 ? "\x50\x01"s : ""s);
  page.layout = "\x0a"s + static_cast<char>(body.size()) + body;
  file.columns = {{page}};
  file.rows = 7;
  return file;
}

/// A mini-block layout: levels of 16 bits when asked for, flat 64 values.
std::string NestedLayout(std::string_view layers, uint64_t items, bool index) {
  proto::WireWriter flat64, flat16, value64, value16, mini, layout;
  flat64.Number(1, 64);
  flat16.Number(1, 16);
  value64.Message(1, flat64);
  value16.Message(1, flat16);
  mini.Message(1, value16);
  mini.Message(2, value16);
  mini.Message(3, value64);
  mini.Bytes(6, layers);
  mini.Number(7, 1);
  mini.Number(8, index ? 1 : 0);
  mini.Number(9, items);
  layout.Message(1, mini);
  return layout.Take();
}

/// A chunk with both kinds of levels.
std::string NestedChunk(const std::vector<uint16_t>& rep, const std::vector<uint16_t>& def,
                        const std::vector<uint64_t>& values) {
  const auto size = [](size_t n) { return Numbers<uint16_t>({static_cast<uint16_t>(n)}); };
  const auto padded = [](std::string text) {
    text.resize((text.size() + 7) / 8 * 8, '\xfe');
    return text;
  };
  return padded(size(rep.size()) + size(rep.size() * 2) + size(def.size() * 2) +
                size(values.size() * 8)) +
         padded(Numbers(rep)) + padded(Numbers(def)) + padded(Numbers(values));
}

std::string ChunkWord(const std::string& chunk, unsigned log) {
  return Numbers<uint16_t>({static_cast<uint16_t>((chunk.size() / 8 - 1) << 4 | log)});
}

/// list<struct<v: int64>> with every kind of absence (lance.md B3).
BuiltFile ListOfStruct(const std::vector<std::string>& chunks, const std::vector<unsigned>& logs,
                       const std::vector<uint64_t>& index, uint64_t items, uint64_t rows) {
  BuiltFile file;
  file.fields = {MakeField(0, "l", "list.struct"), MakeField(1, "item", "struct", 0),
                 MakeField(2, "v", "int64", 1)};
  BuiltPage page;
  page.rows = rows;
  page.buffers = {"", "", Numbers(index)};
  for (size_t i = 0; i < chunks.size(); ++i) {
    page.buffers[0] += ChunkWord(chunks[i], logs[i]);
    page.buffers[1] += chunks[i];
  }
  page.layout = NestedLayout("\x03\x03\x06", items, true);
  file.columns = {{page}};
  file.rows = rows;
  return file;
}

std::string Message(const std::string& bytes) { return ReadBytes(bytes).status().ToString(); }

TEST(LanceFile, ReadsTheWorkedExampleOfIntegers_LNCB9) {
  const auto batch = ReadBytes(Squares().Bytes());
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  ASSERT_EQ(batch->rows, 10);
  EXPECT_EQ(batch->columns[0]->validity, nullptr);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(batch->columns[0]->Value<int64_t>(i), i * i);
  }
}

TEST(LanceFile, ReadsTheWorkedExampleOfTexts_LNCB9) {
  for (const bool v22 : {false, true}) {
    const auto batch = ReadBytes(Greek(v22).Bytes());
    ASSERT_TRUE(batch.ok()) << batch.status().ToString();
    const columnar::Array& texts = *batch->columns[0];
    EXPECT_EQ(texts.null_count, 2);
    EXPECT_TRUE(texts.IsNull(1));
    EXPECT_TRUE(texts.IsNull(5));
    EXPECT_EQ(texts.Bytes(0), "alpha");
    EXPECT_EQ(texts.Bytes(2), "");
    EXPECT_FALSE(texts.IsNull(2));
    EXPECT_EQ(texts.Bytes(4), "gamma-long-value");
    EXPECT_EQ(texts.Bytes(6), "z");
  }
}

TEST(LanceFile, ReadsTheLevelsOfAListOfStructs_LNCB3) {
  // [{v: 7}, null, {v: null}], null, [], [{v: 9}]
  const std::string chunk = NestedChunk({1, 0, 0, 1, 1, 1}, {0, 2, 1, 3, 4, 0}, {7, 0, 0, 9});
  const auto batch = ReadBytes(ListOfStruct({chunk}, {0}, {4, 0}, 4, 4).Bytes());
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  const columnar::Array& list = *batch->columns[0];
  const columnar::Array& item = *list.children[0];
  const columnar::Array& v = *item.children[0];
  ASSERT_EQ(list.length, 4);
  EXPECT_TRUE(list.IsNull(1));
  EXPECT_FALSE(list.IsNull(2));
  EXPECT_EQ(list.Offset(1), 3);
  EXPECT_EQ(list.Offset(3), 3);
  EXPECT_EQ(list.Offset(4), 4);
  ASSERT_EQ(item.length, 4);
  EXPECT_TRUE(item.IsNull(1));
  EXPECT_FALSE(item.IsNull(2));
  EXPECT_TRUE(v.IsNull(2));
  EXPECT_EQ(v.Value<int64_t>(0), 7);
  EXPECT_EQ(v.Value<int64_t>(3), 9);
}

/// Row 0 has items 0..5 over three chunks, row 1 starts in the last.
BuiltFile LongRow() {
  return ListOfStruct({NestedChunk({1, 0}, {0, 0}, {0, 1}), NestedChunk({0, 0}, {0, 0}, {2, 3}),
                       NestedChunk({0, 0, 1}, {0, 0, 0}, {4, 5, 6})},
                      {1, 1, 0}, {0, 2, 0, 2, 2, 0}, 7, 2);
}

TEST(LanceFile, ReadsARowThatSpansChunks_LNCB4) {
  const auto file = OpenBytes(LongRow().Bytes());
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  const auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  RecordBatch batch;
  ASSERT_TRUE((*reader)->ReadRows(0, 1, &batch).ok());
  EXPECT_EQ(batch.columns[0]->Offset(1), 6);
  ASSERT_TRUE((*reader)->ReadRows(1, 2, &batch).ok());
  EXPECT_EQ(batch.columns[0]->Offset(1), 1);
  EXPECT_EQ(batch.columns[0]->children[0]->children[0]->Value<int64_t>(0), 6);
  const std::vector<uint64_t> rows = {1};
  ASSERT_TRUE((*reader)->Take(rows, &batch).ok());
  EXPECT_EQ(batch.columns[0]->children[0]->children[0]->Value<int64_t>(0), 6);
}

TEST(LanceFile, RefusesLevelsThatContradict_LNCB3) {
  const auto message = [](std::vector<uint16_t> rep, std::vector<uint16_t> def,
                          std::vector<uint64_t> values, std::vector<uint64_t> index,
                          uint64_t rows) {
    const size_t items = values.size();
    return Message(ListOfStruct({NestedChunk(rep, def, values)}, {0}, index, items, rows).Bytes());
  };
  EXPECT_NE(message({1, 0}, {3, 0}, {1}, {1, 0}, 1).find("belongs to no list"), std::string::npos);
  EXPECT_NE(message({2, 0}, {0, 0}, {1, 2}, {1, 0}, 1).find("hold 0 of 1 rows"), std::string::npos);
  EXPECT_NE(message({1, 1}, {0, 5}, {1}, {2, 0}, 2).find("out of range"), std::string::npos);
  EXPECT_NE(message({1, 1}, {0, 0}, {1}, {2, 0}, 2).find("visible levels"), std::string::npos);
  EXPECT_NE(message({1, 1}, {0, 0}, {1, 2}, {3, 0}, 2).find("repetition index"), std::string::npos);
  EXPECT_NE(message({1, 1}, {0, 0}, {1, 2}, {1, 0}, 1).find("rows"), std::string::npos);
}

TEST(LanceFile, OnePageIsOneReadAndNothingIsReadTwice) {
  const auto file = OpenBytes(Greek(false).Bytes());
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->open_counters().read_calls, 1U);
  const auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
  ASSERT_TRUE(reader.ok());
  RecordBatch batch;
  ASSERT_TRUE((*reader)->ReadRows(0, 3, &batch).ok());
  ASSERT_TRUE((*reader)->ReadRows(3, 7, &batch).ok());
  EXPECT_EQ((*reader)->counters().read_calls, 1U);
  EXPECT_EQ((*reader)->counters().pages_opened, 1U);
  EXPECT_EQ((*reader)->counters().chunks_decoded, 1U);
  EXPECT_EQ((*reader)->counters().rows, 7U);
}

TEST(LanceFile, BatchesKeepTheirValuesWhileTheyAreHeld) {
  const auto file = OpenBytes(Squares().Bytes());
  ASSERT_TRUE(file.ok());
  const auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
  RecordBatch first, second;
  ASSERT_TRUE((*reader)->ReadRows(0, 5, &first).ok());
  const columnar::ArrayPtr held = first.columns[0];
  ASSERT_TRUE((*reader)->ReadRows(5, 10, &second).ok());
  EXPECT_EQ(held->Value<int64_t>(4), 16);
  EXPECT_EQ(second.columns[0]->Value<int64_t>(4), 81);
  const void* memory = second.columns[0]->values->data();
  second = RecordBatch();
  ASSERT_TRUE((*reader)->ReadRows(0, 5, &second).ok());
  EXPECT_EQ(second.columns[0]->values->data(), memory);  // used again once it was let go
}

TEST(LanceFile, RefusesOtherVersionsByName_LNCC3) {
  for (const auto& [major, minor, text] :
       {std::tuple{2, 3, "2.3"}, {0, 2, "0.2"}, {0, 1, "0.1"}, {3, 0, "3.0"}}) {
    BuiltFile file = Squares();
    file.major = static_cast<uint16_t>(major);
    file.minor = static_cast<uint16_t>(minor);
    EXPECT_EQ(
        Message(file.Bytes()),
        fmt::format("unsupported: f.lance: file version {}: this reader knows 2.0, 2.1 and 2.2",
                    text));
  }
}

TEST(LanceFile, RefusesAFooterThatPointsOutside_LNCC3) {
  const std::string good = Squares().Bytes();
  EXPECT_EQ(Message("LANC"), "corruption: f.lance: 4 bytes are less than a Lance footer");
  EXPECT_EQ(Message(good.substr(0, good.size() - 1)),
            "corruption: f.lance: no Lance footer at the end of the file");
  for (const size_t field : {8U, 16U}) {
    std::string bad = good;
    bad[bad.size() - 40 + field + 6] = '\x7f';
    EXPECT_NE(Message(bad).find("is not within the file"), std::string::npos);
  }
  std::string bad = good;
  bad[bad.size() - 16] = '\0';
  EXPECT_EQ(Message(bad), "corruption: f.lance: no file descriptor");
}

TEST(LanceFile, NamesFileColumnPageAndEncoding_LNCC3) {
  BuiltFile file = Squares();
  file.columns[0][0].layout = "\x0a\x0b\x1a\x02\x72\x00\x32\x01\x01\x38\x01\x48\x0a"s;
  EXPECT_EQ(Message(file.Bytes()),
            "unsupported: f.lance: column 0 'v', page 0: encoding 14 in a mini-block page");
  file.columns[0][0].layout = "\x2a\x00"s;
  EXPECT_EQ(Message(file.Bytes()), "unsupported: f.lance: column 0 'v', page 0: page layout 5");
  file = Squares();
  file.fields[0].logical_type = "fixed_size_list:struct:2";
  EXPECT_EQ(Message(file.Bytes()),
            "unsupported: f.lance: column 'v': logical type 'fixed_size_list:struct:2'");
}

TEST(LanceFile, ChecksSizesBeforeItTrustsThem_LNCC3) {
  BuiltFile file = Squares();
  file.rows = 11;
  EXPECT_EQ(Message(file.Bytes()),
            "corruption: f.lance: column 0 'v': pages of 10 rows in a file of 11");
  file = Squares();
  file.columns[0][0].buffers[0] = "\xb0\x00"s;
  EXPECT_NE(Message(file.Bytes()).find("chunks of 96 bytes in a buffer of 88"), std::string::npos);
  file = Squares();
  file.fields[0].logical_type = "int32";
  EXPECT_NE(Message(file.Bytes()).find("values of 64 bits where the schema has 4-byte values"),
            std::string::npos);
  file = Greek(false);
  file.columns[0][0].buffers[1][24 + 6] = '\x20';  // an offset of 8229
  EXPECT_NE(Message(file.Bytes()).find("offsets that do not ascend"), std::string::npos);
}

TEST(LanceFile, MemoryIsLimitedWhereTheFileIsNot) {
  BuiltFile file;
  file.fields = {MakeField(0, "f", "fixed_size_list:double:1000")};
  BuiltPage page;  // all null without a byte
  page.rows = 1 << 20;
  page.layout = "\x12\x03\x2a\x01\x03"s;
  file.columns = {{page}};
  file.rows = page.rows;
  ReaderOptions options;
  options.max_batch_bytes = 64 << 20;
  EXPECT_EQ(ReadBytes(file.Bytes(), options).status().code(), StatusCode::kResourceExhausted);
  const auto opened = OpenBytes(file.Bytes());
  const auto reader = (*opened)->Read((*opened)->schema(), (*opened)->SequentialColumns(), options);
  RecordBatch batch;
  EXPECT_LE((*reader)->SuggestRows(1 << 20), 1024U);
  ASSERT_TRUE((*reader)->ReadRows(5, 105, &batch).ok());
  EXPECT_EQ(batch.columns[0]->null_count, 100);
}

TEST(LanceFile, ColumnsThatAreNotAskedForMayBeUnreadable_LNCC3) {
  BuiltFile file = Squares();
  file.fields.push_back(MakeField(1, "odd", "int512"));
  file.columns.push_back({file.columns[0][0]});
  const auto opened = OpenBytes(file.Bytes());
  ASSERT_TRUE(opened.ok());
  const auto& schema = (*opened)->schema();
  EXPECT_TRUE((*opened)->Read({&schema[0], 1}, (*opened)->SequentialColumns()).ok());
  EXPECT_EQ((*opened)->Read(schema, (*opened)->SequentialColumns()).status().code(),
            StatusCode::kUnsupported);
  // Nor need they be in the file.
  const auto reader = (*opened)->Read(schema, {{0, 0}});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->fields().size(), 1U);
}

TEST(LanceFile, RowsToTakeMustAscend) {
  const auto opened = OpenBytes(Squares().Bytes());
  const auto reader = (*opened)->Read((*opened)->schema(), (*opened)->SequentialColumns());
  RecordBatch batch;
  const std::vector<uint64_t> rows = {1, 4, 9}, twice = {4, 4}, beyond = {10};
  ASSERT_TRUE((*reader)->Take(rows, &batch).ok());
  EXPECT_EQ(batch.columns[0]->Value<int64_t>(2), 81);
  EXPECT_EQ((*reader)->Take(twice, &batch).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*reader)->Take(beyond, &batch).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*reader)->ReadRows(3, 11, &batch).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE((*reader)->Take({}, &batch).ok());
  EXPECT_EQ(batch.rows, 0);
}

TEST(LanceFile, EveryFlippedByteIsAnErrorOrRows) {
  for (const std::string& good :
       {Squares().Bytes(), Greek(false).Bytes(), Greek(true).Bytes(), LongRow().Bytes()}) {
    for (size_t i = 0; i < good.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        std::string bad = good;
        bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ flip);
        ReaderOptions options;
        options.max_batch_bytes = 16 << 20;
        const auto batch = ReadBytes(bad, options);
        EXPECT_TRUE(batch.ok() || !batch.status().message().empty());
      }
    }
  }
}

}  // namespace
}  // namespace pchronicle::lance
