#include "pchronicle/model/residual_insert.h"

#include <algorithm>
#include <map>
#include <utility>

#include "pchronicle/json/compare.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/pointer.h"

namespace pchronicle::model {
namespace {

/// A deeper pointer reaches into nothing that a reader accepts.
constexpr size_t kMaxTokens = 256;

/// The pointers as a tree, so that one walk over the document serves all of them.
struct Node {
  std::map<std::string, Node, std::less<>> children;
  const PlacedField* field = nullptr;
  bool met = false;  // the document has a value here
};

/// The node of a pointer; null when it is deeper than any document.
Result<Node*> Grow(Node& root, std::string_view pointer) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<std::string> tokens, json::ParsePointer(pointer));
  if (tokens.size() > kMaxTokens) {
    return static_cast<Node*>(nullptr);
  }
  Node* node = &root;
  for (std::string& token : tokens) {
    node = &node->children[std::move(token)];
  }
  return node;
}

/// Equal, or a string that differs only where the hub holds U+FFFD for a lone surrogate.
bool SameValue(const json::Raw& canonical, std::string_view residual) {
  if (canonical.text == residual || json::SameMeaning(canonical.text, residual)) {
    return true;
  }
  const json::Raw raw = json::RawFromText(residual);
  if (!canonical.is_string() || !raw.is_string() || (raw.flags & json::kHasLoneSurrogate) == 0) {
    return false;
  }
  Arena scratch(1024);
  return json::DecodeString(canonical, scratch) == json::DecodeString(raw, scratch);
}

class Inserter {
 public:
  Inserter(std::string_view document, const InsertOptions& options,
           std::vector<std::string>* dangling)
      : in_(document),
        cursor_(document, 0, json::CursorOptions{.max_depth = 4 * kMaxTokens}),
        options_(options),
        dangling_(dangling) {}

  Result<std::string> Run(Node& root) {
    PCHRONICLE_RETURN_IF_ERROR(Value(root));
    CopyTo(in_.size());
    return std::move(out_);
  }

 private:
  void CopyTo(size_t end) {
    out_ += in_.substr(copied_, end - copied_);
    copied_ = end;
  }

  Status Value(Node& node) {
    node.met = true;
    const json::Kind kind = cursor_.Peek();
    if (node.field != nullptr) {
      return Replace(node);
    }
    if (node.children.empty()) {
      return cursor_.Skip() ? Status::Ok() : cursor_.status();
    }
    if (kind == json::Kind::kObject) {
      return Object(node);
    }
    if (kind == json::Kind::kArray) {
      return Array(node);
    }
    if (!cursor_.Skip()) {
      return cursor_.status();
    }
    return DangleChildren(node, "has a missing object parent");
  }

  Status Object(Node& node) {
    bool empty = true;
    cursor_.BeginObject();
    for (std::string_view key; cursor_.NextKey(&key);) {
      empty = false;
      const auto child = node.children.find(key);
      if (child == node.children.end() || child->second.met) {
        cursor_.Skip();
      } else {
        PCHRONICLE_RETURN_IF_ERROR(Value(child->second));
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(cursor_.status());
    for (auto& [key, child] : node.children) {
      if (child.met) {
        continue;
      }
      if (child.field == nullptr && !options_.create_parents) {
        PCHRONICLE_RETURN_IF_ERROR(Dangle(child, "has a missing object parent"));
        continue;
      }
      CopyTo(static_cast<size_t>(cursor_.offset()) - 1);
      out_ += empty ? "" : ",";
      empty = false;
      json::AppendQuoted(key, out_);
      out_ += ':';
      PCHRONICLE_RETURN_IF_ERROR(AppendValue(child));
    }
    return Status::Ok();
  }

  Status Array(Node& node) {
    size_t index = 0;
    cursor_.BeginArray();
    for (; cursor_.NextElement(); ++index) {
      const auto child = node.children.find(std::to_string(index));
      if (child == node.children.end()) {
        cursor_.Skip();
      } else {
        PCHRONICLE_RETURN_IF_ERROR(Value(child->second));
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(cursor_.status());
    return DangleChildren(node, "references a missing array slot");
  }

  /// A canonical value stands where the residual belongs.
  Status Replace(Node& node) {
    const size_t start = static_cast<size_t>(cursor_.offset());
    json::Raw canonical;
    if (!cursor_.Capture(&canonical)) {
      return cursor_.status();
    }
    if (!node.field->overwrites && !SameValue(canonical, node.field->value)) {
      return Status::InvalidArgument("JSON Pointer '{}' collides with a canonical value",
                                     node.field->pointer);
    }
    CopyTo(start);
    copied_ = start + canonical.text.size();
    return AppendValue(node);
  }

  /// The residual's value, with what other pointers put inside it.
  Status AppendValue(Node& node) {
    const std::string_view value = node.field == nullptr ? "{}" : node.field->value;
    if (node.children.empty()) {
      out_ += value;
      return Status::Ok();
    }
    Node inner;
    inner.children = std::move(node.children);
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string filled,
                                Inserter(value, options_, dangling_).Run(inner));
    out_ += filled;
    return Status::Ok();
  }

  Status DangleChildren(Node& node, std::string_view why) {
    for (auto& [key, child] : node.children) {
      if (!child.met) {
        PCHRONICLE_RETURN_IF_ERROR(Dangle(child, why));
      }
    }
    return Status::Ok();
  }

  Status Dangle(const Node& node, std::string_view why) {
    if (node.field != nullptr) {
      if (!options_.skip_dangling) {
        return Status::InvalidArgument("JSON Pointer '{}' {}", node.field->pointer, why);
      }
      if (dangling_ != nullptr) {
        dangling_->push_back(node.field->pointer);
      }
    }
    for (const auto& [key, child] : node.children) {
      PCHRONICLE_RETURN_IF_ERROR(Dangle(child, why));
    }
    return Status::Ok();
  }

  std::string_view in_;
  json::Cursor cursor_;
  const InsertOptions& options_;
  std::vector<std::string>* dangling_;
  std::string out_;
  size_t copied_ = 0;
};

}  // namespace

Result<std::string> InsertFields(std::string document, std::vector<PlacedField> fields,
                                 const InsertOptions& options, std::vector<std::string>* dangling) {
  if (fields.empty()) {
    return document;
  }
  Node root;
  for (const PlacedField& field : fields) {
    PCHRONICLE_ASSIGN_OR_RETURN(Node * node, Grow(root, field.pointer));
    if (node != nullptr) {
      node->field = &field;
    } else if (!options.skip_dangling) {
      return Status::InvalidArgument("JSON Pointer '{}' has a missing object parent",
                                     field.pointer);
    } else if (dangling != nullptr) {
      dangling->push_back(field.pointer);
    }
  }
  return Inserter(document, options, dangling).Run(root);
}

std::optional<std::string> FirstMissing(std::string_view document,
                                        std::span<const std::string> pointers) {
  Node root;
  std::vector<const Node*> nodes;
  for (const std::string& pointer : pointers) {
    const Result<Node*> node = Grow(root, pointer);
    if (!node.ok() || *node == nullptr) {
      return pointer;
    }
    nodes.push_back(*node);
  }
  const InsertOptions options;
  if (!Inserter(document, options, nullptr).Run(root).ok()) {
    return pointers.empty() ? std::nullopt : std::optional(pointers.front());
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]->met) {
      return pointers[i];
    }
  }
  return std::nullopt;
}

}  // namespace pchronicle::model
