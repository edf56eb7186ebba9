#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pchronicle {

/// Category of a failure. cli/ maps it to an exit status, sql/ to an exception type, each in one
/// table.
enum class StatusCode {
  kOk,
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kConflict,  // lost a compare-and-swap
  kCorruption,
  kUnsupported,
  kResourceExhausted,
  kUnavailable,  // a retry may help
  kPermissionDenied,
  kCancelled,
  kIo,
  kInternal,
};

/// Stable snake_case name of a code, for messages and JSON.
std::string_view StatusCodeName(StatusCode code);

/// Outcome of an operation: one pointer, null when fine. Immutable after construction; copies share
/// nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  static Status Ok() { return Status(); }

#define PCHRONICLE_STATUS_FACTORY(Name)                                                   \
  template <typename... Args>                                                             \
  static Status Name(fmt::format_string<Args...> format, Args&&... args) {                \
    return Status(StatusCode::k##Name, fmt::format(format, std::forward<Args>(args)...)); \
  }
  PCHRONICLE_STATUS_FACTORY(InvalidArgument)
  PCHRONICLE_STATUS_FACTORY(NotFound)
  PCHRONICLE_STATUS_FACTORY(AlreadyExists)
  PCHRONICLE_STATUS_FACTORY(Conflict)
  PCHRONICLE_STATUS_FACTORY(Corruption)
  PCHRONICLE_STATUS_FACTORY(Unsupported)
  PCHRONICLE_STATUS_FACTORY(ResourceExhausted)
  PCHRONICLE_STATUS_FACTORY(Unavailable)
  PCHRONICLE_STATUS_FACTORY(PermissionDenied)
  PCHRONICLE_STATUS_FACTORY(Cancelled)
  PCHRONICLE_STATUS_FACTORY(Io)
  PCHRONICLE_STATUS_FACTORY(Internal)
#undef PCHRONICLE_STATUS_FACTORY

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ ? rep_->code : StatusCode::kOk; }
  /// Empty when ok.
  const std::string& message() const;
  /// `corruption: open x: footer too short`; "ok" when ok.
  std::string ToString() const;
  /// The same failure with `context: ` in front of the message; ok stays ok.
  Status WithContext(std::string_view context) const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

}  // namespace pchronicle

/// Returns the status from the enclosing function unless it is ok.
#define PCHRONICLE_RETURN_IF_ERROR(expr)                        \
  do {                                                          \
    if (::pchronicle::Status status_ = (expr); !status_.ok()) { \
      return status_;                                           \
    }                                                           \
  } while (false)
