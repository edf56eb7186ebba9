#pragma once

#include <cstddef>
#include <functional>

namespace pchronicle::catalog {

/// What the caller set, or min(cores, `most`) for 0 (max_concurrent_files, max_concurrent_sources).
size_t WorkerCount(size_t wanted, size_t most = 8);

/// Calls work(i) for every i below `count`, in ascending order of their starts, on up to `workers`
/// threads (the caller's is one of them). Returns when all are done. `work` must not throw.
void ParallelFor(size_t count, size_t workers, const std::function<void(size_t)>& work);

}  // namespace pchronicle::catalog
