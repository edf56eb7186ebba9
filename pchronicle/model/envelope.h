#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// Root member that carries residuals of other formats through a foreign document (formats.md 9.2).
inline constexpr std::string_view kEnvelopeKey = "_storyline";

/// A document that was read from a source, by the pointer of its object there ("" for the root).
struct EnvelopeBinding {
  std::string_view carrier;
  std::vector<UnknownSource>* unknown;
};

/// Merges the residuals of a captured `_storyline` member into the documents bound to its carriers.
/// `target` is the hub name of the format that is read. Text is copied into `arena`, which must
/// live as long as the documents. Errors (kInvalidArgument): `invalid _storyline envelope: ...`,
/// `unsupported _storyline unknown_fields version N; expected 1`, `_storyline envelope must not
/// carry target source 'X'`, `_storyline envelope carrier 'P' is not bound to a trajectory`, and
/// the merge conflicts of 2.9.
Status DecodeEnvelope(const json::Raw& member, std::string_view target,
                      std::span<const EnvelopeBinding> bindings, Arena& arena);

/// Where a document stands in an encoded file.
struct CarrierBinding {
  std::string carrier;  // JSON pointer, "" for the root
  const std::vector<UnknownSource>* unknown;
};

/// True when `unknown` holds a field of a source other than `target`.
bool HasForeign(const std::vector<UnknownSource>& unknown, std::string_view target);

/// Adds `_storyline` behind the members of `document` (one compact JSON object) when a binding
/// holds a residual of a source other than `target`. Errors: `foreign unknown fields require an
/// object document root`, `target document already contains reserved key '_storyline'`, `carrier
/// JSON Pointer 'P' does not exist in target document`.
Result<std::string> AddEnvelope(std::string document, std::span<const CarrierBinding> bindings,
                                std::string_view target);

}  // namespace pchronicle::model
