#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::cli {

/// Exit statuses of cli.md 3.6.
inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitInvalidRequest = 2;
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitTerminated = 143;

struct Failure {
  int exit_code;
  std::string_view name;
};
/// The one table from library codes to exit statuses and their names.
Failure Classify(StatusCode code);

/// `error[<name>]: <message>` on one line, control characters escaped.
std::string ErrorLine(std::string_view name, std::string_view message);

}  // namespace pchronicle::cli
