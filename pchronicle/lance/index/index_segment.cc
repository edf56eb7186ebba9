#include "pchronicle/lance/index/index_segment.h"

#include <fmt/core.h>

#include "pchronicle/lance/index/zones.h"

namespace pchronicle::lance {
namespace {

constexpr std::string_view kReuseIndex = "__lance_frag_reuse";
constexpr std::string_view kZoneMap = "zonemapindexdetails";
constexpr std::string_view kBloomFilter = "bloomfilterindexdetails";

// What is read of each kind: the newest index_version, and from which one on the entries of a table
// with stable row ids are addresses (D1).
struct KindRule {
  std::string_view kind;
  int32_t newest, addresses_from;
};
constexpr KindRule kKinds[] = {
    {"btreeindexdetails", 1, 1},
    {"bitmapindexdetails", 1, 1},
    {"labellistindexdetails", 2, 2},
    {kZoneMap, 0, 0},
    {kBloomFilter, 0, 0},
};

const KindRule* FindKind(std::string_view kind) {
  for (const KindRule& rule : kKinds) {
    if (rule.kind == kind) {
      return &rule;
    }
  }
  return nullptr;
}

Result<std::shared_ptr<const IndexSegment>> OpenKind(const Table& table, const proto::Index& index,
                                                     const KindRule& rule) {
  PCHRONICLE_ASSIGN_OR_RETURN(RoaringBitmap covered, RoaringBitmap::Decode(*index.fragment_bitmap));
  const bool row_ids = table.stable_row_ids() && index.index_version < rule.addresses_from;
  if (rule.kind == "btreeindexdetails") {
    return OpenBTree(table, index, std::move(covered), row_ids);
  }
  if (rule.kind == kZoneMap) {
    return OpenZoneMap(table, index, std::move(covered));
  }
  if (rule.kind == kBloomFilter) {
    return OpenBloomFilter(table, index, std::move(covered));
  }
  return OpenBitmapIndex(table, index, std::move(covered), row_ids,
                         rule.kind == "labellistindexdetails");
}

}  // namespace

Result<std::unique_ptr<ZoneCheck>> IndexSegment::CheckZones(uint32_t, uint64_t,
                                                            ReadCounters*) const {
  return std::unique_ptr<ZoneCheck>();
}

bool HasZones(const proto::Index& index) {
  const std::string kind = index.Kind();
  return kind == kZoneMap || kind == kBloomFilter;
}

std::string WhyUnusable(const Table& table, const proto::Index& index) {
  const std::string kind = index.Kind();
  const KindRule* rule = FindKind(kind);
  if (rule == nullptr) {
    return fmt::format("kind '{}' is not read", kind.empty() ? "unnamed" : kind);
  }
  if (index.index_version > rule->newest || index.index_version < 0) {
    return fmt::format("index version {}, at most {} is read", index.index_version, rule->newest);
  }
  if (!index.fragment_bitmap) {
    return "it does not say which fragments it covers";
  }
  if (index.fields.size() != 1) {
    return fmt::format("it has {} columns", index.fields.size());
  }
  if (HasZones(index) && table.stable_row_ids()) {
    return "zones of tables with stable row ids are not read";
  }
  for (const proto::Index& other : table.indices()) {
    if (other.name == kReuseIndex) {
      // Its entries would have to be mapped through that index (A10).
      return "the table has a fragment reuse index";
    }
  }
  return {};
}

Result<std::shared_ptr<const IndexSegment>> OpenIndexSegment(const Table& table,
                                                             const proto::Index& index) {
  const std::string uuid = index.UuidText();
  if (const auto known = table.OpenSegment(uuid)) {
    return *known;
  }
  std::shared_ptr<const IndexSegment> segment;
  if (WhyUnusable(table, index).empty()) {
    Result<std::shared_ptr<const IndexSegment>> opened =
        OpenKind(table, index, *FindKind(index.Kind()));
    const StatusCode code = opened.status().code();
    if (opened.ok()) {
      segment = *std::move(opened);
    } else if (code != StatusCode::kUnsupported && code != StatusCode::kNotFound) {
      return opened.status().WithContext(fmt::format(
          "{}: index {} (a scan without indices may still work)", table.Describe(), index.name));
    }
  }
  table.KeepSegment(uuid, segment);
  return segment;
}

}  // namespace pchronicle::lance
