#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "pchronicle/catalog/test_dataset_test.h"
#include "pchronicle/pchronicle.h"

namespace pchronicle {

using catalog::testing::Atif;
using catalog::testing::Child;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A folder, and its rows through the Arrow stream.
class ApiTest : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view bytes) { folder_.Write(name, bytes); }

  Snapshot Open(const OpenOptions& options = {}) {
    auto snapshot = Snapshot::Open(folder_.path(), options);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
    return *snapshot;
  }

  /// What a stream gives: the cells of its first column, which is text or BIGINT, its error at the
  /// end, and the arrays it came in.
  struct Rows {
    std::vector<std::string> cells;
    int error = 0;
    std::string message;
    size_t arrays = 0;
  };

  static std::string Cell(const ArrowArray& column, int64_t row) {
    if (column.n_buffers == 2) {
      return std::to_string(static_cast<const int64_t*>(column.buffers[1])[column.offset + row]);
    }
    const auto* offsets = static_cast<const int64_t*>(column.buffers[1]) + column.offset;
    const auto* bytes = static_cast<const char*>(column.buffers[2]);
    return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
  }

  /// Reads a stream to its end and releases it.
  static Rows Drain(ArrowArrayStream& stream) {
    Rows rows;
    ArrowArray array;
    while ((rows.error = stream.get_next(&stream, &array)) == 0 && array.release != nullptr) {
      ++rows.arrays;
      for (int64_t row = 0; row < array.length; ++row) {
        rows.cells.push_back(Cell(*array.children[0], row));
      }
      array.release(&array);
    }
    if (rows.error != 0) {
      const char* message = stream.get_last_error(&stream);
      rows.message = message == nullptr ? "" : message;
    }
    stream.release(&stream);
    return rows;
  }

  static Rows Ask(const Snapshot& snapshot, std::string_view sql,
                  const QueryOptions& options = {}) {
    ArrowArrayStream stream;
    const Status status = snapshot.Query(sql, &stream, options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? Drain(stream) : Rows{};
  }

  catalog::testing::TempDataset folder_;
};

}  // namespace pchronicle
