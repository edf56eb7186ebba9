#pragma once

#include <memory>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/file_input.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// A resolved source that somebody is about to read: the file stays open, or its bytes in memory,
/// as long as this lives.
struct HeldSource {
  std::shared_ptr<const ResolvedSource> resolved;
  std::shared_ptr<const FileInput::Hold> hold;  // null when nothing was opened
};
/// Resolve that keeps what it opened. A cancelled or late caller leaves the cell as it was
/// (LZY-04).
Result<HeldSource> ResolveHeld(const CatalogDataset& dataset, const Source& source,
                               const Limits& limits, const Context& context);

/// An input that stops with the context's error: one check per read.
class ContextInput final : public json::ByteInput {
 public:
  /// Both must outlive this.
  ContextInput(const json::ByteInput& base, const Context& context)
      : base_(base), context_(context) {}
  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset,
                                                 uint64_t length = json::kToEnd) const override;
  std::optional<uint64_t> size() const override { return base_.size(); }

 private:
  const json::ByteInput& base_;
  const Context& context_;
};

}  // namespace pchronicle::catalog
