#include "pchronicle/lance/edit/stored_row_ids.h"

#include <vector>

#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance {
namespace {

using proto::IdSegment;

// A range takes about as many bytes as so many ids of an array.
constexpr size_t kRangeWorth = 3;

IdSegment Range(uint64_t start, uint64_t length) {
  IdSegment out;
  out.start = start;
  out.end = start + length;
  return out;
}

}  // namespace

std::string EncodeIdRange(uint64_t start, uint64_t rows) {
  return proto::WriteRowIdSequence({Range(start, rows)}).Take();
}

std::string EncodeIds(std::span<const uint64_t> ids) {
  std::vector<IdSegment> segments;
  for (size_t begin = 0; begin < ids.size();) {
    size_t end = begin + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) {
      ++end;
    }
    if (end - begin >= kRangeWorth) {
      segments.push_back(Range(ids[begin], end - begin));
    } else {
      if (segments.empty() || segments.back().kind != IdSegment::Kind::kArray) {
        segments.emplace_back().kind = IdSegment::Kind::kArray;
      }
      segments.back().values.insert(segments.back().values.end(), ids.data() + begin,
                                    ids.data() + end);
    }
    begin = end;
  }
  return proto::WriteRowIdSequence(segments).Take();
}

std::string EncodeVersionRun(uint64_t rows, uint64_t version) {
  return proto::WriteVersionRuns({{Range(0, rows), version}}).Take();
}

std::string EncodeVersions(std::span<const uint64_t> versions) {
  std::vector<proto::VersionRun> runs;
  for (size_t begin = 0; begin < versions.size();) {
    size_t end = begin + 1;
    while (end < versions.size() && versions[end] == versions[begin]) {
      ++end;
    }
    runs.push_back({Range(begin, end - begin), versions[begin]});
    begin = end;
  }
  return proto::WriteVersionRuns(runs).Take();
}

}  // namespace pchronicle::lance
