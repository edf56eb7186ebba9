#include "pchronicle/model/agenticmd/blocks.h"

#include <algorithm>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::model::agenticmd {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsSpace(char c) { return IsBlank(c) || c == '\r' || c == '\n'; }
bool IsSpeakerChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string_view SourceOfName(std::string_view name) {
  return name == "assistant" || name == "agent" ? "agent" : name == "user" ? "user" : "system";
}

/// `source` if it is one of the three, else from the legacy `role`, else from the speaker.
std::string_view SourceOf(const Block& block) {
  Arena scratch(256);
  const json::Raw source = block.Find("source");
  if (source.is_string()) {
    const std::string_view name = json::DecodeString(source, scratch);
    for (const std::string_view known : {"user", "agent", "system"}) {
      if (name == known) {
        return known;
      }
    }
  }
  const json::Raw role = block.Find("role");
  return SourceOfName(role.is_string() ? json::DecodeString(role, scratch) : block.speaker);
}

class Parser {
 public:
  Parser(std::string_view text, uint32_t max_depth, BlockDocument& out)
      : text_(text), max_depth_(max_depth), out_(out) {}

  std::optional<Problem> Run() {
    if (const Status encoding = json::CheckEncoding(text_.substr(0, 4)); !encoding.ok()) {
      return ProblemAt(encoding, 0, "");
    }
    if (const size_t bad = json::FindInvalidUtf8(text_); bad != std::string_view::npos) {
      return ProblemAt(
          Status::Corruption("expected UTF-8, found an invalid byte at offset {}", bad), bad, "");
    }
    at_ = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    if (!ReadFrontmatter()) {
      return problem_;
    }
    out_.blocks_begin = at_;
    if (text_.find(kMarker, at_) == std::string_view::npos) {
      ReadPlain();
      return std::nullopt;
    }
    while (SkipSpace()) {
      if (!ReadBlock()) {
        return problem_;
      }
    }
    return std::nullopt;
  }

 private:
  bool Fail(Status status, size_t offset, std::string_view part) {
    problem_ =
        ProblemAt(std::move(status), offset,
                  part == "frontmatter" ? std::string(part)
                                        : fmt::format("block[{}]{}", out_.blocks.size(), part));
    return false;
  }
  bool ExpectedHeader(size_t offset) {
    return Fail(Status::InvalidArgument(
                    "expected <!-- persisting:block:{{speaker}} {{json}} --> at offset {}", offset),
                offset, "");
  }

