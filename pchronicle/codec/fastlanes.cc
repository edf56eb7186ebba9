#include "pchronicle/codec/fastlanes.h"

#include <array>
#include <cstring>
#include <utility>

// One function for each word and bit width, with shifts known to the compiler. This file takes long
// to compile, so nothing else lives here.

namespace pchronicle::codec {
namespace {

constexpr std::array<size_t, 8> kOrder = {0, 4, 2, 6, 1, 5, 3, 7};

template <typename T>
constexpr size_t kBits = sizeof(T) * 8;
template <typename T>
constexpr size_t kLanes = kFastLanesBlock / kBits<T>;

/// Element at row `row` of lane 0; the lanes follow one after the other.
constexpr size_t FirstElement(size_t row) { return kOrder[row / 8] * 16 + row % 8 * 128; }

template <typename T>
constexpr T Mask(unsigned width) {
  return width == kBits<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << width) - 1);
}

template <typename T>
T Load(const uint8_t* packed, size_t word) {
  T value;
  std::memcpy(&value, packed + word * sizeof(T), sizeof(T));
  return value;
}

template <typename T, unsigned W, size_t kRow>
inline void UnpackRow(const uint8_t* __restrict packed, T* __restrict out) {
  constexpr size_t kWord = kRow * W / kBits<T>, kShift = kRow * W % kBits<T>;
  T* __restrict to = out + FirstElement(kRow);
  for (size_t lane = 0; lane < kLanes<T>; ++lane) {
    T value = static_cast<T>(Load<T>(packed, kWord * kLanes<T> + lane) >> kShift);
    if constexpr (kShift + W > kBits<T>) {
      value = static_cast<T>(value | static_cast<T>(Load<T>(packed, (kWord + 1) * kLanes<T> + lane)
                                                    << (kBits<T> - kShift)));
    }
    to[lane] = static_cast<T>(value & Mask<T>(W));
  }
}

template <typename T, unsigned W, size_t... kRows>
inline void UnpackRows(const uint8_t* packed, T* out, std::index_sequence<kRows...>) {
  (UnpackRow<T, W, kRows>(packed, out), ...);
}

template <typename T, unsigned W>
void UnpackBlock(const uint8_t* packed, T* out) {
  if constexpr (W == 0) {
    std::memset(out, 0, kFastLanesBlock * sizeof(T));
  } else {
    UnpackRows<T, W>(packed, out, std::make_index_sequence<kBits<T>>());
  }
}

template <typename T, unsigned... kWidths>
void Dispatch(unsigned width, const uint8_t* packed, T* out,
              std::integer_sequence<unsigned, kWidths...>) {
  using Function = void (*)(const uint8_t*, T*);
  static constexpr Function kFunctions[] = {&UnpackBlock<T, kWidths>...};
  kFunctions[width](packed, out);
}

template <typename T>
void Unpack(unsigned width, const uint8_t* packed, T* out) {
  Dispatch(width, packed, out, std::make_integer_sequence<unsigned, kBits<T> + 1>());
}

/// One loop for every width: the lanes of a row are neighbours, so the compiler makes vectors of
/// them.
template <typename T>
void Pack(unsigned width, const T* values, uint8_t* packed) {
  alignas(64) T words[kFastLanesBlock] = {};  // `width` words for each lane
  const T mask = width == 0 ? T{0} : Mask<T>(width);
  for (size_t row = 0; row < kBits<T> && width != 0; ++row) {
    const size_t word = row * width / kBits<T>, shift = row * width % kBits<T>;
    const T* __restrict from = values + FirstElement(row);
    T* __restrict to = words + word * kLanes<T>;
    for (size_t lane = 0; lane < kLanes<T>; ++lane) {
      to[lane] = static_cast<T>(to[lane] | static_cast<T>((from[lane] & mask) << shift));
    }
    if (shift + width > kBits<T>) {
      to += kLanes<T>;
      for (size_t lane = 0; lane < kLanes<T>; ++lane) {
        to[lane] = static_cast<T>((from[lane] & mask) >> (kBits<T> - shift));
      }
    }
  }
  std::memcpy(packed, words, FastLanesBytes(width));
}

}  // namespace

void FastLanesUnpack(unsigned width, const uint8_t* packed, uint8_t* out) {
  Unpack(width, packed, out);
}
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint16_t* out) {
  Unpack(width, packed, out);
}
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint32_t* out) {
  Unpack(width, packed, out);
}
void FastLanesUnpack(unsigned width, const uint8_t* packed, uint64_t* out) {
  Unpack(width, packed, out);
}

void FastLanesPack(unsigned width, const uint8_t* values, uint8_t* packed) {
  Pack(width, values, packed);
}
void FastLanesPack(unsigned width, const uint16_t* values, uint8_t* packed) {
  Pack(width, values, packed);
}
void FastLanesPack(unsigned width, const uint32_t* values, uint8_t* packed) {
  Pack(width, values, packed);
}
void FastLanesPack(unsigned width, const uint64_t* values, uint8_t* packed) {
  Pack(width, values, packed);
}

}  // namespace pchronicle::codec
