#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace pchronicle::codec {

/// Bits that the largest of the values needs; 0 when all are 0, or there are none. Thread-safe.
template <typename T>
unsigned BitWidthOf(const T* values, size_t count) {
  // Independent sums over a fixed number of neighbours become vector instructions.
  constexpr size_t kLanes = 64 / sizeof(T);
  T lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) {
      lanes[k] = static_cast<T>(lanes[k] | values[i + k]);
    }
  }
  T all = 0;
  for (; i < count; ++i) {
    all = static_cast<T>(all | values[i]);
  }
  for (const T lane : lanes) {
    all = static_cast<T>(all | lane);
  }
  return static_cast<unsigned>(std::bit_width(all));
}

/// How many values differ from the one before; the first does not.
template <typename T>
size_t CountChanges(const T* values, size_t count) {
  constexpr size_t kLanes = 64 / sizeof(T);
  size_t changes = 0;
  size_t i = 1;
  for (; i + kLanes <= count; i += kLanes) {
    T lanes = 0;
    for (size_t k = 0; k < kLanes; ++k) {
      lanes = static_cast<T>(lanes + (values[i + k] != values[i + k - 1] ? 1 : 0));
    }
    changes += static_cast<size_t>(lanes);
  }
  for (; i < count; ++i) {
    changes += values[i] != values[i - 1] ? 1 : 0;
  }
  return changes;
}

}  // namespace pchronicle::codec
