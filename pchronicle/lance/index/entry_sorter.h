#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/io/nameless_file.h"

namespace pchronicle::lance {

/// An entry of an index: the key of a value (IndexKey) and the number of a row that has it.
struct IndexEntry {
  std::string_view key;
  uint64_t number = 0;
};

/// Gives sorted entries. Not thread-safe.
class EntryCursor {
 public:
  virtual ~EntryCursor() = default;
  /// False at the end. The key is valid until the next call.
  virtual Result<bool> Next(IndexEntry* out) = 0;
};

/// Sorts entries by key, those of one key by number, in bounded memory: what does not fit is
/// sorted in pieces that go to a temporary file and are merged when read. Not thread-safe.
class EntrySorter {
 public:
  explicit EntrySorter(uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  /// About so many entries will come: memory for them is taken at once, as far as it may be used.
  void Expect(uint64_t entries);
  /// kIo, kResourceExhausted: the temporary file, or a key of 4 GiB.
  Status Add(std::string_view key, uint64_t number);
  uint64_t size() const { return size_; }
  /// Pieces that went to the temporary file.
  size_t spilled() const { return runs_.size(); }
  /// Ends adding; may be called again to read once more. The sorter outlives the cursor; one cursor
  /// at a time.
  Result<std::unique_ptr<EntryCursor>> Read();

 private:
  friend class MemoryCursor;
  friend class MergeCursor;
  struct Slot {
    uint64_t prefix;  // eight bytes of the key behind what all keys share
    uint64_t number;
    uint64_t at;  // in keys_
    uint32_t size;
  };
  static constexpr size_t kSlotBytes = 2 * sizeof(Slot);  // with room to sort
  struct Run {
    uint64_t begin, end;  // in file_
  };
  std::string_view KeyOf(const Slot& slot) const { return {keys_.data() + slot.at, slot.size}; }
  void Sort();
  Status Spill();

  const uint64_t memory_bytes_;
  uint64_t size_ = 0, expected_ = 0;
  std::string keys_;
  std::vector<Slot> slots_;
  size_t shared_ = 0;  // bytes that the keys in memory have in common
  bool sorted_ = false;
  std::vector<Run> runs_;
  io::NamelessFile file_;
};

}  // namespace pchronicle::lance
