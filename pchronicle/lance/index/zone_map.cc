#include <fmt/core.h>

#include <cmath>
#include <tuple>

#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/index/zones.h"

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

struct Contents {
  Zones zones;
  ArrayPtr min, max;
  std::vector<uint64_t> nulls, nans;  // counts
  std::optional<RowMap> null_rows;
};

bool IsNan(const columnar::Array& array, int64_t slot) {
  const auto value = columnar::ScalarAt(array, slot);
  const double* number = value ? std::get_if<double>(&*value) : nullptr;
  return number != nullptr && std::isnan(*number);
}

class ZoneMapCheck : public ZoneCheck {
 public:
  ZoneMapCheck(const Contents& index, uint32_t fragment, uint64_t rows)
      : ZoneCheck(index.zones, index.null_rows, fragment, rows), index_(index) {}

 protected:
  Status See(size_t zone, bool opens, const columnar::Array& values, uint64_t first,
             const RoaringBitmap* deleted) override {
    if (opens) {
      nulls_ = nans_ = {};
    }
    const auto live = [&](int64_t slot) {
      return deleted == nullptr ||
             !deleted->Contains(static_cast<uint32_t>(first + static_cast<uint64_t>(slot)));
    };
    const bool floats = values.type->id == columnar::TypeId::kHalf ||
                        values.type->id == columnar::TypeId::kFloat ||
                        values.type->id == columnar::TypeId::kDouble;
    std::vector<bool> bounded(static_cast<size_t>(values.length));
    for (int64_t i = 0; i < values.length; ++i) {
      const bool null = values.IsNull(i), nan = floats && !null && IsNan(values, i);
      (null ? nulls_ : nans_).Add(null || nan, live(i));
      bounded[static_cast<size_t>(i)] = !null && !nan && live(i);
    }
    PCHRONICLE_RETURN_IF_ERROR(
        Compare(zone, *index_.min, CompareOp::kGe, "below the minimum", values, first, bounded));
    return Compare(zone, *index_.max, CompareOp::kLe, "above the maximum", values, first, bounded);
  }

  // Rows that were deleted since the index was built count in it.
  void Close(size_t zone) override {
    for (const auto& [count, stored, what] :
         {std::tuple(nulls_, index_.nulls[zone], "null"), {nans_, index_.nans[zone], "NaN"}}) {
      if (stored < count.live || stored > count.all) {
        Problem(zone, fmt::format("{} rows are {}, it says {}", count.live, what, stored));
      }
    }
  }

 private:
  struct Count {
    uint64_t live = 0, all = 0;
    void Add(bool one, bool is_live) {
      all += one ? 1 : 0;
      live += one && is_live ? 1 : 0;
    }
  };

  // A bound that is NaN bounds nothing: NaN is above all numbers, or stands for "some are NaN".
  Status Compare(size_t zone, const columnar::Array& bounds, CompareOp op, const char* wrong,
                 const columnar::Array& values, uint64_t first, const std::vector<bool>& bounded) {
    const auto slot = static_cast<int64_t>(zone);
    if (IsNan(bounds, slot)) {
      return Status::Ok();
    }
    const std::optional<columnar::Scalar> bound = columnar::ScalarAt(bounds, slot);
    if (!bound) {
      return Status::Ok();  // none: a search looks at the zone unless all of its rows are null
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Truths inside, columnar::EvaluateCompare(values, op, *bound));
    for (size_t i = 0; i < bounded.size(); ++i) {
      if (bounded[i] && inside[i] != Truth::kTrue) {
        Problem(zone, fmt::format("the value of row {} is {}", first + i, wrong));
      }
    }
    return Status::Ok();
  }

  const Contents& index_;
  Count nulls_, nans_;  // of the zone
};

class ZoneMap : public IndexSegment {
 public:
  ZoneMap(RoaringBitmap covered, Contents contents)
      : IndexSegment(covered.Intersect(contents.zones.Fragments()), false),
        contents_(std::move(contents)) {}

