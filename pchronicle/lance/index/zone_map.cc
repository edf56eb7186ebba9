#include <algorithm>
#include <map>

#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/index/index_segment.h"

// ZoneMap (lance.md D3): least and greatest value of runs of rows. What it gives has to be checked.

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::Predicate;
using columnar::Truth;
using columnar::Truths;

constexpr std::string_view kFile = "zonemap.lance";
constexpr std::string_view kColumns[] = {"min",         "max",        "null_count", "nan_count",
                                         "fragment_id", "zone_start", "zone_length"};

struct Zones {
  ArrayPtr min, max;
  std::vector<uint64_t> nulls, nans, fragment, begin, end;
};

class ZoneMap : public IndexSegment {
 public:
  ZoneMap(RoaringBitmap covered, Zones zones)
      : IndexSegment(std::move(covered), false), zones_(std::move(zones)) {}

  bool Answers(const Predicate& leaf) const override {
    return leaf.kind == Predicate::Kind::kIn || leaf.kind == Predicate::Kind::kIsNull ||
           (leaf.kind == Predicate::Kind::kCompare && leaf.op != CompareOp::kNe);
  }

  Result<SegmentRows> Search(const Predicate& leaf, ReadCounters* reads) const override {
    static_cast<void>(reads);  // everything was read when it was opened
    std::vector<bool> hit(zones_.begin.size());
    if (leaf.kind == Predicate::Kind::kIsNull) {
      for (size_t i = 0; i < hit.size(); ++i) {
        hit[i] = zones_.nulls[i] > 0;
      }
    } else {
      for (const columnar::Scalar& value : leaf.values) {
        PCHRONICLE_RETURN_IF_ERROR(
            Mark(leaf.kind == Predicate::Kind::kIn ? CompareOp::kEq : leaf.op, value, &hit));
      }
    }
    SegmentRows out;
    out.exact = false;
    for (size_t i = 0; i < hit.size(); ++i) {
      if (hit[i]) {
        out.rows[static_cast<uint32_t>(zones_.fragment[i])].rows.AddRange(zones_.begin[i],
                                                                          zones_.end[i]);
      }
    }
    return out;
  }

  Status ForEachEntry(const EntryVisitor&, ReadCounters*) const override {
    return Status::Unsupported("a zone map has no entries");
  }

 private:
  Status Mark(CompareOp op, const columnar::Scalar& value, std::vector<bool>* hit) const {
    const bool below = op == CompareOp::kEq || op == CompareOp::kLt || op == CompareOp::kLe;
    const bool above = op == CompareOp::kEq || op == CompareOp::kGt || op == CompareOp::kGe;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths min,
        columnar::EvaluateCompare(*zones_.min, op == CompareOp::kLt ? op : CompareOp::kLe, value));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths max,
        columnar::EvaluateCompare(*zones_.max, op == CompareOp::kGt ? op : CompareOp::kGe, value));
    for (size_t i = 0; i < hit->size(); ++i) {
      // NaN may or may not be part of the bounds: such zones are always looked at.
      const bool inside = (!below || min[i] == Truth::kTrue) && (!above || max[i] == Truth::kTrue);
      (*hit)[i] = (*hit)[i] || inside || zones_.nans[i] > 0;
    }
    return Status::Ok();
  }

  Zones zones_;
};

// The zones of a fragment tile it: what deleted rows left out between two zones, or before the
// first, belongs to one of them all the same.
Status Tile(const Table& table, Zones* zones) {
  std::map<uint64_t, std::vector<size_t>> by_fragment;
  for (size_t i = 0; i < zones->begin.size(); ++i) {
    if (zones->fragment[i] > UINT32_MAX || zones->begin[i] > UINT32_MAX) {
      return Status::Corruption("zone {} starts at row {} of fragment {}", i, zones->begin[i],
                                zones->fragment[i]);
    }
    by_fragment[zones->fragment[i]].push_back(i);
  }
  for (auto& [fragment, all] : by_fragment) {
    std::sort(all.begin(), all.end(),
              [&](size_t a, size_t b) { return zones->begin[a] < zones->begin[b]; });
    const std::optional<size_t> position = table.FindFragment(fragment);
    const uint64_t rows = position ? table.fragments()[*position].physical_rows : 0;
    for (size_t k = 0; k < all.size(); ++k) {
      zones->end[all[k]] =
          k + 1 < all.size() ? zones->begin[all[k + 1]] : std::max(rows, zones->begin[all[k]]);
    }
    zones->begin[all.front()] = 0;
  }
  return Status::Ok();
}

}  // namespace

Result<std::shared_ptr<const IndexSegment>> OpenZoneMap(const Table& table,
                                                        const proto::Index& index,
                                                        RoaringBitmap covered) {
  PCHRONICLE_ASSIGN_OR_RETURN(auto opened, table.OpenIndexFile(index, kFile));
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexFile file, IndexFile::Bind(std::move(opened), kColumns));
  constexpr size_t kAll[] = {0, 1, 2, 3, 4, 5, 6};
  ReadCounters reads;
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                              file.Read(kAll, 0, file.rows(), &reads));
  table.AddOpenCounters(reads);
  Zones zones;
  zones.min = batch.columns[0];
  zones.max = batch.columns[1];
  const auto fill = [&]() -> Status {
    PCHRONICLE_ASSIGN_OR_RETURN(zones.nulls, ToNumbers(*batch.columns[2], kColumns[2]));
    PCHRONICLE_ASSIGN_OR_RETURN(zones.nans, ToNumbers(*batch.columns[3], kColumns[3]));
    PCHRONICLE_ASSIGN_OR_RETURN(zones.fragment, ToNumbers(*batch.columns[4], kColumns[4]));
    PCHRONICLE_ASSIGN_OR_RETURN(zones.begin, ToNumbers(*batch.columns[5], kColumns[5]));
    zones.end = zones.begin;
    return Tile(table, &zones);
  };
  PCHRONICLE_RETURN_IF_ERROR(fill().WithContext(file.name()));
  return std::shared_ptr<const IndexSegment>(
      std::make_shared<ZoneMap>(std::move(covered), std::move(zones)));
}

}  // namespace pchronicle::lance
