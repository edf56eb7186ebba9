#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pchronicle::model::openai {

/// A JSON value under construction: the containers that residuals may reach into are taken apart,
/// everything else is minified text. Object members keep the order in which they came.
class JsonNode {
 public:
  enum class Kind { kText, kObject, kArray };

  JsonNode() : kind_(Kind::kObject) {}
  /// Minified JSON text.
  explicit JsonNode(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  static JsonNode Array();
  /// A string with the given characters.
  static JsonNode String(std::string_view characters);
  static JsonNode Integer(int64_t value);

  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool empty() const { return members_.empty() && elements_.empty() && text_.empty(); }

  /// Appends a member; `key` must be new.
  JsonNode& Add(std::string_view key, JsonNode value);
  /// Null when there is none.
  JsonNode* Find(std::string_view key);
  std::vector<JsonNode>& elements() { return elements_; }
  const std::string& text() const { return text_; }

  /// Appends the compact text.
  void Write(std::string& out) const;

 private:
  Kind kind_;
  std::string text_;
  std::vector<std::pair<std::string, JsonNode>> members_;
  std::vector<JsonNode> elements_;
};

}  // namespace pchronicle::model::openai
