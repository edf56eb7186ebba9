#include "pchronicle/model/openai/json_node.h"

#include "pchronicle/json/raw.h"

namespace pchronicle::model::openai {

JsonNode JsonNode::Array() {
  JsonNode node;
  node.kind_ = Kind::kArray;
  return node;
}

JsonNode JsonNode::String(std::string_view characters) {
  std::string text;
  json::AppendQuoted(characters, text);
  return JsonNode(std::move(text));
}

JsonNode JsonNode::Integer(int64_t value) { return JsonNode(std::to_string(value)); }

JsonNode& JsonNode::Add(std::string_view key, JsonNode value) {
  return members_.emplace_back(key, std::move(value)).second;
}

JsonNode* JsonNode::Find(std::string_view key) {
  for (auto& [name, value] : members_) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

void JsonNode::Write(std::string& out) const {
  if (kind_ == Kind::kText) {
    out += text_;
    return;
  }
  out += kind_ == Kind::kObject ? '{' : '[';
  const char* comma = "";
  for (const auto& [key, value] : members_) {
    out += comma;
    json::AppendQuoted(key, out);
    out += ':';
    value.Write(out);
    comma = ",";
  }
  for (const JsonNode& element : elements_) {
    out += comma;
    element.Write(out);
    comma = ",";
  }
  out += kind_ == Kind::kObject ? '}' : ']';
}

}  // namespace pchronicle::model::openai
