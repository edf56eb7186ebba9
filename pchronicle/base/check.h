#pragma once

namespace pchronicle::internal {

/// Prints the failed condition to stderr and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace pchronicle::internal

/// Aborts on a broken invariant of our own; never used on input.
#define PCHRONICLE_CHECK(condition)                                        \
  do {                                                                     \
    if (!(condition)) [[unlikely]] {                                       \
      ::pchronicle::internal::CheckFailed(#condition, __FILE__, __LINE__); \
    }                                                                      \
  } while (false)

#ifdef PCHRONICLE_DCHECKS
#define PCHRONICLE_DCHECK(condition) PCHRONICLE_CHECK(condition)
#else
#define PCHRONICLE_DCHECK(condition) \
  do {                               \
  } while (false)
#endif
