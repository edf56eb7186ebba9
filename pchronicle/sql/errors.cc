#include "pchronicle/sql/errors.h"

#include <algorithm>
#include <charconv>

namespace pchronicle::sql {
namespace {

StatusCode CodeOf(duckdb::ExceptionType type) {
  using duckdb::ExceptionType;
  switch (type) {
    case ExceptionType::NOT_IMPLEMENTED:
      return StatusCode::kUnsupported;
    case ExceptionType::PERMISSION:
      return StatusCode::kPermissionDenied;
    case ExceptionType::OUT_OF_MEMORY:
      return StatusCode::kResourceExhausted;
    case ExceptionType::INTERRUPT:
      return StatusCode::kCancelled;
    case ExceptionType::IO:
    case ExceptionType::NETWORK:
    case ExceptionType::HTTP:
      return StatusCode::kIo;
    case ExceptionType::INTERNAL:
    case ExceptionType::FATAL:
    case ExceptionType::NULL_POINTER:
    case ExceptionType::SERIALIZATION:
      return StatusCode::kInternal;
    default:
      return StatusCode::kInvalidArgument;
  }
}

constexpr std::string_view kPicture = "\n\nLINE ";

/// The message without its picture of the statement (`LINE 1: SELECT ...` and the caret below it).
std::string_view WithoutPicture(std::string_view text) {
  text = text.substr(0, text.find(kPicture));
  return text.substr(0, text.find("\n\nStack Trace:"));
}

std::string OneLine(std::string_view text) {
  std::string line;
  bool space = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') {
      space = !line.empty();
      continue;
    }
    if (space) {
      line += ' ';
      space = false;
    }
    line += c;
  }
  return line;
}

std::string PlaceText(size_t line, size_t column) {
  return fmt::format(" (line {}, column {})", line, column);
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  }
  return count;
}

std::string PlaceOfPosition(std::string_view digits, std::string_view sql) {
  size_t position = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), position);
  if (parsed.ec != std::errc() || position > sql.size()) {
    return {};
  }
  const std::string_view before = sql.substr(0, position);
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t start = before.rfind('\n');
  return PlaceText(
      line,
      CountCharacters(start == std::string_view::npos ? before : before.substr(start + 1)) + 1);
}

/// Reads `LINE 2: text` and the caret below. A line that the engine cut at its start tells no
/// column.
std::string PlaceOfPicture(std::string_view picture) {
  picture.remove_prefix(kPicture.size());
  size_t line = 0;
  const auto parsed = std::from_chars(picture.data(), picture.data() + picture.size(), line);
  const size_t shown = picture.find(": ");
  const size_t end = picture.find('\n');
  if (parsed.ec != std::errc() || shown == std::string_view::npos ||
      end == std::string_view::npos) {
    return {};
  }
  const size_t caret = picture.find('^', end);
  const size_t prefix = std::string_view("LINE ").size() + shown + 2;
  if (caret == std::string_view::npos || picture.substr(shown + 2).starts_with("...") ||
      caret - end - 1 < prefix) {
    return fmt::format(" (line {})", line);
  }
  return PlaceText(line, caret - end - 1 - prefix + 1);
}

/// ` (line 2, column 7)` for an error that knows its place in `sql`.
std::string Place(const duckdb::ErrorData& error, std::string_view sql) {
  if (const size_t picture = error.RawMessage().find(kPicture); picture != std::string::npos) {
    return PlaceOfPicture(std::string_view(error.RawMessage()).substr(picture));
  }
  const auto found = error.ExtraInfo().find("position");
  return found == error.ExtraInfo().end() ? std::string() : PlaceOfPosition(found->second, sql);
}

}  // namespace

void ThrowStatus(const Status& status) {
  // The message goes in as an argument: it may hold per cent signs.
  switch (status.code()) {
    case StatusCode::kIo:
    case StatusCode::kUnavailable:
    case StatusCode::kInternal:
    case StatusCode::kResourceExhausted:
      throw duckdb::IOException("%s", status.message());
    case StatusCode::kCancelled:
      throw duckdb::InterruptException();
    default:
      throw duckdb::InvalidInputException("%s", status.message());
  }
}

Status ToStatus(const duckdb::ErrorData& error, std::string_view sql) {
  const StatusCode code = CodeOf(error.Type());
  std::string message = OneLine(WithoutPicture(error.RawMessage()));
  if (error.Type() == duckdb::ExceptionType::CATALOG &&
      message.find("does not exist!") != std::string::npos) {
    message.replace(message.find("does not exist!"), 15, "does not exist;");
    if (const size_t hint = message.find("; Did you mean"); hint != std::string::npos) {
      message.replace(hint, 14, "; did you mean");
    }
    while (!message.empty() && message.back() == ';') {
      message.pop_back();
    }
  }
  return Status(code, message + Place(error, sql));
}

}  // namespace pchronicle::sql
