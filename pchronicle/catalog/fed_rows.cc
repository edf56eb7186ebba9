#include "pchronicle/catalog/fed_rows.h"

namespace pchronicle::catalog {

FedRows::FedRows(ScanGroup* group, size_t reader, uint64_t order) : group_(group), order_(order) {
  if (group_ != nullptr) {
    for (const size_t member : group_->Feed(reader, order)) {
      feeds_.push_back({member, nullptr, {}, 0});
    }
  }
}

FedRows::~FedRows() { GiveUp(); }

model::FieldMask FedRows::fields() const {
  model::FieldMask fields;
  for (const Feed& feed : feeds_) {
    fields |= group_->fields(feed.member);
  }
  return fields;
}

void FedRows::BeginSource(const SinkMaker& make, model::TeeSink& tee) {
  for (Feed& feed : feeds_) {
    feed.sink = make(group_->member(feed.member));
    tee.Add(*feed.sink);
  }
}

bool FedRows::Fit() const {
  uint64_t bytes = 0;
  for (const Feed& feed : feeds_) {
    bytes += feed.bytes + (feed.sink != nullptr ? BatchBytes(feed.sink->batch()) : 0);
  }
  return feeds_.empty() || group_->Fits(bytes);
}

uint64_t FedRows::id_bytes() const {
  uint64_t bytes = 0;
  for (const Feed& feed : feeds_) {
    bytes += feed.sink != nullptr ? feed.sink->id_bytes() : 0;
  }
  return bytes;
}

bool FedRows::needs_second_pass() const {
  for (const Feed& feed : feeds_) {
    if (feed.sink != nullptr && feed.sink->needs_second_pass()) {
      return true;
    }
  }
  return false;
}

void FedRows::EndSource(ScanCounters& counters) {
  for (Feed& feed : feeds_) {
    if (feed.sink == nullptr) {
      continue;
    }
    CountRows(counters, feed.sink->counters());
    if (feed.sink->batch().rows > 0) {
      feed.rows.push_back(std::move(feed.sink->batch()));
      feed.bytes += BatchBytes(feed.rows.back());
    }
    feed.sink.reset();
  }
}

void FedRows::Deliver() {
  for (Feed& feed : feeds_) {
    group_->Deliver(feed.member, order_, std::move(feed.rows));
  }
  feeds_.clear();
}

void FedRows::GiveUp() {
  for (const Feed& feed : feeds_) {
    group_->GiveUp(feed.member, order_);
  }
  feeds_.clear();
}

void CountRows(ScanCounters& counters, const model::RowSink::Counters& seen) {
  counters.documents_scanned += seen.documents_scanned;
  counters.documents_pruned += seen.documents_pruned;
  counters.rows_scanned += seen.rows_scanned;
  counters.rows_pruned += seen.rows_pruned;
  counters.rows_emitted += seen.rows_emitted;
}

}  // namespace pchronicle::catalog
