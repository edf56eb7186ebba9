#include "pchronicle/cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "pchronicle/base/terminal_text.h"
#include "pchronicle/cli/interrupt.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::cli {
namespace {

// Writes everything; returns errno or 0. `interruptible`: Ctrl-C while the reader of a pipe takes
// its time ends it with ECANCELED.
int WriteAll(int fd, std::string_view bytes, bool interruptible) {
  while (!bytes.empty()) {
    // A signal cuts a write that has begun short; only one that has not fails with EINTR.
    if (interruptible && InterruptSignal() != 0) {
      return ECANCELED;
    }
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) {
        continue;
      }
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

bool EnvironmentSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

Console Console::Detect(LogLevel level) {
  return Console(level, ::isatty(STDIN_FILENO) == 1, ::isatty(STDOUT_FILENO) == 1,
                 ::isatty(STDERR_FILENO) == 1);
}

Status Console::Write(std::string_view bytes) {
  if (capture_ != nullptr) {
    *capture_ += bytes;
    return Status::Ok();
  }
  const int error = WriteAll(STDOUT_FILENO, bytes, /*interruptible=*/true);
  if (error == EPIPE) {
    stdout_closed_ = true;
    return Status::Cancelled("stdout was closed");
  }
  if (error == ECANCELED) {
    return Status::Cancelled("cancelled");
  }
  if (error != 0) {
    return Status::Io("write to stdout: {}", std::strerror(error));
  }
  return Status::Ok();
}

bool Console::color() const {
  const char* term = std::getenv("TERM");
  return stdout_terminal_ && !EnvironmentSet("NO_COLOR") &&
         (term == nullptr || std::string_view(term) != "dumb");
}

size_t Console::width() const {
  winsize size{};
  if (!stdout_terminal_ || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return 0;
  }
  return size.ws_col;
}

void Console::Warn(std::string_view message) {
  Line(LogLevel::kWarn, "warning: " + std::string(message));
}

void Console::Notice(std::string_view message) {
  Line(LogLevel::kInfo, "notice: " + std::string(message));
}

void Console::Line(LogLevel level, std::string_view line) {
  if (level > level_ || capture_ != nullptr) {
    return;
  }
  // One write per line, so that lines of several processes do not mix; a closed stderr is nobody's
  // loss.
  WriteAll(STDERR_FILENO, EscapeLine(line) + "\n", /*interruptible=*/false);
}

std::string LogValue(std::string_view value) {
  bool plain = !value.empty();
  for (const char c : value) {
    plain = plain && static_cast<unsigned char>(c) > 0x20 && c != '"' && c != 0x7f;
  }
  if (plain) {
    return std::string(value);
  }
  std::string quoted;
  json::AppendQuoted(value, quoted);
  return quoted;
}

}  // namespace pchronicle::cli
