#include "pchronicle/lance/file/blob_fetcher.h"

#include <algorithm>

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::MakeType;
using columnar::TypeId;

/// Where a payload lies (lance.md E2).
enum BlobPlace : uint64_t { kInline, kPacked, kDedicated, kExternal };
/// Payloads that lie close together are read at once up to this size.
constexpr uint64_t kRunBytes = 1 << 20;

bool IsNullBlob(const Array& descriptors, FieldNode::Kind kind, int64_t row) {
  return descriptors.IsNull(row) ||
         (kind == FieldNode::Kind::kBlob2 && descriptors.children[0]->IsNull(row));
}

}  // namespace

columnar::DataTypePtr BlobDescriptorType(FieldNode::Kind kind) {
  if (kind == FieldNode::Kind::kBlob1) {
    return columnar::MakeStruct({{"position", MakeType(TypeId::kUint64), false},
                                 {"size", MakeType(TypeId::kUint64), false}});
  }
  return columnar::MakeStruct({{"kind", MakeType(TypeId::kUint8), false},
                               {"position", MakeType(TypeId::kUint64), false},
                               {"size", MakeType(TypeId::kUint64), false},
                               {"blob_id", MakeType(TypeId::kUint32), false},
                               {"blob_uri", MakeType(TypeId::kUtf8), false}});
}

Result<BlobFetcher::Place> BlobFetcher::PlaceOf(const Array& descriptors, FieldNode::Kind kind,
                                                int64_t row) const {
  Place place;
  if (kind == FieldNode::Kind::kBlob1) {
    place.position = descriptors.children[0]->Value<uint64_t>(row);
    place.size = descriptors.children[1]->Value<uint64_t>(row);
    return place;
  }
  place.kind = descriptors.children[0]->Value<uint8_t>(row);
  place.position = descriptors.children[1]->Value<uint64_t>(row);
  place.size = descriptors.children[2]->Value<uint64_t>(row);
  place.blob_id = descriptors.children[3]->Value<uint32_t>(row);
  place.uri = descriptors.children[4]->Bytes(row);
  if (place.kind > kExternal) {
    return Status::Unsupported("blob of kind {}", place.kind);
  }
  return place;
}

Status BlobFetcher::CheckSize(uint64_t more) const {
  const uint64_t limit = state_->options.max_batch_bytes;
  return more > limit || bytes_ > limit - more
             ? Status::ResourceExhausted(
                   "blobs of more than {} bytes in one batch: read fewer rows", limit)
             : Status::Ok();
}

Result<int64_t> BlobFetcher::FetchInline(const Array& descriptors, FieldNode::Kind kind,
                                         int64_t row) {
  std::vector<Place> run;
  int64_t end = row;
  for (; end < descriptors.length && !IsNullBlob(descriptors, kind, end); ++end) {
    PCHRONICLE_ASSIGN_OR_RETURN(Place place, PlaceOf(descriptors, kind, end));
    if (place.kind != kInline) {
      break;
    }
    if (!run.empty()) {
      const uint64_t run_end = run.back().position + run.back().size;
      if (place.position < run_end || place.position - run_end > state_->options.gap_bytes ||
          place.size > kRunBytes ||
          place.position + place.size - run.front().position > kRunBytes) {
        break;
      }
    }
    if (place.size > state_->reader.size() || place.position > state_->reader.size()) {
      if (place.size != 0) {
        return Status::Corruption("blob of {} bytes at {} in a file of {}", place.size,
                                  place.position, state_->reader.size());
      }
      place.position = run.empty() ? 0 : run.back().position + run.back().size;
    }
    run.push_back(std::move(place));
  }
  const uint64_t begin = run.front().position;
  const uint64_t size = run.back().position + run.back().size - begin;
  PCHRONICLE_RETURN_IF_ERROR(CheckSize(size));
  scratch_.Clear();
  if (size != 0) {
    PCHRONICLE_RETURN_IF_ERROR(state_->reader.Read(begin, size, &scratch_));
  }
  for (const Place& place : run) {
    PCHRONICLE_RETURN_IF_ERROR(out_.AppendText(scratch_.data() + (place.position - begin),
                                               static_cast<size_t>(place.size)));
    bytes_ += place.size;
  }
  return end - row;
}

Status BlobFetcher::FetchElsewhere(const Place& place) {
  if (opener_ == nullptr) {
    return Status::Unsupported("blob of kind {} without a way to open other files", place.kind);
  }
  std::shared_ptr<const io::RandomReader> file;
  uint64_t position = place.position, size = place.size;
  if (place.kind == kExternal) {
    PCHRONICLE_ASSIGN_OR_RETURN(file, opener_->OpenExternal(place.blob_id, place.uri));
    size = size == 0 ? file->size() - std::min(position, file->size()) : size;
  } else {
    if (sidecar_ == nullptr || open_id_ != place.blob_id) {
      sidecar_.reset();
      PCHRONICLE_ASSIGN_OR_RETURN(sidecar_, opener_->OpenSidecar(place.blob_id));
      open_id_ = place.blob_id;
    }
    file = sidecar_;
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckSize(size));
  RangeReader reader(*file, &state_->counters);
  scratch_.Clear();
  const Status status = reader.Read(position, size, &scratch_);
  if (!status.ok()) {
    return status.WithContext(fmt::format("blob {}", place.blob_id));
  }
  bytes_ += size;
  return out_.AppendText(scratch_.data(), static_cast<size_t>(size));
}

Result<columnar::ArrayPtr> BlobFetcher::Fetch(const Array& descriptors, FieldNode::Kind kind,
                                              const columnar::DataTypePtr& type) {
  out_.Reset();
  bytes_ = 0;
  ValidityBuilder& validity = out_.validity();
  for (int64_t row = 0; row < descriptors.length;) {
    if (IsNullBlob(descriptors, kind, row)) {
      out_.AppendEmpty(1);
      validity.AppendNull(1);
      ++row;
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Place place, PlaceOf(descriptors, kind, row));
    int64_t taken = 1;
    if (place.kind == kInline) {
      PCHRONICLE_ASSIGN_OR_RETURN(taken, FetchInline(descriptors, kind, row));
    } else {
      PCHRONICLE_RETURN_IF_ERROR(FetchElsewhere(place));
    }
    validity.AppendValid(static_cast<size_t>(taken));
    row += taken;
  }
  const size_t nulls = validity.nulls();
  columnar::BufferPtr bits = validity.Finish();
  return out_.Finish(type, std::move(bits), nulls);
}

}  // namespace pchronicle::lance
