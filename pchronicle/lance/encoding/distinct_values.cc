#include "pchronicle/lance/encoding/distinct_values.h"

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

/// Numbers for byte strings, open addressing; memory for twice the items.
class NumberOfValue {
 public:
  explicit NumberOfValue(std::vector<std::string_view>* items) : items_(items), table_(1024) {}

  /// The number of a value, a new one if it was not there.
  uint32_t Number(std::string_view value) {
    const uint64_t hash = Hash(value);
    size_t at = hash & (table_.size() - 1);
    while (table_[at].number != 0) {
      if (table_[at].hash == hash && (*items_)[table_[at].number - 1] == value) {
        return table_[at].number - 1;
      }
      at = (at + 1) & (table_.size() - 1);
    }
    items_->push_back(value);
    table_[at] = {hash, static_cast<uint32_t>(items_->size())};
    const auto number = static_cast<uint32_t>(items_->size() - 1);
    if (items_->size() * 2 > table_.size()) {
      Grow();
    }
    return number;
  }

 private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t number = 0;  // plus one; 0: free
  };

  static uint64_t Mix(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  /// Eight bytes at a time, folded by a multiplication.
  static uint64_t Hash(std::string_view value) {
    constexpr uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xd1342543de82ef95;
    uint64_t hash = value.size() * kFirst + kSecond;
    const char* at = value.data();
    size_t left = value.size();
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
  void Grow() {
    std::vector<Entry> bigger(table_.size() * 2);
    for (const Entry& entry : table_) {
      if (entry.number != 0) {
        size_t at = entry.hash & (bigger.size() - 1);
        while (bigger[at].number != 0) {
          at = (at + 1) & (bigger.size() - 1);
        }
        bigger[at] = entry;
      }
    }
    table_.swap(bigger);
  }

  std::vector<std::string_view>* items_;
  std::vector<Entry> table_;
};

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

}  // namespace

std::optional<DistinctValues> FindDistinct(const LeafValues& values) {
  if (values.count < kFewestSlots) {
    return std::nullopt;
  }
  DistinctValues found;
  found.indices.reserve(values.count);
  NumberOfValue numbers(&found.items);
  const bool texts = values.texts();
  size_t known = 0;
  for (size_t i = 0; i < values.count; ++i) {
    uint32_t number = 0;
    if (!values.is_null(i)) {
      const std::string_view value = texts ? values.text(i) : values.fixed(i);
      number = numbers.Number(value);
      if (found.items.size() != known) {
        known = found.items.size();
        found.item_bytes += value.size();
        if (known > values.count / 4 || found.item_bytes > kMaxItemBytes ||
            (i <= kProbeSlots && known > kProbeSlots / 2)) {
          return std::nullopt;
        }
      }
    }
    found.indices.push_back(number);
  }
  return found;
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
