#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/codec/fsst.h"
#include "pchronicle/lance/file/plain_arrays.h"

// The array encodings of lance.md B10 that make values smaller. Used by array_decoder.cc only.

namespace pchronicle::lance {

class DictionaryArray : public ArrayDecoder {
 public:
  DictionaryArray(std::unique_ptr<ArrayDecoder> indices, uint32_t index_width,
                  const ValueShape& shape, bool zero_based)
      : indices_(std::move(indices)),
        index_width_(index_width),
        items_(shape),
        zero_based_(zero_based) {}

  Status LoadItems(ArrayDecoder* decoder, uint64_t count) {
    ValidityBuilder validity;
    PCHRONICLE_RETURN_IF_ERROR(decoder->Append(0, count, &items_, &validity));
    valid_.assign(static_cast<size_t>(count), 1);
    if (const columnar::BufferPtr bits = validity.Finish(); bits != nullptr) {
      for (size_t i = 0; i < valid_.size(); ++i) {
        valid_[i] = codec::GetBit(bits->data(), i) ? 1 : 0;
      }
    }
    return Status::Ok();
  }
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    numbers_.clear();
    nulls_.clear();
    PCHRONICLE_RETURN_IF_ERROR(ReadNumbers(indices_.get(), index_width_, from, to, &numbers_));
    for (const uint64_t number : numbers_) {
      const uint64_t item = zero_based_ ? number : number - 1;
      const bool null =
          (!zero_based_ && number == 0) || (item < valid_.size() && valid_[item] == 0);
      nulls_.push_back(null ? 1 : 0);
      if (null) {
        values->AppendEmpty(1);
        continue;
      }
      if (item >= valid_.size()) {
        return Status::Corruption("dictionary index {} of {} items", number, valid_.size());
      }
      const std::string_view value = items_.View(static_cast<size_t>(item));
      const auto* bytes = reinterpret_cast<const uint8_t*>(value.data());
      if (items_.shape().kind == ValueShape::Kind::kVariable) {
        PCHRONICLE_RETURN_IF_ERROR(values->AppendText(bytes, value.size()));
      } else {
        values->AppendPlain(bytes, 1, value.size());
      }
    }
    validity->AppendLevels(nulls_.data(), nulls_.size(), 1);
    return Status::Ok();
  }

 private:
  std::unique_ptr<ArrayDecoder> indices_;
  uint32_t index_width_;
  ValueBuilder items_;
  std::vector<uint8_t> valid_;
  bool zero_based_;
  std::vector<uint64_t> numbers_;
  std::vector<uint16_t> nulls_;
};

class FsstArray : public ArrayDecoder {
 public:
  FsstArray(codec::FsstTable table, std::unique_ptr<ArrayDecoder> texts)
      : table_(table), texts_(std::move(texts)) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    if (!table_.coding()) {
      return texts_->Append(from, to, values, validity);
    }
    coded_.Reset();
    PCHRONICLE_RETURN_IF_ERROR(texts_->Append(from, to, &coded_, validity));
    const auto coded = [&](size_t i) {
      const std::string_view text = coded_.View(i);
      return Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    };
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool good,
        values->AppendDecoded(
            static_cast<size_t>(to - from),
            [&](size_t i) { return codec::FsstTable::MaxDecoded(coded(i).size()); },
            [&](size_t i, uint8_t* out) { return table_.Decode(coded(i), out); }));
    return good ? Status::Ok() : Status::Corruption("fsst: a code without a symbol");
  }

 private:
  codec::FsstTable table_;
  std::unique_ptr<ArrayDecoder> texts_;
  ValueBuilder coded_{ValueShape::Variable(true)};
};

class PackedStructArray : public ArrayDecoder {
 public:
  PackedStructArray(BufferView buffer, std::vector<uint64_t> widths)
      : buffer_(std::move(buffer)), widths_(std::move(widths)) {
    for (const uint64_t width : widths_) {
      row_ += width;
    }
  }
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end, Multiply(to, row_));
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(from * row_, end - from * row_));
    const uint8_t* at = bytes.data();
    const auto count = static_cast<size_t>(to - from);
    for (size_t i = 0; i < widths_.size() && count != 0; ++i) {
      values->child(i).AppendPlain(at, count, static_cast<size_t>(row_));
      values->child(i).validity().AppendValid(count);
      at += widths_[i];
    }
    values->AdvanceNested(count);
    validity->AppendValid(count);
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  std::vector<uint64_t> widths_;
  uint64_t row_ = 0;
};

