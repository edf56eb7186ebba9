#include "pchronicle/lance/table/fragment_reader.h"

#include <algorithm>
#include <set>

#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

// 2.0 files list structs and lists, too; any field that leads to a wanted column counts.
bool HoldsWanted(const FieldNode& field, const ColumnMap& columns) {
  if (columns.contains(field.id)) {
    return true;
  }
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const FieldNode& child) { return HoldsWanted(child, columns); });
}

}  // namespace

Result<ColumnMap> ColumnsOfFile(const proto::DataFile& file) {
  ColumnMap out;
  for (size_t i = 0; i < file.fields.size(); ++i) {
    if (file.fields[i] < 0 || file.column_indices[i] < 0) {
      continue;
    }
    if (!out.emplace(file.fields[i], static_cast<uint32_t>(file.column_indices[i])).second) {
      return Status::Corruption("data file {}: field {} is listed twice", file.path,
                                file.fields[i]);
    }
  }
  return out;
}

Result<std::unique_ptr<FragmentReader>> FragmentReader::Open(std::shared_ptr<const Table> table,
                                                             size_t fragment,
                                                             std::vector<FieldNode> fields,
                                                             const ReaderOptions& options) {
  if (const Status status = CheckReadable(fields); !status.ok()) {
    return status.WithContext(table->Describe());
  }
  const proto::Fragment& part = table->fragments()[fragment];
  std::unique_ptr<FragmentReader> out(new FragmentReader);
  out->rows_ = part.physical_rows;
  out->schema_ = ToDataFields(fields);
  std::set<int32_t> seen;
  const ColumnIds wanted = ColumnsOf(fields);
  for (size_t i = 0; i < part.files.size(); ++i) {
    const Result<ColumnMap> listed = ColumnsOfFile(part.files[i]);
    if (!listed.ok()) {
      return listed.status().WithContext(table->Describe());
    }
    const ColumnMap& columns = *listed;
    const bool any = std::any_of(fields.begin(), fields.end(), [&](const FieldNode& field) {
      return HoldsWanted(field, columns);
    });
    if (!any) {
      continue;
    }
    for (const int32_t id : wanted) {
      if (columns.contains(id) && !seen.insert(id).second) {
        return Status::Corruption("{}: two data files of fragment {} hold field {}",
                                  table->Describe(), part.id, id);
      }
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const FileReader> file,
                                table->OpenDataFile(fragment, i));
    Result<std::unique_ptr<RowReader>> reader = file->Read(fields, columns, options);
    if (!reader.ok()) {
      return reader.status().WithContext(table->Describe());
    }
    if (!(*reader)->fields().empty()) {
      out->readers_.push_back(*std::move(reader));
    }
  }
  out->batches_.resize(out->readers_.size());
  out->fields_ = std::move(fields);
  out->table_ = std::move(table);
  return out;
}

uint64_t FragmentReader::SuggestRows(uint64_t bytes) const {
  // The files share the memory of one batch.
  uint64_t rows = 64 << 10;
  for (const auto& reader : readers_) {
    rows = std::min(rows, reader->SuggestRows(std::max<uint64_t>(1, bytes / readers_.size())));
  }
  return std::max<uint64_t>(1, rows);
}

Result<std::vector<uint64_t>> FragmentReader::SplitPoints(size_t parts) {
  std::vector<uint64_t> best = {0, rows_};
  for (const auto& reader : readers_) {
    Result<std::vector<uint64_t>> points = reader->SplitPoints(parts);
    if (!points.ok()) {
      return points.status().WithContext(table_->Describe());
    }
    if (points->size() > best.size()) {
      best = *std::move(points);
    }
  }
  return best;
}

Status FragmentReader::Join(uint64_t rows, columnar::RecordBatch* out) {
  out->fields = schema_;
  out->rows = static_cast<int64_t>(rows);
  out->columns.clear();
  for (const FieldNode& field : fields_) {
    std::vector<FieldPart> parts;
    for (size_t i = 0; i < readers_.size(); ++i) {
      const std::vector<FieldNode>& has = readers_[i]->fields();
      for (size_t k = 0; k < has.size(); ++k) {
        if (has[k].id == field.id) {
          parts.push_back({&has[k], batches_[i].columns[k]});
        }
      }
    }
    Result<columnar::ArrayPtr> array = Assemble(field, parts, out->rows);
    if (!array.ok()) {
      return array.status().WithContext(table_->Describe());
    }
    out->columns.push_back(*std::move(array));
  }
  for (columnar::RecordBatch& batch : batches_) {
    batch.columns.clear();  // so that the reader's pool gets its buffers back with the batch
  }
  return Status::Ok();
}

void FragmentReader::Expect(uint64_t end) {
  for (const auto& reader : readers_) {
    reader->Expect(end);
  }
}

Status FragmentReader::ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out) {
  for (size_t i = 0; i < readers_.size(); ++i) {
    if (const Status status = readers_[i]->ReadRows(begin, end, &batches_[i]); !status.ok()) {
      return status.WithContext(table_->Describe());
    }
  }
  return Join(end - begin, out);
}

Status FragmentReader::Take(std::span<const uint64_t> rows, columnar::RecordBatch* out) {
  for (size_t i = 0; i < readers_.size(); ++i) {
    if (const Status status = readers_[i]->Take(rows, &batches_[i]); !status.ok()) {
      return status.WithContext(table_->Describe());
    }
  }
  return Join(rows.size(), out);
}

ReadCounters FragmentReader::counters() const {
  ReadCounters sum;
  for (const auto& reader : readers_) {
    sum += reader->counters();
  }
  return sum;
}

}  // namespace pchronicle::lance
