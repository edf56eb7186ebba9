#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pchronicle::lance {

/// How the manifests of a table are named (lance.md A2). A table uses one scheme; new commits
/// follow the newest manifest.
enum class NameScheme : uint8_t {
  kV1,  // `<version>.manifest`
  kV2,  // `<2^64-1 - version, 20 digits>.manifest`: the smallest name is the newest version
};

struct VersionName {
  uint64_t version = 0;
  NameScheme scheme = NameScheme::kV2;
};

/// Nothing for what is no manifest of a version: temporary, detached (`d<n>.manifest`) and unknown
/// names, version 0, and numbers beyond 64 bits.
std::optional<VersionName> ParseVersionName(std::string_view name);

std::string ManifestName(uint64_t version, NameScheme scheme);

}  // namespace pchronicle::lance
