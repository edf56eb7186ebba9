#include "pchronicle/lance/encoding/distinct_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pchronicle/lance/encoding/compressive.h"

namespace pchronicle::lance {
namespace {

constexpr size_t kFewestSlots = 100;
/// After so many slots a page is given up when most of them were new.
constexpr size_t kProbeSlots = 4096;
/// A reader of one row loads the whole dictionary.
constexpr uint64_t kMaxItemBytes = 512 << 10;

/// Eight bytes at a time, folded by a multiplication.
class TextKeys {
 public:
  using Key = std::string_view;
  static uint64_t Hash(std::string_view text) {
    constexpr uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xd1342543de82ef95;
    uint64_t hash = text.size() * kFirst + kSecond;
    const char* at = text.data();
    size_t left = text.size();
    for (; left >= 8; left -= 8, at += 8) {
      uint64_t word;
      std::memcpy(&word, at, 8);
      hash = Mix(hash ^ word, kFirst);
    }
    uint64_t word = 0;
    if (left != 0) {
      std::memcpy(&word, at, left);
    }
    return Mix(hash ^ word, kSecond);
  }

 private:
  static uint64_t Mix(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
};

template <typename T>
class IntegerKeys {
 public:
  using Key = T;
  static uint64_t Hash(T value) {
    const uint64_t hash = uint64_t{value} * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  }
};

/// Numbers for values in the order of their first appearance; open addressing.
template <typename Keys>
class ValueNumbers {
 public:
  using Key = typename Keys::Key;
  ValueNumbers() : table_(1024) {}

  size_t size() const { return size_; }
  /// The number of a value, size() before the call if it is new.
  uint32_t Number(Key value) {
    const uint64_t hash = Keys::Hash(value);
    size_t at = hash & (table_.size() - 1);
    while (table_[at].number != 0) {
      if (table_[at].value == value) {
        return table_[at].number - 1;
      }
      at = (at + 1) & (table_.size() - 1);
    }
    const auto number = static_cast<uint32_t>(size_++);
    table_[at] = {value, number + 1};
    if (size_ * 2 > table_.size()) {
      Grow();
    }
    return number;
  }

 private:
  struct Entry {
    Key value{};
    uint32_t number = 0;  // plus one; 0: free
  };
  void Grow() {
    std::vector<Entry> bigger(table_.size() * 2);
    for (const Entry& entry : table_) {
      if (entry.number != 0) {
        size_t at = Keys::Hash(entry.value) & (bigger.size() - 1);
        while (bigger[at].number != 0) {
          at = (at + 1) & (bigger.size() - 1);
        }
        bigger[at] = entry;
      }
    }
    table_.swap(bigger);
  }

  std::vector<Entry> table_;
  size_t size_ = 0;
};

/// The least that indices of so many items take: packed or, as far as known, as runs.
uint64_t IndexBytes(size_t items, size_t slots, const DistinctLimits& limits) {
  const uint64_t packed = uint64_t{slots} * static_cast<unsigned>(std::bit_width(items - 1)) / 8;
  return limits.runs == 0 ? 0 : std::min(packed, limits.runs * (sizeof(uint32_t) + 1));
}

template <typename Offset>
void PutNumber(uint64_t value, std::string* out) {
  const auto number = static_cast<Offset>(value);
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Width of the offsets in bits, position of the texts, offsets relative to it, texts.
template <typename Offset>
std::string TextBlock(const DistinctValues& distinct) {
  std::string block;
  const size_t head = (distinct.items.size() + 3) * sizeof(Offset);
  block.reserve(head + static_cast<size_t>(distinct.item_bytes));
  PutNumber<Offset>(sizeof(Offset) * 8, &block);
  PutNumber<Offset>(head, &block);
  uint64_t end = 0;
  PutNumber<Offset>(end, &block);
  for (const std::string_view item : distinct.items) {
    end += item.size();
    PutNumber<Offset>(end, &block);
  }
  for (const std::string_view item : distinct.items) {
    block += item;
  }
  return block;
}

/// `key_at(i)` and `bytes_at(i)` give the value of slot i.
template <typename Keys, typename KeyAt, typename BytesAt>
std::optional<DistinctValues> Find(const LeafValues& values, const DistinctLimits& limits,
                                   KeyAt&& key_at, BytesAt&& bytes_at) {
  DistinctValues found;
  found.indices.resize(values.count);
  ValueNumbers<Keys> numbers;
  for (size_t i = 0; i < values.count; ++i) {
    if (values.is_null(i)) {
      continue;
    }
    const uint32_t number = numbers.Number(key_at(i));
    found.indices[i] = number;
    if (number == found.items.size()) {
      found.items.push_back(bytes_at(i));
      found.item_bytes += found.items.back().size();
      const size_t known = found.items.size();
      if (known > values.count / 4 || found.item_bytes > kMaxItemBytes ||
          (i <= kProbeSlots && known > kProbeSlots / 2) ||
          found.item_bytes + IndexBytes(known, values.count, limits) > limits.bytes) {
        return std::nullopt;
      }
    }
  }
  return found;
}

}  // namespace

std::optional<DistinctValues> FindDistinct(const LeafValues& values, const DistinctLimits& limits) {
  if (values.count < kFewestSlots) {
    return std::nullopt;
  }
  const auto text = [&](size_t i) { return values.text(i); };
  const auto fixed = [&](size_t i) { return values.fixed(i); };
  const auto integer = [&]<typename T>(T) {
    const T* numbers = values.bytes.as<T>();
    return Find<IntegerKeys<T>>(
        values, limits, [=](size_t i) { return numbers[i]; }, fixed);
  };
  if (values.texts()) {
    return Find<TextKeys>(values, limits, text, text);
  }
  return values.width == 4   ? integer(uint32_t{})
         : values.width == 8 ? integer(uint64_t{})
                             : Find<TextKeys>(values, limits, fixed, fixed);
}

Dictionary MakeDictionary(const LeafValues& values, const DistinctValues& distinct) {
  Dictionary dictionary;
  dictionary.items = distinct.items.size();
  if (values.texts()) {
    const bool large = columnar::HasLargeOffsets(values.type->id);
    dictionary.encoding = VariableEncoding(large ? 64 : 32);
    dictionary.block = large ? TextBlock<uint64_t>(distinct) : TextBlock<uint32_t>(distinct);
    return dictionary;
  }
  dictionary.encoding = FlatEncoding(values.width * 8);
  for (const std::string_view item : distinct.items) {
    dictionary.block += item;
  }
  return dictionary;
}

}  // namespace pchronicle::lance
