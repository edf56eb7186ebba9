#include "pchronicle/lance/index/entry_sorter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace pchronicle::lance {
namespace {

// An entry in the temporary file: u32 size of the key, u64 number, key.
constexpr size_t kHead = sizeof(uint32_t) + sizeof(uint64_t);
constexpr size_t kSpillBytes = 1 << 20;
// Keys of one byte are the smallest that need memory of their own.
constexpr size_t kSmallKey = 1;
// Entries by which the memory for all keys is judged.
constexpr size_t kSample = 4096;
constexpr uint64_t kSmallestWindow = 64 << 10, kLargestWindow = 1 << 20;

void AppendEntry(std::string_view key, uint64_t number, std::string* out) {
  const auto size = static_cast<uint32_t>(key.size());
  out->append(reinterpret_cast<const char*>(&size), sizeof(size));
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
  out->append(key);
}

// Big-endian, so that prefixes compare as their bytes do.
uint64_t PrefixOf(std::string_view key) {
  uint64_t prefix = 0;
  std::memcpy(&prefix, key.data(), std::min<size_t>(key.size(), sizeof(prefix)));
  return __builtin_bswap64(prefix);
}

size_t SharedBytes(std::string_view a, std::string_view b, size_t limit) {
  limit = std::min({limit, a.size(), b.size()});
  if (std::memcmp(a.data(), b.data(), limit) == 0) {
    return limit;
  }
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(limit), b.begin()).first -
      a.begin());
}

// So few slots are compared.
constexpr size_t kFewSlots = 64;

