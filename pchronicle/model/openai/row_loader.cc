#include "pchronicle/model/openai/row_loader.h"

#include "pchronicle/model/openai/content_value.h"

namespace pchronicle::model::openai {

Status RowLoader::Load(const RowEntry& entry, MemberReader& reader, LoadedRow* row) {
  row->entry = &entry;
  row->shape.Clear();
  row->arena.Reset();
  row->values = row->message_values = row->response_values = &bytes_;
  scan_error_ = 0;
  row->has_messages = row->used_messages_json = row->used_response_json = false;

  PCHRONICLE_RETURN_IF_ERROR(bytes_.Move(entry.offset, entry.length));
  PCHRONICLE_ASSIGN_OR_RETURN(json::Cursor cursor, bytes_.MakeCursor());
  const Status scanned = scanner_.ScanRow(cursor, row->arena, &row->shape);
  if (!scanned.ok()) {
    scan_error_ = cursor.error_offset();
    return scanned;
  }
  for (const std::string_view key : row->shape.repeated) {
    reader.Note("duplicate_key", key);
  }
  PCHRONICLE_RETURN_IF_ERROR(ReadMessages(reader, row));
  return ReadResponse(reader, row);
}

Status RowLoader::ReadMessages(MemberReader& reader, LoadedRow* row) {
  RowKey key = RowKey::kMessages;
  if (!row->shape.at(key).has_value() && row->shape.at(RowKey::kMessagesJson).has_value()) {
    key = RowKey::kMessagesJson;
  }
  const Span& span = row->shape.at(key);
  row->has_messages = span.kind == json::Kind::kArray && key == RowKey::kMessages;
  if (row->has_messages || !span.has_value()) {
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, row->values->Capture(span, row->arena));
  bool was_text = false;
  const json::Raw array = DecodeStructure(raw, json::Kind::kArray, row->arena, &was_text);
  if (!array.present()) {
    reader.Bad(RowKeyName(key), raw);
    return Status::Ok();
  }
  if (was_text && key == RowKey::kMessages) {
    reader.Note("json_in_text", RowKeyName(key));
  }
  row->messages_text = DecodedText(array.text);
  row->message_values = &row->messages_text;
  row->has_messages = true;
  row->used_messages_json = key == RowKey::kMessagesJson;
  json::Cursor cursor(array.text, 0, options_);
  row->shape.messages.Clear();
  return scanner_.ScanMessages(cursor, row->arena, &row->shape.messages);
}

Status RowLoader::ReadResponse(MemberReader& reader, LoadedRow* row) {
  RowKey key = RowKey::kResponse;
  if (!row->shape.at(key).has_value() && row->shape.at(RowKey::kResponseJson).has_value()) {
    key = RowKey::kResponseJson;
  }
  const Span& span = row->shape.at(key);
  if (!span.has_value() || (span.kind == json::Kind::kObject && key == RowKey::kResponse)) {
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const json::Raw raw, row->values->Capture(span, row->arena));
  bool was_text = false;
  const json::Raw object = DecodeStructure(raw, json::Kind::kObject, row->arena, &was_text);
  row->shape.response.Clear();
  if (!object.present()) {
    reader.Bad(RowKeyName(key), raw);
    return Status::Ok();
  }
  if (was_text && key == RowKey::kResponse) {
    reader.Note("json_in_text", RowKeyName(key));
  }
  row->response_text = DecodedText(object.text);
  row->response_values = &row->response_text;
  row->used_response_json = key == RowKey::kResponseJson;
  json::Cursor cursor(object.text, 0, options_);
  return scanner_.ScanMessage(cursor, row->arena, &row->shape.response);
}

}  // namespace pchronicle::model::openai
