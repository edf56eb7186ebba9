#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "pchronicle/io/store.h"

namespace pchronicle::io {

/// What is about to happen in a FaultyStore. kAppend and kFinish are those of ObjectWriters.
enum class StoreCall : uint8_t {
  kList,
  kStat,
  kOpen,
  kRead,
  kPut,
  kPutDone,
  kDelete,
  kCreate,
  kAppend,
  kFinish,
  kFinishDone,
};

/// Asked before each call (kPutDone and kFinishDone: after it took effect); a failure is given to
/// the caller instead of the result. Called from any thread. A hook that fails from some call on
/// stands for a process that was killed there: nothing reaches `base` any more.
using FaultHook = std::function<Status(StoreCall call, std::string_view path)>;

/// A store with injected failures, for tests: the nth read fails, a reply is lost after the write
/// took effect, a file changes between two calls (the hook may write to `base`). Counters are those
/// of `base`. `max_read_bytes`: every ReadAt returns at most so many bytes (0: no cut), to prove
/// that short reads are handled.
std::shared_ptr<Store> MakeFaultyStore(std::shared_ptr<Store> base, FaultHook hook,
                                       size_t max_read_bytes = 0);

}  // namespace pchronicle::io
