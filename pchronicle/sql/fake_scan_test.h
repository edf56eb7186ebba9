#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pchronicle/catalog/file_predicate.h"
#include "pchronicle/sql/engine.h"

namespace pchronicle::sql {

using FakeCell = std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>,
                              std::vector<double>, std::vector<std::string>>;
using FakeRow = std::vector<FakeCell>;

/// One source: its path and its rows per relation, without the leading `_file_`.
struct FakeSource {
  std::string file;
  std::map<model::Relation, std::vector<FakeRow>> rows;
  Status error;               // given out when the source is opened
  size_t rows_per_batch = 3;  // to exercise slices
};

/// Scans over made-up rows that remember what was asked of them.
class FakeScans : public ScanFactory {
 public:
  FakeScans(const std::vector<std::vector<FakeSource>>& datasets, const Namespace& names,
            const Context& context)
      : datasets_(datasets), names_(names), context_(context) {}

  Result<std::unique_ptr<catalog::RelationScan>> Create(catalog::ScanRequest request) override;

  Result<std::unique_ptr<catalog::RowScan>> CreateRows(const catalog::RowScanRequest&) override {
    return Status::NotFound("no foreign table");
  }

  std::vector<catalog::ScanRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::vector<std::string> opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }
  const Context& context() const { return context_; }
  void Opened(const std::string& file) {
    const std::lock_guard lock(mutex_);
    opened_.push_back(file);
  }
  /// A source of endless rows when above zero, for tests of cancellation.
  bool endless = false;

 private:
  const std::vector<std::vector<FakeSource>>& datasets_;
  const Namespace& names_;
  const Context& context_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<catalog::ScanRequest> requests_;
  std::vector<std::string> opened_;
};

inline const columnar::Schema& SchemaOf(const Namespace& names, model::Relation relation) {
  for (const RelationSchema& schema : names.relations) {
    if (schema.relation == relation) {
      return schema.columns;
    }
  }
  std::abort();
}

class FakeTask : public catalog::ScanTask {
 public:
  FakeTask(FakeScans& scans, const FakeSource& source, uint64_t order,
           const catalog::ScanRequest& request, const columnar::Schema& schema)
      : scans_(scans), source_(source), order_(order), request_(request) {
    std::vector<columnar::Type> types;
    for (const uint16_t column : request.columns) {
      types.push_back(schema[column].type);
    }
    batch_ = columnar::Batch(types);
  }
  uint64_t order() const override { return order_; }

  Result<columnar::Batch*> Next() override {
    PCHRONICLE_RETURN_IF_ERROR(scans_.context().Check());
    if (at_ == 0) {
      scans_.Opened(source_.file);
      PCHRONICLE_RETURN_IF_ERROR(source_.error);
    }
    const auto found = source_.rows.find(request_.relation);
    if (found == source_.rows.end()) {
      return nullptr;
    }
    const std::vector<FakeRow>& rows = found->second;
    batch_.Clear();
    while (batch_.rows < source_.rows_per_batch && (at_ < rows.size() || scans_.endless)) {
      const FakeRow& row = rows[at_ % rows.size()];
      if (Satisfies(row)) {
        Append(row);
      }
      ++at_;
    }
    return batch_.rows == 0 ? nullptr : &batch_;
  }

 private:
  /// Uses every hint: rows that cannot satisfy one are left out.
  bool Satisfies(const FakeRow& row) const {
    return std::all_of(request_.predicates.begin(), request_.predicates.end(),
                       [&](const model::RowPredicate& predicate) {
                         return Satisfies(row[predicate.column - 1u], predicate);
                       });
  }

