#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include "pchronicle/codec/bits.h"
#include "pchronicle/lance/file/array_decoder.h"
#include "pchronicle/lance/proto/encoding_messages.h"

// The array encodings of lance.md B10 that hold values as they are. Used by array_decoder.cc only.

namespace pchronicle::lance {

/// A buffer of the page, unpacked when it is compressed.
class BufferView {
 public:
  static Result<BufferView> Make(const proto::ArrayEncoding& encoding, PageSource* source,
                                 DecodeContext* context) {
    BufferView view;
    if (encoding.buffer_type != 0) {
      return Status::Unsupported("buffer of type {}", encoding.buffer_type);
    }
    if (encoding.buffer >= source->buffers()) {
      return Status::Corruption("buffer {} of {}", encoding.buffer, source->buffers());
    }
    view.source_ = source;
    view.index_ = encoding.buffer;
    view.size_ = source->size(encoding.buffer);
    if (!encoding.compression.empty() && encoding.compression != "none") {
      if (encoding.compression != "zstd") {
        return Status::Unsupported("compression '{}'", encoding.compression);
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, source->Whole(encoding.buffer));
      PCHRONICLE_ASSIGN_OR_RETURN(
          const Bytes plain, context->Unpack(static_cast<uint32_t>(proto::CompressionScheme::kZstd),
                                             packed, &view.plain_));
      view.size_ = plain.size();
      view.unpacked_ = true;
    }
    return view;
  }
  uint64_t size() const { return size_; }
  Result<Bytes> Slice(uint64_t offset, uint64_t size) {
    if (offset > size_ || size > size_ - offset) {
      return Status::Corruption("bytes {}+{} of a buffer of {}", offset, size, size_);
    }
    return unpacked_ ? Bytes(plain_.data() + offset, static_cast<size_t>(size))
                     : source_->Slice(index_, offset, size, 0);
  }

 private:
  PageSource* source_ = nullptr;
  size_t index_ = 0;
  uint64_t size_ = 0;
  bool unpacked_ = false;
  columnar::Buffer plain_;
};

inline Result<uint64_t> Multiply(uint64_t a, uint64_t b) {
  if (b != 0 && a > UINT64_MAX / 8 / b) {
    return Status::Corruption("{} values of {} bytes", a, b);
  }
  return a * b;
}

class FlatArray : public ArrayDecoder {
 public:
  FlatArray(BufferView buffer, uint64_t width) : buffer_(std::move(buffer)), width_(width) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, width_));
    const uint64_t begin = from * width_;
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(begin, end - begin));
    values->AppendPlain(bytes.data(), static_cast<size_t>(to - from), static_cast<size_t>(width_));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  uint64_t width_;
};

class BitArray : public ArrayDecoder {
 public:
  explicit BitArray(BufferView buffer) : buffer_(std::move(buffer)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, Bits(from, to));
    values->AppendBits(bytes.data(), from % 8, static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }
  /// The bytes that hold bits [from, to); the first is bit from % 8.
  Result<Bytes> Bits(uint64_t from, uint64_t to) {
    const uint64_t begin = from / 8, end = to / 8 + (to % 8 != 0 ? 1 : 0);
    return buffer_.Slice(begin, end - begin);
  }

 private:
  BufferView buffer_;
};

class NullableArray : public ArrayDecoder {
 public:
  NullableArray(std::unique_ptr<BitArray> bits, std::unique_ptr<ArrayDecoder> values)
      : bits_(std::move(bits)), values_(std::move(values)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    ignored_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(values_->Append(from, to, values, &ignored_));
    if (ignored_.nulls() != 0) {
      return Status::Unsupported("nulls told twice");
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, bits_->Bits(from, to));
    validity->AppendBits(bytes.data(), from % 8, static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  std::unique_ptr<BitArray> bits_;
  std::unique_ptr<ArrayDecoder> values_;
  ValidityBuilder ignored_;
};

class AllNullArray : public ArrayDecoder {
 public:
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    values->AppendEmpty(static_cast<size_t>(to - from));
    validity->AppendNull(static_cast<size_t>(to - from));
    return Status::Ok();
  }
};

class ListArray : public ArrayDecoder {
 public:
  ListArray(uint64_t width, std::unique_ptr<ArrayDecoder> items)
      : width_(width), items_(std::move(items)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, width_));
    ValueBuilder& child = values->child(0);
    PCHRONICLE_RETURN_IF_ERROR(items_->Append(from * width_, end, &child, &child.validity()));
    values->AdvanceNested(static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  uint64_t width_;
  std::unique_ptr<ArrayDecoder> items_;
};

class BinaryArray : public ArrayDecoder {
 public:
  BinaryArray(std::unique_ptr<ArrayDecoder> ends, uint32_t end_width, BufferView bytes,
              uint64_t null_adjustment)
      : ends_(std::move(ends)),
        end_width_(end_width),
        bytes_(std::move(bytes)),
        null_adjustment_(null_adjustment) {}

  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    if (from == to) {
      return Status::Ok();
    }
    numbers_.clear();
    PCHRONICLE_RETURN_IF_ERROR(
        ReadNumbers(ends_.get(), end_width_, from == 0 ? 0 : from - 1, to, &numbers_));
    std::vector<uint16_t>& nulls = nulls_;
    nulls.clear();
    const size_t skip = from == 0 ? 0 : 1;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const bool null = null_adjustment_ != 0 && numbers_[i] >= null_adjustment_;
      numbers_[i] -= null ? null_adjustment_ : 0;
      if (i > 0 && numbers_[i] < numbers_[i - 1]) {
        return Status::Corruption("text ends that do not ascend at row {}", from + i);
      }
      if (i >= skip) {
        nulls.push_back(null ? 1 : 0);
      }
    }
    const uint64_t start = skip == 0 ? 0 : numbers_[0];
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, bytes_.Slice(start, numbers_.back() - start));
    const auto* ends = reinterpret_cast<const uint8_t*>(numbers_.data() + skip);
    PCHRONICLE_RETURN_IF_ERROR(
        values->AppendTexts<uint64_t>(bytes.data(), ends, numbers_.size() - skip, start));
    validity->AppendLevels(nulls.data(), nulls.size(), 1);
    return Status::Ok();
  }

 private:
  std::unique_ptr<ArrayDecoder> ends_;
  uint32_t end_width_;
  BufferView bytes_;
  uint64_t null_adjustment_;
  std::vector<uint64_t> numbers_;
  std::vector<uint16_t> nulls_;
};

}  // namespace pchronicle::lance
