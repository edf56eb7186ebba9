#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {

/// Rows of one fragment that an index gives for a predicate.
struct FragmentRows {
  RoaringBitmap rows;  // offsets; ignored with `all`
  bool all = false;    // every row of the fragment
  bool exact = true;   // exactly the rows for which it is true; else some more, to be checked
};

/// What indices know of a predicate: for each fragment that they cover, the rows that may pass, by
/// fragment id. A fragment that is not there is not covered and must be scanned. Deleted rows may
/// be listed.
using RowSet = std::map<uint32_t, FragmentRows>;

/// Rows that may pass both; covers what either covers.
RowSet Intersect(const RowSet& a, const RowSet& b);
/// Rows that may pass one of them; covers what both cover.
RowSet Unite(const RowSet& a, const RowSet& b);
/// Marks every fragment as to be checked.
void SetInexact(RowSet* rows);

/// Bitmaps by upper half, the form in which index files hold sets of u64 (lance.md D3):
/// u32 n, n times (u32 upper half, u32 size, Roaring of the lower halves); size 0: all of them.
struct LowerHalves {
  RoaringBitmap rows;
  bool all = false;
};
using RowMap = std::map<uint32_t, LowerHalves>;
Result<RowMap> DecodeRowMap(std::string_view bytes);
std::string EncodeRowMap(const RowMap& rows);
/// Adds what `from` holds.
void AddRows(const RowMap& from, RowMap* to);

}  // namespace pchronicle::lance
