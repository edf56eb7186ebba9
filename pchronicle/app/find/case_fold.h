#pragma once

#include <string>
#include <string_view>

namespace pchronicle::app {

/// Simple Unicode case folding (status C and S of the Unicode character database): one character
/// becomes one character, so `ß` stays itself and `İ` too.
char32_t FoldCharacter(char32_t c);

/// Appends `text` folded. Bytes that are no UTF-8 stay as they are. Folding is character by
/// character: the folded form of a joined text is the joined folded forms.
void AppendFolded(std::string_view text, std::string* out);

/// Text to look for without regard to case. Immutable, thread-safe.
class CaselessNeedle {
 public:
  explicit CaselessNeedle(std::string_view text);

  /// True when some part of `text` equals the needle after folding. `scratch` is working memory
  /// that callers keep; it stays small whatever the size of `text`.
  bool FoundIn(std::string_view text, std::string* scratch) const;

  /// The needle stands in a JSON string that holds it as it is, up to case, unless the string is
  /// written with \u escapes: no character of it is ever escaped otherwise.
  bool plain_in_json() const { return plain_in_json_; }

 private:
  std::string folded_;
  bool plain_in_json_ = false;
};

}  // namespace pchronicle::app
