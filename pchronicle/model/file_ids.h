#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "pchronicle/base/hash.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

/// How many documents of one input have a document or session id: what
/// RowSink::Request::count_documents wants. The input is read (heads only) when first asked.
/// `input` must outlive it. Not thread-safe.
class FileIds {
 public:
  /// `options` as of the scan; fields and range are replaced (the whole input counts).
  FileIds(Format format, const json::ByteInput& input, WalkOptions options);
  uint64_t CountDocuments(std::string_view id);
  /// Memory held; 0 until something was asked.
  uint64_t bytes() const;

 private:
  void Load();

  Format format_;
  const json::ByteInput* input_;
  WalkOptions options_;
  std::optional<std::unordered_map<Hash128, uint64_t, Hash128Hasher>> counts_;
};

}  // namespace pchronicle::model