// Sorts by one byte of the prefix after the other, the highest first, and keeps the order of equal
// ones: a comparison of random keys is a branch that is mispredicted every second time. `compare`
// sorts few slots, and those with the same prefix. `room` is as large as `slots`.
template <typename Slot, typename Compare>
void SortByPrefix(std::span<Slot> slots, std::span<Slot> room, const Compare& compare,
                  uint32_t shift = 56) {
  const auto byte = [&](const Slot& slot) {
    return static_cast<size_t>(slot.prefix >> shift & 0xff);
  };
  const auto go_on = [&](std::span<Slot> bucket, std::span<Slot> bucket_room) {
    if (bucket.size() <= kFewSlots || shift == 0) {
      compare(bucket);
    } else {
      SortByPrefix(bucket, bucket_room, compare, shift - 8);
    }
  };
  std::array<size_t, 256> next = {};
  for (const Slot& slot : slots) {
    ++next[byte(slot)];
  }
  if (slots.empty() || next[byte(slots[0])] == slots.size()) {
    return go_on(slots, room);
  }
  size_t total = 0;
  for (size_t& count : next) {
    count = std::exchange(total, total + count);
  }
  for (const Slot& slot : slots) {
    room[next[byte(slot)]++] = slot;
  }
  std::copy(room.begin(), room.end(), slots.begin());
  size_t begin = 0;
  for (const size_t end : next) {
    go_on(slots.subspan(begin, end - begin), room.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

void EntrySorter::Expect(uint64_t entries) {
  expected_ += entries;
  slots_.reserve(
      static_cast<size_t>(std::min(expected_, memory_bytes_ / (kSlotBytes + kSmallKey))));
}

Status EntrySorter::Add(std::string_view key, uint64_t number) {
  if (key.size() > UINT32_MAX) {
    return Status::ResourceExhausted("a value of {} bytes in an index", key.size());
  }
  if (!slots_.empty() &&
      keys_.size() + key.size() + (slots_.size() + 1) * kSlotBytes > memory_bytes_) {
    PCHRONICLE_RETURN_IF_ERROR(Spill());
  }
  shared_ = slots_.empty() ? key.size() : SharedBytes(KeyOf(slots_.front()), key, shared_);
  if (slots_.size() == kSample && expected_ > kSample) {
    const uint64_t all = keys_.size() / kSample * expected_;
    keys_.reserve(static_cast<size_t>(std::min(all + all / 8, memory_bytes_)));
  }
  slots_.push_back({0, number, keys_.size(), static_cast<uint32_t>(key.size())});
  keys_.append(key);
  ++size_;
  return Status::Ok();
}

void EntrySorter::Sort() {
  for (Slot& slot : slots_) {
    slot.prefix = PrefixOf(KeyOf(slot).substr(shared_));
  }
  const auto below = [&](const Slot& a, const Slot& b) {
    if (a.prefix != b.prefix) {
      return a.prefix < b.prefix;
    }
    // Short keys are the same where the zeros of their prefixes may stand for bytes that are there.
    const int order = KeyOf(a).substr(shared_).compare(KeyOf(b).substr(shared_));
    return order != 0 ? order < 0 : a.number < b.number;
  };
  const auto compare = [&](std::span<Slot> slots) {
    // Merged segments, rows in the order of time and the rows of one value come sorted.
    if (!std::is_sorted(slots.begin(), slots.end(), below)) {
      std::sort(slots.begin(), slots.end(), below);
    }
  };
  if (slots_.size() <= kFewSlots || std::is_sorted(slots_.begin(), slots_.end(), below)) {
    return compare(slots_);
  }
  const auto room = std::make_unique_for_overwrite<Slot[]>(slots_.size());
  SortByPrefix(std::span(slots_), std::span(room.get(), slots_.size()), compare);
}

Status EntrySorter::Spill() {
  if (!file_.is_open()) {
    PCHRONICLE_RETURN_IF_ERROR(file_.Open());
  }
  Sort();
  const uint64_t begin = file_.size();
  std::string bytes;
  for (const Slot& slot : slots_) {
    AppendEntry(KeyOf(slot), slot.number, &bytes);
    if (bytes.size() >= kSpillBytes) {
      PCHRONICLE_RETURN_IF_ERROR(file_.Append(bytes));
      bytes.clear();
    }
  }
  PCHRONICLE_RETURN_IF_ERROR(file_.Append(bytes));
  runs_.push_back({begin, file_.size()});
  slots_.clear();
  keys_.clear();
  return Status::Ok();
}

/// The entries in memory.
class MemoryCursor : public EntryCursor {
 public:
  explicit MemoryCursor(const EntrySorter& sorter) : sorter_(sorter) {}
  Result<bool> Next(IndexEntry* out) override {
    if (at_ == sorter_.slots_.size()) {
      return false;
    }
    if (sorter_.slots_.size() - at_ > kAhead) {
      // Sorted keys lie anywhere in memory: each would be waited for.
      __builtin_prefetch(sorter_.keys_.data() + sorter_.slots_[at_ + kAhead].at);
    }
    const EntrySorter::Slot& slot = sorter_.slots_[at_++];
    *out = {sorter_.KeyOf(slot), slot.number};
    return true;
  }

 private:
  static constexpr size_t kAhead = 16;
  const EntrySorter& sorter_;
  size_t at_ = 0;
};

/// Pieces of the temporary file, merged through a heap of their next entries.
class MergeCursor : public EntryCursor {
 public:
  MergeCursor(const EntrySorter& sorter, uint64_t window_bytes) : file_(sorter.file_) {
    for (const EntrySorter::Run& run : sorter.runs_) {
      sources_.push_back({run.begin, run.end, window_bytes, {}, 0, {}});
    }
  }

  Status Open() {
    for (size_t i = 0; i < sources_.size(); ++i) {
      PCHRONICLE_RETURN_IF_ERROR(Push(i));
    }
    return Status::Ok();
  }

  Result<bool> Next(IndexEntry* out) override {
    if (last_ != kNone) {
      PCHRONICLE_RETURN_IF_ERROR(Push(last_));
      last_ = kNone;
    }
    if (heap_.empty()) {
      return false;
    }
    std::pop_heap(heap_.begin(), heap_.end(), Above{this});
    last_ = heap_.back();
    heap_.pop_back();
    *out = sources_[last_].entry;
    return true;
  }

 private:
  struct Source {
    uint64_t next, end;  // of the file, not in the window yet
    uint64_t window_bytes;
    std::string window;
    size_t at;
    IndexEntry entry;
  };
  struct Above {
    const MergeCursor* self;
    bool operator()(size_t a, size_t b) const {
      const IndexEntry &left = self->sources_[a].entry, &right = self->sources_[b].entry;
      const int order = left.key.compare(right.key);
      return order != 0 ? order > 0 : left.number > right.number;
    }
  };

  // Reads until `bytes` lie in the window; false when the piece is over before its first one.
  Result<bool> Fill(Source* source, size_t bytes) {
    const size_t have = source->window.size() - source->at;
    if (have >= bytes) {
      return true;
    }
    if (source->next == source->end && have == 0) {
      return false;
    }
    const uint64_t more =
        std::min(source->end - source->next, std::max(source->window_bytes, uint64_t{bytes}));
    source->window.erase(0, source->at);
    source->at = 0;
    source->window.resize(have + static_cast<size_t>(more));
    PCHRONICLE_RETURN_IF_ERROR(file_.ReadAt(
        source->next, std::span(source->window.data() + have, static_cast<size_t>(more))));
    source->next += more;
    return source->window.size() >= bytes
               ? Result<bool>(true)
               : Status::Corruption("the temporary file of a sort ends within an entry");
  }

  Status Push(size_t number) {
    Source& source = sources_[number];
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, Fill(&source, kHead));
    if (!more) {
      source.window = std::string();
      return Status::Ok();
    }
    uint32_t size = 0;
    std::memcpy(&size, source.window.data() + source.at, sizeof(size));
    PCHRONICLE_RETURN_IF_ERROR(Fill(&source, kHead + size).status());
    const char* head = source.window.data() + source.at;
    std::memcpy(&source.entry.number, head + sizeof(size), sizeof(uint64_t));
    source.entry.key = {head + kHead, size};
    source.at += kHead + size;
    heap_.push_back(number);
    std::push_heap(heap_.begin(), heap_.end(), Above{this});
    return Status::Ok();
  }

  static constexpr size_t kNone = SIZE_MAX;
  const io::NamelessFile& file_;
  std::vector<Source> sources_;
  std::vector<size_t> heap_;
  size_t last_ = kNone;  // whose entry was given, and which is not in the heap
};

Result<std::unique_ptr<EntryCursor>> EntrySorter::Read() {
  if (runs_.empty()) {
    if (!sorted_) {
      Sort();
      sorted_ = true;
    }
    return std::unique_ptr<EntryCursor>(new MemoryCursor(*this));
  }
  if (!slots_.empty()) {
    PCHRONICLE_RETURN_IF_ERROR(Spill());
    slots_ = {};
    keys_ = {};
  }
  const uint64_t window = std::clamp(memory_bytes_ / runs_.size(), kSmallestWindow, kLargestWindow);
  auto cursor = std::make_unique<MergeCursor>(*this, window);
  PCHRONICLE_RETURN_IF_ERROR(cursor->Open());
  return std::unique_ptr<EntryCursor>(std::move(cursor));
}

}  // namespace pchronicle::lance
