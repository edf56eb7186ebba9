#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/proto/schema_messages.h"
#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance::proto {

/// The member that a walk stands on, with accessors that give damage as a Status, so that one
/// member is one line of a switch.
class Member {
 public:
  explicit Member(WireReader* in) : in_(in) {}

  uint32_t number() const { return in_->field(); }
  Status Get(std::string* out) const { return Set(out, in_->Text()); }
  Status Get(uint64_t* out) const { return Set(out, in_->U64()); }
  Status Get(int64_t* out) const { return Set(out, in_->I64()); }
  Status Get(uint32_t* out) const { return Set(out, in_->U32()); }
  Status Get(int32_t* out) const { return Set(out, in_->I32()); }
  Status Get(bool* out) const { return Set(out, in_->Bool()); }
  /// Bytes of a sub-message, as a view into the message.
  Result<std::string_view> Bytes() const {
    std::string_view bytes;
    PCHRONICLE_RETURN_IF_ERROR(Set(&bytes, in_->Bytes()));
    return bytes;
  }
  template <typename T>
  Status AppendScalars(std::vector<T>* out) const {
    in_->AppendTo(out);
    return in_->status();
  }
  /// The field with its tag, to copy it unread.
  std::string_view raw() const { return in_->raw(); }

 private:
  template <typename T, typename V>
  Status Set(T* out, V value) const {
    *out = std::move(value);
    return in_->status();
  }
  WireReader* in_;
};

/// Calls `use(member)` for each member of the message in the order of the bytes. The first failure
/// ends the walk and is given back with the name of the message in front.
template <typename Use>
Status ForEachMember(std::string_view bytes, std::string_view message, Use use) {
  WireReader in(bytes);
  while (in.Next()) {
    if (const Status status = use(Member(&in)); !status.ok()) {
      return status.WithContext(message);
    }
  }
  return in.status().WithContext(message);
}

/// A repeated message: parsed with `parse(bytes)` and appended.
template <typename T, typename Parse>
Status AppendMessage(const Member& m, std::vector<T>* out, Parse parse) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes, m.Bytes());
  PCHRONICLE_ASSIGN_OR_RETURN(T value, parse(bytes));
  out->push_back(std::move(value));
  return Status::Ok();
}

/// One entry of a map<string, string or bytes>.
inline Status AddToMap(const Member& m, Metadata* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes, m.Bytes());
  return ParseMapEntry(WireReader(bytes), out);
}

}  // namespace pchronicle::lance::proto
