#include "pchronicle/app/arrow_size.h"

#include <string_view>

namespace pchronicle::app {
namespace {

/// Bytes of a fixed-width cell (the C data interface's format strings); 0 for types whose bytes are
/// in children.
uint64_t CellBytes(std::string_view format) {
  switch (format.empty() ? 'n' : format.front()) {
    case 'n':
    case '+':
      return 0;
    case 'b':
    case 'c':
    case 'C':
      return 1;
    case 's':
    case 'S':
    case 'e':
      return 2;
    case 'i':
    case 'I':
    case 'f':
      return 4;
    case 'd':  // decimals
      return 16;
    case 't':
      return format == "tin" ? 16 : 8;
    default:
      return 8;
  }
}

template <typename Offset>
uint64_t TextBytes(const ArrowArray& array) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]);
  const uint64_t cells = static_cast<uint64_t>(array.length);
  return offsets == nullptr || cells == 0
             ? 0
             : (cells + 1) * sizeof(Offset) +
                   static_cast<uint64_t>(offsets[array.offset + array.length] -
                                         offsets[array.offset]);
}

}  // namespace

uint64_t ArrowBytes(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  const uint64_t cells = static_cast<uint64_t>(array.length);
  uint64_t bytes = (cells + 7) / 8;
  if (format == "U" || format == "Z") {
    bytes += TextBytes<int64_t>(array);
  } else if (format == "u" || format == "z") {
    bytes += TextBytes<int32_t>(array);
  } else if (format == "+L" || format == "+l" || format == "+m") {
    bytes += cells * sizeof(int64_t);
  } else {
    bytes += cells * CellBytes(format);
  }
  for (int64_t i = 0; i < array.n_children; ++i) {
    bytes += ArrowBytes(*schema.children[i], *array.children[i]);
  }
  return bytes;
}

}  // namespace pchronicle::app