  /// Moves behind the line feed; the line without its end.
  std::string_view TakeLine() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return line;
  }
  bool SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) {
      ++at_;
    }
    return at_ < text_.size();
  }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) {
      ++at_;
    }
  }
  bool Accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) {
      return false;
    }
    at_ += token.size();
    return true;
  }

  static bool IsFence(std::string_view line) {
    return line.starts_with("---") && line.find_first_not_of(" \t", 3) == std::string_view::npos;
  }

  bool ReadFrontmatter() {
    const size_t begin = at_;
    if (!IsFence(TakeLine()) || text_.find('\n', begin) == std::string_view::npos) {
      at_ = begin;
      return true;
    }
    out_.frontmatter_begin = at_;
    while (at_ < text_.size()) {
      const size_t line_begin = at_;
      if (IsFence(TakeLine())) {
        out_.frontmatter =
            text_.substr(out_.frontmatter_begin, line_begin - out_.frontmatter_begin);
        return true;
      }
    }
    return Fail(Status::InvalidArgument("unclosed YAML frontmatter"), begin, "frontmatter");
  }

  void ReadPlain() {
    if (!SkipSpace()) {
      return;
    }
    Block& block = out_.blocks.emplace_back();
    block.plain = true;
    block.source = "system";
    block.begin = block.body_begin = at_;
    size_t end = text_.size();
    while (IsSpace(text_[end - 1])) {
      --end;
    }
    block.body = text_.substr(at_, end - at_);
  }

  bool ReadBlock() {
    Block block;
    block.begin = at_;
    if (!ReadHeader(block)) {
      return false;
    }
    block.source = SourceOf(block);
    const json::Raw length = block.Find("length");
    if (!(length.has_value() ? ReadBody(block, length) : ReadOpenBody(block))) {
      return false;
    }
    out_.blocks.push_back(std::move(block));
    return true;
  }

  bool ReadHeader(Block& block) {
    if (!Accept(kMarker)) {
      return ExpectedHeader(block.begin);
    }
    if (Accept(":")) {
      const size_t begin = at_;
      while (at_ < text_.size() && IsSpeakerChar(text_[at_])) {
        ++at_;
      }
      block.speaker = text_.substr(begin, at_ - begin);
      if (block.speaker.empty()) {
        return ExpectedHeader(block.begin);
      }
    }
    SkipBlanks();
    if (at_ < text_.size() && text_[at_] == '{' && !ReadObject(block)) {
      return false;
    }
    SkipBlanks();
    if (!Accept("-->")) {
      return ExpectedHeader(block.begin);
    }
    SkipBlanks();
    return at_ == text_.size() || Accept("\n") || Accept("\r\n") || ExpectedHeader(block.begin);
  }

  /// Behind the brace that closes the object at `at_`, braces inside strings not counted; npos when
  /// the line ends first.
  size_t ObjectEnd() const {
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = at_; i < text_.size() && text_[i] != '\n' && text_[i] != '\r'; ++i) {
      const char c = text_[i];
      if (in_string) {
        i += c == '\\' ? 1 : 0;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        return i + 1;
      }
    }
    return std::string_view::npos;
  }

  bool ReadObject(Block& block) {
    const size_t end = ObjectEnd();
    if (end == std::string_view::npos) {
      return ExpectedHeader(block.begin);
    }
    json::Cursor cursor(text_.substr(at_, end - at_), at_, {.max_depth = max_depth_});
    cursor.BeginObject();
    for (std::string_view key; cursor.NextKey(&key);) {
      std::string name(key);
      json::Raw value;
      if (!cursor.Capture(&value)) {
        break;
      }
      block.header.emplace_back(std::move(name), value);
    }
    if (!cursor.ok() || !cursor.AtEnd()) {
      return Fail(
          cursor.ok() ? Status::Corruption("trailing data after JSON document") : cursor.status(),
          cursor.error_offset(), "");
    }
    at_ = end;
    return true;
  }

  bool ReadBody(Block& block, const json::Raw& declared) {
    int64_t length = 0;
    if (!json::ToInt64(declared, &length) || length < 0) {
      return Fail(Status::InvalidArgument("length must be a non-negative integer"), block.begin,
                  "");
    }
    // Exactly one line break: a body that starts with one of its own keeps it.
    Accept("\n") || Accept("\r\n");
    block.body_begin = at_;
    const uint64_t bytes = static_cast<uint64_t>(length);
    if (bytes > text_.size() - at_) {
      return Fail(Status::InvalidArgument("agenticmd block body past EOF (need {} bytes)", bytes),
                  at_, ".body");
    }
    block.body = text_.substr(at_, bytes);
    at_ += bytes;
    const bool splits = (!block.body.empty() && IsContinuation(block.body.front())) ||
                        (at_ < text_.size() && IsContinuation(text_[at_]));
    return !splits ||
           Fail(Status::InvalidArgument("agenticmd block length {} splits a UTF-8 sequence", bytes),
                at_, ".body");
  }

  bool ReadOpenBody(Block& block) {
    for (size_t line = at_; line < text_.size();) {
      const size_t end = std::min(text_.find('\n', line), text_.size());
      if (!std::all_of(text_.begin() + static_cast<ptrdiff_t>(line),
                       text_.begin() + static_cast<ptrdiff_t>(end), IsSpace)) {
        break;
      }
      at_ = line = std::min(end + 1, text_.size());
    }
    block.body_begin = at_;
    size_t end = std::min(text_.find(kMarker, at_), text_.size());
    const size_t next = end;
    while (end > at_ && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) {
      --end;
    }
    block.body = text_.substr(at_, end - at_);
    at_ = next;
    return true;
  }

  std::string_view text_;
  uint32_t max_depth_;
  BlockDocument& out_;
  size_t at_ = 0;
  std::optional<Problem> problem_;
};

}  // namespace

json::Raw Block::Find(std::string_view key) const {
  const auto found = std::find_if(header.rbegin(), header.rend(),
                                  [&](const auto& member) { return member.first == key; });
  return found == header.rend() ? json::Raw() : found->second;
}

Problem ProblemAt(Status status, size_t offset, std::string location) {
  Problem problem;
  problem.status = std::move(status);
  problem.offset = offset;
  problem.location = std::move(location);
  problem.whole_source = true;
  return problem;
}

std::optional<Problem> ParseBlocks(std::string_view text, uint32_t max_depth, BlockDocument* out) {
  *out = {};
  return Parser(text, max_depth, *out).Run();
}

}  // namespace pchronicle::model::agenticmd
