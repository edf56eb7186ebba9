#include "tests/golden/row_view.h"

#include <memory>

#include "pchronicle/json/writer.h"

namespace pchronicle::golden {
namespace {

void WriteCell(const columnar::Column& column, size_t row, json::Writer& out) {
  if (column.is_null(row)) {
    out.Null();
    return;
  }
  switch (column.type()) {
    case columnar::Type::kVarchar:
    case columnar::Type::kJson:
      out.String(column.texts()[row]);
      return;
    case columnar::Type::kBigint:
    case columnar::Type::kTimestampNs:
      out.Int(column.ints()[row]);
      return;
    case columnar::Type::kUbigint:
      out.UInt(static_cast<uint64_t>(column.ints()[row]));
      return;
    case columnar::Type::kBoolean:
      out.Bool(column.ints()[row] != 0);
      return;
    case columnar::Type::kDouble:
      out.Double(column.doubles()[row]);
      return;
    default:
      break;
  }
  out.BeginArray();
  for (size_t i = column.list_begin(row); i < column.list_end(row); ++i) {
    WriteCell(column.element(), i, out);
  }
  out.EndArray();
}

void WriteRows(const std::vector<model::RelationColumn>& columns, columnar::Batch& batch,
               json::Writer& out) {
  for (size_t row = 0; row < batch.rows; ++row) {
    out.BeginObject();
    for (size_t i = 0; i < columns.size(); ++i) {
      out.Key(columns[i].field.name);
      WriteCell(batch.columns[i], row, out);
      if (columns[i].field.name == "timestamp") {
        out.Key("timestamp_ns");
        WriteCell(batch.columns[i], row, out);
      }
    }
    out.EndObject();
  }
  batch.Clear();
}

}  // namespace

Result<std::string> RelationRows(model::Relation relation, model::Format format,
                                 const json::ByteInput& input, model::WalkOptions options) {
  const std::vector<model::RelationColumn>& columns = model::RelationColumns(relation);
  model::RowSink::Request request;
  request.relation = relation;
  request.file = options.source_path;
  for (size_t i = 0; i < columns.size(); ++i) {
    request.columns.push_back(static_cast<uint16_t>(i));
  }
  options.fields = model::RequiredFields(request);
  model::SourceNotes notes;
  for (int pass = 0; pass < 4; ++pass) {
    const std::unique_ptr<model::RowSink> sink = model::MakeRowSink(request);
    const std::unique_ptr<model::Walker> walker =
        model::MakeWalker(format, input, options, notes, *sink);
    json::Writer out;
    out.BeginArray();
    while (walker->Advance()) {
      WriteRows(columns, sink->batch(), out);
    }
    WriteRows(columns, sink->batch(), out);
    out.EndArray();
    if (walker->needs_second_pass() || sink->needs_second_pass()) {
      notes = walker->notes();
      continue;
    }
    if (!sink->problems().empty()) {
      return sink->problems().front().status;
    }
    return out.Take();
  }
  return Status::Internal("rows did not settle");
}

}  // namespace pchronicle::golden
