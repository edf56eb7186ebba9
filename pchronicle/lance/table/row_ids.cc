#include "pchronicle/lance/table/row_ids.h"

#include <algorithm>

namespace pchronicle::lance {
namespace {

// How many ids a segment stands for; the members were parsed, not checked.
Result<uint64_t> SegmentLength(const proto::IdSegment& segment) {
  if (segment.kind == proto::IdSegment::Kind::kSorted ||
      segment.kind == proto::IdSegment::Kind::kArray) {
    return segment.values.size();
  }
  if (segment.end < segment.start) {
    return Status::Corruption("row id range {}..{} ends before it starts", segment.start,
                              segment.end);
  }
  const uint64_t span = segment.end - segment.start;
  if (segment.kind == proto::IdSegment::Kind::kRange) {
    return span;
  }
  if (segment.kind == proto::IdSegment::Kind::kRangeWithHoles) {
    if (segment.values.size() > span) {
      return Status::Corruption("row id range {}..{} has {} holes", segment.start, segment.end,
                                segment.values.size());
    }
    return span - segment.values.size();
  }
  if (segment.bitmap.size() < span / 8 + (span % 8 != 0)) {
    return Status::Corruption("row id bitmap of {} bytes for {} ids", segment.bitmap.size(), span);
  }
  uint64_t set = 0;
  for (uint64_t i = 0; i < span; ++i) {
    set += static_cast<uint8_t>(segment.bitmap[i / 8]) >> (i % 8) & 1;
  }
  return set;
}

}  // namespace

RowIdSequence RowIdSequence::FromAddresses(uint32_t fragment, uint64_t rows) {
  RowIdSequence out;
  if (rows > 0) {
    out.runs_.push_back({0, RowAddress{fragment, 0}.ToU64(), rows});
  }
  out.rows_ = rows;
  return out;
}

Result<RowIdSequence> RowIdSequence::Decode(std::string_view bytes, uint64_t rows) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<proto::IdSegment> segments,
                              proto::ParseRowIdSequence(bytes));
  RowIdSequence out;
  for (const proto::IdSegment& segment : segments) {
    PCHRONICLE_RETURN_IF_ERROR(out.AddSegment(segment, rows));
  }
  if (out.rows_ != rows) {
    return Status::Corruption("{} row ids for {} rows", out.rows_, rows);
  }
  PCHRONICLE_RETURN_IF_ERROR(out.IndexById());
  return out;
}

Status RowIdSequence::AddRun(uint64_t first_id, uint64_t length, uint64_t limit) {
  if (length == 0) {
    return Status::Ok();
  }
  if (length > limit - rows_) {
    return Status::Corruption("more than {} row ids, one for each row", limit);
  }
  if (!runs_.empty() && runs_.back().first_id + runs_.back().length == first_id) {
    runs_.back().length += length;
  } else {
    runs_.push_back({rows_, first_id, length});
  }
  rows_ += length;
  return Status::Ok();
}

Status RowIdSequence::AddSegment(const proto::IdSegment& segment, uint64_t limit) {
  PCHRONICLE_RETURN_IF_ERROR(SegmentLength(segment).status());
  switch (segment.kind) {
    case proto::IdSegment::Kind::kRange:
      return AddRun(segment.start, segment.end - segment.start, limit);
    case proto::IdSegment::Kind::kRangeWithHoles: {
      std::vector<uint64_t> holes = segment.values;
      std::sort(holes.begin(), holes.end());
      uint64_t at = segment.start;
      for (const uint64_t hole : holes) {
        if (hole < at || hole >= segment.end) {
          return Status::Corruption("row id hole {} is outside its range or there twice", hole);
        }
        PCHRONICLE_RETURN_IF_ERROR(AddRun(at, hole - at, limit));
        at = hole + 1;
      }
      return AddRun(at, segment.end - at, limit);
    }
    case proto::IdSegment::Kind::kRangeWithBitmap: {
      const uint64_t span = segment.end - segment.start;
      for (uint64_t i = 0; i < span; ++i) {
        if ((static_cast<uint8_t>(segment.bitmap[i / 8]) >> (i % 8) & 1) != 0) {
          PCHRONICLE_RETURN_IF_ERROR(AddRun(segment.start + i, 1, limit));
        }
      }
      return Status::Ok();
    }
    case proto::IdSegment::Kind::kSorted:
    case proto::IdSegment::Kind::kArray:
      for (const uint64_t id : segment.values) {
        PCHRONICLE_RETURN_IF_ERROR(AddRun(id, 1, limit));
      }
      return Status::Ok();
  }
  return Status::Internal("row id segment kind");
}

