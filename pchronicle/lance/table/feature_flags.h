#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::lance {

// Bits of the two flag sets of a manifest (lance.md A4). Bits above 256 are never acted on by name:
// drafts of the format gave the same features other numbers.
inline constexpr uint64_t kFlagDeletionFiles = 1;
inline constexpr uint64_t kFlagStableRowIds = 2;
inline constexpr uint64_t kFlagDeprecated = 4;
inline constexpr uint64_t kFlagTableConfig = 8;
inline constexpr uint64_t kFlagBasePaths = 16;
inline constexpr uint64_t kFlagNoTransactionFiles = 32;
inline constexpr uint64_t kFlagOverlayFiles = 64;
inline constexpr uint64_t kFlagMixedFileVersions = 256;

inline constexpr uint64_t kKnownReaderFlags = kFlagDeletionFiles | kFlagStableRowIds |
                                              kFlagDeprecated | kFlagTableConfig | kFlagBasePaths |
                                              kFlagNoTransactionFiles | kFlagMixedFileVersions;
inline constexpr uint64_t kKnownWriterFlags = kFlagDeletionFiles | kFlagStableRowIds |
                                              kFlagDeprecated | kFlagTableConfig | kFlagBasePaths |
                                              kFlagNoTransactionFiles;

/// Bits of `flags` as decimal numbers with the names that are known: `1 (deletion files), 1024`.
std::string DescribeFlags(uint64_t flags);

/// kUnsupported when a reader bit is set that this reader does not know; names table, version,
/// bits, writer and the way out. `writer` is the library and version that wrote the manifest.
Status CheckReaderFlags(uint64_t reader_flags, std::string_view table, uint64_t version,
                        std::string_view writer);
/// The same for the bits that a commit must respect.
Status CheckWriterFlags(uint64_t writer_flags, std::string_view table, uint64_t version,
                        std::string_view writer);

}  // namespace pchronicle::lance
