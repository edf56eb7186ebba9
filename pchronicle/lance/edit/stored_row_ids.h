#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pchronicle::lance {

/// Serialised RowIdSequence (lance.md A8) of the ids start, start + 1, ...
std::string EncodeIdRange(uint64_t start, uint64_t rows);
/// The same of any ids, runs of consecutive ones as ranges where that is smaller.
std::string EncodeIds(std::span<const uint64_t> ids);
/// Serialised RowDatasetVersionSequence: `rows` rows of one version.
std::string EncodeVersionRun(uint64_t rows, uint64_t version);
/// One version for each row.
std::string EncodeVersions(std::span<const uint64_t> versions);

}  // namespace pchronicle::lance
