#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/index/split_block_filter.h"
#include "pchronicle/lance/index/zones.h"
#include "pchronicle/lance/table/projection.h"

// Bloom filters (lance.md D3): a filter for each zone of rows. What it gives has to be checked.

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::Predicate;
using columnar::TypeId;

constexpr std::string_view kFile = "bloomfilter.lance";
constexpr std::string_view kColumns[] = {"fragment_id", "zone_start", "zone_length", "has_null",
                                         "bloom_filter_data"};
constexpr size_t kFilterColumn = 4;

struct Contents {
  Zones zones;
  ArrayPtr has_null;
  std::optional<RowMap> nulls;
  IndexFile file;
  columnar::DataTypePtr type;
};

Result<SplitBlockFilter> FilterAt(const IndexFile& file, const columnar::Array& filters,
                                  int64_t slot, uint64_t zone) {
  if (!columnar::IsVariable(filters.type->id) || filters.IsNull(slot)) {
    return Status::Corruption("{}: zone {} has no filter of bytes", file.name(), zone);
  }
  Result<SplitBlockFilter> filter = SplitBlockFilter::Of(filters.Bytes(slot));
  return filter.ok() ? std::move(filter)
                     : filter.status().WithContext(fmt::format("{}: zone {}", file.name(), zone));
}

class BloomCheck : public ZoneCheck {
 public:
  BloomCheck(const Contents& index, uint32_t fragment, uint64_t rows, ReadCounters* reads)
      : ZoneCheck(index.zones, index.nulls, fragment, rows), index_(index), reads_(reads) {}

 protected:
  Status See(size_t zone, bool opens, const columnar::Array& values, uint64_t first,
             const RoaringBitmap* deleted) override {
    if (opens) {
      const uint64_t row = zone;
      PCHRONICLE_ASSIGN_OR_RETURN(filters_,
                                  index_.file.Take(kFilterColumn, std::span(&row, 1), reads_));
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const SplitBlockFilter filter,
                                FilterAt(index_.file, *filters_, 0, zone));
    const bool may_be_null = index_.has_null->Bit(static_cast<int64_t>(zone));
    for (int64_t i = 0; i < values.length; ++i) {
      const uint64_t row = first + static_cast<uint64_t>(i);
      const bool found =
          values.IsNull(i) ? may_be_null : filter.MayContain(FilterHash(values.Bytes(i)));
      if (!found && (deleted == nullptr || !deleted->Contains(static_cast<uint32_t>(row)))) {
        Problem(zone, values.IsNull(i)
                          ? fmt::format("row {} is null, it says that none is", row)
                          : fmt::format("the filter does not have the value of row {}", row));
      }
    }
    return Status::Ok();
  }
  void Close(size_t) override {}

 private:
  const Contents& index_;
  ReadCounters* reads_;
  ArrayPtr filters_;  // of the zone
};

class BloomFilterIndex : public IndexSegment {
 public:
  BloomFilterIndex(RoaringBitmap covered, Contents contents)
      : IndexSegment(covered.Intersect(contents.zones.Fragments()), false),
        contents_(std::move(contents)) {}

  bool Answers(const Predicate& leaf) const override {
    return leaf.kind == Predicate::Kind::kIn || leaf.kind == Predicate::Kind::kIsNull ||
           (leaf.kind == Predicate::Kind::kCompare && leaf.op == CompareOp::kEq);
  }

  Result<SegmentRows> Search(const Predicate& leaf, ReadCounters* reads) const override {
    SegmentRows out;
    out.exact = false;
    if (leaf.kind == Predicate::Kind::kIsNull && contents_.nulls) {
      AddRows(*contents_.nulls, &out.rows);
      return out;
    }
    std::vector<bool> hit(contents_.zones.size());
    if (leaf.kind == Predicate::Kind::kIsNull) {
      for (size_t i = 0; i < hit.size(); ++i) {
        hit[i] = contents_.has_null->Bit(static_cast<int64_t>(i));
      }
    } else {
      PCHRONICLE_RETURN_IF_ERROR(Mark(leaf.values, &hit, reads));
    }
    out.rows = contents_.zones.RowsOf(hit);
    return out;
  }

