#include "pchronicle/model/detect.h"

#include <algorithm>

#include "pchronicle/json/decompress.h"
#include "pchronicle/model/detect_rules.h"
#include "pchronicle/model/detect_shape.h"

namespace pchronicle::model {
namespace {

using json::Cursor;
using json::Kind;

constexpr size_t kHeadBytes = 512;
constexpr uint64_t kMaxLines = 32;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool EndsWith(std::string_view text, std::string_view lower_suffix) {
  return text.size() >= lower_suffix.size() &&
         std::equal(lower_suffix.begin(), lower_suffix.end(),
                    text.end() - static_cast<std::ptrdiff_t>(lower_suffix.size()),
                    [](char want, char c) {
                      return c == want || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == want);
                    });
}

Detection Ignored(std::string reason) {
  Detection detection;
  detection.kind = Detection::Kind::kIgnored;
  detection.reason = std::move(reason);
  return detection;
}

Detection Empty() {
  Detection detection;
  detection.kind = Detection::Kind::kEmpty;
  return detection;
}

Detection Found(Format format, json::Container container) {
  Detection detection;
  detection.kind = Detection::Kind::kFormat;
  detection.format = format;
  detection.container = container;
  return detection;
}

Detection FromMatch(const Match& match, json::Container container) {
  if (match.format) {
    return Found(*match.format, container);
  }
  Detection detection = Ignored(match.is_trajectory ? fmt::format("not read yet: {}", match.name)
                                                    : std::string(match.name));
  detection.harbor = match.harbor;
  return detection;
}

/// Where and how reading a value failed.
struct Damage {
  uint64_t record = 0;
  uint64_t offset = 0;
};

class Detector {
 public:
  Detector(const json::ByteInput& input, std::string_view file, const DetectOptions& options)
      : input_(input), path_(file), file_(json::NameInside(file)), options_(options) {}

  Result<Detection> Run() {
    PCHRONICLE_RETURN_IF_ERROR(ReadHead());
    if (Status encoding = json::CheckEncoding(head_); !encoding.ok()) {
      Detection detection;
      detection.kind = Detection::Kind::kError;
      detection.error = std::move(encoding);
      return detection;
    }
    if (const std::string_view kind = BinaryKind(head_); !kind.empty()) {
      return Ignored(fmt::format("not JSON: {}", kind));
    }
    start_ = head_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    const char first = FirstByte();
    if (first == '\0' && head_.size() < kHeadBytes) {
      return Empty();
    }
    if (first != '{' && first != '[' && first != '\0') {
      return NoBracket();
    }
    if (ContainerByName(file_) == json::Container::kLines) {
      PCHRONICLE_ASSIGN_OR_RETURN(std::optional<Detection> by_lines, Lines());
      if (by_lines) {
        return *std::move(by_lines);
      }
    }
    return Document();
  }

