#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model {

/// One value to put into an encoded document.
struct PlacedField {
  std::string pointer;     // RFC 6901, relative to the document
  std::string_view value;  // minified JSON text
  bool overwrites =
      false;  // a source-owned member: replaces whatever stands there (formats.md 5.3)
};

struct InsertOptions {
  /// A pointer whose parent does not exist (a lossy hop took it, formats.md 9.2) is listed in
  /// `dangling` and left out; false: it is an error.
  bool skip_dangling = true;
  /// Missing object members on the way to a pointer are made (formats.md 4.9); array slots never
  /// are.
  bool create_parents = false;
};

/// Puts residuals back into `document` (one compact JSON value), insert-only (formats.md 3.8): new
/// members stand behind the canonical ones of their object, in the order of their pointers. A value
/// that stands at the pointer already and is equal, or differs only by lone surrogates
/// (formats.md 1.1), is replaced by the residual's text. Errors (kInvalidArgument): `JSON Pointer
/// 'P' collides with a canonical value`, `... has a missing object parent`,
/// `... references a missing array slot`, and those of a pointer that is none.
Result<std::string> InsertFields(std::string document, std::vector<PlacedField> fields,
                                 const InsertOptions& options, std::vector<std::string>* dangling);

/// The first of `pointers` that names no value of `document` (one JSON value); nothing when all do.
std::optional<std::string> FirstMissing(std::string_view document,
                                        std::span<const std::string> pointers);

}  // namespace pchronicle::model
