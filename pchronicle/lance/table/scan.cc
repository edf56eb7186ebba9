#include "pchronicle/lance/table/scan.h"

#include <algorithm>
#include <numeric>

#include "pchronicle/lance/index/index_search.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/text_check.h"

namespace pchronicle::lance {
namespace {

// Smaller ranges are not worth a reader of their own.
constexpr uint64_t kMinRangeRows = 16 << 10;
constexpr uint64_t kRangeStep = 1024;
// A batch of which fewer than one row in so many is wanted is taken row by row.
constexpr uint64_t kDenseShare = 4;
// A batch that takes too much memory is tried again with so much fewer rows.
constexpr uint64_t kFewerRows = 8;

std::vector<columnar::DataField> OutputSchema(const std::vector<FieldNode>& fields,
                                              const ScanOptions& options) {
  std::vector<columnar::DataField> out = ToDataFields(fields);
  const columnar::DataTypePtr u64 = columnar::MakeType(columnar::TypeId::kUint64);
  if (options.row_id) {
    out.push_back({"_rowid", u64, false, {}});
  }
  if (options.row_address) {
    out.push_back({"_rowaddr", u64, false, {}});
  }
  return out;
}

columnar::ArrayPtr MakeU64(const std::vector<uint64_t>& values) {
  auto buffer = std::make_shared<columnar::Buffer>(0);
  buffer->Append(values.data(), values.size() * sizeof(uint64_t));
  auto out = std::make_shared<columnar::Array>();
  out->type = columnar::MakeType(columnar::TypeId::kUint64);
  out->length = static_cast<int64_t>(values.size());
  out->values = std::move(buffer);
  return out;
}

void TakeRows(const std::vector<int64_t>& rows, columnar::RecordBatch* batch) {
  if (static_cast<int64_t>(rows.size()) == batch->rows) {
    return;  // ascending without repeats: it is all of them
  }
  for (columnar::ArrayPtr& column : batch->columns) {
    column = columnar::TakeSlots(*column, rows);
  }
  batch->rows = static_cast<int64_t>(rows.size());
}

}  // namespace

Result<std::shared_ptr<const Scan>> Scan::Plan(std::shared_ptr<const Table> table,
                                               ScanOptions options) {
  std::shared_ptr<Scan> scan(new Scan);
  if (options.columns) {
    PCHRONICLE_ASSIGN_OR_RETURN(scan->output_, Project(table->schema(), *options.columns));
  } else {
    scan->output_ = table->schema();
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckReadable(scan->output_).WithContext(table->Describe()));
  RowSet known;
  if (options.filter != nullptr) {
    const auto paths = columnar::Paths(*options.filter);
    PCHRONICLE_ASSIGN_OR_RETURN(
        scan->filter_fields_,
        Project(table->schema(), std::vector<std::string>(paths.begin(), paths.end())));
    PCHRONICLE_RETURN_IF_ERROR(CheckReadable(scan->filter_fields_).WithContext(table->Describe()));
    if (options.use_indices) {
      PCHRONICLE_ASSIGN_OR_RETURN(known,
                                  SearchIndices(*table, *options.filter, &scan->counters_.reads));
    }
  }
  scan->schema_ = OutputSchema(scan->output_, options);
  scan->options_ = std::move(options);
  scan->table_ = std::move(table);
  const size_t fragments = scan->table_->fragments().size();
  scan->counters_.fragments = fragments;
  for (size_t i = 0; i < fragments; ++i) {
    const uint64_t id = scan->table_->fragments()[i].id;
    if (scan->options_.fragments && !scan->options_.fragments->contains(id)) {
      ++scan->counters_.fragments_pruned;
      continue;
    }
    const auto entry = known.find(static_cast<uint32_t>(id));
    PCHRONICLE_RETURN_IF_ERROR(
        scan->PlanFragment(i, entry == known.end() ? nullptr : &entry->second));
  }
  return std::shared_ptr<const Scan>(std::move(scan));
}

// Rows of a task: some batches, but enough tasks that no reader waits long for the last one.
Result<uint64_t> Scan::RangeRows(size_t fragment) {
  const uint64_t rows = table_->fragments()[fragment].physical_rows;
  if (options_.parallelism <= 1) {
    return rows;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      const std::unique_ptr<FragmentReader> reader,
      FragmentReader::Open(table_, fragment, output_.empty() ? filter_fields_ : output_,
                           options_.reader));
  const uint64_t share = rows / (2 * options_.parallelism) + 1;
  const uint64_t suggested =
      options_.batch_rows != 0 ? options_.batch_rows : reader->SuggestRows(options_.batch_bytes);
  const uint64_t range =
      std::min(suggested * ScanTask::kTaskBatches, std::max(share, kMinRangeRows));
  // Multiples of the sizes of chunks, so that few chunks are decoded twice.
  return range < kRangeStep ? range : (range + kRangeStep - 1) / kRangeStep * kRangeStep;
}

Status Scan::PlanFragment(size_t fragment, FragmentRows* known) {
  const uint64_t rows = table_->fragments()[fragment].physical_rows;
  ScanTask task{fragment, 0, rows, std::nullopt, options_.filter != nullptr};
  if (known != nullptr) {
    task.check_filter = !known->exact;
  }
  if (known != nullptr && !known->all) {
    std::vector<uint32_t> candidates;
    known->rows.AppendIn(0, rows, &candidates);
    counters_.index_rows += candidates.size();
    if (candidates.empty()) {
      ++counters_.fragments_pruned;
      return Status::Ok();
    }
    if (candidates.size() * kDenseShare < rows) {
      task.end = candidates.size();
      task.candidates = std::move(candidates);
      tasks_.push_back(std::move(task));
      return Status::Ok();
    }
    task.check_filter = true;  // so many that reading all of them is less work
  }
  if (rows == 0) {
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t range, RangeRows(fragment));
  for (uint64_t begin = 0; begin < rows; begin = task.end) {
    task.begin = begin;
    task.end = rows - begin < range + range / 2 ? rows : begin + range;
    tasks_.push_back(task);
  }
  return Status::Ok();
}

Result<std::unique_ptr<ScanTaskReader>> Scan::OpenTask(size_t task) const {
  std::unique_ptr<ScanTaskReader> reader(new ScanTaskReader(shared_from_this(), tasks_[task]));
  PCHRONICLE_RETURN_IF_ERROR(reader->Open());
  return reader;
}

Status Scan::OpenTask(size_t task, std::unique_ptr<ScanTaskReader>* reader) const {
  if (*reader != nullptr && (*reader)->Continue(tasks_[task])) {
    return Status::Ok();
  }
  reader->reset();  // gives its memory back first
  PCHRONICLE_ASSIGN_OR_RETURN(*reader, OpenTask(task));
  return Status::Ok();
}

void Scan::AddCounters(const ScanCounters& more) const {
  const std::lock_guard lock(mutex_);
  counters_.reads += more.reads;
  counters_.rows_examined += more.rows_examined;
  counters_.rows_returned += more.rows_returned;
}

ScanCounters Scan::counters() const {
  const std::lock_guard lock(mutex_);
  ScanCounters out = counters_;
  out.reads += table_->open_counters();
  return out;
}

ScanTaskReader::~ScanTaskReader() { Report(); }

void ScanTaskReader::Report() {
  ReadCounters reads;
  for (const FragmentReader* reader : {filter_.get(), rest_.get()}) {
    if (reader != nullptr) {
      reads += reader->counters();
    }
  }
  counters_.reads = reads.Since(reported_);
  reported_ = reads;
  scan_->AddCounters(counters_);
  counters_ = ScanCounters();
}

Status ScanTaskReader::Open() {
  const std::shared_ptr<const Table>& table = scan_->table_;
  const ScanOptions& options = scan_->options_;
  PCHRONICLE_ASSIGN_OR_RETURN(deleted_, table->Deletions(task_.fragment));
  if (options.row_id) {
    PCHRONICLE_ASSIGN_OR_RETURN(row_ids_, table->RowIds(task_.fragment));
  }
  std::vector<FieldNode> rest = scan_->output_;
  if (task_.check_filter) {
    PCHRONICLE_ASSIGN_OR_RETURN(
        filter_,
        FragmentReader::Open(table, task_.fragment, scan_->filter_fields_, options.reader));
    rest = Without(rest, ColumnsOf(scan_->filter_fields_));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(
      rest_, FragmentReader::Open(table, task_.fragment, std::move(rest), options.reader));
  rows_at_once_ = options.batch_rows;
  if (rows_at_once_ == 0) {
    rows_at_once_ = rest_->SuggestRows(options.batch_bytes);
    if (filter_ != nullptr) {
      rows_at_once_ = std::min(rows_at_once_, filter_->SuggestRows(options.batch_bytes));
    }
  }
  Start();
  return Status::Ok();
}

bool ScanTaskReader::Continue(const ScanTask& task) {
  if (task.fragment != task_.fragment || task.check_filter != task_.check_filter) {
    return false;
  }
  task_ = task;
  Start();
  return true;
}

void ScanTaskReader::Start() {
  at_ = task_.begin;
  if (task_.candidates && deleted_ != nullptr) {
    std::erase_if(*task_.candidates, [&](uint32_t row) { return deleted_->Contains(row); });
    task_.end = task_.candidates->size();
  }
  if (!task_.candidates) {
    for (FragmentReader* reader : {filter_.get(), rest_.get()}) {
      if (reader != nullptr) {
        reader->Expect(task_.end);
      }
    }
  }
}

Result<bool> ScanTaskReader::Next(columnar::RecordBatch* out, const Context& context) {
  while (at_ < task_.end) {
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    out->rows = 0;
    const uint64_t begin = at_, examined = counters_.rows_examined;
    const Status status = task_.candidates ? NextOfCandidates(out) : NextOfRange(out);
    if (status.code() == StatusCode::kResourceExhausted && rows_at_once_ > 1) {
      // Values are larger than their column's average, or lie elsewhere: fewer rows at once.
      rows_at_once_ = (rows_at_once_ + kFewerRows - 1) / kFewerRows;
      at_ = begin;
      counters_.rows_examined = examined;
      continue;
    }
    PCHRONICLE_RETURN_IF_ERROR(status);
    if (out->rows > 0) {
      counters_.rows_returned += static_cast<uint64_t>(out->rows);
      return true;
    }
  }
  Report();  // who sees the end of a scan sees what it cost
  return false;
}

Result<std::vector<int64_t>> ScanTaskReader::PassingRows(
    const columnar::RecordBatch& filtered) const {
  PCHRONICLE_ASSIGN_OR_RETURN(
      const columnar::Truths truths,
      columnar::Evaluate(
          *scan_->options_.filter, [&](std::string_view path) { return FindArray(filtered, path); },
          filtered.rows));
  return columnar::SelectedRows(truths);
}

Status ScanTaskReader::NextOfRange(columnar::RecordBatch* out) {
  const uint64_t begin = at_, end = std::min(task_.end, at_ + rows_at_once_);
  at_ = end;
  counters_.rows_examined += end - begin;
  columnar::RecordBatch filtered, rest;
  if (filter_ == nullptr && (deleted_ == nullptr || deleted_->CountIn(begin, end) == 0)) {
    std::vector<uint64_t> offsets;
    if (row_ids_ != nullptr || scan_->options_.row_address) {
      offsets.resize(end - begin);
      std::iota(offsets.begin(), offsets.end(), begin);
    }
    PCHRONICLE_RETURN_IF_ERROR(rest_->ReadRows(begin, end, &rest));
    return Join(nullptr, rest, offsets, begin, out);
  }
  std::vector<int64_t> keep;  // rows of this range that stay, relative to its begin
  if (filter_ != nullptr) {
    PCHRONICLE_RETURN_IF_ERROR(filter_->ReadRows(begin, end, &filtered));
    PCHRONICLE_ASSIGN_OR_RETURN(keep, PassingRows(filtered));
  } else {
    keep.resize(end - begin);
    std::iota(keep.begin(), keep.end(), int64_t{0});
  }
  if (deleted_ != nullptr) {
    std::vector<uint32_t> gone;
    deleted_->AppendIn(begin, end, &gone);
    std::erase_if(keep, [&](int64_t row) {
      return std::binary_search(gone.begin(), gone.end(), begin + static_cast<uint64_t>(row));
    });
  }
  if (keep.empty()) {
    return Status::Ok();
  }
  std::vector<uint64_t> offsets(keep.size());
  std::transform(keep.begin(), keep.end(), offsets.begin(),
                 [&](int64_t row) { return begin + static_cast<uint64_t>(row); });
  if (keep.size() * kDenseShare >= end - begin) {
    PCHRONICLE_RETURN_IF_ERROR(rest_->ReadRows(begin, end, &rest));
    TakeRows(keep, &rest);
  } else {
    PCHRONICLE_RETURN_IF_ERROR(rest_->Take(offsets, &rest));
  }
  TakeRows(keep, &filtered);
  return Join(filter_ == nullptr ? nullptr : &filtered, rest, offsets, 0, out);
}

Status ScanTaskReader::NextOfCandidates(columnar::RecordBatch* out) {
  const uint64_t end = std::min(task_.end, at_ + rows_at_once_);
  const auto first = task_.candidates->begin();
  std::vector<uint64_t> offsets(first + static_cast<std::ptrdiff_t>(at_),
                                first + static_cast<std::ptrdiff_t>(end));
  at_ = end;
  counters_.rows_examined += offsets.size();
  columnar::RecordBatch filtered, rest;
  if (filter_ != nullptr) {
    PCHRONICLE_RETURN_IF_ERROR(filter_->Take(offsets, &filtered));
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<int64_t> keep, PassingRows(filtered));
    if (keep.empty()) {
      return Status::Ok();
    }
    TakeRows(keep, &filtered);
    std::vector<uint64_t> kept;
    for (const int64_t row : keep) {
      kept.push_back(offsets[static_cast<size_t>(row)]);
    }
    offsets = std::move(kept);
  }
  PCHRONICLE_RETURN_IF_ERROR(rest_->Take(offsets, &rest));
  return Join(filter_ == nullptr ? nullptr : &filtered, rest, offsets, 0, out);
}

Status ScanTaskReader::Join(const columnar::RecordBatch* filtered,
                            const columnar::RecordBatch& rest, const std::vector<uint64_t>& offsets,
                            uint64_t first, columnar::RecordBatch* out) const {
  out->fields = scan_->schema_;
  out->rows = rest.rows;
  out->columns.clear();
  for (const FieldNode& field : scan_->output_) {
    std::vector<FieldPart> parts;
    const auto add = [&](const std::vector<FieldNode>& fields, const columnar::RecordBatch& batch) {
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].id == field.id) {
          parts.push_back({&fields[i], batch.columns[i]});
        }
      }
    };
    if (filtered != nullptr) {
      add(filter_->fields(), *filtered);
    }
    add(rest_->fields(), rest);
    PCHRONICLE_ASSIGN_OR_RETURN(columnar::ArrayPtr array, Assemble(field, parts, out->rows));
    out->columns.push_back(std::move(array));
  }
  if (scan_->options_.check_text) {
    PCHRONICLE_RETURN_IF_ERROR(CheckTexts(*out, offsets, first));
  }
  const auto fragment = static_cast<uint32_t>(scan_->table_->fragments()[task_.fragment].id);
  std::vector<uint64_t> numbers(offsets.size());
  if (row_ids_ != nullptr) {
    std::transform(offsets.begin(), offsets.end(), numbers.begin(),
                   [&](uint64_t row) { return row_ids_->At(row); });
    out->columns.push_back(MakeU64(numbers));
  }
  if (scan_->options_.row_address) {
    std::transform(offsets.begin(), offsets.end(), numbers.begin(), [&](uint64_t row) {
      return RowAddress{fragment, static_cast<uint32_t>(row)}.ToU64();
    });
    out->columns.push_back(MakeU64(numbers));
  }
  return Status::Ok();
}

Status ScanTaskReader::CheckTexts(const columnar::RecordBatch& batch,
                                  const std::vector<uint64_t>& offsets, uint64_t first) const {
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    if (const auto found = FindInvalidText(*batch.columns[i])) {
      const auto row = static_cast<uint64_t>(found->row);
      return Status::Corruption(
          "{}: fragment {}, column {}{}, row {}: the text is not UTF-8; leave the column out, or "
          "see "
          "what is damaged with: pchronicle lance verify",
          scan_->table_->Describe(), scan_->table_->fragments()[task_.fragment].id,
          batch.fields[i].name, found->path, offsets.empty() ? first + row : offsets[row]);
    }
  }
  return Status::Ok();
}

}  // namespace pchronicle::lance
