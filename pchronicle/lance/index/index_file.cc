#include "pchronicle/lance/index/index_file.h"

#include <algorithm>
#include <charconv>

#include "pchronicle/columnar/concat.h"

namespace pchronicle::lance {

Result<IndexFile> IndexFile::Bind(std::shared_ptr<const FileReader> file,
                                  std::span<const std::string_view> columns) {
  const std::vector<FieldNode>& schema = file->schema();
  bool same = schema.size() == columns.size();
  for (size_t i = 0; same && i < columns.size(); ++i) {
    same = schema[i].name == columns[i] && schema[i].type != nullptr;
  }
  if (!same) {
    std::string names;
    for (const std::string_view column : columns) {
      names += (names.empty() ? "" : ", ") + std::string(column);
    }
    return Status::Corruption("{}: an index file with other columns than {}", file->name(), names);
  }
  return IndexFile(std::move(file));
}

Result<uint64_t> IndexFile::Number(std::string_view key, uint64_t fallback) const {
  const auto found = file_->metadata().find(key);
  if (found == file_->metadata().end()) {
    return fallback;
  }
  const std::string& text = found->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Status::Corruption("{}: {} '{}' is no number", name(), key, text);
  }
  return value;
}

Result<std::unique_ptr<RowReader>> IndexFile::Reader(std::span<const size_t> columns) const {
  std::vector<FieldNode> fields;
  for (const size_t column : columns) {
    fields.push_back(file_->schema()[column]);
  }
  return file_->Read(fields, file_->SequentialColumns());
}

Result<columnar::RecordBatch> IndexFile::Read(std::span<const size_t> columns, uint64_t begin,
                                              uint64_t end, ReadCounters* reads) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<RowReader> reader, Reader(columns));
  std::vector<columnar::RecordBatch> pieces;
  const uint64_t step = reader->SuggestRows();
  do {
    const uint64_t stop = std::min(end, begin + step);
    PCHRONICLE_RETURN_IF_ERROR(reader->ReadRows(begin, stop, &pieces.emplace_back()));
    begin = stop;
  } while (begin < end);
  *reads += reader->counters();
  columnar::RecordBatch out = pieces.front();
  for (size_t i = 0; pieces.size() > 1 && i < out.columns.size(); ++i) {
    std::vector<columnar::ArrayPtr> parts;
    for (const columnar::RecordBatch& piece : pieces) {
      parts.push_back(piece.columns[i]);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(out.columns[i], columnar::Concat(parts));
    out.rows = out.columns[i]->length;
  }
  return out;
}

Status IndexFile::ForEachBatch(
    std::span<const size_t> columns,
    const std::function<Status(uint64_t first, const columnar::RecordBatch& batch)>& use,
    ReadCounters* reads) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<RowReader> reader, Reader(columns));
  const uint64_t step = reader->SuggestRows();
  Status status;
  for (uint64_t at = 0; at < rows() && status.ok(); at += step) {
    columnar::RecordBatch batch;
    status = reader->ReadRows(at, std::min(rows(), at + step), &batch);
    if (status.ok()) {
      status = use(at, batch);
    }
  }
  *reads += reader->counters();
  return status;
}

Result<columnar::ArrayPtr> IndexFile::Take(size_t column, std::span<const uint64_t> rows,
                                           ReadCounters* reads) const {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<RowReader> reader,
                              Reader(std::span(&column, 1)));
  columnar::RecordBatch batch;
  PCHRONICLE_RETURN_IF_ERROR(reader->Take(rows, &batch));
  *reads += reader->counters();
  return batch.columns.at(0);
}

Result<std::vector<uint64_t>> ToNumbers(const columnar::Array& array, std::string_view column) {
  const columnar::TypeId id = array.type->id;
  if (array.null_count != 0 ||
      (id != columnar::TypeId::kUint32 && id != columnar::TypeId::kUint64)) {
    return Status::Corruption("column {} of an index is {} with {} nulls", column,
                              columnar::ToString(*array.type), array.null_count);
  }
  std::vector<uint64_t> out(static_cast<size_t>(array.length));
  for (int64_t i = 0; i < array.length; ++i) {
    out[static_cast<size_t>(i)] =
        id == columnar::TypeId::kUint32 ? array.Value<uint32_t>(i) : array.Value<uint64_t>(i);
  }
  return out;
}

}  // namespace pchronicle::lance
