#include "pchronicle/lance/file/row_reader.h"

#include <algorithm>

#include "pchronicle/lance/file/stored_column.h"

namespace pchronicle::lance {

Status CheckRowRange(uint64_t begin, uint64_t end, uint64_t rows) {
  return begin <= end && end <= rows
             ? Status::Ok()
             : Status::InvalidArgument("rows {} to {} of a file of {}", begin, end, rows);
}

Status CheckTakeRows(std::span<const uint64_t> rows, uint64_t limit) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= limit || (i != 0 && rows[i] <= rows[i - 1])) {
      return Status::InvalidArgument("row {} of a file of {}: rows to take must ascend", rows[i],
                                     limit);
    }
  }
  return Status::Ok();
}

namespace {

/// The type with blob descriptors in place of payloads, at any depth.
columnar::DataTypePtr DeepReadType(const FieldNode& field, const ReaderOptions& options) {
  if (field.is_column() || options.blob_payloads || field.type == nullptr) {
    return ReadType(field, options.blob_payloads);
  }
  auto type = std::make_shared<columnar::DataType>(*field.type);
  for (size_t i = 0; i < type->children.size(); ++i) {
    type->children[i].type = DeepReadType(field.children[i], options);
  }
  return type;
}

}  // namespace

std::vector<columnar::DataField> ReadSchema(std::span<const FieldNode> fields,
                                            const ReaderOptions& options) {
  std::vector<columnar::DataField> schema;
  for (const FieldNode& field : fields) {
    schema.push_back({field.name, DeepReadType(field, options), field.nullable, field.metadata});
  }
  return schema;
}

uint64_t RowsForBytes(double row_bytes, uint64_t bytes) {
  constexpr uint64_t kMost = 64 << 10, kStep = 1024;
  const double rows = static_cast<double>(bytes) / std::max(row_bytes, 1.0);
  const auto count = static_cast<uint64_t>(std::clamp(rows, 1.0, static_cast<double>(kMost)));
  return count < kStep ? count : count / kStep * kStep;
}

std::vector<uint64_t> ChooseCuts(std::vector<uint64_t> cuts, uint64_t rows, size_t parts) {
  std::sort(cuts.begin(), cuts.end());
  std::vector<uint64_t> chosen = {0};
  for (size_t i = 1; i < parts; ++i) {
    const uint64_t wanted = rows / parts * i + rows % parts * i / parts;
    const auto cut = std::lower_bound(cuts.begin(), cuts.end(), wanted);
    if (cut != cuts.end() && *cut > chosen.back() && *cut < rows) {
      chosen.push_back(*cut);
    }
  }
  if (rows != 0) {
    chosen.push_back(rows);
  }
  return chosen;
}

}  // namespace pchronicle::lance
