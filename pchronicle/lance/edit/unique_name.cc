#include "pchronicle/lance/edit/unique_name.h"

#include <fmt/core.h>
#include <sys/random.h>

#include "pchronicle/base/check.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {
namespace {

// The system always has so few bytes once it has booted.
void FillRandom(void* out, size_t size) {
  PCHRONICLE_CHECK(::getrandom(out, size, 0) == static_cast<ssize_t>(size));
}

}  // namespace

uint64_t RandomU64() {
  uint64_t out = 0;
  FillRandom(&out, sizeof(out));
  return out;
}

std::array<uint8_t, 16> RandomUuid() {
  std::array<uint8_t, 16> out;
  FillRandom(out.data(), out.size());
  out[6] = static_cast<uint8_t>((out[6] & 0x0f) | 0x40);
  out[8] = static_cast<uint8_t>((out[8] & 0x3f) | 0x80);
  return out;
}

std::string UuidText(const std::array<uint8_t, 16>& uuid) {
  proto::Index index;
  index.uuid = uuid;
  return index.UuidText();
}

std::string NewDataFileName() {
  const std::array<uint8_t, 16> uuid = RandomUuid();
  std::string out;
  for (size_t i = 0; i < uuid.size(); ++i) {
    out += i < 3 ? fmt::format("{:08b}", uuid[i]) : fmt::format("{:02x}", uuid[i]);
  }
  return out + ".lance";
}

}  // namespace pchronicle::lance
