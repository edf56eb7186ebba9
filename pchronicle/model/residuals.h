#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model {

/// Collects the residuals of one document while it is read (formats.md 2.9). A walker holds one per
/// open document, records members it has no place for, and puts Finish into Document::unknown
/// before OnDocumentEnd. Pointers and values are copied into the arena given here. Not thread-safe.
class ResidualBuilder {
 public:
  explicit ResidualBuilder(Arena& arena) : arena_(&arena) {}

  /// `pointer` is the complete RFC 6901 pointer in the source document. The value is kept minified
  /// with lone surrogates as written. A later value at the same pointer replaces the earlier one
  /// (last of duplicate keys wins).
  void Add(std::string_view pointer, const json::Raw& value);
  /// The JSON text of a string that was decoded with U+FFFD in place of a lone surrogate
  /// (formats.md 1.1). Does nothing for any other value.
  void AddIfLoneSurrogate(std::string_view pointer, const json::Raw& value);
  bool empty() const { return fields_.empty(); }
  size_t size() const { return fields_.size(); }
  /// Forgets everything; the arena is left to its owner.
  void Clear();

  /// One source, fields sorted by pointer; empty when nothing was recorded. `format` is the hub's
  /// name (atif, actf, openai-msg, agenticmd).
  std::vector<UnknownSource> Finish(std::string_view format, std::string_view source_document_id);

 private:
  Arena* arena_;
  std::vector<UnknownField> fields_;
};

/// Merges more residuals into a document (formats.md 2.9): equal values merge, else
/// kInvalidArgument `unknown fields source 'X' has conflicting values at 'P'` or `... cannot change
/// source_document_id`. Views of `more` must live as long as the document.
Status MergeUnknown(const std::vector<UnknownSource>& more, std::vector<UnknownSource>& into);

/// Reads the value of a `sources` member: `{"atif":{"source_document_id":"..","fields":{"/x":1}}}`.
/// Closed objects; text goes into `arena`. Errors are kInvalidArgument.
Result<std::vector<UnknownSource>> ParseUnknownSources(const json::Raw& sources, Arena& arena);

/// The pointer with the schema array positions of `format` replaced by `*`; other formats:
/// unchanged.
std::string NormalizePointer(std::string_view format, std::string_view pointer);

/// source -> normalised pointer -> number of fields (saturating); sources without fields have no
/// entry.
using UnknownKeyCounts = std::map<std::string, std::map<std::string, uint64_t>>;
UnknownKeyCounts CountUnknownKeys(const std::vector<UnknownSource>& sources);

/// `{"sources":{"atif":{"source_document_id":"..","fields":{"/x":1}}}}`; sources and fields sorted;
/// empty when no source holds a field.
std::string UnknownFieldsJson(const std::vector<UnknownSource>& sources);
/// `{"atif":{"/steps/*/x":2}}`; empty when there are no counts.
std::string UnknownKeyCountsJson(const UnknownKeyCounts& counts);

/// Residual byte size (formats.md 1.8).
uint64_t ResidualBytes(const std::vector<UnknownSource>& sources);

}  // namespace pchronicle::model
