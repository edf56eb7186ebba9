#include "pchronicle/codec/runs.h"

#include <algorithm>
#include <cstring>

namespace pchronicle::codec {
namespace {

template <typename T>
bool Expand(const uint8_t* values, std::span<const uint8_t> lengths, size_t count, uint8_t* out) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t run = lengths[i];
    if (run == 0 || run > count) {
      return false;
    }
    T value;
    std::memcpy(&value, values + i * sizeof(T), sizeof(T));
    for (size_t k = 0; k < run; ++k) {
      std::memcpy(out + k * sizeof(T), &value, sizeof(T));
    }
    out += run * sizeof(T);
    count -= run;
  }
  return count == 0;
}

}  // namespace

bool ExpandRuns(std::span<const uint8_t> values, size_t width, std::span<const uint8_t> lengths,
                size_t count, uint8_t* out) {
  if (values.size() / width < lengths.size()) {
    return false;
  }
  switch (width) {
    case 1:
      return Expand<uint8_t>(values.data(), lengths, count, out);
    case 2:
      return Expand<uint16_t>(values.data(), lengths, count, out);
    case 4:
      return Expand<uint32_t>(values.data(), lengths, count, out);
    case 8:
      return Expand<uint64_t>(values.data(), lengths, count, out);
    default:
      return false;
  }
}

void JoinByteStreams(const uint8_t* streams, size_t total, size_t width, size_t from, size_t count,
                     uint8_t* out) {
  // Blocks keep the output in the first-level cache while the streams are woven in.
  constexpr size_t kBlock = 1024;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t n = std::min(kBlock, count - start);
    for (size_t byte = 0; byte < width; ++byte) {
      const uint8_t* stream = streams + byte * total + from + start;
      uint8_t* to = out + start * width + byte;
      for (size_t i = 0; i < n; ++i) {
        to[i * width] = stream[i];
      }
    }
  }
}

void SplitByteStreams(const uint8_t* values, size_t total, size_t width, uint8_t* streams) {
  for (size_t byte = 0; byte < width; ++byte) {
    for (size_t i = 0; i < total; ++i) {
      streams[byte * total + i] = values[i * width + byte];
    }
  }
}

}  // namespace pchronicle::codec
