#include "pchronicle/catalog/foreign_table.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "pchronicle/catalog/parallel.h"
#include "pchronicle/lance/table/manifest_file.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan.h"

namespace pchronicle::catalog {
namespace {

/// Rows of a batch with payloads that lie outside of the columns: their sizes are not known before
/// they are read.
constexpr uint64_t kBlobBatchRows = 64;

bool HoldsBlob(const lance::FieldNode& field) {
  return field.kind == lance::FieldNode::Kind::kBlob1 ||
         field.kind == lance::FieldNode::Kind::kBlob2 ||
         std::any_of(field.children.begin(), field.children.end(), HoldsBlob);
}

/// What of a field cannot be read.
std::string Unreadable(const lance::FieldNode& field) {
  const Status status = lance::CheckReadable({&field, 1});
  return status.ok() ? std::string() : status.message();
}

uint64_t PhysicalRows(const lance::Table& table) {
  uint64_t rows = 0;
  for (const lance::proto::Fragment& fragment : table.fragments()) {
    rows += fragment.physical_rows;
  }
  return rows;
}

/// Takes the time that a task works, without waiting for its consumer.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>& total) : total_(total) {}
  ~Stopwatch() {
    total_ += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now() - start_)
                                        .count());
  }

 private:
  std::atomic<uint64_t>& total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Counters that tasks share with their scan. Tasks may outlive the scan.
class Account {
 public:
  Account(QueryScope& scope, const Source& source, std::shared_ptr<const lance::Scan> scan)
      : scope_(scope), source_(source), scan_(std::move(scan)) {}

  std::atomic<uint64_t> busy_ns{0};

  /// Hands on what was counted since the last time.
  void Settle() {
    const std::lock_guard lock(mutex_);
    ScanCounters more;
    if (!opened_) {
      opened_ = true;
      more.sources_opened = 1;
      ++scope_.metrics().sources_total;
      ++metrics_.sources_total;
      uint64_t planned = 0;
      for (const lance::ScanTask& task : scan_->tasks()) {
        planned += task.end - task.begin;
      }
      more.rows_pruned = PhysicalRows(*scan_->table()) - planned;
    }
    const lance::ScanCounters now = scan_->counters();
    more.bytes_read = now.reads.bytes_read - settled_.reads.bytes_read;
    more.bytes_decoded = more.bytes_read;
    more.pages_decoded = now.reads.pages_opened - settled_.reads.pages_opened;
    more.rows_scanned = now.rows_examined - settled_.rows_examined;
    more.rows_emitted = now.rows_returned - settled_.rows_returned;
    more.rows_pruned += more.rows_scanned - more.rows_emitted;
    more.busy_ns = busy_ns.exchange(0);
    settled_ = now;
    metrics_.Add(more);
    scope_.metrics().Add(more);
    scope_.AddCost(source_, more);
  }
  const ScanMetrics& metrics() const { return metrics_; }

 private:
  QueryScope& scope_;
  const Source& source_;
  const std::shared_ptr<const lance::Scan> scan_;
  std::mutex mutex_;  // guards what follows
  bool opened_ = false;
  lance::ScanCounters settled_;
  ScanMetrics metrics_;
};

class Task : public RowTask {
 public:
  Task(std::unique_ptr<lance::ScanTaskReader> reader, uint64_t order, const Context& context,
       std::shared_ptr<Account> account)
      : reader_(std::move(reader)),
        order_(order),
        context_(context),
        account_(std::move(account)) {}
  ~Task() override {
    reader_.reset();  // counts
    account_->Settle();
  }
  uint64_t order() const override { return order_; }
  Result<bool> Next(columnar::RecordBatch* out) override {
    const Stopwatch watch(account_->busy_ns);
    return reader_->Next(out, context_);
  }

 private:
  std::unique_ptr<lance::ScanTaskReader> reader_;
  const uint64_t order_;
  const Context& context_;
  const std::shared_ptr<Account> account_;
};

class ForeignScan : public RowScan {
 public:
  ForeignScan(QueryScope& scope, const Source& source, std::shared_ptr<const lance::Scan> scan)
      : scope_(scope),
        scan_(std::move(scan)),
        account_(std::make_shared<Account>(scope, source, scan_)) {}

