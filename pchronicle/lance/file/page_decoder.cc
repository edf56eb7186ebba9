#include "pchronicle/lance/file/page_decoder.h"

#include <utility>

namespace pchronicle::lance {
namespace {

using Kind = proto::PageLayout::Kind;

/// Pages of nulls alone may name only the innermost layer.
Result<LayerPlan> MakePlan(const proto::PageLayout& layout, std::span<const PathStep> path) {
  std::vector<uint32_t> layers = layout.layers;
  if (layout.kind == Kind::kConstant) {
    while (layers.size() < path.size() && !path[path.size() - 1 - layers.size()].list) {
      layers.push_back(static_cast<uint32_t>(proto::RepDefLayer::kAllValidItem));
    }
  }
  return LayerPlan::Make(layers, path);
}

}  // namespace

Status CheckBatchBytes(const PageOptions& options, const LeafBuilder& builder) {
  return builder.bytes() <= options.max_batch_bytes
             ? Status::Ok()
             : Status::ResourceExhausted("a batch of more than {} bytes: read fewer rows",
                                         options.max_batch_bytes);
}

Result<std::unique_ptr<PageDecoder>> OpenPage(const PageOptions& options, PageSource source,
                                              const ValueShape& shape,
                                              std::span<const PathStep> path) {
  const proto::PageLayout& layout = *options.layout;
  if (layout.kind == Kind::kUnknown) {
    return Status::Unsupported("page layout {}", layout.member);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(LayerPlan plan, MakePlan(layout, path));
  switch (layout.kind) {
    case Kind::kMiniBlock:
      return OpenMiniBlockPage(options, std::move(source), shape, std::move(plan));
    case Kind::kFullZip:
      return OpenFullZipPage(options, std::move(source), shape, std::move(plan));
    case Kind::kConstant:
      return OpenConstantPage(options, std::move(source), shape, std::move(plan));
    default:
      return OpenBlobPage(options, std::move(source), shape, std::move(plan));
  }
}

}  // namespace pchronicle::lance
