#pragma once

#include <memory>

#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/edit/fragment_writer.h"

namespace pchronicle::lance {

struct CompactOptions {
  EditOptions edit;
  /// Fragments with fewer live rows are put together, up to so many.
  uint64_t target_rows = 1 << 20;
  /// Fragments of which a larger share of the rows is deleted are written without them.
  double deleted_share = 0.1;
  uint64_t max_file_bytes = uint64_t{16} << 30;
};

struct CompactResult {
  Committed committed;  // the version read when there was nothing to do
  uint64_t fragments_removed = 0, fragments_added = 0;
  uint64_t rows = 0;  // written
  /// Segments written again with new addresses, and their entries.
  uint64_t indices_remapped = 0, index_entries = 0;
};

/// Puts small neighbouring fragments together and takes deleted rows out of the files (lance.md
/// A10). Rows keep their order in a group, and their ids in tables with stable row ids.
///
/// Indices stay right. Segments of BTree and Bitmap indices whose entries are addresses are written
/// again with the new ones, in the same version; the ids of the new fragments are then reserved by
/// a version before that one. Fragments that such a segment covers and others that it does not
/// cover are not put together. Of other kinds of indices, and of damaged ones, the new fragments
/// count as not covered until the index is optimised. Memory: one batch and one FileWriter.
/// kConflict when rows of a rewritten fragment were changed meanwhile.
Result<CompactResult> CompactTable(const std::shared_ptr<io::Store>& store,
                                   const CompactOptions& options = {});

}  // namespace pchronicle::lance
