#include "pchronicle/lance/index/segment_writer.h"

namespace pchronicle::lance {

Status SegmentEntries::Add(const columnar::Array& array, const std::vector<uint64_t>& numbers) {
  std::string bytes;
  std::map<uint32_t, std::vector<uint32_t>> without;
  for (int64_t i = 0; i < array.length; ++i) {
    const uint64_t number = numbers[static_cast<size_t>(i)];
    if (array.IsNull(i)) {
      without[static_cast<uint32_t>(number >> 32)].push_back(static_cast<uint32_t>(number));
      continue;
    }
    bytes.clear();
    key.Append(array, i, &bytes);
    PCHRONICLE_RETURN_IF_ERROR(values.Add(bytes, number));
  }
  for (const auto& [upper, lower] : without) {
    LowerHalves& entry = nulls[upper];
    entry.rows = entry.rows.Union(RoaringBitmap::FromValues(lower));
  }
  return Status::Ok();
}

uint64_t SegmentEntries::size() const {
  uint64_t count = values.size();
  for (const auto& [upper, entry] : nulls) {
    count += entry.rows.cardinality();
  }
  return count;
}

}  // namespace pchronicle::lance
