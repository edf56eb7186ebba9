#include "pchronicle/lance/index/zones.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace pchronicle::lance {
namespace {

constexpr uint64_t kMaxRows = uint64_t{1} << 32;
constexpr std::string_view kNullBitmap = "null_bitmap";

bool IsDeleted(const RoaringBitmap* deleted, uint64_t row) {
  return deleted != nullptr && deleted->Contains(static_cast<uint32_t>(row));
}

}  // namespace

Result<Zones> Zones::Make(const Table& table, const columnar::Array& fragment,
                          const columnar::Array& start, const columnar::Array& length) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto fragments, ToNumbers(fragment, "fragment_id"));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto starts, ToNumbers(start, "zone_start"));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto lengths, ToNumbers(length, "zone_length"));
  Zones out;
  for (size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i] > UINT32_MAX || starts[i] > UINT32_MAX || lengths[i] > kMaxRows) {
      return Status::Corruption("zone {} has {} rows from row {} of fragment {} on", i, lengths[i],
                                starts[i], fragments[i]);
    }
    Zone& zone = out.zones_.emplace_back();
    zone.fragment = static_cast<uint32_t>(fragments[i]);
    zone.start = starts[i];
    zone.length = lengths[i];
    out.by_fragment_[zone.fragment].push_back(i);
  }
  for (auto& [id, own] : out.by_fragment_) {
    std::stable_sort(own.begin(), own.end(),
                     [&](size_t a, size_t b) { return out.zones_[a].start < out.zones_[b].start; });
    const std::optional<size_t> position = table.FindFragment(id);
    const uint64_t rows = position ? table.fragments()[*position].physical_rows : 0;
    for (size_t k = 0; k < own.size(); ++k) {
      Zone& zone = out.zones_[own[k]];
      const uint64_t reach = k + 1 < own.size() ? out.zones_[own[k + 1]].start : rows;
      const uint64_t end = std::max(reach, zone.start + zone.length);
      zone.begin = std::min(zone.start, rows);
      zone.end = std::min(end, rows);
    }
    out.zones_[own.front()].begin = 0;
  }
  return out;
}

RoaringBitmap Zones::Fragments() const {
  std::vector<uint32_t> ids;
  for (const auto& [id, own] : by_fragment_) {
    ids.push_back(id);
  }
  return RoaringBitmap::FromValues(ids);
}

RowMap Zones::RowsOf(const std::vector<bool>& hit) const {
  RowMap out;
  for (size_t i = 0; i < zones_.size(); ++i) {
    if (hit[i]) {
      out[zones_[i].fragment].rows.AddRange(zones_[i].begin, zones_[i].end);
    }
  }
  return out;
}

const std::vector<size_t>& Zones::Of(uint32_t fragment) const {
  static const std::vector<size_t> kNone;
  const auto found = by_fragment_.find(fragment);
  return found == by_fragment_.end() ? kNone : found->second;
}

Result<std::optional<RowMap>> ReadNullRows(const IndexFile& file) {
  if (!file.file().metadata().contains(kNullBitmap)) {
    return std::optional<RowMap>();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t buffer, file.Number(kNullBitmap, 0));
  if (buffer > UINT32_MAX) {
    return Status::Corruption("{}: {} {}", file.name(), kNullBitmap, buffer);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string bytes,
                              file.file().ReadGlobalBuffer(static_cast<uint32_t>(buffer)));
  Result<RowMap> rows = DecodeRowMap(bytes);
  if (!rows.ok()) {
    return rows.status().WithContext(fmt::format("{}: {}", file.name(), kNullBitmap));
  }
  return std::optional<RowMap>(*std::move(rows));
}

ZoneCheck::ZoneCheck(const Zones& zones, const std::optional<RowMap>& nulls, uint32_t fragment,
                     uint64_t rows)
    : zones_(zones),
      own_(zones.Of(fragment)),
      knows_nulls_(nulls.has_value()),
      fragment_(fragment) {
  if (nulls) {
    const auto found = nulls->find(fragment);
    // A list of all rows names none; it is not written for columns that have values.
    nulls_ = found == nulls->end() ? nullptr : &found->second.rows;
    nulls_told_ = found != nulls->end() && found->second.all;
  }
  uint64_t last = 0;
  for (const size_t zone : own_) {
    const uint64_t end = zones_[zone].start + zones_[zone].length;
    if (end > rows) {
      Problem(zone, fmt::format("the fragment has only {} rows", rows));
    } else if (zones_[zone].start < last) {
      Problem(zone, fmt::format("another zone reaches up to row {}", last));
    }
    last = std::max(last, end);
  }
}

void ZoneCheck::Problem(size_t zone, std::string text) {
  if (told_ == zone) {
    return;
  }
  told_ = zone;
  const Zone& z = zones_[zone];
  problems_.push_back(fmt::format("fragment {}, zone {} (rows {} to {}): {}; rebuild the index",
                                  fragment_, zone, z.start, z.start + z.length, text));
}

void ZoneCheck::CheckGap(uint64_t begin, uint64_t end, const RoaringBitmap* deleted) {
  for (uint64_t row = begin; row < end && !gap_told_; ++row) {
    if (!IsDeleted(deleted, row)) {
      gap_told_ = true;
      problems_.push_back(
          fmt::format("fragment {}: row {} lies in no zone; rebuild the index", fragment_, row));
    }
  }
}

void ZoneCheck::CheckNulls(const columnar::Array& values, uint64_t first,
                           const RoaringBitmap* deleted) {
  for (int64_t i = 0; i < values.length && knows_nulls_ && !nulls_told_; ++i) {
    const uint64_t row = first + static_cast<uint64_t>(i);
    const bool listed = nulls_ != nullptr && nulls_->Contains(static_cast<uint32_t>(row));
    if (listed != values.IsNull(i) && !IsDeleted(deleted, row)) {
      nulls_told_ = true;
      problems_.push_back(fmt::format(
          "fragment {}: row {} is {}null, the list of rows without a value says otherwise; "
          "rebuild the index",
          fragment_, row, listed ? "not " : ""));
    }
  }
}

Status ZoneCheck::Add(const columnar::Array& values, const RoaringBitmap* deleted) {
  const uint64_t first = row_, stop = row_ + static_cast<uint64_t>(values.length);
  CheckNulls(values, first, deleted);
  std::vector<int64_t> slots;
  while (at_ < own_.size()) {
    const Zone& zone = zones_[own_[at_]];
    const uint64_t end = zone.start + zone.length;
    const uint64_t from = std::max(zone.start, first), to = std::min(end, stop);
    if (zone.start >= stop) {
      break;
    }
    if (from > row_) {
      CheckGap(row_, from, deleted);
    }
    if (from < to) {
      slots.resize(to - from);
      std::iota(slots.begin(), slots.end(), static_cast<int64_t>(from - first));
      PCHRONICLE_RETURN_IF_ERROR(
          See(own_[at_], !opened_, *columnar::TakeSlots(values, slots), from, deleted));
      opened_ = true;
    }
    row_ = std::max(row_, std::max(from, to));
    if (end > stop) {
      return Status::Ok();  // goes on with the next rows
    }
    if (opened_) {
      Close(own_[at_]);
    }
    ++at_;
    opened_ = false;
  }
  CheckGap(row_, stop, deleted);
  row_ = stop;
  return Status::Ok();
}

std::vector<std::string> ZoneCheck::Finish() {
  if (opened_) {
    Close(own_[at_]);  // it reaches behind the end of the fragment
    opened_ = false;
  }
  return std::move(problems_);
}

}  // namespace pchronicle::lance
