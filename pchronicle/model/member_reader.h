#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/residuals.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::model {

/// Turns captured members into typed hub values by the lenient rules of formats.md 1.1, 1.2
/// and 1.6: a wrong type is absent, kept as a residual and counted as `bad_value`. One reader
/// serves one object at a time; not thread-safe.
class MemberReader {
 public:
  struct Target {
    const Document* document = nullptr;    // whose diagnostics
    ResidualBuilder* residuals = nullptr;  // null: not asked for
    Arena* arena = nullptr;                // decoded text
    DocumentSink* sink = nullptr;          // null: diagnostics are dropped
  };
  void SetTarget(const Target& target) { target_ = target; }
  /// Pointer of the object whose members are read next.
  void SetBase(std::string_view base) { base_.assign(base); }
  std::string& base() { return base_; }

  Text ReadText(std::string_view key, const json::Raw& raw);
  std::optional<int64_t> ReadInt(std::string_view key, const json::Raw& raw);
  std::optional<bool> ReadBool(std::string_view key, const json::Raw& raw);
  Timestamp ReadTimestamp(std::string_view key, const json::Raw& raw);
  /// An any-typed member: null is absent. Counts what its text holds (lone surrogates, bare NaN).
  json::Raw ReadAny(std::string_view key, const json::Raw& raw);
  /// A member without a place in the hub.
  void Unknown(std::string_view key, const json::Raw& raw);
  /// A known member of the wrong type or range.
  void Bad(std::string_view key, const json::Raw& raw);
  void Note(std::string_view code, std::string_view key, std::string_view example = {});
  /// `base/key`, escaped (RFC 6901).
  std::string Pointer(std::string_view key) const;
  bool wants_residuals() const { return target_.residuals != nullptr; }

 private:
  void NoteFlags(std::string_view key, const json::Raw& raw);

  Target target_;
  std::string base_;
};

/// Keeps `raw` beyond the cursor's buffers.
json::Raw Own(const json::Raw& raw, Arena& arena);

}  // namespace pchronicle::model
