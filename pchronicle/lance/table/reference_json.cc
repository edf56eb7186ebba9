#include "pchronicle/lance/table/reference_json.h"

#include <charconv>

namespace pchronicle::lance {
namespace {

constexpr int kMaxDepth = 16;

// A cursor over JSON text that fails by giving false; `at` is where it stopped.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  size_t at() const { return at_; }

  void Blank() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) {
      ++at_;
    }
  }
  bool Eat(char c) {
    Blank();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  bool AtEnd() {
    Blank();
    return at_ == text_.size();
  }

  bool Text(std::string* out) {
    if (!Eat('"')) {
      return false;
    }
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        *out += text_[at_++];
      } else if (!Escape(out)) {
        return false;
      }
    }
    return Eat('"');
  }

  // A number or a word.
  std::string_view Word() {
    Blank();
    const size_t begin = at_;
    while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == text_.npos) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  // Any value; `scalar` gets it when it is text, a number, true or false.
  bool Value(std::optional<std::string>* scalar, int depth) {
    Blank();
    if (at_ >= text_.size() || depth > kMaxDepth) {
      return false;
    }
    const char first = text_[at_];
    if (first == '"') {
      return Text(&scalar->emplace());
    }
    if (first != '{' && first != '[') {
      const std::string_view word = Word();
      if (word != "null") {
        *scalar = std::string(word);
      }
      return !word.empty();
    }
    ++at_;
    const char last = first == '{' ? '}' : ']';
    if (Eat(last)) {
      return true;
    }
    for (;;) {
      std::string key;
      if (first == '{' && !(Text(&key) && Eat(':'))) {
        return false;
      }
      std::optional<std::string> ignored;
      if (!Value(&ignored, depth + 1)) {
        return false;
      }
      if (Eat(last)) {
        return true;
      }
      if (!Eat(',')) {
        return false;
      }
    }
  }

 private:
  bool Escape(std::string* out) {
    if (at_ + 1 >= text_.size()) {
      return false;
    }
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    const char c = text_[at_ + 1];
    if (const size_t i = kFrom.find(c); i != kFrom.npos) {
      *out += kTo[i];
      at_ += 2;
      return true;
    }
    // Names are letters, digits and -._/ so a \u escape only stands in text nobody compares.
    *out += text_.substr(at_, 2);
    at_ += 2;
    return c == 'u';
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<columnar::Metadata> ReadReferenceJson(std::string_view json) {
  Scanner in(json);
  const auto broken = [&] {
    return Status::Corruption("no JSON object: damaged at byte {} of {}", in.at(), json.size());
  };
  columnar::Metadata out;
  if (!in.Eat('{')) {
    return broken();
  }
  if (!in.Eat('}')) {
    do {
      std::string key;
      std::optional<std::string> value;
      if (!in.Text(&key) || !in.Eat(':') || !in.Value(&value, 0)) {
        return broken();
      }
      if (value) {
        out.insert_or_assign(std::move(key), *std::move(value));
      }
    } while (in.Eat(','));
    if (!in.Eat('}')) {
      return broken();
    }
  }
  if (!in.AtEnd()) {
    return broken();
  }
  return out;
}

std::optional<uint64_t> ReferenceNumber(const columnar::Metadata& members, std::string_view key) {
  const auto found = members.find(key);
  if (found == members.end()) {
    return std::nullopt;
  }
  uint64_t value = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace pchronicle::lance
