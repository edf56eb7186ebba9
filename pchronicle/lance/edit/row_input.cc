#include "pchronicle/lance/edit/row_input.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pchronicle/lance/edit/schema_fields.h"

namespace pchronicle::lance {

Result<std::unique_ptr<RowInput>> RowInput::Open(const std::vector<proto::Field>& schema,
                                                 BatchSource source) {
  std::unique_ptr<RowInput> input(new RowInput(std::move(source)));
  columnar::RecordBatch first;
  PCHRONICLE_ASSIGN_OR_RETURN(const bool any, input->source_(&first));
  if (!any) {
    input->fields_ = schema;
    return input;
  }
  PCHRONICLE_RETURN_IF_ERROR(input->Match(schema, first));
  input->first_ = std::move(first);
  return input;
}

Status RowInput::Match(const std::vector<proto::Field>& schema,
                       const columnar::RecordBatch& batch) {
  std::set<std::string_view> left;
  for (const columnar::DataField& field : batch.fields) {
    names_.push_back(field.name);
    if (!left.insert(field.name).second) {
      return Status::InvalidArgument("column '{}' is there twice", field.name);
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<FieldNode> nodes, BuildFieldTree(schema));
  for (const FieldNode& node : nodes) {
    const auto found = std::find(names_.begin(), names_.end(), node.name);
    if (found == names_.end()) {
      if (!node.nullable) {
        return Status::InvalidArgument("column '{}' is missing, and it may not be null", node.name);
      }
      continue;
    }
    const auto column = static_cast<size_t>(found - names_.begin());
    if (node.type == nullptr || !columnar::SameType(*node.type, *batch.fields[column].type)) {
      return Status::InvalidArgument(
          "column '{}' has type {}, the table has {}", node.name,
          columnar::ToString(*batch.fields[column].type),
          node.type == nullptr ? node.logical_type : columnar::ToString(*node.type));
    }
    const std::vector<proto::Field> fields = FieldAndChildren(schema, node.name);
    fields_.insert(fields_.end(), fields.begin(), fields.end());
    from_.push_back(column);
    left.erase(node.name);
  }
  if (!left.empty()) {
    return Status::InvalidArgument("the table has no column '{}'", *left.begin());
  }
  return Status::Ok();
}

Result<bool> RowInput::Next(columnar::RecordBatch* out) {
  columnar::RecordBatch batch;
  if (first_) {
    batch = std::move(*first_);
    first_.reset();
  } else {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, source_(&batch));
    if (!more) {
      return false;
    }
  }
  const bool same = batch.fields.size() == names_.size() && batch.columns.size() == names_.size() &&
                    std::equal(names_.begin(), names_.end(), batch.fields.begin(),
                               [](const std::string& name, const columnar::DataField& field) {
                                 return name == field.name;
                               });
  if (!same) {
    return Status::InvalidArgument("a batch has other columns than the first one, which has {}",
                                   fmt::join(names_, ", "));
  }
  *out = {};
  out->rows = batch.rows;
  for (const size_t column : from_) {
    out->fields.push_back(std::move(batch.fields[column]));
    out->columns.push_back(std::move(batch.columns[column]));
  }
  return true;
}

Result<std::vector<proto::Fragment>> WriteRows(RowInput* input, const std::string& root,
                                               FileVersion version, FileLimits limits,
                                               const EditOptions& options,
                                               UnpublishedFiles* files) {
  FragmentWriter writer(input->fields(), root, version, limits, files);
  columnar::RecordBatch batch;
  for (;;) {
    PCHRONICLE_RETURN_IF_ERROR(options.CheckContext());
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, input->Next(&batch));
    if (!more) {
      return writer.Finish();
    }
    PCHRONICLE_RETURN_IF_ERROR(writer.Append(batch));
  }
}

}  // namespace pchronicle::lance
