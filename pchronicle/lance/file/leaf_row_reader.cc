#include <algorithm>
#include <cstring>
#include <utility>

#include "pchronicle/lance/file/column_reader.h"
#include "pchronicle/lance/file/row_reader.h"
#include "pchronicle/lance/file/stored_column.h"

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;

/// A field with its place in the paths of the columns below it.
struct FieldPart {
  const FieldNode* node = nullptr;
  columnar::DataTypePtr type;
  size_t step = 0;                  // on the path of each column below
  size_t begin = 0, end = 0;        // columns below
  std::vector<FieldPart> children;  // none: one column
};

/// Rows of 2.1 and 2.2 files: every leaf column carries the structure above it.
class LeafRowReader : public RowReader {
 public:
  explicit LeafRowReader(ReadRequest request)
      : request_(std::move(request)), state_(*request_.file, request_.options) {}

  Status Open();

  const std::vector<FieldNode>& fields() const override { return request_.fields; }
  const std::vector<columnar::DataField>& schema() const override { return schema_; }
  uint64_t SuggestRows(uint64_t bytes) const override;
  Result<std::vector<uint64_t>> SplitPoints(size_t parts) override;
  void Expect(uint64_t end) override {
    for (const auto& column : columns_) {
      column->Expect(end);
    }
  }
  Status ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out) override;
  Status Take(std::span<const uint64_t> rows, columnar::RecordBatch* out) override;
  const ReadCounters& counters() const override { return state_.counters; }

 private:
  Status Bind(const FieldNode& node, const columnar::DataTypePtr& type, std::vector<PathStep> path,
              const std::string& label, FieldPart* part);
  Status Collect(uint64_t rows, columnar::RecordBatch* out);
  /// Columns below a field must tell the same structure.
  Status CheckAgreement(const FieldPart& part) const;
  Result<ArrayPtr> Assemble(const FieldPart& part);
  uint64_t rows() const { return request_.owner->rows(); }
  Status InFile(const Status& status) const {
    return status.ok() ? status : status.WithContext(request_.owner->name());
  }
  Status AfterRead(uint64_t rows, const Status& status, columnar::RecordBatch* out);

  ReadRequest request_;
  ReadState state_;
  std::vector<columnar::DataField> schema_;
  std::vector<FieldPart> parts_;
  std::vector<std::unique_ptr<ColumnReader>> columns_;
  std::vector<std::unique_ptr<ColumnFinisher>> finishers_;
};

Status LeafRowReader::Open() {
  schema_ = ReadSchema(request_.fields, request_.options);
  parts_.resize(request_.fields.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    const FieldNode& field = request_.fields[i];
    PCHRONICLE_RETURN_IF_ERROR(InFile(Bind(field, schema_[i].type, {}, field.name, &parts_[i])));
  }
  return Status::Ok();
}

Status LeafRowReader::Bind(const FieldNode& node, const columnar::DataTypePtr& type,
                           std::vector<PathStep> path, const std::string& label, FieldPart* part) {
  part->node = &node;
  part->type = type;
  part->step = path.size();
  part->begin = columns_.size();
  if (type == nullptr && node.is_column()) {
    return Status::Unsupported("column '{}': logical type '{}'", label, node.logical_type);
  }
  path.push_back({node.kind == FieldNode::Kind::kList, type != nullptr &&
                                                           columnar::HasLargeOffsets(type->id) &&
                                                           node.kind == FieldNode::Kind::kList});
  if (node.is_column()) {
    const uint32_t index = request_.columns.at(node.id);
    const std::string name = fmt::format("column {} '{}'", index, label);
    auto column = request_.load_column(index);
    if (!column.ok()) {
      return column.status().WithContext(name);
    }
    if ((*column)->rows() != rows()) {
      return Status::Corruption("{}: pages of {} rows in a file of {}", name, (*column)->rows(),
                                rows());
    }
    columns_.push_back(std::make_unique<ColumnReader>(*std::move(column), name, StoredShape(node),
                                                      std::move(path), &state_));
    finishers_.push_back(std::make_unique<ColumnFinisher>(node, request_.blobs, &state_));
  }
  part->children.resize(node.is_column() ? 0 : node.children.size());
  for (size_t i = 0; i < part->children.size(); ++i) {
    const FieldNode& child = node.children[i];
    PCHRONICLE_RETURN_IF_ERROR(Bind(child, type == nullptr ? nullptr : type->children[i].type, path,
                                    label + "." + child.name, &part->children[i]));
  }
  part->end = columns_.size();
  return Status::Ok();
}

uint64_t LeafRowReader::SuggestRows(uint64_t bytes) const {
  double row = 0;
  for (const auto& column : columns_) {
    row += column->RowBytes();
  }
  return RowsForBytes(row, bytes);
}

