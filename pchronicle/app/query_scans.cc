#include "pchronicle/app/query_scans.h"

#include <algorithm>

#include "pchronicle/catalog/foreign_table.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::app {
namespace {

using catalog::RelationScan;
using catalog::RowScan;
using catalog::RowTask;
using catalog::ScanRequest;
using catalog::ScanTask;

/// Columns of `sources` that hold what reading found out.
bool IsContentColumn(uint16_t column) {
  const std::string& name = model::RelationColumns(model::Relation::kSources)[column].field.name;
  return name == "content_status" || name == "reason" || name == "runs" || name == "diagnostics";
}

bool HasUnknownContent(const catalog::CatalogDataset& dataset) {
  return std::any_of(
      dataset.sources.begin(), dataset.sources.end(), [](const catalog::Source& source) {
        return source.error.ok() &&
               catalog::KnownContent(source).status == catalog::ContentStatus::kUnknown;
      });
}

uint64_t BytesOf(const columnar::Column& column) {
  uint64_t bytes = (column.ints().size() + column.doubles().size()) * sizeof(int64_t);
  for (const std::string_view text : column.texts()) {
    bytes += text.size();
  }
  return columnar::IsList(column.type()) ? bytes + BytesOf(column.element()) : bytes;
}

uint64_t BytesOf(const columnar::Array& array) {
  uint64_t bytes = 0;
  for (const columnar::BufferPtr& buffer : {array.validity, array.offsets, array.values}) {
    bytes += buffer == nullptr ? 0 : buffer->size();
  }
  for (const columnar::ArrayPtr& child : array.children) {
    bytes += BytesOf(*child);
  }
  return bytes;
}

/// Counts the cells that a task hands on.
class CountingTask : public ScanTask {
 public:
  CountingTask(std::unique_ptr<ScanTask> task, std::atomic<uint64_t>& bytes)
      : task_(std::move(task)), bytes_(bytes) {}
  uint64_t order() const override { return task_->order(); }
  Result<columnar::Batch*> Next() override {
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::Batch* const batch, task_->Next());
    if (batch != nullptr) {
      for (const columnar::Column& column : batch->columns) {
        bytes_ += BytesOf(column);
      }
    }
    return batch;
  }

 private:
  const std::unique_ptr<ScanTask> task_;
  std::atomic<uint64_t>& bytes_;
};

class CountingScan : public RelationScan {
 public:
  CountingScan(std::unique_ptr<RelationScan> scan, std::atomic<uint64_t>& bytes)
      : scan_(std::move(scan)), bytes_(bytes) {}
  size_t sources_total() const override { return scan_->sources_total(); }
  size_t sources_matched() const override { return scan_->sources_matched(); }
  uint64_t bytes_matched() const override { return scan_->bytes_matched(); }
  size_t max_threads() const override { return scan_->max_threads(); }
  const catalog::ScanMetrics* metrics() const override { return scan_->metrics(); }
  Result<std::unique_ptr<ScanTask>> NextTask() override {
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ScanTask> task, scan_->NextTask());
    if (task == nullptr) {
      return std::unique_ptr<ScanTask>();
    }
    return std::unique_ptr<ScanTask>(std::make_unique<CountingTask>(std::move(task), bytes_));
  }

 private:
  const std::unique_ptr<RelationScan> scan_;
  std::atomic<uint64_t>& bytes_;
};

class CountingRowTask : public RowTask {
 public:
  CountingRowTask(std::unique_ptr<RowTask> task, std::atomic<uint64_t>& bytes)
      : task_(std::move(task)), bytes_(bytes) {}
  uint64_t order() const override { return task_->order(); }
  Result<bool> Next(columnar::RecordBatch* out) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, task_->Next(out));
    for (size_t i = 0; more && i < out->columns.size(); ++i) {
      bytes_ += BytesOf(*out->columns[i]);
    }
    return more;
  }

 private:
  const std::unique_ptr<RowTask> task_;
  std::atomic<uint64_t>& bytes_;
};

class CountingRowScan : public RowScan {
 public:
  CountingRowScan(std::unique_ptr<RowScan> scan, std::atomic<uint64_t>& bytes)
      : scan_(std::move(scan)), bytes_(bytes) {}
  const std::vector<columnar::DataField>& fields() const override { return scan_->fields(); }
  catalog::RowScanPlan plan() const override { return scan_->plan(); }
  size_t tasks() const override { return scan_->tasks(); }
  const catalog::ScanMetrics* metrics() const override { return scan_->metrics(); }
  Result<std::unique_ptr<RowTask>> NextTask() override {
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<RowTask> task, scan_->NextTask());
    if (task == nullptr) {
      return std::unique_ptr<RowTask>();
    }
    return std::unique_ptr<RowTask>(std::make_unique<CountingRowTask>(std::move(task), bytes_));
  }

 private:
  const std::unique_ptr<RowScan> scan_;
  std::atomic<uint64_t>& bytes_;
};

}  // namespace

Result<std::unique_ptr<RelationScan>> QueryScans::Create(ScanRequest request) {
  if (request.relation == model::Relation::kSources &&
      std::any_of(request.columns.begin(), request.columns.end(), IsContentColumn) &&
      HasUnknownContent(scope_.snapshot().datasets()[request.dataset])) {
    content_unknown_ = true;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<RelationScan> scan,
                              RelationScan::Create(scope_, std::move(request)));
  if (!count_) {
    return scan;
  }
  return std::unique_ptr<RelationScan>(std::make_unique<CountingScan>(std::move(scan), bytes_));
}

Result<std::unique_ptr<RowScan>> QueryScans::CreateRows(const catalog::RowScanRequest& request) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<RowScan> scan,
                              catalog::CreateRowScan(scope_, request));
  if (!count_) {
    return scan;
  }
  return std::unique_ptr<RowScan>(std::make_unique<CountingRowScan>(std::move(scan), bytes_));
}

}  // namespace pchronicle::app
