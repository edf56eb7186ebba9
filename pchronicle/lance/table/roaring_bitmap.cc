#include "pchronicle/lance/table/roaring_bitmap.h"

#include <roaring.h>

#include <utility>

namespace pchronicle::lance {

struct RoaringBitmap::Impl {
  explicit Impl(roaring_bitmap_t* owned) : bitmap(owned) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { roaring_bitmap_free(bitmap); }
  roaring_bitmap_t* bitmap;
};

RoaringBitmap::RoaringBitmap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RoaringBitmap::RoaringBitmap() : impl_(std::make_unique<Impl>(roaring_bitmap_create())) {}
RoaringBitmap::RoaringBitmap(RoaringBitmap&&) noexcept = default;
RoaringBitmap& RoaringBitmap::operator=(RoaringBitmap&&) noexcept = default;
RoaringBitmap::~RoaringBitmap() = default;

Result<RoaringBitmap> RoaringBitmap::Decode(std::string_view bytes) {
  // The size walk bounds every container before anything is allocated.
  const size_t size = roaring_bitmap_portable_deserialize_size(bytes.data(), bytes.size());
  if (size == 0 || size != bytes.size()) {
    return Status::Corruption("a Roaring bitmap of {} bytes does not fill the {} bytes it has",
                              size, bytes.size());
  }
  roaring_bitmap_t* read = roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
  if (read == nullptr) {
    return Status::Corruption("no Roaring bitmap in portable form");
  }
  auto impl = std::make_unique<Impl>(read);
  const char* reason = nullptr;
  if (!roaring_bitmap_internal_validate(impl->bitmap, &reason)) {
    return Status::Corruption("damaged Roaring bitmap: {}", reason ? reason : "no reason known");
  }
  return RoaringBitmap(std::move(impl));
}

RoaringBitmap RoaringBitmap::FromValues(std::span<const uint32_t> values) {
  RoaringBitmap out;
  roaring_bitmap_add_many(out.impl_->bitmap, values.size(), values.data());
  roaring_bitmap_run_optimize(out.impl_->bitmap);
  return out;
}

void RoaringBitmap::AddRange(uint64_t begin, uint64_t end) {
  roaring_bitmap_add_range(impl_->bitmap, begin, end);
}

uint64_t RoaringBitmap::cardinality() const {
  return roaring_bitmap_get_cardinality(impl_->bitmap);
}

bool RoaringBitmap::Contains(uint32_t value) const {
  return roaring_bitmap_contains(impl_->bitmap, value);
}

uint64_t RoaringBitmap::CountIn(uint64_t begin, uint64_t end) const {
  return begin >= end ? 0 : roaring_bitmap_range_cardinality(impl_->bitmap, begin, end);
}

void RoaringBitmap::AppendIn(uint64_t begin, uint64_t end, std::vector<uint32_t>* out) const {
  if (begin >= end || begin > UINT32_MAX) {
    return;
  }
  roaring_uint32_iterator_t at;
  roaring_iterator_init(impl_->bitmap, &at);
  if (!roaring_uint32_iterator_move_equalorlarger(&at, static_cast<uint32_t>(begin))) {
    return;
  }
  // In pieces, so that a range with few members reads few of them.
  uint32_t piece[256];
  for (;;) {
    const uint32_t got = roaring_uint32_iterator_read(&at, piece, 256);
    for (uint32_t i = 0; i < got; ++i) {
      if (piece[i] >= end) {
        return;
      }
      out->push_back(piece[i]);
    }
    if (got < 256) {
      return;
    }
  }
}

std::vector<uint32_t> RoaringBitmap::Values() const {
  std::vector<uint32_t> out(cardinality());
  roaring_bitmap_to_uint32_array(impl_->bitmap, out.data());
  return out;
}

RoaringBitmap RoaringBitmap::Union(const RoaringBitmap& other) const {
  return RoaringBitmap(
      std::make_unique<Impl>(roaring_bitmap_or(impl_->bitmap, other.impl_->bitmap)));
}

RoaringBitmap RoaringBitmap::Intersect(const RoaringBitmap& other) const {
  return RoaringBitmap(
      std::make_unique<Impl>(roaring_bitmap_and(impl_->bitmap, other.impl_->bitmap)));
}

RoaringBitmap RoaringBitmap::Without(const RoaringBitmap& other) const {
  return RoaringBitmap(
      std::make_unique<Impl>(roaring_bitmap_andnot(impl_->bitmap, other.impl_->bitmap)));
}

std::string RoaringBitmap::Encode() const {
  std::string out(roaring_bitmap_portable_size_in_bytes(impl_->bitmap), '\0');
  out.resize(roaring_bitmap_portable_serialize(impl_->bitmap, out.data()));
  return out;
}

}  // namespace pchronicle::lance