Status RowIdSequence::IndexById() {
  const auto by_first_id = [](const Run& a, const Run& b) { return a.first_id < b.first_id; };
  if (!std::is_sorted(runs_.begin(), runs_.end(), by_first_id)) {
    by_id_.resize(runs_.size());
    for (uint32_t i = 0; i < by_id_.size(); ++i) {
      by_id_[i] = i;
    }
    std::sort(by_id_.begin(), by_id_.end(),
              [&](uint32_t a, uint32_t b) { return runs_[a].first_id < runs_[b].first_id; });
  }
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = by_id_.empty() ? runs_[i] : runs_[by_id_[i]];
    if (run.first_id > UINT64_MAX - run.length) {
      return Status::Corruption("row ids from {} on run beyond 64 bits", run.first_id);
    }
    if (i > 0) {
      const Run& before = by_id_.empty() ? runs_[i - 1] : runs_[by_id_[i - 1]];
      if (before.first_id + before.length > run.first_id) {
        return Status::Corruption("row id {} is there twice", run.first_id);
      }
    }
  }
  return Status::Ok();
}

size_t RowIdSequence::RunOf(uint64_t row) const {
  const auto it = std::upper_bound(runs_.begin(), runs_.end(), row,
                                   [](uint64_t r, const Run& run) { return r < run.first_row; });
  return static_cast<size_t>(it - runs_.begin()) - 1;
}

uint64_t RowIdSequence::At(uint64_t row) const {
  PCHRONICLE_DCHECK(row < rows_);
  const Run& run = runs_[RunOf(row)];
  return run.first_id + (row - run.first_row);
}

void RowIdSequence::AppendIds(uint64_t begin, uint64_t end, std::vector<uint64_t>* out) const {
  for (size_t i = begin < end ? RunOf(begin) : 0; begin < end; ++i) {
    const Run& run = runs_[i];
    const uint64_t stop = std::min(end, run.first_row + run.length);
    for (; begin < stop; ++begin) {
      out->push_back(run.first_id + (begin - run.first_row));
    }
  }
}

std::optional<uint64_t> RowIdSequence::Find(uint64_t id) const {
  size_t low = 0, high = runs_.size();  // the last run that starts at or below id
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const Run& run = by_id_.empty() ? runs_[middle] : runs_[by_id_[middle]];
    if (run.first_id <= id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) {
    return std::nullopt;
  }
  const Run& run = by_id_.empty() ? runs_[low - 1] : runs_[by_id_[low - 1]];
  if (id - run.first_id >= run.length) {
    return std::nullopt;
  }
  return run.first_row + (id - run.first_id);
}

Result<RowVersions> RowVersions::Decode(std::string_view bytes, uint64_t rows) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<proto::VersionRun> runs,
                              proto::ParseVersionRuns(bytes));
  RowVersions out;
  uint64_t end = 0;
  for (const proto::VersionRun& run : runs) {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t length, SegmentLength(run.span));
    if (length > rows - end) {
      return Status::Corruption("row versions for more than {} rows", rows);
    }
    end += length;
    out.runs_.emplace_back(end, run.version);
  }
  if (end != rows) {
    return Status::Corruption("row versions for {} of {} rows", end, rows);
  }
  return out;
}

uint64_t RowVersions::At(uint64_t row) const {
  const auto it = std::upper_bound(runs_.begin(), runs_.end(), row,
                                   [](uint64_t r, const auto& run) { return r < run.first; });
  PCHRONICLE_DCHECK(it != runs_.end());
  return it->second;
}

}  // namespace pchronicle::lance
