#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pchronicle::codec {

/// Run-length coding with lengths of one byte. `values` holds one value of `width` bytes (1, 2, 4
/// or 8) for each length. Writes exactly `count` values to `out`; false when the runs do not sum up
/// to `count`, have a length of 0, or `values` is too short.
bool ExpandRuns(std::span<const uint8_t> values, size_t width, std::span<const uint8_t> lengths,
                size_t count, uint8_t* out);

/// Byte stream split: `streams` holds the first bytes of all `total` values of `width` bytes, then
/// their second bytes, and so on. Joins values [from, from + count), which lie below `total`.
void JoinByteStreams(const uint8_t* streams, size_t total, size_t width, size_t from, size_t count,
                     uint8_t* out);
/// The inverse for all `total` values.
void SplitByteStreams(const uint8_t* values, size_t total, size_t width, uint8_t* streams);

}  // namespace pchronicle::codec
