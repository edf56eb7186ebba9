#pragma once

#include <array>
#include <optional>

#include "pchronicle/lance/index/index_builder.h"
#include "pchronicle/lance/index/row_moves.h"

namespace pchronicle::lance {

/// The segment holds addresses of rows and is of a kind that can be written again with others:
/// BTree and Bitmap.
bool CanRemap(const Table& table, const proto::Index& index);

/// Writes a segment again with the new addresses of rows that moved (lance.md A10): values keep
/// their order, entries of rows that are gone or not covered leave. Reads the segment once, a
/// Bitmap twice; memory: a page of the index, for a Bitmap the rows of one value. The bitmap of
/// fragments stays as it was. Nothing when CanRemap is false or its files are of a form that is not
/// read; kCorruption: they are damaged.
Result<std::optional<BuiltIndex>> RemapIndex(const Table& table, const proto::Index& index,
                                             const RowMoves& moves,
                                             const std::array<uint8_t, 16>& uuid,
                                             const Context& context, IndexOutput* output);

}  // namespace pchronicle::lance
