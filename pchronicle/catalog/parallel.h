#pragma once

#include <cstddef>
#include <functional>

namespace pchronicle::catalog {

/// min(cores, 8), or what the caller set (max_concurrent_files).
size_t WorkerCount(size_t wanted);

/// Calls work(i) for every i below `count`, in ascending order of their starts, on up to `workers`
/// threads (the caller's is one of them). Returns when all are done. `work` must not throw.
void ParallelFor(size_t count, size_t workers, const std::function<void(size_t)>& work);

}  // namespace pchronicle::catalog
