#pragma once

#include <chrono>
#include <optional>

#include "pchronicle/base/context.h"

namespace pchronicle::cli {

/// SIGINT and SIGTERM cancel every InterruptibleContext alive; a second signal ends the process at
/// once. SIGPIPE is ignored, so that a closed stdout shows as EPIPE. Once per process, before the
/// first context.
void InstallSignalHandlers();
/// The signal that came, 0 when none did.
int InterruptSignal();

/// A Context that Ctrl-C cancels. A handful can live at once.
class InterruptibleContext {
 public:
  InterruptibleContext();
  /// Also ends when `timeout` has passed from now.
  explicit InterruptibleContext(std::chrono::seconds timeout);
  ~InterruptibleContext();
  InterruptibleContext(const InterruptibleContext&) = delete;
  InterruptibleContext& operator=(const InterruptibleContext&) = delete;

  const Context& get() const { return context_; }

 private:
  void Register();

  Context context_;
  int slot_ = -1;
};

}  // namespace pchronicle::cli