  Status ForEachEntry(const EntryVisitor&, ReadCounters*) const override {
    return Status::Unsupported("Bloom filters have no entries");
  }
  Result<std::unique_ptr<ZoneCheck>> CheckZones(uint32_t fragment, uint64_t rows,
                                                ReadCounters* reads) const override {
    return std::unique_ptr<ZoneCheck>(
        std::make_unique<BloomCheck>(contents_, fragment, rows, reads));
  }

 private:
  Status Mark(const std::vector<columnar::Scalar>& literals, std::vector<bool>* hit,
              ReadCounters* reads) const {
    std::vector<uint64_t> wanted;
    for (const columnar::Scalar& literal : literals) {
      const auto hashes = FilterHashes(*contents_.type, literal);
      if (!hashes) {
        hit->assign(hit->size(), true);
        return Status::Ok();
      }
      wanted.insert(wanted.end(), hashes->begin(), hashes->end());
    }
    if (wanted.empty()) {
      return Status::Ok();
    }
    constexpr size_t kFilters[] = {kFilterColumn};
    return contents_.file.ForEachBatch(
        kFilters,
        [&](uint64_t first, const columnar::RecordBatch& batch) -> Status {
          for (int64_t i = 0; i < batch.rows; ++i) {
            const uint64_t zone = first + static_cast<uint64_t>(i);
            PCHRONICLE_ASSIGN_OR_RETURN(const SplitBlockFilter filter,
                                        FilterAt(contents_.file, *batch.columns[0], i, zone));
            (*hit)[zone] = std::any_of(wanted.begin(), wanted.end(),
                                       [&](uint64_t hash) { return filter.MayContain(hash); });
          }
          return Status::Ok();
        },
        reads);
  }

  const Contents contents_;
};

// The type of the indexed column, as far as values of it are hashed here.
Result<columnar::DataTypePtr> HashedType(const Table& table, const proto::Index& index) {
  const std::string path = PathOfField(table.schema(), index.fields.at(0));
  const FieldNode* field = path.empty() ? nullptr : FindField(table.schema(), path);
  if (field == nullptr || field->type == nullptr || field->logical_type == "json" ||
      !IsFilterable(*field->type)) {
    return Status::Unsupported("Bloom filters over column '{}'", path);
  }
  return field->type;
}

}  // namespace

Result<std::shared_ptr<const IndexSegment>> OpenBloomFilter(const Table& table,
                                                            const proto::Index& index,
                                                            RoaringBitmap covered) {
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::DataTypePtr type, HashedType(table, index));
  PCHRONICLE_ASSIGN_OR_RETURN(auto opened, table.OpenIndexFile(index, kFile));
  PCHRONICLE_ASSIGN_OR_RETURN(IndexFile file, IndexFile::Bind(std::move(opened), kColumns));
  constexpr size_t kBounds[] = {0, 1, 2, 3};
  ReadCounters reads;
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                              file.Read(kBounds, 0, file.rows(), &reads));
  table.AddOpenCounters(reads);
  const ArrayPtr& has_null = batch.columns[3];
  if (has_null->type->id != TypeId::kBool || has_null->null_count != 0) {
    return Status::Corruption("{}: {} is {} with {} nulls", file.name(), kColumns[3],
                              columnar::ToString(*has_null->type), has_null->null_count);
  }
  Result<Zones> zones = Zones::Make(table, *batch.columns[0], *batch.columns[1], *batch.columns[2]);
  if (!zones.ok()) {
    return zones.status().WithContext(file.name());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::optional<RowMap> nulls, ReadNullRows(file));
  return std::shared_ptr<const IndexSegment>(std::make_shared<BloomFilterIndex>(
      std::move(covered),
      Contents{*std::move(zones), has_null, std::move(nulls), std::move(file), type}));
}

}  // namespace pchronicle::lance
