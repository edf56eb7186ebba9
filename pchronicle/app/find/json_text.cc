#include "pchronicle/app/find/json_text.h"

#include <vector>

#include "pchronicle/json/cursor.h"

namespace pchronicle::app {
namespace {

constexpr uint32_t kMaxDepth = 1024;  // what RawFromText accepts
constexpr size_t kDecodedKept = 1 << 20;

// Walks a value without recursion.
class TextWalk {
 public:
  TextWalk(std::string_view json, const CaselessNeedle& needle, Arena& decoded, std::string* folded)
      : cursor_(json, 0, {.max_depth = kMaxDepth}),
        needle_(needle),
        decoded_(decoded),
        folded_(folded) {}

  bool Found() {
    if (Enter(false)) {
      return true;
    }
    while (!open_.empty()) {
      bool kind_name = false;
      if (!Next(&kind_name)) {
        if (!cursor_.ok()) {
          return false;
        }
        open_.pop_back();
      } else if (Enter(kind_name)) {
        return true;
      }
    }
    return false;
  }

 private:
  /// Goes to the next member or element; false at the end of the container.
  bool Next(bool* kind_name) {
    if (!open_.back()) {
      return cursor_.NextElement();
    }
    std::string_view key;
    const bool more = cursor_.NextKey(&key);
    *kind_name = more && key == "type";
    return more;
  }

  /// Looks at one value, or opens it. True when the needle is found.
  bool Enter(bool kind_name) {
    switch (cursor_.Peek()) {
      case json::Kind::kObject:
        open_.push_back(true);
        cursor_.BeginObject();
        return false;
      case json::Kind::kArray:
        open_.push_back(false);
        cursor_.BeginArray();
        return false;
      case json::Kind::kString:
        if (!kind_name) {
          return LookAt();
        }
        break;
      case json::Kind::kNumber:
      case json::Kind::kBool:
        return LookAt();
      case json::Kind::kNull:
      case json::Kind::kAbsent:
        break;
    }
    cursor_.Skip();
    return false;
  }

  bool LookAt() {
    json::Raw raw;
    if (!cursor_.Capture(&raw)) {
      return false;
    }
    if (decoded_.bytes() > kDecodedKept) {
      decoded_.Reset();
    }
    const std::string_view text = raw.is_string() ? json::DecodeString(raw, decoded_) : raw.text;
    const bool found = needle_.FoundIn(text, folded_);
    cursor_.ReleaseViews();
    return found;
  }

  json::Cursor cursor_;
  const CaselessNeedle& needle_;
  Arena& decoded_;
  std::string* folded_;
  std::vector<bool> open_;  // containers; true: an object
};

}  // namespace

bool FoundInJson(std::string_view json, const CaselessNeedle& needle, Arena& decoded,
                 std::string* folded) {
  // Most values do not have it: one look over the source text tells.
  if (needle.plain_in_json() && json.find("\\u") == std::string_view::npos &&
      !needle.FoundIn(json, folded)) {
    return false;
  }
  return TextWalk(json, needle, decoded, folded).Found();
}

}  // namespace pchronicle::app
