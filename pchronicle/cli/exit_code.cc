#include "pchronicle/cli/exit_code.h"

#include "pchronicle/base/terminal_text.h"

namespace pchronicle::cli {

Failure Classify(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return {kExitOk, "ok"};
    case StatusCode::kInvalidArgument:
    case StatusCode::kCorruption:
    case StatusCode::kPermissionDenied:
      return {kExitInvalidRequest, "invalid_request"};
    case StatusCode::kUnsupported:
      return {kExitInvalidRequest, "unsupported"};
    case StatusCode::kNotFound:
      return {3, "not_found"};
    case StatusCode::kAlreadyExists:
    case StatusCode::kConflict:
      return {4, "conflict"};
    case StatusCode::kResourceExhausted:
      return {5, "resource_exhausted"};
    case StatusCode::kUnavailable:
      return {6, "unavailable"};
    case StatusCode::kCancelled:
      return {kExitInterrupted, "cancelled"};
    case StatusCode::kIo:
    case StatusCode::kInternal:
      break;
  }
  return {kExitInternal, "internal"};
}

std::string ErrorLine(std::string_view name, std::string_view message) {
  return fmt::format("error[{}]: {}", name, EscapeLine(message));
}

}  // namespace pchronicle::cli
