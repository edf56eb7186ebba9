#include "pchronicle/codec/fsst.h"

#include <cstring>

namespace pchronicle::codec {
namespace {

constexpr uint64_t kMagic = 0x46535354;
constexpr uint32_t kOnes = 0x01010101, kHighBits = 0x80808080;

}  // namespace

Result<FsstTable> FsstTable::FromLance(std::span<const uint8_t> bytes) {
  uint64_t header = 0;
  if (bytes.size() < sizeof(header)) {
    return Status::Corruption("fsst table of {} bytes", bytes.size());
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header >> 32 != kMagic) {
    return Status::Corruption("fsst table without its magic");
  }
  FsstTable table;
  table.coding_ = (header >> 24 & 1) != 0;
  table.symbols_ = static_cast<uint32_t>(header & 0xff);
  if (bytes.size() < sizeof(header) + size_t{table.symbols_} * 9) {
    return Status::Corruption("fsst table of {} bytes for {} symbols", bytes.size(),
                              table.symbols_);
  }
  const uint8_t* symbols = bytes.data() + sizeof(header);
  const uint8_t* lengths = symbols + size_t{table.symbols_} * 8;
  for (uint32_t i = 0; i < table.symbols_; ++i) {
    std::memcpy(&table.text_[i], symbols + size_t{i} * 8, 8);
    table.length_[i] = lengths[i];
    if (lengths[i] < 1 || lengths[i] > 8) {
      return Status::Corruption("fsst symbol {} of {} bytes", i, lengths[i]);
    }
  }
  const uint32_t n = table.symbols_;
  table.small_ = n < 128 ? ~0U : 0;
  table.add_ = (n < 128 ? 128 - n : 256 - n) * kOnes;
  return table;
}

uint8_t* FsstTable::Decode(std::span<const uint8_t> coded, uint8_t* out) const {
  const uint8_t* in = coded.data();
  const uint8_t* const end = in + coded.size();
  const auto emit = [&](uint32_t code) {
    std::memcpy(out, &text_[code], 8);
    out += length_[code];
  };
  while (end - in >= 4) {
    uint32_t codes;
    std::memcpy(&codes, in, 4);
    // Byte by byte: is it `symbols_` or more? The sum carries into the high bit when the low seven
    // bits are large enough; whether the code's own high bit is needed or enough depends on
    // symbols_.
    const uint32_t sum = (codes & ~kHighBits) + add_;
    if ((((sum & codes) | ((sum | codes) & small_)) & kHighBits) == 0) {
      emit(codes & 0xff);
      emit(codes >> 8 & 0xff);
      emit(codes >> 16 & 0xff);
      emit(codes >> 24);
      in += 4;
      continue;
    }
    for (const uint8_t* const stop = in + 4; in < stop;) {
      if (*in < symbols_) {
        emit(*in++);
      } else if (*in == kEscape && end - in >= 2) {
        *out++ = in[1];
        in += 2;
      } else {
        return nullptr;
      }
    }
  }
  while (in < end) {
    if (*in < symbols_) {
      emit(*in++);
    } else if (*in == kEscape && end - in >= 2) {
      *out++ = in[1];
      in += 2;
    } else {
      return nullptr;
    }
  }
  return out;
}

}  // namespace pchronicle::codec
