#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/codec/bits.h"
#include "pchronicle/codec/fastlanes.h"
#include "pchronicle/codec/fsst.h"
#include "pchronicle/codec/runs.h"
#include "pchronicle/lance/encoding/block_decoder.h"
#include "pchronicle/lance/encoding/value_decoder.h"

// The value encodings of lance.md B4 that stand on their own. Used by value_decoder.cc only.

namespace pchronicle::lance {

inline Result<Bytes> TakeBuffer(std::span<const Bytes>* buffers) {
  if (buffers->empty()) {
    return Status::Corruption("a chunk has fewer buffers than its encoding needs");
  }
  const Bytes buffer = buffers->front();
  *buffers = buffers->subspan(1);
  return buffer;
}

inline Status TooShort(std::string_view what, size_t bytes, size_t count) {
  return Status::Corruption("{} of {} bytes for {} values", what, bytes, count);
}

/// Values one behind the other.
class FlatDecoder : public ValueDecoder {
 public:
  explicit FlatDecoder(uint64_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    if (width_ != 0 && bytes_.size() / width_ < count) {
      return TooShort("flat buffer", bytes_.size(), count);
    }
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    out->AppendPlain(bytes_.data() + from * width_, count, width_);
    return Status::Ok();
  }

 private:
  size_t width_;
  Bytes bytes_;
};

class BitDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return bytes_.size() < codec::BitmapBytes(count) ? TooShort("bit buffer", bytes_.size(), count)
                                                     : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    out->AppendBits(bytes_.data(), from, count);
    return Status::Ok();
  }

 private:
  Bytes bytes_;
};

/// A word with the width, then one FastLanes block.
template <typename T>
class InlineBitpackDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    unpacked_ = false;
    return CheckInlineBitpacking(bytes_, sizeof(T), count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const unsigned width = static_cast<unsigned>(LoadLe<T>(bytes_.data()));
    const uint8_t* packed = bytes_.data() + sizeof(T);
    if (from == 0 && out->shape().kind == ValueShape::Kind::kFixed) {
      auto* to = reinterpret_cast<T*>(out->ReserveFixed(codec::kFastLanesBlock));
      codec::FastLanesUnpack(width, packed, to);
      out->AdvanceFixed(count);
      return Status::Ok();
    }
    if (!unpacked_) {
      codec::FastLanesUnpack(width, packed, block_);
      unpacked_ = true;
    }
    out->AppendPlain(reinterpret_cast<const uint8_t*>(block_ + from), count, sizeof(T));
    return Status::Ok();
  }

 private:
  Bytes bytes_;
  bool unpacked_ = false;
  T block_[codec::kFastLanesBlock];
};

/// Offsets from the start of the buffer, then the texts.
template <typename Offset>
class VariableDecoder : public ValueDecoder {
 public:
  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    return bytes_.size() / sizeof(Offset) < count + 1
               ? TooShort("offsets in a buffer", bytes_.size(), count)
               : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    PCHRONICLE_RETURN_IF_ERROR(Check(from, count));
    const uint64_t start = Start(from);
    return out->AppendTexts<Offset>(bytes_.data() + start,
                                    bytes_.data() + (from + 1) * sizeof(Offset), count, start);
  }
  /// Ascending offsets within the buffer.
  Status Check(size_t from, size_t count) const {
    bool ascending = true;
    uint64_t last = Start(from);
    for (size_t i = from + 1; i <= from + count; ++i) {
      const uint64_t next = Start(i);
      ascending &= last <= next;
      last = next;
    }
    return ascending && last <= bytes_.size()
               ? Status::Ok()
               : Status::Corruption("text offsets that do not ascend within {} bytes",
                                    bytes_.size());
  }
  uint64_t Start(size_t i) const { return LoadLe<Offset>(bytes_.data() + i * sizeof(Offset)); }
  Bytes Value(size_t i) const {
    return bytes_.subspan(static_cast<size_t>(Start(i)),
                          static_cast<size_t>(Start(i + 1) - Start(i)));
  }

 private:
  Bytes bytes_;
};

template <typename Offset>
class FsstDecoder : public ValueDecoder {
 public:
  explicit FsstDecoder(codec::FsstTable table) : table_(table) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    return texts_.Load(buffers, count);
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    if (!table_.coding()) {
      return texts_.Append(from, count, out);
    }
    PCHRONICLE_RETURN_IF_ERROR(texts_.Check(from, count));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const bool good,
        out->AppendDecoded(
            count,
            [&](size_t i) { return codec::FsstTable::MaxDecoded(texts_.Value(from + i).size()); },
            [&](size_t i, uint8_t* to) { return table_.Decode(texts_.Value(from + i), to); }));
    return good ? Status::Ok() : Status::Corruption("fsst: a code without a symbol");
  }

 private:
  codec::FsstTable table_;
  VariableDecoder<Offset> texts_;
};

class RleDecoder : public ValueDecoder {
 public:
  explicit RleDecoder(size_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(values_, TakeBuffer(buffers));
    PCHRONICLE_ASSIGN_OR_RETURN(lengths_, TakeBuffer(buffers));
    expanded_ = false;
    count_ = count;
    // The value buffer decides: behind the lengths there may be filler.
    const size_t runs = values_.size() / width_;
    if (lengths_.size() < runs || runs > count || runs * 255 < count) {
      return TooShort("run lengths", lengths_.size(), count);
    }
    lengths_ = lengths_.subspan(0, runs);
    return Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    const bool plain = out->shape().kind == ValueShape::Kind::kFixed;
    if (plain && from == 0 && count == count_) {
      PCHRONICLE_RETURN_IF_ERROR(Expand(out->ReserveFixed(count)));
      out->AdvanceFixed(count);
      return Status::Ok();
    }
    if (!expanded_) {
      scratch_.Resize(count_ * width_);
      PCHRONICLE_RETURN_IF_ERROR(Expand(scratch_.data()));
      expanded_ = true;
    }
    out->AppendPlain(scratch_.data() + from * width_, count, width_);
    return Status::Ok();
  }

 private:
  Status Expand(uint8_t* out) const {
    return codec::ExpandRuns(values_, width_, lengths_, count_, out)
               ? Status::Ok()
               : Status::Corruption("run lengths that do not add up to {} values", count_);
  }

  size_t width_, count_ = 0;
  Bytes values_, lengths_;
  bool expanded_ = false;
  columnar::Buffer scratch_;
};

class ByteStreamSplitDecoder : public ValueDecoder {
 public:
  explicit ByteStreamSplitDecoder(size_t width) : width_(width) {}

  Status Load(std::span<const Bytes>* buffers, size_t count) override {
    PCHRONICLE_ASSIGN_OR_RETURN(bytes_, TakeBuffer(buffers));
    count_ = count;
    return bytes_.size() / width_ < count ? TooShort("byte streams", bytes_.size(), count)
                                          : Status::Ok();
  }
  Status Append(size_t from, size_t count, ValueBuilder* out) override {
    codec::JoinByteStreams(bytes_.data(), count_, width_, from, count, out->ReserveFixed(count));
    out->AdvanceFixed(count);
    return Status::Ok();
  }

 private:
  size_t width_, count_ = 0;
  Bytes bytes_;
};

}  // namespace pchronicle::lance
