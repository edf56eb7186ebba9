#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/lance/encoding/plain_value_decoders.h"

// The value encodings of lance.md B4 that others stand in, and constants. Used by value_decoder.cc
// only.

namespace pchronicle::lance {

class FixedSizeListDecoder : public ValueDecoder {
 public:
  FixedSizeListDecoder(size_t items, bool has_validity, std::unique_ptr<ValueDecoder> values)
      : items_(items), has_validity_(has_validity), values_(std::move(values)) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    if (items_ != 0 && count > SIZE_MAX / items_) {
      return Status::Corruption("{} lists of {} items", count, items_);
    }
    if (has_validity_) {
      PCHRONICLE_ASSIGN_OR_RETURN(validity_, TakeBuffer(buffers));
      if (validity_.size() < codec::BitmapBytes(count * items_)) {
        return TooShort("list validity", validity_.size(), count * items_);
      }
    }
    return values_->Load(buffers, count * items_);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    ValueBuilder& child = out->child(0);
    if (has_validity_) {
      child.validity().AppendBits(validity_.data(), from * items_, count * items_);
    } else {
      child.validity().AppendValid(count * items_);
    }
    PCHRONICLE_RETURN_IF_ERROR(values_->Append(from * items_, count * items_, &child));
    out->AdvanceNested(count);
    return Status::Ok();
  }

 private:
  size_t items_;
  bool has_validity_;
  std::unique_ptr<ValueDecoder> values_;
  Bytes validity_;
};

/// Rows of members with fixed widths.
class PackedStructDecoder : public ValueDecoder {
 public:
  explicit PackedStructDecoder(std::vector<size_t> widths) : widths_(std::move(widths)) {
    for (const size_t width : widths_) {
      row_ += width;
    }
  }

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return row_ != 0 && bytes_.size() / row_ < count ? TooShort("packed rows", bytes_.size(), count)
                                                     : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const uint8_t* at = bytes_.data() + from * row_;
    for (size_t i = 0; i < widths_.size(); ++i) {
      out->child(i).AppendPlain(at, count, row_);
      out->child(i).validity().AppendValid(count);
      at += widths_[i];
    }
    out->AdvanceNested(count);
    return Status::Ok();
  }

 private:
  std::vector<size_t> widths_;
  size_t row_ = 0;
  Bytes bytes_;
};

/// The same value for every slot, or nothing where every slot is null.
class ConstantDecoder : public ValueDecoder {
 public:
  explicit ConstantDecoder(std::optional<std::string> value) : value_(std::move(value)) {}

  Status Load(std::span<const Bytes>*, size_t) override { return Status::Ok(); }
  Status Append(size_t, size_t count, ValueBuilder* out) override {
    if (!value_) {
      out->AppendEmpty(count);
      return Status::Ok();
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(value_->data());
    if (out->shape().kind != ValueShape::Kind::kVariable) {
      out->AppendPlain(bytes, count, 0);
      return Status::Ok();
    }
    for (size_t i = 0; i < count; ++i) {
      PCHRONICLE_RETURN_IF_ERROR(out->AppendText(bytes, value_->size()));
    }
    return Status::Ok();
  }

 private:
  std::optional<std::string> value_;
};

/// The first buffer is compressed as a whole.
class GeneralDecoder : public ValueDecoder {
 public:
  GeneralDecoder(uint32_t scheme, std::unique_ptr<ValueDecoder> values, DecodeContext* context)
      : scheme_(scheme), values_(std::move(values)), context_(context) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, TakeBuffer(buffers));
    inner_.clear();
    PCHRONICLE_ASSIGN_OR_RETURN(inner_.emplace_back(), context_->Unpack(scheme_, packed, &plain_));
    inner_.insert(inner_.end(), buffers->begin(), buffers->end());
    std::span<const Bytes> left(inner_);
    PCHRONICLE_RETURN_IF_ERROR(values_->Load(&left, count));
    if (left.size() > buffers->size()) {
      return Status::Corruption("a compressed buffer that its encoding does not use");
    }
    *buffers = buffers->subspan(buffers->size() - left.size());
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    return values_->Append(from, count, out);
  }

 private:
  uint32_t scheme_;
  std::unique_ptr<ValueDecoder> values_;
  DecodeContext* context_;
  columnar::Buffer plain_;
  std::vector<Bytes> inner_;
};

class DictionaryDecoder : public ValueDecoder {
 public:
  DictionaryDecoder(std::unique_ptr<ValueDecoder> indices, uint32_t width,
                    std::shared_ptr<const ItemTable> items)
      : indices_(std::move(indices)),
        numbers_(ValueShape::Fixed(width)),
        items_(std::move(items)) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    return indices_->Load(buffers, count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    numbers_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(indices_->Append(from, count, &numbers_));
    switch (numbers_.shape().width) {
      case 1:
        return items_->Gather<uint8_t>(Numbers(), count, out);
      case 2:
        return items_->Gather<uint16_t>(Numbers(), count, out);
      case 4:
        return items_->Gather<uint32_t>(Numbers(), count, out);
      default:
        return items_->Gather<uint64_t>(Numbers(), count, out);
    }
  }

 private:
  const uint8_t* Numbers() const {
    return reinterpret_cast<const uint8_t*>(numbers_.View(0).data());
  }

  std::unique_ptr<ValueDecoder> indices_;
  ValueBuilder numbers_;
  std::shared_ptr<const ItemTable> items_;
};

}  // namespace pchronicle::lance
