#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {

/// Fragments that were rewritten into others, row order kept inside the group.
struct RewrittenFragments {
  std::vector<uint64_t> old_ids, new_ids;
};

/// Puts the new files in place of the old ones (lance.md A10) and gives the uuids that are there
/// now. Segments that somebody else removed meanwhile leave `rewritten`.
std::set<std::array<uint8_t, 16>> ReplaceRewritten(std::vector<proto::RewrittenIndex>* rewritten,
                                                   std::vector<proto::Index>* indices);
/// What compaction does to an index (lance.md A10): entries that are row ids still hold, and those
/// of `remapped` segments say the new addresses, so the new fragments count as covered when all old
/// ones were; other addresses do not hold, so the old fragments leave the bitmap and the new rows
/// are scanned until the index is optimised. Indices that do not say what they cover are dropped.
/// Names that begin with `__lance` are left alone.
void CoverRewritten(const std::vector<RewrittenFragments>& groups, bool stable_row_ids,
                    const std::set<std::array<uint8_t, 16>>& remapped,
                    std::vector<proto::Index>* indices);
/// Entries are row ids (lance.md D1); of unknown kinds nothing is assumed.
bool HoldsRowIds(const proto::Index& index, bool stable_row_ids);
/// Takes fragments whose column values changed in place out of the indices on these fields.
void UncoverColumns(const std::set<uint64_t>& fragments, const std::vector<uint32_t>& fields,
                    std::vector<proto::Index>* indices);
/// Drops indices on fields that the schema has no more.
void DropIndicesOfMissingFields(const std::vector<proto::Field>& schema,
                                std::vector<proto::Index>* indices);

}  // namespace pchronicle::lance
