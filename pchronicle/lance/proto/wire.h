#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/status.h"

namespace pchronicle::lance::proto {

/// Wire types of protocol buffers; groups (3, 4) are refused.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// Messages may nest this deep; deeper bytes are corrupt.
inline constexpr int kMaxMessageDepth = 64;

/// Walks the fields of one protobuf message, in the order of the bytes. Fields that nobody asks for
/// are skipped by the next Next(). The first damage ends the walk: Next() gives false from then on
/// and status() is kCorruption with the offset. Values are views into the bytes given. Not
/// thread-safe.
///
///   WireReader in(bytes);
///   while (in.Next()) {
///     switch (in.field()) {
///       case 1: x.name = in.Text(); break;
///       case 2: PCHRONICLE_RETURN_IF_ERROR(Parse(in.Message(), &x.child)); break;
///       case 3: in.AppendTo(&x.numbers); break;
///     }
///   }
///   return in.status();
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool Next();
  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  const Status& status() const { return status_; }

  /// The value of the current field. A wrong wire type, and a U32 beyond 32 bits, are damage: the
  /// value is 0 or empty and status() tells. I32 takes the low 32 bits of the sign-extended varint.
  uint64_t U64();
  int64_t I64() { return static_cast<int64_t>(U64()); }
  uint32_t U32();
  int32_t I32() { return static_cast<int32_t>(static_cast<uint32_t>(U64())); }
  bool Bool() { return U64() != 0; }
  double Double();
  /// Bytes of a `bytes`, `string` or message field.
  std::string_view Bytes();
  std::string Text() { return std::string(Bytes()); }
  /// The sub-message; one level deeper, corrupt below kMaxMessageDepth.
  WireReader Message();
  /// The whole current field with its tag, to copy it unread into a writer.
  std::string_view raw() const { return bytes_.substr(start_, at_ - start_); }

  /// Appends a repeated scalar, packed or not.
  void AppendTo(std::vector<uint64_t>* out);
  void AppendTo(std::vector<int32_t>* out);
  void AppendTo(std::vector<uint32_t>* out);

 private:
  template <typename T>
  void AppendScalars(std::vector<T>* out);
  bool ReadVarint(std::string_view bytes, size_t* at, uint64_t* value);
  void Damage(std::string_view what);

  std::string_view bytes_;
  size_t at_ = 0, start_ = 0;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  uint64_t number_ = 0;       // kVarint, kFixed64, kFixed32
  std::string_view content_;  // kBytes
  int depth_ = 0;
  Status status_;
};

/// Writes one protobuf message, fields in the order of the calls. Not thread-safe.
class WireWriter {
 public:
  /// Varint fields. Number() and Flag() leave out the proto3 default; the Present forms write it.
  void Number(uint32_t field, uint64_t value) {
    if (value != 0) {
      PresentNumber(field, value);
    }
  }
  void PresentNumber(uint32_t field, uint64_t value);
  /// int32 and int64: negative numbers take ten bytes.
  void Signed(uint32_t field, int64_t value) { Number(field, static_cast<uint64_t>(value)); }
  void PresentSigned(uint32_t field, int64_t value) {
    PresentNumber(field, static_cast<uint64_t>(value));
  }
  void Flag(uint32_t field, bool value) { Number(field, value ? 1 : 0); }
  void Double(uint32_t field, double value);
  /// `bytes` and `string`; Text leaves out the empty one.
  void Bytes(uint32_t field, std::string_view value);
  void Text(uint32_t field, std::string_view value) {
    if (!value.empty()) {
      Bytes(field, value);
    }
  }
  void Message(uint32_t field, const WireWriter& message) { Bytes(field, message.bytes()); }
  /// An entry of map<string, bytes or string>.
  void MapEntry(uint32_t field, std::string_view key, std::string_view value);
  /// Packed repeated scalars; nothing when empty.
  void Packed(uint32_t field, std::span<const uint64_t> values);
  void Packed(uint32_t field, std::span<const int32_t> values);
  void Packed(uint32_t field, std::span<const uint32_t> values);
  /// Fields that WireReader::raw gave.
  void Raw(std::string_view fields) { bytes_ += fields; }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  void Tag(uint32_t field, WireType type);

  std::string bytes_;
};

/// Appends a base-128 varint.
void AppendVarint(uint64_t value, std::string* out);

}  // namespace pchronicle::lance::proto
