#include "pchronicle/lance/edit/index_coverage.h"

#include <algorithm>

#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {
namespace {

bool IsSystem(const proto::Index& index) { return index.name.starts_with("__lance"); }

std::set<uint64_t> Covered(const RoaringBitmap& bitmap) {
  const std::vector<uint32_t> values = bitmap.Values();
  return {values.begin(), values.end()};
}

void SetCovered(const std::set<uint64_t>& fragments, proto::Index* index) {
  std::vector<uint32_t> values;
  for (const uint64_t id : fragments) {
    values.push_back(static_cast<uint32_t>(id));
  }
  index->fragment_bitmap = RoaringBitmap::FromValues(values).Encode();
}

}  // namespace

bool HoldsRowIds(const proto::Index& index, bool stable_row_ids) {
  const std::string kind = index.Kind();
  if (!stable_row_ids) {
    return false;
  }
  if (kind == "labellistindexdetails") {
    return index.index_version < 2;
  }
  return (kind == "btreeindexdetails" || kind == "bitmapindexdetails") && index.index_version == 0;
}

std::set<std::array<uint8_t, 16>> ReplaceRewritten(std::vector<proto::RewrittenIndex>* rewritten,
                                                   std::vector<proto::Index>* indices) {
  std::set<std::array<uint8_t, 16>> out;
  std::erase_if(*rewritten, [&](const proto::RewrittenIndex& one) {
    const auto index =
        std::find_if(indices->begin(), indices->end(),
                     [&](const proto::Index& candidate) { return candidate.uuid == one.old_uuid; });
    if (index == indices->end()) {
      return true;
    }
    index->uuid = one.uuid;
    index->type_url = one.type_url;
    index->details = one.details;
    index->index_version = one.index_version;
    index->files = one.files;
    index->base_id.reset();  // written beside the table
    out.insert(one.uuid);
    return false;
  });
  return out;
}

void CoverRewritten(const std::vector<RewrittenFragments>& groups, bool stable_row_ids,
                    const std::set<std::array<uint8_t, 16>>& remapped,
                    std::vector<proto::Index>* indices) {
  std::erase_if(*indices, [&](proto::Index& index) {
    if (IsSystem(index)) {
      return false;
    }
    const auto bitmap = RoaringBitmap::Decode(index.fragment_bitmap.value_or(""));
    if (!bitmap.ok()) {
      return true;
    }
    std::set<uint64_t> covered = Covered(*bitmap);
    for (const RewrittenFragments& group : groups) {
      size_t known = 0;
      for (const uint64_t id : group.old_ids) {
        known += covered.erase(id);
      }
      if (known == group.old_ids.size() &&
          (HoldsRowIds(index, stable_row_ids) || remapped.contains(index.uuid))) {
        covered.insert(group.new_ids.begin(), group.new_ids.end());
      }
    }
    SetCovered(covered, &index);
    return false;
  });
}

void UncoverColumns(const std::set<uint64_t>& fragments, const std::vector<uint32_t>& fields,
                    std::vector<proto::Index>* indices) {
  std::erase_if(*indices, [&](proto::Index& index) {
    const bool touched = std::any_of(index.fields.begin(), index.fields.end(), [&](int32_t field) {
      return std::find(fields.begin(), fields.end(), static_cast<uint32_t>(field)) != fields.end();
    });
    if (!touched || IsSystem(index)) {
      return false;
    }
    const auto bitmap = RoaringBitmap::Decode(index.fragment_bitmap.value_or(""));
    if (!bitmap.ok()) {
      return true;
    }
    std::set<uint64_t> covered = Covered(*bitmap);
    for (const uint64_t id : fragments) {
      covered.erase(id);
    }
    SetCovered(covered, &index);
    return false;
  });
}

void DropIndicesOfMissingFields(const std::vector<proto::Field>& schema,
                                std::vector<proto::Index>* indices) {
  std::set<int32_t> ids;
  for (const proto::Field& field : schema) {
    ids.insert(field.id);
  }
  std::erase_if(*indices, [&](const proto::Index& index) {
    return std::any_of(index.fields.begin(), index.fields.end(),
                       [&](int32_t field) { return !ids.contains(field); });
  });
}

}  // namespace pchronicle::lance