  static bool Satisfies(const FakeCell& cell, const model::RowPredicate& predicate) {
    using Op = model::RowPredicate::Op;
    if (std::holds_alternative<std::monostate>(cell) || predicate.op == Op::kIsNull) {
      return std::holds_alternative<std::monostate>(cell) && predicate.op == Op::kIsNull;
    }
    if (predicate.op == Op::kIsNotNull) {
      return true;
    }
    std::variant<int64_t, std::string> value;
    if (const auto* integer = std::get_if<int64_t>(&cell)) {
      value = *integer;
    } else {
      value = std::get<std::string>(cell);
    }
    const auto& values = predicate.values;
    const bool listed = std::find(values.begin(), values.end(), value) != values.end();
    switch (predicate.op) {
      case Op::kEq:
      case Op::kIn:
        return listed;
      case Op::kNe:
      case Op::kNotIn:
        return !listed;
      case Op::kLt:
        return value < values[0];
      case Op::kLe:
        return value <= values[0];
      case Op::kGt:
        return value > values[0];
      case Op::kGe:
        return value >= values[0];
      case Op::kContains:
        return std::get<std::string>(value).find(std::get<std::string>(values[0])) !=
               std::string::npos;
      case Op::kPrefix:
        return std::get<std::string>(value).starts_with(std::get<std::string>(values[0]));
      default:
        return true;
    }
  }

  void Append(const FakeRow& row) {
    for (size_t i = 0; i < request_.columns.size(); ++i) {
      columnar::Column& column = batch_.columns[i];
      const uint16_t number = request_.columns[i];
      if (number == 0) {
        column.AppendText(source_.file);
        continue;
      }
      AppendCell(row[number - 1], column);
    }
    ++batch_.rows;
  }

  void AppendCell(const FakeCell& cell, columnar::Column& column) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) {
      column.AppendInt(*integer);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      column.AppendDouble(*real);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      column.AppendText(batch_.text->Copy(*text));
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&cell)) {
      for (const int64_t element : *list) {
        column.element().AppendInt(element);
      }
      column.CloseList();
    } else if (const auto* reals = std::get_if<std::vector<double>>(&cell)) {
      for (const double element : *reals) {
        column.element().AppendDouble(element);
      }
      column.CloseList();
    } else if (const auto* names = std::get_if<std::vector<std::string>>(&cell)) {
      for (const std::string& element : *names) {
        column.element().AppendText(batch_.text->Copy(element));
      }
      column.CloseList();
    } else {
      column.AppendNull();
    }
  }

  FakeScans& scans_;
  const FakeSource& source_;
  const uint64_t order_;
  const catalog::ScanRequest request_;
  columnar::Batch batch_;
  size_t at_ = 0;
};

class FakeScan : public catalog::RelationScan {
 public:
  FakeScan(FakeScans& scans, const std::vector<FakeSource>& sources, catalog::ScanRequest request,
           const columnar::Schema& schema)
      : scans_(scans), request_(std::move(request)), schema_(schema), total_(sources.size()) {
    for (const FakeSource& source : sources) {
      if (catalog::Evaluate(request_.file_predicate, source.file) != catalog::Truth::kFalse) {
        matched_.push_back(&source);
      }
    }
  }
  size_t sources_total() const override { return total_; }
  size_t sources_matched() const override { return matched_.size(); }
  size_t max_threads() const override { return 4; }
  Result<std::unique_ptr<catalog::ScanTask>> NextTask() override {
    const std::lock_guard lock(mutex_);
    if (next_ == matched_.size()) {
      return std::unique_ptr<catalog::ScanTask>();
    }
    const size_t at = next_++;
    return std::unique_ptr<catalog::ScanTask>(
        std::make_unique<FakeTask>(scans_, *matched_[at], at, request_, schema_));
  }

 private:
  FakeScans& scans_;
  const catalog::ScanRequest request_;
  const columnar::Schema& schema_;
  const size_t total_;
  std::vector<const FakeSource*> matched_;
  std::mutex mutex_;  // guards next_
  size_t next_ = 0;
};

inline Result<std::unique_ptr<catalog::RelationScan>> FakeScans::Create(
    catalog::ScanRequest request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const columnar::Schema& schema = SchemaOf(names_, request.relation);
  const std::vector<FakeSource>& sources = datasets_[request.dataset];
  return std::unique_ptr<catalog::RelationScan>(
      std::make_unique<FakeScan>(*this, sources, std::move(request), schema));
}

}  // namespace pchronicle::sql
