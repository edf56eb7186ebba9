#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/edit/unpublished_files.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// Offsets of rows by fragment id.
using RowsByFragment = std::map<uint64_t, RoaringBitmap>;

/// Writes all deleted offsets of a fragment to a new file of `root` (lance.md A9: a Roaring bitmap
/// at every size) and lets the fragment refer to it.
Status WriteDeletions(const std::string& root, uint64_t read_version, const RoaringBitmap& deleted,
                      UnpublishedFiles* files, proto::Fragment* fragment);

/// Deletes `rows` of the version that is open: changed fragments go to
/// transaction->updated_fragments, those without any row left to removed_fragments.
Status DeleteFromFragments(const Table& table, const RowsByFragment& rows, UnpublishedFiles* files,
                           proto::Transaction* transaction);

/// Two versions of a table: the one that a change was made on and the newest one.
struct VersionPair {
  const TablePaths* paths;
  const proto::Manifest *read, *latest;
};
/// Brings the deletions of `transaction`, made on `read`, onto `latest`, whose fragments may have
/// lost other rows meanwhile: the union is written as a new file. kConflict when a fragment is gone
/// or has other data files, or when both deleted the same row (lance.md A7).
Status MergeDeletions(const VersionPair& versions, const std::string& root, UnpublishedFiles* files,
                      proto::Transaction* transaction);

}  // namespace pchronicle::lance
