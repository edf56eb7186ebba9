#include "pchronicle/lance/table/version_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace pchronicle::lance {
namespace {

constexpr std::string_view kSuffix = ".manifest";
constexpr size_t kV2Digits = 20;
// Versions with the top bit set are detached: they belong to no history.
constexpr uint64_t kFirstDetached = uint64_t{1} << 63;

}  // namespace

std::optional<VersionName> ParseVersionName(std::string_view name) {
  if (!name.ends_with(kSuffix)) {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(0, name.size() - kSuffix.size());
  const bool all_digits = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!all_digits || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  VersionName out{number, NameScheme::kV1};
  if (digits.size() == kV2Digits) {
    out = {UINT64_MAX - number, NameScheme::kV2};
  }
  if (out.version == 0 || out.version >= kFirstDetached) {
    return std::nullopt;
  }
  return out;
}

std::string ManifestName(uint64_t version, NameScheme scheme) {
  return scheme == NameScheme::kV1 ? fmt::format("{}{}", version, kSuffix)
                                   : fmt::format("{:020}{}", UINT64_MAX - version, kSuffix);
}

}  // namespace pchronicle::lance
