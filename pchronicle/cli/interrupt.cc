#include "pchronicle/cli/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>

#include "pchronicle/base/check.h"

namespace pchronicle::cli {
namespace {

// The handler may only touch lock-free atomics.
std::array<std::atomic<Context*>, 8> g_contexts{};
std::atomic<int> g_signal{0};
static_assert(std::atomic<Context*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void HandleSignal(int signal) {
  g_signal.store(signal);
  for (auto& slot : g_contexts) {
    if (Context* context = slot.load(); context != nullptr) {
      context->Cancel();
    }
  }
}

}  // namespace

void InstallSignalHandlers() {
  std::signal(SIGPIPE, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = HandleSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the process
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    // Whoever started us with a signal ignored (nohup, a shell's background job) wants it so.
    if (old.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
}

int InterruptSignal() { return g_signal.load(); }

InterruptibleContext::InterruptibleContext() { Register(); }

InterruptibleContext::InterruptibleContext(std::chrono::seconds timeout)
    : context_(std::chrono::steady_clock::now() + timeout) {
  Register();
}

void InterruptibleContext::Register() {
  for (size_t i = 0; i < g_contexts.size() && slot_ < 0; ++i) {
    Context* expected = nullptr;
    if (g_contexts[i].compare_exchange_strong(expected, &context_)) {
      slot_ = static_cast<int>(i);
    }
  }
  PCHRONICLE_CHECK(slot_ >= 0);
  // A signal that came before this context existed counts as well.
  if (InterruptSignal() != 0) {
    context_.Cancel();
  }
}

InterruptibleContext::~InterruptibleContext() {
  g_contexts[static_cast<size_t>(slot_)].store(nullptr);
}

}  // namespace pchronicle::cli