Result<std::vector<uint64_t>> LeafRowReader::SplitPoints(size_t parts) {
  const auto widest =
      std::max_element(columns_.begin(), columns_.end(), [](const auto& a, const auto& b) {
        return a->column().stored_bytes < b->column().stored_bytes;
      });
  if (widest == columns_.end()) {
    return ChooseCuts({}, rows(), 1);
  }
  auto cuts = (*widest)->Cuts();
  if (!cuts.ok()) {
    return InFile(cuts.status());
  }
  return ChooseCuts(*std::move(cuts), rows(), parts);
}

Status LeafRowReader::ReadRows(uint64_t begin, uint64_t end, columnar::RecordBatch* out) {
  *out = columnar::RecordBatch();
  PCHRONICLE_RETURN_IF_ERROR(InFile(CheckRowRange(begin, end, rows())));
  Status status;
  for (size_t i = 0; i < columns_.size() && status.ok(); ++i) {
    status = columns_[i]->Read(begin, end);
  }
  return AfterRead(end - begin, status, out);
}

Status LeafRowReader::Take(std::span<const uint64_t> taken, columnar::RecordBatch* out) {
  *out = columnar::RecordBatch();
  PCHRONICLE_RETURN_IF_ERROR(InFile(CheckTakeRows(taken, rows())));
  Status status;
  for (size_t i = 0; i < columns_.size() && status.ok(); ++i) {
    status = columns_[i]->Take(taken);
  }
  return AfterRead(taken.size(), status, out);
}

Status LeafRowReader::AfterRead(uint64_t count, const Status& status, columnar::RecordBatch* out) {
  state_.counters.chunks_decoded = state_.context.chunks;
  const Status collected = status.ok() ? Collect(count, out) : status;
  if (!collected.ok()) {
    *out = columnar::RecordBatch();
  }
  return InFile(collected);
}

Status LeafRowReader::Collect(uint64_t count, columnar::RecordBatch* out) {
  for (const FieldPart& part : parts_) {
    PCHRONICLE_RETURN_IF_ERROR(CheckAgreement(part));
  }
  for (const FieldPart& part : parts_) {
    PCHRONICLE_ASSIGN_OR_RETURN(ArrayPtr array, Assemble(part));
    out->columns.push_back(std::move(array));
  }
  out->fields = schema_;
  out->rows = static_cast<int64_t>(count);
  state_.counters.rows += count;
  return Status::Ok();
}

Status LeafRowReader::CheckAgreement(const FieldPart& part) const {
  StructureBuilder& first = columns_[part.begin]->builder().structure;
  const bool list = first.path()[part.step].list;
  for (size_t i = part.begin + 1; i < part.end; ++i) {
    StructureBuilder& other = columns_[i]->builder().structure;
    bool same = first.length(part.step) == other.length(part.step);
    if (same && list) {
      const columnar::BufferPtr a = first.FinishOffsets(part.step);
      const columnar::BufferPtr b = other.FinishOffsets(part.step);
      same = a->size() == b->size() && std::memcmp(a->data(), b->data(), a->size()) == 0;
    }
    if (!same) {
      return Status::Corruption("columns of field '{}' disagree about its structure",
                                part.node->name);
    }
  }
  for (const FieldPart& child : part.children) {
    PCHRONICLE_RETURN_IF_ERROR(CheckAgreement(child));
  }
  if (part.children.empty()) {
    const LeafBuilder& builder = columns_[part.begin]->builder();
    if (builder.values.size() != builder.structure.length(part.step)) {
      return Status::Corruption("column of field '{}': {} values for {} levels", part.node->name,
                                builder.values.size(), builder.structure.length(part.step));
    }
  }
  return Status::Ok();
}

Result<ArrayPtr> LeafRowReader::Assemble(const FieldPart& part) {
  LeafBuilder& first = columns_[part.begin]->builder();
  const size_t length = first.structure.length(part.step), nulls = first.structure.nulls(part.step);
  columnar::BufferPtr validity = first.structure.FinishValidity(part.step);
  if (part.children.empty()) {
    auto array = finishers_[part.begin]->Finish(&first.values, std::move(validity), nulls);
    return array.ok() ? std::move(array)
                      : Result<ArrayPtr>(array.status().WithContext(
                            fmt::format("column '{}'", part.node->name)));
  }
  auto array = std::make_shared<Array>();
  array->type = part.type;
  array->length = static_cast<int64_t>(length);
  array->null_count = static_cast<int64_t>(nulls);
  array->validity = std::move(validity);
  if (part.node->kind == FieldNode::Kind::kList) {
    array->offsets = first.structure.FinishOffsets(part.step);
  }
  for (const FieldPart& child : part.children) {
    PCHRONICLE_ASSIGN_OR_RETURN(ArrayPtr values, Assemble(child));
    array->children.push_back(std::move(values));
  }
  return ArrayPtr(std::move(array));
}

}  // namespace

Result<std::unique_ptr<RowReader>> MakeLeafRowReader(ReadRequest request) {
  auto reader = std::make_unique<LeafRowReader>(std::move(request));
  PCHRONICLE_RETURN_IF_ERROR(reader->Open());
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace pchronicle::lance
