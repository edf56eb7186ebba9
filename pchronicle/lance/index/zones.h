#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// A run of rows of one fragment that an inexact index describes.
struct Zone {
  uint32_t fragment = 0;
  uint64_t start = 0, length = 0;  // as the file says: rows [start, start + length)
  uint64_t begin = 0, end = 0;     // what it stands for in a search
};

/// The zones of one index file, in its order. The zones of a fragment tile it in a search: what
/// deleted rows left out between two zones, or before the first, belongs to one of them all the
/// same. Immutable, thread-safe.
class Zones {
 public:
  /// The columns `fragment_id`, `zone_start` and `zone_length`. kCorruption: other types, nulls,
  /// fragments or rows beyond 2^32.
  static Result<Zones> Make(const Table& table, const columnar::Array& fragment,
                            const columnar::Array& start, const columnar::Array& length);

  size_t size() const { return zones_.size(); }
  const Zone& operator[](size_t zone) const { return zones_[zone]; }
  /// Fragments that have a zone; others must be scanned, whatever the index says that it covers.
  RoaringBitmap Fragments() const;
  /// The rows of the zones that are marked; `hit` has one mark for each zone.
  RowMap RowsOf(const std::vector<bool>& hit) const;
  /// The zones of one fragment, by their first row.
  const std::vector<size_t>& Of(uint32_t fragment) const;

 private:
  std::vector<Zone> zones_;
  std::map<uint32_t, std::vector<size_t>> by_fragment_;
};

/// The rows without a value, which files since release 14 keep in a global buffer; nothing in
/// others.
Result<std::optional<RowMap>> ReadNullRows(const IndexFile& file);

/// Compares the zones of one fragment with its rows, which come in order. Not thread-safe.
class ZoneCheck {
 public:
  virtual ~ZoneCheck() = default;
  ZoneCheck(const ZoneCheck&) = delete;
  ZoneCheck& operator=(const ZoneCheck&) = delete;

  /// The next rows, deleted ones too. Fails only when the zones cannot be read.
  Status Add(const columnar::Array& values, const RoaringBitmap* deleted);
  size_t zones() const { return own_.size(); }
  /// Behind the last row: what is wrong, each with fragment and zone.
  std::vector<std::string> Finish();

 protected:
  /// `rows`: of the fragment. `zones` and `nulls` outlive this.
  ZoneCheck(const Zones& zones, const std::optional<RowMap>& nulls, uint32_t fragment,
            uint64_t rows);
  /// Rows of a zone: slot i is row first + i. The next zone begins with a call that has `opens`.
  virtual Status See(size_t zone, bool opens, const columnar::Array& values, uint64_t first,
                     const RoaringBitmap* deleted) = 0;
  /// All rows of the zone were seen.
  virtual void Close(size_t zone) = 0;
  /// Notes what is wrong with a zone; only the first for each counts.
  void Problem(size_t zone, std::string text);

 private:
  void CheckGap(uint64_t begin, uint64_t end, const RoaringBitmap* deleted);
  void CheckNulls(const columnar::Array& values, uint64_t first, const RoaringBitmap* deleted);

  const Zones& zones_;
  const std::vector<size_t>& own_;  // zones of the fragment
  const RoaringBitmap* nulls_ = nullptr;
  const bool knows_nulls_;
  const uint32_t fragment_;
  uint64_t row_ = 0;
  size_t at_ = 0;        // in own_
  bool opened_ = false;  // rows of own_[at_] were seen
  bool gap_told_ = false, nulls_told_ = false;
  std::optional<size_t> told_;  // last zone with a problem
  std::vector<std::string> problems_;
};

}  // namespace pchronicle::lance
