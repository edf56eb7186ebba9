#include "pchronicle/catalog/scan_group.h"

#include <algorithm>

#include "pchronicle/base/hashed_bytes.h"

namespace pchronicle::catalog {
namespace {

uint64_t ColumnBytes(const columnar::Column& column) {
  uint64_t bytes = column.valid().capacity() + column.ints().capacity() * sizeof(int64_t) +
                   column.doubles().capacity() * sizeof(double) +
                   column.texts().capacity() * sizeof(std::string_view);
  if (columnar::IsList(column.type())) {
    bytes += column.size() * sizeof(uint64_t) + ColumnBytes(column.element());
  }
  return bytes;
}

uint64_t TextBytes(const columnar::Column& column) {
  uint64_t bytes = 0;
  for (const std::string_view text : column.texts()) {
    bytes += text.size();
  }
  return bytes + (columnar::IsList(column.type()) ? TextBytes(column.element()) : 0);
}

/// The arena of a small source is one block, of which only the used pages are real memory.
uint64_t TextBytes(const columnar::Batch& batch) {
  constexpr uint64_t kOneBlock = 64 << 10, kPage = 4096;
  const uint64_t held = batch.text->bytes();
  if (held > kOneBlock) {
    return held;
  }
  uint64_t used = 0;
  for (const columnar::Column& column : batch.columns) {
    used += TextBytes(column);
  }
  return std::min(held, (used / kPage + 1) * kPage);
}

}  // namespace

bool RangeIds::Add(const std::vector<Hash128>& ids, uint64_t range) {
  const std::lock_guard lock(mutex_);
  bool alone = true;
  for (const Hash128& id : ids) {
    alone = seen_.try_emplace(id, range).first->second == range && alone;
  }
  return alone;
}

uint64_t RangeIds::bytes() const {
  const std::lock_guard lock(mutex_);
  return HashedBytes(seen_);
}

ScanGroup::ScanGroup(std::vector<ScanRequest> members, uint64_t max_bytes)
    : members_(std::move(members)), max_bytes_(max_bytes), slots_(members_.size()) {
  for (const ScanRequest& member : members_) {
    needs_ordinal_ |= UsesColumn(member, "storage_ordinal");
    fields_.push_back(FieldsOf(member));
    counts_only_ &= member.columns.empty() && member.predicates.empty();
  }
}

model::FieldMask FieldsOf(const ScanRequest& request) {
  model::RowSink::Request row;
  row.relation = request.relation;
  row.columns = request.columns;
  row.predicates = request.predicates;
  return model::RequiredFields(row);
}

std::shared_ptr<RangeIds> ScanGroup::ids(size_t source) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<RangeIds>& ids = ids_[source];
  if (ids == nullptr) {
    ids = std::make_shared<RangeIds>();
  }
  return ids;
}

std::optional<ScanGroup::Rows> ScanGroup::Take(size_t member, uint64_t order, uint64_t* bytes) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[member][order];
  const bool ready = slot.state == State::kReady;
  slot.state = State::kTaken;
  if (!ready) {
    return std::nullopt;
  }
  *bytes = std::exchange(slot.bytes, 0);
  return std::exchange(slot.rows, {});
}

std::vector<size_t> ScanGroup::Feed(size_t reader, uint64_t order) {
  std::vector<size_t> fed;
  if (!Fits(1)) {
    return fed;
  }
  const std::lock_guard lock(mutex_);
  for (size_t member = 0; member < members_.size(); ++member) {
    Slot& slot = slots_[member][order];
    if (member != reader && slot.state == State::kOpen) {
      slot.state = State::kBeingMade;
      fed.push_back(member);
    }
  }
  return fed;
}

bool ScanGroup::Fits(uint64_t bytes) {
  const uint64_t held = charged_.load() + bytes;
  uint64_t peak = peak_bytes_.load();
  while (peak < held && !peak_bytes_.compare_exchange_weak(peak, held)) {
  }
  return held <= max_bytes_;
}

void ScanGroup::Deliver(size_t member, uint64_t order, Rows rows) {
  uint64_t bytes = 0;
  for (const columnar::Batch& batch : rows) {
    bytes += BatchBytes(batch);
  }
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[member][order];
  if (slot.state != State::kBeingMade) {
    return;  // the member came first and reads on its own
  }
  slot.state = State::kReady;
  slot.rows = std::move(rows);
  slot.bytes = bytes;
  charged_ += bytes;
}

void ScanGroup::GiveUp(size_t member, uint64_t order) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[member][order];
  if (slot.state == State::kBeingMade) {
    slot.state = State::kOpen;
  }
}

void QueryScope::Announce(const std::vector<ScanRequest>& scans) {
  std::vector<Membership> places(scans.size());
  for (size_t first = 0; first < scans.size(); ++first) {
    if (places[first].group != nullptr || !IsRowRelation(scans[first].relation)) {
      continue;
    }
    std::vector<size_t> members;
    std::vector<ScanRequest> requests;
    for (size_t i = first; i < scans.size(); ++i) {
      if (IsRowRelation(scans[i].relation) && scans[i].dataset == scans[first].dataset &&
          scans[i].file_predicate == scans[first].file_predicate) {
        members.push_back(i);
        requests.push_back(scans[i]);
      }
    }
    if (members.size() > 1) {
      const auto group = std::make_shared<ScanGroup>(std::move(requests), shared_rows_bytes_);
      for (size_t i = 0; i < members.size(); ++i) {
        places[members[i]] = {group, i};
      }
    }
  }
  const std::lock_guard lock(mutex_);
  announced_ = std::move(places);
}

QueryScope::Membership QueryScope::MembershipOf(const ScanRequest& scan) const {
  const std::lock_guard lock(mutex_);
  if (!scan.announced || *scan.announced >= announced_.size()) {
    return {};
  }
  const Membership& place = announced_[*scan.announced];
  if (place.group == nullptr) {
    return {};
  }
  const ScanRequest& said = place.group->member(place.member);
  const bool as_said = said.dataset == scan.dataset && said.relation == scan.relation &&
                       said.columns == scan.columns && said.predicates == scan.predicates &&
                       said.file_predicate == scan.file_predicate;
  return as_said ? place : Membership();
}

uint64_t BatchBytes(const columnar::Batch& batch) {
  uint64_t bytes = TextBytes(batch);
  for (const columnar::Column& column : batch.columns) {
    bytes += ColumnBytes(column);
  }
  return bytes;
}

bool UsesColumn(const ScanRequest& request, std::string_view name) {
  const auto column = model::FindColumn(request.relation, name);
  if (!column) {
    return false;
  }
  return std::find(request.columns.begin(), request.columns.end(), *column) !=
             request.columns.end() ||
         std::any_of(
             request.predicates.begin(), request.predicates.end(),
             [&](const model::RowPredicate& predicate) { return predicate.column == *column; });
}

bool IsRowRelation(model::Relation relation) {
  switch (relation) {
    case model::Relation::kRuns:
    case model::Relation::kSteps:
    case model::Relation::kToolCalls:
    case model::Relation::kObservationResults:
    case model::Relation::kTrajectories:
      return true;
    case model::Relation::kSources:
    case model::Relation::kEvents:
    case model::Relation::kRunTree:
      return false;
  }
  return false;
}

}  // namespace pchronicle::catalog