  const std::vector<columnar::DataField>& fields() const override { return scan_->schema(); }
  RowScanPlan plan() const override {
    const lance::ScanCounters counters = scan_->counters();
    RowScanPlan plan{counters.fragments, counters.fragments_pruned, counters.index_rows, 0};
    for (const lance::ScanTask& task : scan_->tasks()) {
      plan.rows += task.end - task.begin;
    }
    return plan;
  }
  size_t tasks() const override { return scan_->tasks().size(); }
  Result<std::unique_ptr<RowTask>> NextTask() override {
    const size_t task = next_.fetch_add(1);
    if (task >= scan_->tasks().size()) {
      account_->Settle();
      return std::unique_ptr<RowTask>();
    }
    PCHRONICLE_RETURN_IF_ERROR(scope_.context().Check());
    const Stopwatch watch(account_->busy_ns);
    PCHRONICLE_ASSIGN_OR_RETURN(auto reader, scan_->OpenTask(task));
    return std::unique_ptr<RowTask>(
        std::make_unique<Task>(std::move(reader), task, scope_.context(), account_));
  }
  const ScanMetrics* metrics() const override { return &account_->metrics(); }

 private:
  QueryScope& scope_;
  const std::shared_ptr<const lance::Scan> scan_;
  const std::shared_ptr<Account> account_;
  std::atomic<size_t> next_{0};
};

}  // namespace

Result<std::shared_ptr<const lance::Table>> ForeignTable::Open() const {
  const std::lock_guard lock(mutex_);
  if (!outcome_) {
    lance::OpenOptions options;
    options.version = version_;
    outcome_ = lance::Table::Open(store_, std::move(options));
  }
  return *outcome_;
}

Result<std::vector<RowColumn>> ForeignTable::Columns() const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const lance::Table> table, Open());
  std::vector<RowColumn> columns;
  for (const lance::FieldNode& field : table->schema()) {
    columns.push_back({lance::ToDataField(field), Unreadable(field), HoldsBlob(field)});
  }
  return columns;
}

Result<uint64_t> ForeignTable::CountRows() const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const lance::Table> table, Open());
  return table->CountRows();
}

std::string ForeignTable::Describe() const {
  return version_ ? fmt::format("Lance table, version {}", *version_) : "Lance table";
}

Result<NewestVersion> FindNewestVersion(const io::Store& store) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<lance::VersionEntry> versions,
                              lance::ListVersions(store, "_versions"));
  if (versions.empty()) {
    return Status::NotFound("_versions holds no version of a table");
  }
  NewestVersion newest;
  newest.version = versions.back().version;
  PCHRONICLE_ASSIGN_OR_RETURN(newest.manifest, store.Stat(versions.back().path));
  return newest;
}

Result<std::unique_ptr<RowScan>> CreateRowScan(QueryScope& scope, const RowScanRequest& request) {
  const Snapshot& snapshot = scope.snapshot();
  if (request.dataset >= snapshot.datasets().size() ||
      snapshot.datasets()[request.dataset].ForeignTableSource() == nullptr) {
    return Status::NotFound("Dataset number {} is no foreign table", request.dataset);
  }
  const Source& source = *snapshot.datasets()[request.dataset].ForeignTableSource();
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const lance::Table> table,
                              source.table->Open());
  PCHRONICLE_RETURN_IF_ERROR(scope.context().Check());
  const Limits& limits = snapshot.options().limits;
  lance::ScanOptions options;
  options.columns = request.columns;
  options.row_id = request.row_id;
  options.row_address = request.row_address;
  options.filter = request.filter;
  options.parallelism = WorkerCount(limits.max_concurrent_sources, 16);
  options.reader.max_batch_bytes = limits.max_record_bytes;
  for (const std::string& path : request.columns) {
    const lance::FieldNode* field = lance::FindField(table->schema(), path);
    if (field != nullptr && HoldsBlob(*field)) {
      options.batch_rows = kBlobBatchRows;
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(auto scan, lance::Scan::Plan(table, std::move(options)));
  scope.CountScan();
  return std::unique_ptr<RowScan>(std::make_unique<ForeignScan>(scope, source, std::move(scan)));
}

}  // namespace pchronicle::catalog
