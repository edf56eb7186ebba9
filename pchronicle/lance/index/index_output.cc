#include "pchronicle/lance/index/index_output.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kNoLimit = UINT64_MAX;

template <typename T>
columnar::ArrayPtr MakeArray(const std::vector<T>& values, columnar::TypeId type) {
  auto buffer = std::make_shared<columnar::Buffer>(0);
  buffer->Append(values.data(), values.size() * sizeof(T));
  auto out = std::make_shared<columnar::Array>();
  out->type = columnar::MakeType(type);
  out->length = static_cast<int64_t>(values.size());
  out->values = std::move(buffer);
  return out;
}

}  // namespace

Result<std::unique_ptr<IndexFileWriter>> IndexFileWriter::Create(
    IndexOutput* output, std::string name, const std::vector<columnar::DataField>& columns,
    FileVersion version, columnar::Metadata metadata) {
  std::vector<proto::Field> fields;
  for (const columnar::DataField& column : columns) {
    proto::Field field;
    field.type = 2;
    field.name = column.name;
    field.id = static_cast<int32_t>(fields.size());
    field.parent_id = -1;
    field.nullable = column.nullable;
    PCHRONICLE_ASSIGN_OR_RETURN(field.logical_type, LogicalType(*column.type));
    fields.push_back(std::move(field));
  }
  std::unique_ptr<IndexFileWriter> out(new IndexFileWriter(output, std::move(name)));
  FileWriterOptions options;
  options.version = version;
  options.page_bytes = kNoLimit;  // a page for each batch
  options.metadata = std::move(metadata);
  PCHRONICLE_RETURN_IF_ERROR(output->Begin(out->name_));
  PCHRONICLE_ASSIGN_OR_RETURN(
      out->writer_,
      FileWriter::Create(
          std::move(fields), [output](std::string_view bytes) { return output->Append(bytes); },
          std::move(options)));
  return out;
}

Status IndexFileWriter::Append(std::vector<columnar::ArrayPtr> columns) {
  columnar::RecordBatch batch;
  batch.rows = columns.at(0)->length;
  batch.columns = std::move(columns);
  PCHRONICLE_RETURN_IF_ERROR(writer_->Append(batch));
  return writer_->EndPages();
}

Result<proto::Index::File> IndexFileWriter::Finish() {
  proto::Index::File file;
  file.path = name_;
  PCHRONICLE_ASSIGN_OR_RETURN(file.size, writer_->Finish());
  PCHRONICLE_RETURN_IF_ERROR(output_->End());
  return file;
}

columnar::ArrayPtr MakeNumbers(const std::vector<uint64_t>& values) {
  return MakeArray(values, columnar::TypeId::kUint64);
}

columnar::ArrayPtr MakeNumbers(const std::vector<uint32_t>& values) {
  return MakeArray(values, columnar::TypeId::kUint32);
}

}  // namespace pchronicle::lance
