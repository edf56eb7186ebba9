#pragma once

#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/cli/arguments.h"

namespace pchronicle::cli {

/// The three standard streams of one process. Results go to stdout, everything else to stderr
/// (cli.md 1). One thread, but for Progress which paints stderr from any.
class Console {
 public:
  /// Asks the system which streams are terminals.
  static Console Detect(LogLevel level);
  Console(LogLevel level, bool stdin_terminal, bool stdout_terminal, bool stderr_terminal)
      : level_(level),
        stdin_terminal_(stdin_terminal),
        stdout_terminal_(stdout_terminal),
        stderr_terminal_(stderr_terminal) {}

  /// Neither reads nor writes a stream: what a command prints is appended to `out`, which must
  /// outlive it.
  static Console Captured(std::string* out) {
    Console console(LogLevel::kError, false, false, false);
    console.capture_ = out;
    return console;
  }

  /// Writes all bytes to stdout. A closed pipe is kCancelled and sets stdout_closed(): a normal
  /// early end.
  Status Write(std::string_view bytes);
  bool stdout_closed() const { return stdout_closed_; }

  void Debug(std::string_view line) { Line(LogLevel::kDebug, line); }
  /// Metadata lines: `snapshot_id=… rows=…`.
  void Info(std::string_view line) { Line(LogLevel::kInfo, line); }
  void Warn(std::string_view message);
  void Notice(std::string_view message);
  /// The final error; printed at every level.
  void Error(std::string_view line) { Line(LogLevel::kError, line); }

  LogLevel level() const { return level_; }
  bool stdin_terminal() const { return stdin_terminal_; }
  bool stdout_terminal() const { return stdout_terminal_; }
  bool stderr_terminal() const { return stderr_terminal_; }
  /// Colours allowed on stdout: a terminal, no NO_COLOR, TERM not dumb.
  bool color() const;
  /// Columns of the terminal on stdout; 0 when unknown.
  size_t width() const;

 private:
  void Line(LogLevel level, std::string_view line);

  LogLevel level_;
  bool stdin_terminal_, stdout_terminal_, stderr_terminal_;
  bool stdout_closed_ = false;
  std::string* capture_ = nullptr;  // not owned
};

/// Text of data for a key=value line: as it is when it needs no quoting, else a JSON string.
std::string LogValue(std::string_view value);

}  // namespace pchronicle::cli
