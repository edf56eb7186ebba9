#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "pchronicle/lance/index/index_builder.h"
#include "pchronicle/lance/table/built_table_test.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::lance::testing_support {

using Cell = std::optional<columnar::Scalar>;

/// An array of any indexed type, from literals.
inline columnar::ArrayPtr MakeColumn(columnar::TypeId type, const std::vector<Cell>& cells) {
  const columnar::DataTypePtr data_type = columnar::MakeType(type);
  auto out = std::make_shared<columnar::Array>();
  auto validity = std::make_shared<columnar::Buffer>(0),
       values = std::make_shared<columnar::Buffer>(0),
       offsets = std::make_shared<columnar::Buffer>(0);
  validity->AppendZeros(cells.size() / 8 + 1);
  values->AppendZeros(type == columnar::TypeId::kBool ? cells.size() / 8 + 1 : 0);
  int32_t end = 0;
  offsets->Append(&end, 4);
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto bit = static_cast<uint8_t>(1 << (i % 8));
    if (cells[i]) {
      validity->data()[i / 8] |= bit;
    } else {
      ++out->null_count;
    }
    if (type == columnar::TypeId::kBool) {
      values->data()[i / 8] |= cells[i] && std::get<bool>(*cells[i]) ? bit : uint8_t{0};
    } else if (type == columnar::TypeId::kUtf8) {
      const std::string text = cells[i] ? std::get<std::string>(*cells[i]) : "";
      values->Append(text.data(), text.size());
      end += static_cast<int32_t>(text.size());
      offsets->Append(&end, 4);
    } else if (type == columnar::TypeId::kDouble) {
      const double number = cells[i] ? std::get<double>(*cells[i]) : 0;
      values->Append(&number, 8);
    } else {
      const int64_t number = cells[i] ? std::get<int64_t>(*cells[i]) : 0;
      values->Append(&number, columnar::ByteWidth(*data_type));
    }
  }
  out->type = data_type;
  out->length = static_cast<int64_t>(cells.size());
  out->validity = validity;
  out->values = values;
  if (type == columnar::TypeId::kUtf8) {
    out->offsets = offsets;
  }
  return out;
}

inline rc::Gen<columnar::Scalar> Value(columnar::TypeId type) {
  const double inf = std::numeric_limits<double>::infinity();
  switch (type) {
    case columnar::TypeId::kBool:
      return rc::gen::map(rc::gen::arbitrary<bool>(), [](bool v) { return columnar::Scalar(v); });
    case columnar::TypeId::kUtf8:
      return rc::gen::map(rc::gen::element<std::string>("", "a", "ab", "b", "run-0001", "run-0002",
                                                        "\xc3\xa9", "zz"),
                          [](std::string v) { return columnar::Scalar(std::move(v)); });
    case columnar::TypeId::kDouble:
      return rc::gen::map(rc::gen::element(-inf, -1.5, -0.0, 0.0, 2.25, 1e300, inf, std::nan("")),
                          [](double v) { return columnar::Scalar(v); });
    default:
      return rc::gen::map(rc::gen::inRange<int64_t>(-20, 20),
                          [](int64_t v) { return columnar::Scalar(v); });
  }
}

inline rc::Gen<columnar::PredicatePtr> LeafOf(columnar::TypeId type) {
  return rc::gen::exec([type]() -> columnar::PredicatePtr {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return columnar::IsNull("v");
      case 1:
        return columnar::In("v", *rc::gen::container<std::vector<columnar::Scalar>>(Value(type)));
      default:
        return columnar::Compare(
            "v",
            *rc::gen::element(columnar::CompareOp::kEq, columnar::CompareOp::kNe,
                              columnar::CompareOp::kLt, columnar::CompareOp::kLe,
                              columnar::CompareOp::kGt, columnar::CompareOp::kGe),
            *Value(type));
    }
  });
}

inline columnar::PredicatePtr RandomPredicate(columnar::TypeId type) {
  const columnar::PredicatePtr first = *LeafOf(type);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return columnar::And({first, *LeafOf(type)});
    case 1:
      return columnar::Or({first, *LeafOf(type)});
    case 2:
      return columnar::Not(first);
    default:
      return first;
  }
}

