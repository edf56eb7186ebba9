#include "pchronicle/model/object_writer.h"

#include <fmt/core.h>

#include "pchronicle/base/timestamp.h"

namespace pchronicle::model {
namespace {

void AppendCell(const json::Raw& value, std::string& out) {
  if ((value.flags & (json::kHasBlanks | json::kHasNonFinite)) == 0) {
    out += value.text;
    return;
  }
  Arena scratch(1024);
  out += json::CellText(value, json::Surrogates::kKeep, scratch);
}

}  // namespace

void ObjectWriter::Comma() {
  if (!first_) {
    out_ += ',';
  }
  first_ = false;
}

void ObjectWriter::Key(std::string_view key) {
  Comma();
  out_ += '"';
  out_ += key;
  out_ += "\":";
}

void ObjectWriter::QuotedKey(std::string_view key) {
  Comma();
  json::AppendQuoted(key, out_);
  out_ += ':';
}

void ObjectWriter::String(std::string_view key, std::string_view value) {
  Key(key);
  json::AppendQuoted(value, out_);
}

void ObjectWriter::String(std::string_view key, const Text& value) {
  if (value) {
    String(key, *value);
  }
}

void ObjectWriter::Int(std::string_view key, std::optional<int64_t> value) {
  if (value) {
    Key(key);
    out_ += std::to_string(*value);
  }
}

void ObjectWriter::Bool(std::string_view key, std::optional<bool> value) {
  if (value) {
    Key(key);
    out_ += *value ? "true" : "false";
  }
}

void ObjectWriter::Cell(std::string_view key, const json::Raw& value) {
  if (value.has_value()) {
    Key(key);
    AppendCell(value, out_);
  }
}

void ObjectWriter::RequiredCell(std::string_view key, const json::Raw& value) {
  Key(key);
  if (value.has_value()) {
    AppendCell(value, out_);
  } else {
    out_ += "null";
  }
}

void ObjectWriter::Json(std::string_view key, std::string_view text) {
  if (!text.empty()) {
    Key(key);
    out_ += text;
  }
}

void ObjectWriter::Time(std::string_view key, const Timestamp& value) {
  if (value.scalar.has_value()) {
    Cell(key, value.scalar);
  } else if (value.nanoseconds) {
    String(key, std::string_view(FormatTimestamp(*value.nanoseconds)));
  }
}

}  // namespace pchronicle::model
