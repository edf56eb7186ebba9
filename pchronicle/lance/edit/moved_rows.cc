#include "pchronicle/lance/edit/moved_rows.h"

#include <span>

#include "pchronicle/lance/edit/stored_row_ids.h"

namespace pchronicle::lance {
namespace {

// Tables of before the versions were kept.
constexpr uint64_t kUnknownVersion = 1;

Result<std::optional<RowVersions>> Decode(const proto::Sequence& sequence, uint64_t rows) {
  if (sequence.external) {
    return Status::Unsupported("versions of rows that lie in a file of their own");
  }
  if (!sequence.inline_bytes) {
    return std::optional<RowVersions>();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(RowVersions versions,
                              RowVersions::Decode(*sequence.inline_bytes, rows));
  return std::optional<RowVersions>(std::move(versions));
}

}  // namespace

void MovedRows::Request(ScanOptions* options) const {
  options->row_id = table_->stable_row_ids();
  options->row_address = true;
}

Result<const MovedRows::Versions*> MovedRows::VersionsOf(uint32_t fragment) {
  const auto found = versions_.find(fragment);
  if (found != versions_.end()) {
    return &found->second;
  }
  const std::optional<size_t> position = table_->FindFragment(fragment);
  PCHRONICLE_CHECK(position.has_value());
  const proto::Fragment& part = table_->fragments()[*position];
  Versions versions;
  const auto decode = [&](const proto::Sequence& sequence) {
    auto out = Decode(sequence, part.physical_rows);
    return out.ok() ? std::move(out)
                    : Result<std::optional<RowVersions>>(out.status().WithContext(
                          fmt::format("{}: fragment {}", table_->Describe(), fragment)));
  };
  PCHRONICLE_ASSIGN_OR_RETURN(versions.created, decode(part.created_at));
  PCHRONICLE_ASSIGN_OR_RETURN(versions.updated, decode(part.last_updated_at));
  return &versions_.emplace(fragment, std::move(versions)).first->second;
}

Status MovedRows::TakeFrom(columnar::RecordBatch* batch) {
  const columnar::ArrayPtr addresses = batch->columns.back();
  batch->columns.pop_back();
  batch->fields.pop_back();
  columnar::ArrayPtr ids;
  if (table_->stable_row_ids()) {
    ids = batch->columns.back();
    batch->columns.pop_back();
    batch->fields.pop_back();
  }
  for (int64_t i = 0; i < batch->rows; ++i) {
    const RowAddress place = RowAddress::FromU64(addresses->Value<uint64_t>(i));
    places_[place.fragment].push_back(place.offset);
    if (ids == nullptr) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Versions* const versions, VersionsOf(place.fragment));
    ids_.push_back(ids->Value<uint64_t>(i));
    created_.push_back(versions->created ? versions->created->At(place.offset) : kUnknownVersion);
    updated_.push_back(versions->updated ? versions->updated->At(place.offset) : kUnknownVersion);
  }
  count_ += static_cast<uint64_t>(batch->rows);
  return Status::Ok();
}

RowsByFragment MovedRows::Places() const {
  RowsByFragment out;
  for (const auto& [fragment, offsets] : places_) {
    out.emplace(fragment, RoaringBitmap::FromValues(offsets));
  }
  return out;
}

void MovedRows::GiveIdentity(bool keep_updated, std::vector<proto::Fragment>* fragments) const {
  if (!table_->stable_row_ids()) {
    return;
  }
  size_t at = 0;
  for (proto::Fragment& fragment : *fragments) {
    const size_t rows = fragment.physical_rows;
    const auto slice = [&](const std::vector<uint64_t>& all) {
      PCHRONICLE_CHECK(rows <= all.size() - at);
      return std::span(all).subspan(at, rows);
    };
    fragment.row_ids.inline_bytes = EncodeIds(slice(ids_));
    fragment.created_at.inline_bytes = EncodeVersions(slice(created_));
    if (keep_updated) {
      fragment.last_updated_at.inline_bytes = EncodeVersions(slice(updated_));
    }
    at += rows;
  }
}

}  // namespace pchronicle::lance
