#include "pchronicle/lance/index/row_moves.h"

#include <algorithm>

namespace pchronicle::lance {

Status RowMoves::Add(std::vector<Source> from, std::vector<Target> to) {
  uint64_t live = 0, written = 0;
  for (Source& source : from) {
    const uint32_t fragment = source.fragment;
    const uint64_t first = live;
    live += source.rows - (source.deleted == nullptr ? 0 : source.deleted->CountIn(0, source.rows));
    sources_.emplace(fragment, Moved{std::move(source), first, groups_.size()});
  }
  Group& group = groups_.emplace_back();
  group.targets = std::move(to);
  for (const Target& target : group.targets) {
    written += target.rows;
    group.ends.push_back(written);
  }
  return live == written ? Status::Ok() : Status::Internal("{} rows became {} rows", live, written);
}

std::optional<RowAddress> RowMoves::Find(RowAddress row) const {
  const auto found = sources_.find(row.fragment);
  if (found == sources_.end()) {
    return std::nullopt;
  }
  const Moved& moved = found->second;
  const RoaringBitmap* deleted = moved.source.deleted.get();
  if (row.offset >= moved.source.rows || (deleted != nullptr && deleted->Contains(row.offset))) {
    return std::nullopt;
  }
  const uint64_t gone = deleted == nullptr ? 0 : deleted->CountIn(0, row.offset);
  const uint64_t at = moved.first + row.offset - gone;
  const Group& group = groups_[moved.group];
  const auto end = std::upper_bound(group.ends.begin(), group.ends.end(), at);
  const auto target = static_cast<size_t>(end - group.ends.begin());
  const uint64_t before = target == 0 ? 0 : group.ends[target - 1];
  return RowAddress{group.targets[target].fragment, static_cast<uint32_t>(at - before)};
}

}  // namespace pchronicle::lance
