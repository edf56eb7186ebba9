#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pchronicle::codec {

/// True when every text is well-formed UTF-8, where text i is [offsets[i], offsets[i + 1]) of
/// `bytes`. `offsets` ascend, the first is 0, none is above the size of `bytes`; what lies behind
/// the last one is not looked at. Texts of ASCII alone cost one pass without looking at offsets.
bool AreUtf8(std::span<const uint8_t> bytes, std::span<const int32_t> offsets);
bool AreUtf8(std::span<const uint8_t> bytes, std::span<const int64_t> offsets);
/// One text.
bool IsUtf8(std::span<const uint8_t> text);

}  // namespace pchronicle::codec
