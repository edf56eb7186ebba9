#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/lance/edit/batch_source.h"
#include "pchronicle/lance/table/scan.h"

namespace pchronicle::lance::testing_support {

/// A row of the test table: id int64 not null, name utf8 nullable.
struct Row {
  int64_t id = 0;
  std::optional<std::string> name;
  bool operator==(const Row&) const = default;
  auto operator<=>(const Row&) const = default;
};
using Rows = std::vector<Row>;

inline std::vector<columnar::DataField> RowSchema() {
  return {{"id", columnar::MakeType(columnar::TypeId::kInt64), false, {}},
          {"name", columnar::MakeType(columnar::TypeId::kUtf8), true, {}}};
}

inline columnar::ArrayPtr Int64s(const std::vector<int64_t>& values) {
  auto buffer = std::make_shared<columnar::Buffer>(0);
  buffer->Append(values.data(), values.size() * sizeof(int64_t));
  auto out = std::make_shared<columnar::Array>();
  out->type = columnar::MakeType(columnar::TypeId::kInt64);
  out->length = static_cast<int64_t>(values.size());
  out->values = std::move(buffer);
  return out;
}

inline columnar::ArrayPtr Texts(const std::vector<std::optional<std::string>>& values) {
  auto offsets = std::make_shared<columnar::Buffer>(0),
       bytes = std::make_shared<columnar::Buffer>(0);
  auto bits = std::make_shared<columnar::Buffer>(0);
  bits->AppendZeros((values.size() + 7) / 8);
  auto out = std::make_shared<columnar::Array>();
  int32_t end = 0;
  offsets->Append(&end, sizeof(end));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) {
      bytes->Append(values[i]->data(), values[i]->size());
      end += static_cast<int32_t>(values[i]->size());
      bits->data()[i / 8] = static_cast<uint8_t>(bits->data()[i / 8] | 1 << (i % 8));
    } else {
      ++out->null_count;
    }
    offsets->Append(&end, sizeof(end));
  }
  out->type = columnar::MakeType(columnar::TypeId::kUtf8);
  out->length = static_cast<int64_t>(values.size());
  out->offsets = std::move(offsets);
  out->values = std::move(bytes);
  out->validity = out->null_count == 0 ? nullptr : std::move(bits);
  return out;
}

inline columnar::RecordBatch ToBatch(const Rows& rows) {
  std::vector<int64_t> ids;
  std::vector<std::optional<std::string>> names;
  for (const Row& row : rows) {
    ids.push_back(row.id);
    names.push_back(row.name);
  }
  return {RowSchema(), {Int64s(ids), Texts(names)}, static_cast<int64_t>(rows.size())};
}
inline BatchSource Source(const Rows& rows) {
  return rows.empty() ? FromBatches({}) : FromBatches({ToBatch(rows)});
}

/// Rows `begin` to `end - 1`, named after their number.
inline Rows Numbered(int64_t begin, int64_t end) {
  Rows out;
  for (int64_t i = begin; i < end; ++i) {
    out.push_back({i, fmt::format("row {}", i)});
  }
  return out;
}

/// What a scan of these columns gives, in its order.
inline Result<std::vector<columnar::RecordBatch>> ScanAll(const std::shared_ptr<const Table>& table,
                                                          ScanOptions options = {}) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto scan, Scan::Plan(table, std::move(options)));
  std::vector<columnar::RecordBatch> out;
  for (size_t i = 0; i < scan->tasks().size(); ++i) {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, scan->OpenTask(i));
    for (columnar::RecordBatch batch;;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, Context()));
      if (!more) {
        break;
      }
      out.push_back(batch);
    }
  }
  return out;
}

inline Result<Rows> ReadRows(const std::shared_ptr<io::Store>& store,
                             std::optional<uint64_t> version = {}, ScanOptions scan = {}) {
  OpenOptions open;
  open.version = version;
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, Table::Open(store, open));
  scan.columns = {"id", "name"};
  PCHRONICLE_ASSIGN_OR_RETURN(const auto batches, ScanAll(table, std::move(scan)));
  Rows out;
  for (const columnar::RecordBatch& batch : batches) {
    for (int64_t i = 0; i < batch.rows; ++i) {
      Row& row = out.emplace_back();
      row.id = batch.columns[0]->Value<int64_t>(i);
      if (!batch.columns[1]->IsNull(i)) {
        row.name = std::string(batch.columns[1]->Bytes(i));
      }
    }
  }
  return out;
}

/// The rows of the newest version, sorted; a failure fails the test.
inline Rows SortedRows(const std::shared_ptr<io::Store>& store,
                       std::optional<uint64_t> version = {}) {
  Result<Rows> rows = ReadRows(store, version);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  if (!rows.ok()) {
    return {};
  }
  std::sort(rows->begin(), rows->end());
  return *std::move(rows);
}

}  // namespace pchronicle::lance::testing_support
