#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::lance {

/// Collects which slots of an array are valid. As long as all are, there is only a number. Not
/// thread-safe.
class ValidityBuilder {
 public:
  size_t length() const { return length_; }
  size_t nulls() const { return nulls_; }

  void AppendValid(size_t count);
  void AppendNull(size_t count);
  /// Bit 1 = valid.
  void AppendBits(const uint8_t* bits, size_t at, size_t count);
  /// Valid where the level is below `limit`.
  void AppendLevels(const uint16_t* levels, size_t count, uint16_t limit);

  /// The bitmap, none when nothing is null; the builder is empty afterwards.
  columnar::BufferPtr Finish();
  void Reset();

 private:
  uint8_t* Room(size_t count);
  void Materialize();

  columnar::BufferPool pool_;
  std::shared_ptr<columnar::Buffer> bits_;  // none: all valid so far
  size_t length_ = 0, nulls_ = 0;
};

/// How the values of a column lie in memory; what decoders need to know of a type.
struct ValueShape {
  enum class Kind : uint8_t { kNull, kBits, kFixed, kVariable, kFixedSizeList, kStruct };
  Kind kind = Kind::kNull;
  uint32_t width = 0;  // kFixed: bytes of a value; kFixedSizeList: items of a value
  bool large = false;  // kVariable: offsets of 64 bits
  std::vector<ValueShape> children;

  static ValueShape Of(const columnar::DataType& type);
  static ValueShape Fixed(uint32_t width) { return {Kind::kFixed, width, false, {}}; }
  static ValueShape Variable(bool large) { return {Kind::kVariable, 0, large, {}}; }
  /// Bytes of a value that is stored alone, without validity: a bool takes one byte. 0 for
  /// kVariable, kStruct and kNull.
  uint64_t PlainBytes() const;
  std::string ToString() const;
};

/// The values of one column while they are decoded, in Arrow's layout from the start. Memory is
/// pooled: the next batch is built where an earlier one was, once nobody holds that any more. Not
/// thread-safe.
class ValueBuilder {
 public:
  explicit ValueBuilder(ValueShape shape);

  const ValueShape& shape() const { return shape_; }
  size_t size() const { return size_; }
  /// Bytes in use, children included.
  size_t bytes() const;

  /// kFixed: room for `count` values; AdvanceFixed makes them part of the array.
  uint8_t* ReserveFixed(size_t count) { return values_->Reserve(count * shape_.width); }
  void AdvanceFixed(size_t count) {
    values_->Advance(count * shape_.width);
    size_ += count;
  }
  /// Appends values of PlainBytes() each, `stride` bytes apart: kFixed, kBits (a byte for each, the
  /// lowest bit counts) and fixed size lists of them.
  void AppendPlain(const uint8_t* values, size_t count, size_t stride);
  /// kBits.
  void AppendBits(const uint8_t* bits, size_t at, size_t count);
  /// kVariable. kResourceExhausted when offsets of 32 bits no longer reach.
  Status AppendText(const uint8_t* text, size_t size);
  /// kVariable: `count` values that lie one behind the other; ends[i] is the end of value i,
  /// counted from `start`, all within `text`.
  template <typename End>
  Status AppendTexts(const uint8_t* text, const uint8_t* ends, size_t count, uint64_t start);
  /// kVariable: `count` values that are written in place. decode(i, out) writes value i, at most
  /// max_size(i) bytes, and gives the end of it, null when it is damaged: then this gives false and
  /// the builder must be reset.
  template <typename MaxSize, typename Decode>
  Result<bool> AppendDecoded(size_t count, MaxSize&& max_size, Decode&& decode) {
    return shape_.large ? AppendDecodedAs<uint64_t>(count, max_size, decode)
                        : AppendDecodedAs<uint32_t>(count, max_size, decode);
  }
  /// `count` slots of any kind with nothing in them: zeros or empty texts.
  void AppendEmpty(size_t count);
  /// kFixedSizeList, kStruct: children. For lists the caller appends width items for each value,
  /// and both count with AdvanceNested.
  ValueBuilder& child(size_t i) { return children_[i]; }
  size_t children() const { return children_.size(); }
  void AdvanceNested(size_t count) { size_ += count; }
  /// Validity of the slots: only kept for items of fixed size lists and members of packed structs.
  ValidityBuilder& validity() { return validity_; }

  /// Value `i` of a kVariable or kFixed builder.
  std::string_view View(size_t i) const;
  void Reset();
  /// The array of everything so far, with the slots' validity; empties the builder.
  columnar::ArrayPtr Finish(const columnar::DataTypePtr& type, columnar::BufferPtr validity,
                            size_t nulls);

 private:
  Status CheckText(uint64_t size) const;
  Status CloseText();

  template <typename Offset, typename MaxSize, typename Decode>
  Result<bool> AppendDecodedAs(size_t count, MaxSize& max_size, Decode& decode) {
    auto* ends = reinterpret_cast<Offset*>(offsets_->Reserve(count * sizeof(Offset)));
    for (size_t i = 0; i < count; ++i) {
      uint8_t* const out = values_->Reserve(max_size(i));
      uint8_t* const end = decode(i, out);
      if (end == nullptr) {
        return false;
      }
      values_->Advance(static_cast<size_t>(end - out));
      ends[i] = static_cast<Offset>(values_->size());
    }
    offsets_->Advance(count * sizeof(Offset));
    size_ += count;
    PCHRONICLE_RETURN_IF_ERROR(CheckText(values_->size()));
    return true;
  }

  ValueShape shape_;
  size_t size_ = 0;
  columnar::BufferPool values_pool_, offsets_pool_;
  std::shared_ptr<columnar::Buffer> values_, offsets_;
  ValidityBuilder validity_;
  std::vector<ValueBuilder> children_;
};

extern template Status ValueBuilder::AppendTexts<uint32_t>(const uint8_t*, const uint8_t*, size_t,
                                                           uint64_t);
extern template Status ValueBuilder::AppendTexts<uint64_t>(const uint8_t*, const uint8_t*, size_t,
                                                           uint64_t);

}  // namespace pchronicle::lance