inline std::vector<uint64_t> Rows(const std::shared_ptr<const Table>& table,
                                  const columnar::PredicatePtr& filter, bool use_indices,
                                  ScanCounters* counters = nullptr) {
  ScanOptions options;
  options.columns = {"n"};
  options.filter = filter;
  options.use_indices = use_indices;
  const auto scan = Scan::Plan(table, options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  const Context context;
  const auto stream = ScanStream::Start(*scan, 1, true, context);
  columnar::RecordBatch batch;
  std::vector<uint64_t> out;
  for (;;) {
    const auto more = stream->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) {
      break;
    }
    for (int64_t i = 0; i < batch.rows; ++i) {
      out.push_back(static_cast<uint64_t>(batch.columns[0]->Value<int64_t>(i)));
    }
  }
  if (counters != nullptr) {
    *counters = (*scan)->counters();
  }
  return out;
}

/// A table of a column `v` under test and a number `n`.
class IndexedTable {
 public:
  IndexedTable(columnar::TypeId type, bool stable)
      : type_(type),
        table_({{"v", columnar::MakeType(type), true, {}},
                {"n", columnar::MakeType(columnar::TypeId::kInt64), true, {}}},
               stable) {}

  void Append(const std::vector<Cell>& cells, std::vector<uint64_t> ids = {}) {
    std::vector<Cell> numbers;
    for (size_t i = 0; i < cells.size(); ++i) {
      numbers.push_back(int64_t{next_++});
      if (ids.size() < cells.size()) {
        ids.push_back(next_id_++);
      }
    }
    columnar::RecordBatch batch;
    batch.columns = {MakeColumn(type_, cells), MakeColumn(columnar::TypeId::kInt64, numbers)};
    batch.rows = static_cast<int64_t>(cells.size());
    EXPECT_TRUE(table_.Append(batch, ids).ok());
  }

  BuildIndexOptions Options() {
    BuildIndexOptions options;
    options.uuid[0] = ++uuid_;
    return options;
  }

  BuiltIndex Build(IndexKind kind, BuildIndexOptions options) {
    StoredIndexOutput output(table_.store(), options.uuid);
    auto built = BuildIndex(Open(), "v", kind, options, &output);
    EXPECT_TRUE(built.ok()) << built.status().ToString();
    table_.indices.push_back(built->index);
    return *std::move(built);
  }

  std::optional<BuiltIndex> Optimize() {
    const BuildIndexOptions options = Options();
    StoredIndexOutput output(table_.store(), options.uuid);
    auto built = OptimizeIndex(Open(), "v_idx", options, &output);
    EXPECT_TRUE(built.ok()) << built.status().ToString();
    if (*built) {
      EXPECT_EQ((*built)->replaced.size(), table_.indices.size());
      table_.indices = {(*built)->index};
    }
    return *std::move(built);
  }

  std::shared_ptr<const Table> Open() {
    auto table = table_.Open();
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *table;
  }
  BuiltTable& table() { return table_; }

 private:
  columnar::TypeId type_;
  BuiltTable table_;
  int64_t next_ = 0;
  uint64_t next_id_ = 1000;
  uint8_t uuid_ = 0;
};

inline rc::Gen<std::vector<Cell>> Cells(columnar::TypeId type) {
  return rc::gen::nonEmpty(rc::gen::container<std::vector<Cell>>(rc::gen::exec(
      [type]() -> Cell { return *rc::gen::inRange(0, 5) == 0 ? Cell() : Cell(*Value(type)); })));
}

inline void CheckSameAnswers(IndexedTable* indexed, columnar::TypeId type) {
  const auto table = indexed->Open();
  for (int i = 0; i < 4; ++i) {
    const columnar::PredicatePtr predicate = RandomPredicate(type);
    RC_ASSERT(Rows(table, predicate, true) == Rows(table, predicate, false));
  }
  const Context context;
  const auto report = Verify(table, context);
  RC_ASSERT(report.ok());
  RC_ASSERT(report->problems.empty());
}

}  // namespace pchronicle::lance::testing_support
