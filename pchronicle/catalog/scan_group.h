#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/hash.h"
#include "pchronicle/catalog/scan.h"

namespace pchronicle::catalog {

/// Ids of documents that the ranges of one source have read, each with the range it came from.
/// Thread-safe.
class RangeIds {
 public:
  /// False: another range has one of them.
  bool Add(const std::vector<Hash128>& ids, uint64_t range);
  /// Memory held.
  uint64_t bytes() const;

 private:
  mutable std::mutex mutex_;  // guards seen_
  std::unordered_map<Hash128, uint64_t, Hash128Hasher> seen_;
};

/// Scans of one query over the same sources. Whoever reads a task's bytes first also makes the rows
/// that the other members want of it, as far as they fit into a budget of memory: a join of two
/// relations reads the files once. Every member must cut the sources into the same tasks. Members
/// are numbered as announced; `order` is that of ScanTask. Thread-safe.
class ScanGroup {
 public:
  using Rows = std::vector<columnar::Batch>;  // of one member and task, in order

  ScanGroup(std::vector<ScanRequest> members, uint64_t max_bytes);

  const ScanRequest& member(size_t index) const { return members_[index]; }
  /// What a walker has to read for a member.
  model::FieldMask fields(size_t index) const { return fields_[index]; }
  /// Some member needs the number of each document in its source.
  bool needs_ordinal() const { return needs_ordinal_; }
  /// No member looks at a cell.
  bool counts_only() const { return counts_only_; }
  /// Of one source, shared by all members.
  std::shared_ptr<RangeIds> ids(size_t source);

  /// Rows that another member made for this task; nullopt: the caller has to read it. Their memory
  /// is charged until Consumed(bytes).
  std::optional<Rows> Take(size_t member, uint64_t order, uint64_t* bytes);
  void Consumed(uint64_t bytes) { charged_ -= bytes; }

  /// Members for which the reader of a task should make rows too; none when the budget is used up.
  std::vector<size_t> Feed(size_t reader, uint64_t order);
  /// True while `bytes` more, made but not handed over, still fit.
  bool Fits(uint64_t bytes);
  /// The most that rows of the group were seen to hold.
  uint64_t peak_bytes() const { return peak_bytes_; }
  /// Hands over all rows of a task.
  void Deliver(size_t member, uint64_t order, Rows rows);
  /// The rows of a task will not come.
  void GiveUp(size_t member, uint64_t order);

 private:
  enum class State : uint8_t { kOpen, kBeingMade, kReady, kTaken };
  struct Slot {
    State state = State::kOpen;
    Rows rows;
    uint64_t bytes = 0;
  };

  const std::vector<ScanRequest> members_;
  std::vector<model::FieldMask> fields_;
  const uint64_t max_bytes_;
  bool needs_ordinal_ = false;
  bool counts_only_ = true;
  std::atomic<uint64_t> charged_{0}, peak_bytes_{0};
  std::mutex mutex_;                                       // guards what follows
  std::vector<std::unordered_map<uint64_t, Slot>> slots_;  // by member, then by task
  std::map<size_t, std::shared_ptr<RangeIds>> ids_;
};

/// Memory that a batch holds.
uint64_t BatchBytes(const columnar::Batch& batch);
/// What a walker has to read for the rows of a request.
model::FieldMask FieldsOf(const ScanRequest& request);
/// True when the request outputs a column or tests it.
bool UsesColumn(const ScanRequest& request, std::string_view name);
/// Relations whose rows are made by reading the sources one by one.
bool IsRowRelation(model::Relation relation);

}  // namespace pchronicle::catalog
