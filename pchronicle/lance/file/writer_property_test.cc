#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pchronicle/lance/file/file_writer.h"
#include "pchronicle/lance/file/random_arrays_test.h"

namespace pchronicle::lance {
namespace {

using columnar::RecordBatch;
using testing_support::OpenBytes;
using testing_support::RandomArrays;

struct Written {
  std::vector<proto::Field> fields;
  std::vector<FieldNode> tree;
  std::vector<RecordBatch> batches;
  std::string bytes;
  uint64_t rows = 0;
};

Result<std::string> WriteBatches(const std::vector<proto::Field>& fields,
                                 const std::vector<RecordBatch>& batches,
                                 const FileWriterOptions& options) {
  std::string bytes;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto writer, FileWriter::Create(
                                                     fields,
                                                     [&](std::string_view more) {
                                                       bytes += more;
                                                       return Status::Ok();
                                                     },
                                                     options));
  for (const RecordBatch& batch : batches) {
    PCHRONICLE_RETURN_IF_ERROR(writer->Append(batch));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t size, writer->Finish());
  EXPECT_EQ(size, bytes.size());
  return bytes;
}

Written WriteRandom(uint64_t seed, size_t columns, size_t rows, int depth,
                    FileWriterOptions options) {
  Written written;
  RandomArrays random(seed);
  for (size_t i = 0; i < columns; ++i) {
    random.AddField(-1, "c" + std::to_string(i), depth, options.version.minor >= 2,
                    random.Below(4) != 0, &written.fields);
  }
  written.tree = *BuildFieldTree(written.fields);
  for (size_t left = rows; left > 0;) {
    RecordBatch batch;
    const size_t count = 1 + random.Below(left);
    batch.rows = static_cast<int64_t>(count);
    for (const FieldNode& node : written.tree) {
      batch.columns.push_back(random.Make(node, count));
    }
    written.batches.push_back(std::move(batch));
    left -= count;
  }
  written.rows = rows;
  const auto bytes = WriteBatches(written.fields, written.batches, options);
  if (!bytes.ok()) {
    RC_FAIL(bytes.status().ToString());
  } else {
    written.bytes = *bytes;
  }
  return written;
}

void ExpectSameRows(const Written& written) {
  const auto file = OpenBytes(written.bytes);
  if (!file.ok()) {
    RC_FAIL(file.status().ToString());
  }
  const auto reader = (*file)->Read((*file)->schema(), (*file)->SequentialColumns());
  RC_ASSERT(reader.ok());
  uint64_t at = 0;
  for (const RecordBatch& batch : written.batches) {
    RecordBatch read;
    const auto end = at + static_cast<uint64_t>(batch.rows);
    const Status status = (*reader)->ReadRows(at, end, &read);
    if (!status.ok()) {
      RC_FAIL(status.ToString());
    }
    for (size_t i = 0; i < written.tree.size(); ++i) {
      if (!SameValues(*batch.columns[i], *read.columns[i])) {
        RC_FAIL("column " + std::to_string(i) + " of " + columnar::ToString(*written.tree[i].type) +
                " from row " + std::to_string(at));
      }
    }
    at = end;
  }
  RC_ASSERT(at == (*file)->rows());
  // Single rows, through the repetition index and the row positions.
  for (uint64_t row = 0; row < written.rows; row += 1 + written.rows / 5) {
    RecordBatch one, all;
    const Status status = (*reader)->Take(std::span(&row, 1), &one);
    if (!status.ok()) {
      RC_FAIL(status.ToString());
    }
    RC_ASSERT((*reader)->ReadRows(row, row + 1, &all).ok());
    for (size_t i = 0; i < written.tree.size(); ++i) {
      RC_ASSERT(SameValues(*one.columns[i], *all.columns[i]));
    }
  }
}

RC_GTEST_PROP(LanceWriterProperty, NestedColumnsAreReadAsWritten_LNCB3, (uint64_t seed)) {
  FileWriterOptions options;
  options.version.minor = *rc::gen::element(1U, 2U);
  options.page_bytes = *rc::gen::element<uint64_t>(1, 100, 4000, 100000, 8 << 20);
  options.threads = *rc::gen::element<size_t>(1, 2);
  const auto rows = *rc::gen::element<size_t>(1, 2, 63, 100, 1023, 1025, 5000);
  const size_t columns = *rc::gen::inRange<size_t>(1, 4);
  ExpectSameRows(WriteRandom(seed, columns,
                             options.page_bytes < 4000 ? std::min<size_t>(rows, 100) : rows,
                             *rc::gen::inRange(0, 5), options));
}

TEST(LanceWriterProperty, SameBytesForAnyNumberOfThreads_LNCC1) {
  for (const uint64_t seed : {1, 2, 3}) {
    FileWriterOptions options;
    options.page_bytes = 20000;
    options.threads = 1;
    const Written alone = WriteRandom(seed, 8, 20000, 3, options);
    for (const size_t threads : {2, 3, 5}) {
      options.threads = threads;
      const auto bytes = WriteBatches(alone.fields, alone.batches, options);
      ASSERT_TRUE(bytes.ok());
      EXPECT_EQ(alone.bytes == *bytes, true) << threads << " threads, seed " << seed;
    }
  }
}

}  // namespace
}  // namespace pchronicle::lance