  bool Answers(const Predicate& leaf) const override {
    return leaf.kind == Predicate::Kind::kIn || leaf.kind == Predicate::Kind::kIsNull ||
           (leaf.kind == Predicate::Kind::kCompare && leaf.op != CompareOp::kNe);
  }

  Result<SegmentRows> Search(const Predicate& leaf, ReadCounters* reads) const override {
    static_cast<void>(reads);  // everything was read when it was opened
    SegmentRows out;
    out.exact = false;
    if (leaf.kind == Predicate::Kind::kIsNull && contents_.null_rows) {
      AddRows(*contents_.null_rows, &out.rows);
      return out;
    }
    std::vector<bool> hit(contents_.zones.size());
    if (leaf.kind == Predicate::Kind::kIsNull) {
      for (size_t i = 0; i < hit.size(); ++i) {
        hit[i] = contents_.nulls[i] > 0;
      }
    } else {
      for (const columnar::Scalar& value : leaf.values) {
        PCHRONICLE_RETURN_IF_ERROR(
            Mark(leaf.kind == Predicate::Kind::kIn ? CompareOp::kEq : leaf.op, value, &hit));
      }
    }
    out.rows = contents_.zones.RowsOf(hit);
    return out;
  }

  Status ForEachEntry(const EntryVisitor&, ReadCounters*) const override {
    return Status::Unsupported("a zone map has no entries");
  }
  Result<std::unique_ptr<ZoneCheck>> CheckZones(uint32_t fragment, uint64_t rows,
                                                ReadCounters*) const override {
    return std::unique_ptr<ZoneCheck>(std::make_unique<ZoneMapCheck>(contents_, fragment, rows));
  }

 private:
  Status Mark(CompareOp op, const columnar::Scalar& value, std::vector<bool>* hit) const {
    const bool below = op == CompareOp::kEq || op == CompareOp::kLt || op == CompareOp::kLe;
    const bool above = op == CompareOp::kEq || op == CompareOp::kGt || op == CompareOp::kGe;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths min, columnar::EvaluateCompare(
                              *contents_.min, op == CompareOp::kLt ? op : CompareOp::kLe, value));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths max, columnar::EvaluateCompare(
                              *contents_.max, op == CompareOp::kGt ? op : CompareOp::kGe, value));
    for (size_t i = 0; i < hit->size(); ++i) {
      // NaN may or may not be part of the bounds: such zones are always looked at. So are bounds
      // that are missing although there are values, as of types that the writer does not order.
      const bool open = contents_.nulls[i] < contents_.zones[i].length;
      const auto passes = [&](Truth bound) {
        return bound == Truth::kTrue || (bound == Truth::kNull && open);
      };
      const bool inside = (!below || passes(min[i])) && (!above || passes(max[i]));
      (*hit)[i] = (*hit)[i] || inside || contents_.nans[i] > 0;
    }
    return Status::Ok();
  }

  const Contents contents_;
};

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
  Result<Zones> zones = Zones::Make(table, *batch.columns[4], *batch.columns[5], *batch.columns[6]);
  if (!zones.ok()) {
    return zones.status().WithContext(file.name());
  }
  Contents out{*std::move(zones), batch.columns[0], batch.columns[1], {}, {}, {}};
  const auto fill = [&]() -> Status {
    PCHRONICLE_ASSIGN_OR_RETURN(out.nulls, ToNumbers(*batch.columns[2], kColumns[2]));
    PCHRONICLE_ASSIGN_OR_RETURN(out.nans, ToNumbers(*batch.columns[3], kColumns[3]));
    return Status::Ok();
  };
  PCHRONICLE_RETURN_IF_ERROR(fill().WithContext(file.name()));
  PCHRONICLE_ASSIGN_OR_RETURN(out.null_rows, ReadNullRows(file));
  return std::shared_ptr<const IndexSegment>(
      std::make_shared<ZoneMap>(std::move(covered), std::move(out)));
}

}  // namespace pchronicle::lance