/// Values of `packed` bits one after the other, least significant first.
class BitpackedArray : public ArrayDecoder {
 public:
  BitpackedArray(BufferView buffer, unsigned packed, unsigned bits, bool is_signed)
      : buffer_(std::move(buffer)), packed_(packed), bits_(bits), signed_(is_signed) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t end_bit, Multiply(to, packed_));
    const uint64_t begin = from * packed_ / 8, end = (end_bit + 7) / 8;
    PCHRONICLE_ASSIGN_OR_RETURN(const Bytes bytes, buffer_.Slice(begin, end - begin));
    const size_t width = bits_ / 8;
    uint8_t* out = values->ReserveFixed(static_cast<size_t>(to - from));
    for (uint64_t row = from; row < to; ++row, out += width) {
      const uint64_t at = row * packed_ - begin * 8;
      uint64_t value = 0;
      for (unsigned k = 0; k < packed_; ++k) {
        value |= static_cast<uint64_t>(codec::GetBit(bytes.data(), static_cast<size_t>(at + k)))
                 << k;
      }
      if (signed_ && packed_ < 64 && (value >> (packed_ - 1)) != 0) {
        value |= ~uint64_t{0} << packed_;
      }
      std::memcpy(out, &value, width);
    }
    values->AdvanceFixed(static_cast<size_t>(to - from));
    validity->AppendValid(static_cast<size_t>(to - from));
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  unsigned packed_, bits_;
  bool signed_;
};

template <typename T>
class FastLanesArray : public ArrayDecoder {
 public:
  FastLanesArray(BufferView buffer, unsigned packed)
      : buffer_(std::move(buffer)), packed_(packed) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    T block[codec::kFastLanesBlock];
    const size_t size = codec::FastLanesBytes(packed_);
    for (uint64_t row = from; row < to;) {
      const uint64_t number = row / codec::kFastLanesBlock;
      PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t at, Multiply(number, size));
      PCHRONICLE_ASSIGN_OR_RETURN(const Bytes packed, buffer_.Slice(at, size));
      codec::FastLanesUnpack(packed_, packed.data(), block);
      const auto skip = static_cast<size_t>(row % codec::kFastLanesBlock);
      const size_t count =
          static_cast<size_t>(std::min<uint64_t>(to - row, codec::kFastLanesBlock - skip));
      values->AppendPlain(reinterpret_cast<const uint8_t*>(block + skip), count, sizeof(T));
      validity->AppendValid(count);
      row += count;
    }
    return Status::Ok();
  }

 private:
  BufferView buffer_;
  unsigned packed_;
};

class ConstantArray : public ArrayDecoder {
 public:
  ConstantArray(std::string_view value, uint64_t max_bytes)
      : value_(value), max_bytes_(max_bytes) {}
  Status Append(uint64_t from, uint64_t to, ValueBuilder* values,
                ValidityBuilder* validity) override {
    const auto* bytes = reinterpret_cast<const uint8_t*>(value_.data());
    const auto count = static_cast<size_t>(to - from);
    if (!value_.empty() && count > max_bytes_ / value_.size()) {
      return Status::ResourceExhausted("{} times a value of {} bytes in one batch", count,
                                       value_.size());
    }
    validity->AppendValid(count);
    if (values->shape().kind != ValueShape::Kind::kVariable) {
      values->AppendPlain(bytes, count, 0);
      return Status::Ok();
    }
    for (size_t i = 0; i < count; ++i) {
      PCHRONICLE_RETURN_IF_ERROR(values->AppendText(bytes, value_.size()));
    }
    return Status::Ok();
  }

 private:
  std::string value_;
  uint64_t max_bytes_;
};

}  // namespace pchronicle::lance