 private:
  Status ReadHead() {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto source, input_.Open(0, kHeadBytes));
    head_.resize(kHeadBytes);
    size_t size = 0;
    while (size < kHeadBytes) {
      PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source->Read(std::span(head_).subspan(size)));
      if (got == 0) {
        break;
      }
      size += got;
    }
    head_.resize(size);
    return Status::Ok();
  }

  /// First byte of the head that is no blank; NUL when there is none.
  char FirstByte() const {
    const size_t at = head_.find_first_not_of(" \t\r\n", start_);
    return at == std::string::npos ? '\0' : head_[at];
  }

  Result<Cursor> OpenCursor() const {
    json::CursorOptions options;
    options.window_bytes = 64 << 10;
    options.max_record_bytes = options_.max_detection_bytes;
    PCHRONICLE_ASSIGN_OR_RETURN(auto source, input_.Open(start_));
    return Cursor(std::move(source), start_, options);
  }

  /// Damage of the content is none of the storage's: the rest are errors of the call.
  Status Fatal(const Cursor& cursor) const {
    switch (cursor.status().code()) {
      case StatusCode::kOk:
      case StatusCode::kInvalidArgument:
        return Status::Ok();
      case StatusCode::kResourceExhausted:
        return Status::ResourceExhausted(
            "format detection input {} is {} bytes, exceeding max_detection_bytes {}", path_,
            input_.size().value_or(cursor.offset()), options_.max_detection_bytes);
      default:
        return cursor.status();
    }
  }

  /// Neither an object nor a list: a scalar, AgenticMD, or no JSON at all.
  Result<Detection> NoBracket() {
    if (IsAgenticMd()) {
      // Read only where it was asked for by name: a folder's Markdown is no source
      // (formats.md 1.9).
      return EndsWith(file_, ".md") ? Found(Format::kAgenticMd, json::Container::kDocument)
                                    : Ignored("not read yet: agenticmd");
    }
    PCHRONICLE_ASSIGN_OR_RETURN(Cursor cursor, OpenCursor());
    Shape shape;
    shape.kind = cursor.Peek();
    if (ContainerByName(file_) == json::Container::kDocument && cursor.Skip() && cursor.AtEnd()) {
      return shape.Is(Kind::kNull) ? Empty() : Ignored(NotATrajectory(shape, false));
    }
    PCHRONICLE_RETURN_IF_ERROR(Fatal(cursor));
    if (ContainerByName(file_) == json::Container::kLines) {
      // A bad first line decides nothing: a later one may be a record.
      PCHRONICLE_ASSIGN_OR_RETURN(std::optional<Detection> by_lines, Lines());
      if (by_lines && (by_lines->kind != Detection::Kind::kIgnored || good_lines_ > 0)) {
        return *std::move(by_lines);
      }
    }
    if (const auto format = FormatByName(file_)) {
      return Found(*format, ContainerByName(file_));  // its reader says what is wrong, and where
    }
    const bool text = std::none_of(head_.begin(), head_.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' &&
             c != '\f' && c != '\x1b';
    });
    return Ignored(text ? "not JSON: text" : "not JSON: binary data");
  }

  /// formats.md 8.3 test 7, on the head alone.
  bool IsAgenticMd() const {
    const std::string_view text = std::string_view(head_).substr(start_);
    if (text.find("<!-- persisting:block") != std::string_view::npos) {
      return true;
    }
    if (!text.starts_with("---")) {
      return false;
    }
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = text.substr(begin, end - begin);
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
        line.remove_suffix(1);
      }
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (line == "format: persisting" || line == "format: persisting:1.0") {
        return true;
      }
      begin = end + 1;
    }
    return false;
  }

  /// The outline of the value at the cursor. `*in_array`: the value is a list, and `shape` its
  /// first element.
  bool Read(Cursor& cursor, Shape& shape, bool* in_array, bool* whole) const {
    bool stopped = false;
    *in_array = cursor.Peek() == Kind::kArray;
    *whole = false;
    const auto enough = [&](const Shape& seen) {
      return cursor.offset() > start_ + options_.window_bytes
                 ? Classify(seen, *in_array, file_).has_value()
                 : ClassifyByVersion(seen).has_value();
    };
    if (!*in_array) {
      const bool good = ReadShape(cursor, start_ + options_.window_bytes, enough, shape, &stopped);
      *whole = good && !stopped;
      return good;
    }
    if (!cursor.BeginArray()) {
      return false;
    }
    if (!cursor.NextElement()) {
      *whole = cursor.ok();
      return cursor.ok();
    }
    return ReadShape(cursor, start_ + options_.window_bytes, enough, shape, &stopped);
  }

  /// The first lines that parse; nothing when the file is no line file after all.
  Result<std::optional<Detection>> Lines() {
    PCHRONICLE_ASSIGN_OR_RETURN(Cursor cursor, OpenCursor());
    std::optional<Match> match, damaged_match;
    std::optional<Damage> damage;
    uint64_t line = 1, match_line = 0, first_line = 0;
    Shape first_good;
    bool in_array = false, any_line = false, first_in_array = false, only_empty = true;
    good_lines_ = 0;
    for (bool more = true; more; ++line) {
      cursor.EnterLine();
      const uint64_t begin = cursor.offset();
      if (!cursor.AtEnd()) {
        first_line = any_line ? first_line : begin;
        any_line = true;
        Shape shape;
        bool whole = false;
        const bool good = Read(cursor, shape, &in_array, &whole);
        PCHRONICLE_RETURN_IF_ERROR(Fatal(cursor));
        const bool clean = good && (!whole || cursor.AtEnd());
        const auto found = Classify(shape, in_array, file_);
        if (!clean) {
          damage = damage ? damage : Damage{begin, cursor.error_offset()};
          damaged_match = damaged_match ? damaged_match : found;
        } else {
          if (good_lines_++ == 0) {
            first_good = shape;
            first_in_array = in_array;
          }
          only_empty = only_empty && IsEmptyShape(shape);
          if (found && match && match->name != found->name && match->format && found->format) {
            return std::optional(Mixed(*match, match_line, *found, line, begin));
          }
          if (found && !match) {
            match = found;
            match_line = line;
            if (in_array) {
              return std::optional(FromMatch(*found, json::Container::kDocument));
            }
          }
          if (match && !match->format) {
            return std::optional(FromMatch(*match, json::Container::kLines));
          }
        }
      }
      bool had_line_feed = false;
      if (cursor.offset() - start_ >= options_.window_bytes || good_lines_ >= kMaxLines) {
        break;
      }
      more = cursor.LeaveLine(&had_line_feed);
      PCHRONICLE_RETURN_IF_ERROR(Fatal(cursor));
    }
    if (match) {
      return std::optional(FromMatch(*match, json::Container::kLines));
    }
    if (!any_line) {
      return std::optional(Empty());
    }
    if (good_lines_ == 0) {
      if (damaged_match && damaged_match->format) {
        return std::optional(FromMatch(*damaged_match, json::Container::kLines));
      }
      return std::optional<Detection>();  // perhaps one value over many lines
    }
    if (damage && damage->record == first_line) {
      return std::optional<Detection>();  // lines of one value that happen to parse alone
    }
    if (only_empty && !damage) {
      return std::optional(Empty());
    }
    return std::optional(NoMatch(first_good, first_in_array));
  }

  Detection Mixed(const Match& a, uint64_t line_a, const Match& b, uint64_t line_b,
                  uint64_t at) const {
    Detection detection;
    detection.kind = Detection::Kind::kError;
    detection.error = Status::InvalidArgument(
        "mixed formats in one file: {} at line {}, {} at line {}", a.name, line_a, b.name, line_b);
    detection.error_record = detection.error_offset = at;
    return detection;
  }

  static bool IsEmptyShape(const Shape& shape) {
    return shape.Is(Kind::kAbsent) || shape.Is(Kind::kNull) ||
           (shape.Is(Kind::kObject) && shape.members.empty());
  }

  Detection NoMatch(const Shape& shape, bool in_array) const {
    if (const std::string_view known = KnownByName(file_); !known.empty()) {
      return Ignored(fmt::format("not a trajectory: {}", known));
    }
    return Ignored(NotATrajectory(shape, in_array));
  }

  Result<Detection> Document() {
    PCHRONICLE_ASSIGN_OR_RETURN(Cursor cursor, OpenCursor());
    if (cursor.AtEnd()) {
      PCHRONICLE_RETURN_IF_ERROR(Fatal(cursor));
      return Empty();
    }
    Shape shape;
    bool in_array = false, whole = false;
    const bool good = Read(cursor, shape, &in_array, &whole);
    PCHRONICLE_RETURN_IF_ERROR(Fatal(cursor));
    if (const auto match = Classify(shape, in_array, file_)) {
      return FromMatch(*match, json::Container::kDocument);
    }
    if (good) {
      // More than an empty first value may follow it.
      if (whole && IsEmptyShape(shape) && cursor.AtEnd()) {
        return Empty();
      }
      return NoMatch(shape, in_array);
    }
    const Damage damage{start_, cursor.error_offset()};
    const bool lines = ContainerByName(file_) == json::Container::kLines;
    if (const auto format = FormatByName(file_)) {
      return Found(*format, lines ? json::Container::kLines : json::Container::kDocument);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const json::Place place,
                                json::Locate(input_, damage.record, damage.offset));
    return Ignored(fmt::format("malformed JSON at line {}, byte {}; no format recognised before it",
                               place.line, damage.offset));
  }

  const json::ByteInput& input_;
  const std::string_view path_;
  const std::string_view file_;  // name of the text
  const DetectOptions& options_;
  std::string head_;
  uint64_t start_ = 0;  // behind the byte-order mark
  uint64_t good_lines_ = 0;
};

}  // namespace

json::Container ContainerByName(std::string_view file) {
  const std::string_view name = json::NameInside(file);
  return EndsWith(name, ".jsonl") || EndsWith(name, ".ndjson") ? json::Container::kLines
                                                               : json::Container::kDocument;
}

Result<Detection> Detect(const json::ByteInput& input, std::string_view file,
                         const DetectOptions& options) {
  Result<Detection> found = Detector(input, file, options).Run();
  if (found.ok() && found->kind == Detection::Kind::kEmpty) {
    found->format =
        FormatByName(json::NameInside(file));  // where the content says nothing the name may
  }
  return found;
}

}  // namespace pchronicle::model
