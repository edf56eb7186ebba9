#include "pchronicle/app/find/expression_input.h"

#include <algorithm>
#include <utility>

#include "pchronicle/base/terminal_text.h"

namespace pchronicle::app {

void ExpressionInput::SkipBlanks() {
  while (at < text.size() && IsBlank(text[at])) {
    ++at;
  }
}

std::string_view ExpressionInput::TakeName() {
  const size_t begin = at;
  while (at < text.size() && IsNameCharacter(text[at])) {
    ++at;
  }
  return text.substr(begin, at - begin);
}

ExpressionInput::Keyword ExpressionInput::PeekKeyword() const {
  constexpr std::pair<std::string_view, Keyword> kKeywords[] = {
      {"AND", Keyword::kAnd}, {"OR", Keyword::kOr}, {"NOT", Keyword::kNot}};
  for (const auto& [word, keyword] : kKeywords) {
    const std::string_view here = text.substr(at, word.size());
    const bool same = std::equal(here.begin(), here.end(), word.begin(), word.end(),
                                 [](char a, char b) { return (a & ~0x20) == b; });
    const size_t end = at + word.size();
    constexpr std::string_view kStarts = "()\"#$";
    if (same && (end == text.size() || IsBlank(text[end]) ||
                 kStarts.find(text[end]) != std::string_view::npos)) {
      return keyword;
    }
  }
  return Keyword::kNone;
}

size_t ExpressionInput::Place(size_t offset) const {
  return CountCharacters(text.substr(0, offset)) + 1;
}

Status ExpressionInput::Fail(size_t offset, const Status& status) const {
  return status.WithContext(fmt::format("character {}", Place(offset)));
}

}  // namespace pchronicle::app
