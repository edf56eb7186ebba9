#include "pchronicle/lance/table/row_set.h"

#include <cstring>
#include <utility>

namespace pchronicle::lance {
namespace {

FragmentRows Copy(const FragmentRows& from) {
  return {from.rows.Union(RoaringBitmap()), from.all, from.exact};
}

}  // namespace

RowSet Intersect(const RowSet& a, const RowSet& b) {
  RowSet out;
  for (const auto& [fragment, rows] : a) {
    const auto other = b.find(fragment);
    if (other == b.end()) {
      // Only one side knows this fragment: its rows still have to pass the other.
      FragmentRows some = Copy(rows);
      some.exact = false;
      out.emplace(fragment, std::move(some));
    } else if (rows.all || other->second.all) {
      FragmentRows both = Copy(rows.all ? other->second : rows);
      both.exact = rows.exact && other->second.exact;
      out.emplace(fragment, std::move(both));
    } else {
      out.emplace(fragment, FragmentRows{rows.rows.Intersect(other->second.rows), false,
                                         rows.exact && other->second.exact});
    }
  }
  for (const auto& [fragment, rows] : b) {
    if (!a.contains(fragment)) {
      FragmentRows some = Copy(rows);
      some.exact = false;
      out.emplace(fragment, std::move(some));
    }
  }
  return out;
}

RowSet Unite(const RowSet& a, const RowSet& b) {
  RowSet out;
  for (const auto& [fragment, rows] : a) {
    const auto other = b.find(fragment);
    if (other == b.end()) {
      continue;
    }
    FragmentRows both;
    both.all = rows.all || other->second.all;
    both.exact = rows.exact && other->second.exact;
    both.rows = rows.rows.Union(other->second.rows);
    out.emplace(fragment, std::move(both));
  }
  return out;
}

void SetInexact(RowSet* rows) {
  for (auto& [fragment, entry] : *rows) {
    entry.exact = false;
  }
}

Result<RowMap> DecodeRowMap(std::string_view bytes) {
  RowMap out;
  size_t at = 0;
  const auto word = [&](uint32_t* value) {
    if (bytes.size() - at < sizeof(*value)) {
      return false;
    }
    std::memcpy(value, bytes.data() + at, sizeof(*value));
    at += sizeof(*value);
    return true;
  };
  uint32_t count = 0;
  if (!word(&count)) {
    return Status::Corruption("row bitmap of {} bytes", bytes.size());
  }
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t key = 0, size = 0;
    if (!word(&key) || !word(&size) || size > bytes.size() - at) {
      return Status::Corruption("row bitmap cut off in entry {} of {}", i, count);
    }
    LowerHalves entry;
    entry.all = size == 0;
    if (!entry.all) {
      PCHRONICLE_ASSIGN_OR_RETURN(entry.rows, RoaringBitmap::Decode(bytes.substr(at, size)));
    }
    at += size;
    if (!out.emplace(key, std::move(entry)).second) {
      return Status::Corruption("row bitmap lists {} twice", key);
    }
  }
  if (at != bytes.size()) {
    return Status::Corruption("row bitmap with {} bytes left over", bytes.size() - at);
  }
  return out;
}

std::string EncodeRowMap(const RowMap& rows) {
  std::string out;
  const auto word = [&](size_t value) {
    const auto number = static_cast<uint32_t>(value);
    out.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  word(rows.size());
  for (const auto& [key, entry] : rows) {
    const std::string bitmap = entry.all ? std::string() : entry.rows.Encode();
    word(key);
    word(bitmap.size());
    out += bitmap;
  }
  return out;
}

void AddRows(const RowMap& from, RowMap* to) {
  for (const auto& [key, entry] : from) {
    LowerHalves& target = (*to)[key];
    target.all = target.all || entry.all;
    target.rows = target.rows.Union(entry.rows);
  }
}

}  // namespace pchronicle::lance
