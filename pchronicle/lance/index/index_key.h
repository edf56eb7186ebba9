#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/array.h"

namespace pchronicle::lance {

/// Values of one type as byte strings whose order is that of an index (lance.md D2): numbers by
/// value, floats in total order (-NaN, -infinity .. -0, 0 .. infinity, NaN), text by its bytes. Two
/// values have one key only when they are the same bits. Immutable, thread-safe.
class IndexKey {
 public:
  /// kUnsupported names a type without an order (nested, decimal, null).
  static Result<IndexKey> For(columnar::DataTypePtr type);

  const columnar::DataTypePtr& type() const { return type_; }
  /// Appends the key of a slot that is not null.
  void Append(const columnar::Array& array, int64_t slot, std::string* out) const;

 private:
  friend class KeyArrayBuilder;
  enum class Form : uint8_t { kBytes, kBool, kUnsigned, kSigned, kFloat };
  IndexKey(columnar::DataTypePtr type, Form form, uint32_t width)
      : type_(std::move(type)), form_(form), width_(width) {}

  columnar::DataTypePtr type_;
  Form form_;
  uint32_t width_;  // bytes of a value; 0: text, and booleans
};

/// Puts keys back together as an array of their values. Not thread-safe.
class KeyArrayBuilder {
 public:
  explicit KeyArrayBuilder(IndexKey key);

  int64_t length() const { return length_; }
  void AppendNull();
  /// A key that IndexKey::Append made. kResourceExhausted when text outgrows 32-bit offsets.
  Status Append(std::string_view key);
  /// The array of what was appended; the builder is empty again.
  columnar::ArrayPtr Finish();

 private:
  void AppendValidity(bool valid);
  void AppendOffset();
  void Reset();

  IndexKey key_;
  int64_t length_ = 0, nulls_ = 0;
  std::shared_ptr<columnar::Buffer> validity_, offsets_, values_;
};

}  // namespace pchronicle::lance
