#pragma once

#include <functional>
#include <memory>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/predicate.h"
#include "pchronicle/lance/file/file_reader.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

class ZoneCheck;

/// What a segment found: rows by upper half of the number it holds, and whether these are exactly
/// the rows for which the predicate is true.
struct SegmentRows {
  RowMap rows;
  bool exact = true;
};

/// One open segment of a scalar index. Immutable, thread-safe.
class IndexSegment {
 public:
  virtual ~IndexSegment() = default;
  /// Whether Search can answer this leaf (kCompare, kIn, kIsNull, kContains).
  virtual bool Answers(const columnar::Predicate& leaf) const = 0;
  /// `reads` gets what it cost. kCorruption names the file.
  virtual Result<SegmentRows> Search(const columnar::Predicate& leaf,
                                     ReadCounters* reads) const = 0;
  /// Calls `visit` with every entry: the slot of a value and the number of a row that has it.
  /// Checks on the way what Search relies on (kCorruption). kUnsupported where there are no
  /// entries.
  using EntryVisitor =
      std::function<Status(const columnar::Array& values, int64_t slot, uint64_t number)>;
  virtual Status ForEachEntry(const EntryVisitor& visit, ReadCounters* reads) const = 0;
  /// Entries of a BTree; 0 where they are not counted beforehand.
  virtual uint64_t MostEntries() const { return 0; }
  /// A check of the zones of a fragment with so many rows, which outlives neither this nor `reads`;
  /// none where there are entries.
  virtual Result<std::unique_ptr<ZoneCheck>> CheckZones(uint32_t fragment, uint64_t rows,
                                                        ReadCounters* reads) const;
  /// Numbers are row ids, not addresses (lance.md D1).
  bool holds_row_ids() const { return holds_row_ids_; }
  /// Fragments it covers: as its metadata says, of kinds with zones only those that have one.
  const RoaringBitmap& covered() const { return covered_; }

 protected:
  IndexSegment(RoaringBitmap covered, bool holds_row_ids)
      : covered_(std::move(covered)), holds_row_ids_(holds_row_ids) {}

 private:
  RoaringBitmap covered_;
  bool holds_row_ids_;
};

/// Opens a segment, once for each table. Null when it cannot be used: another kind or generation,
/// no fragment bitmap, files of another file version, parts of a partitioned build (C3, D2).
Result<std::shared_ptr<const IndexSegment>> OpenIndexSegment(const Table& table,
                                                             const proto::Index& index);
/// The segment leaves out rows of zones only: what it gives is a superset.
bool HasZones(const proto::Index& index);
/// Why OpenIndexSegment gives null without opening a file; empty when it may be usable.
std::string WhyUnusable(const Table& table, const proto::Index& index);

/// Builds the kinds; `covered` and `holds_row_ids` as above.
Result<std::shared_ptr<const IndexSegment>> OpenBTree(const Table& table, const proto::Index& index,
                                                      RoaringBitmap covered, bool holds_row_ids);
/// Bitmap and, with `labels`, LabelList.
Result<std::shared_ptr<const IndexSegment>> OpenBitmapIndex(const Table& table,
                                                            const proto::Index& index,
                                                            RoaringBitmap covered,
                                                            bool holds_row_ids, bool labels);
Result<std::shared_ptr<const IndexSegment>> OpenZoneMap(const Table& table,
                                                        const proto::Index& index,
                                                        RoaringBitmap covered);
Result<std::shared_ptr<const IndexSegment>> OpenBloomFilter(const Table& table,
                                                            const proto::Index& index,
                                                            RoaringBitmap covered);

}  // namespace pchronicle::lance
