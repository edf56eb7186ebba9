#include <algorithm>

#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/scan_task.h"
#include "pchronicle/json/decoded_bytes.h"

namespace pchronicle::catalog {
namespace {

void RaiseTo(std::atomic<uint64_t>& peak, uint64_t value) {
  uint64_t seen = peak.load();
  while (seen < value && !peak.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

void ScanMetrics::Add(const ScanCounters& counters) {
  sources_opened += counters.sources_opened;
  bytes_read += counters.bytes_read;
  bytes_decoded += counters.bytes_decoded;
  compressed_bytes_read += counters.compressed_bytes_read;
  documents_scanned += counters.documents_scanned;
  documents_pruned += counters.documents_pruned;
  rows_scanned += counters.rows_scanned;
  rows_pruned += counters.rows_pruned;
  pages_decoded += counters.pages_decoded;
  rows_emitted += counters.rows_emitted;
  rows_shared += counters.rows_shared;
  streamed_records += counters.streamed_records;
  busy_ns += counters.busy_ns;
  RaiseTo(buffer_peak_bytes, counters.buffer_peak_bytes);
  RaiseTo(id_peak_bytes, counters.id_peak_bytes);
}

ScanMeter::ScanMeter()
    : since_(std::chrono::steady_clock::now()), decoded_before_(json::DecodedBytesOfThread()) {}

void ScanMeter::AddTo(ScanCounters& counters) {
  const auto now = std::chrono::steady_clock::now();
  const uint64_t decoded = json::DecodedBytesOfThread();
  counters.busy_ns += static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - since_).count());
  counters.bytes_decoded += decoded - decoded_before_;
  since_ = now;
  decoded_before_ = decoded;
}

void QueryScope::AddCost(const Source& source, const ScanCounters& counters) {
  if (!keeps_costs_) {
    return;
  }
  const std::lock_guard lock(mutex_);
  SourceCost& cost = costs_[&source];
  cost.busy_ns += counters.busy_ns;
  cost.bytes_read += counters.bytes_read;
}

std::vector<SourceCost> QueryScope::SlowestSources(size_t most) const {
  std::vector<SourceCost> costs;
  {
    const std::lock_guard lock(mutex_);
    costs.reserve(costs_.size());
    for (const auto& [source, cost] : costs_) {
      costs.push_back({source->file, cost.busy_ns, cost.bytes_read});
    }
  }
  std::sort(costs.begin(), costs.end(), [](const SourceCost& a, const SourceCost& b) {
    return std::tie(b.busy_ns, a.file) < std::tie(a.busy_ns, b.file);
  });
  costs.resize(std::min(costs.size(), most));
  return costs;
}

}  // namespace pchronicle::catalog
