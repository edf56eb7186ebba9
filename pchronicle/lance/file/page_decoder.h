#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/decode_context.h"
#include "pchronicle/lance/encoding/structure_builder.h"
#include "pchronicle/lance/encoding/value_builder.h"
#include "pchronicle/lance/file/range_reader.h"
#include "pchronicle/lance/proto/encoding_messages.h"

namespace pchronicle::lance {

/// Where the rows of one column go.
struct LeafBuilder {
  LeafBuilder(ValueShape shape, std::vector<PathStep> path)
      : values(std::move(shape)), structure(std::move(path)) {}
  void Reset() {
    values.Reset();
    structure.Reset();
  }
  size_t bytes() const { return values.bytes() + structure.bytes(); }

  ValueBuilder values;
  StructureBuilder structure;
};

/// One page of a 2.1 or 2.2 column, opened. Rows are counted from the start of the page. Not
/// thread-safe.
class PageDecoder {
 public:
  virtual ~PageDecoder() = default;
  /// Appends rows [from, to). Rows [to, ahead) will be asked for next; none: `ahead` is at most
  /// `to`. It may lie behind the page.
  virtual Status Append(uint64_t from, uint64_t to, uint64_t ahead, LeafBuilder* out) = 0;
  /// Tells which rows (ascending) will be asked for, so that they can be read in few calls.
  virtual Status Prefetch(std::span<const uint64_t> rows) = 0;
  /// First rows of the pieces that are decoded as one, without 0.
  virtual std::vector<uint64_t> Cuts() const { return {}; }
};

struct PageOptions {
  const proto::PageLayout* layout = nullptr;  // outlives the decoder
  uint64_t rows = 0;
  DecodeContext* context = nullptr;
  uint64_t max_batch_bytes = 0;
};

/// What the page layouts of lance.md B4 and B5 have in common.
class LayoutPage : public PageDecoder {
 protected:
  LayoutPage(const PageOptions& options, PageSource source, LayerPlan plan)
      : options_(options),
        layout_(*options.layout),
        source_(std::move(source)),
        plan_(std::move(plan)) {}

  PageOptions options_;
  const proto::PageLayout& layout_;
  PageSource source_;
  LayerPlan plan_;
};

/// Opens a page for a column of that shape and path: reads chunk tables and dictionaries. Errors as
/// FileReader::Read.
Result<std::unique_ptr<PageDecoder>> OpenPage(const PageOptions& options, PageSource source,
                                              const ValueShape& shape,
                                              std::span<const PathStep> path);

Result<std::unique_ptr<PageDecoder>> OpenMiniBlockPage(const PageOptions& options,
                                                       PageSource source, const ValueShape& shape,
                                                       LayerPlan plan);
Result<std::unique_ptr<PageDecoder>> OpenFullZipPage(const PageOptions& options, PageSource source,
                                                     const ValueShape& shape, LayerPlan plan);
Result<std::unique_ptr<PageDecoder>> OpenConstantPage(const PageOptions& options, PageSource source,
                                                      const ValueShape& shape, LayerPlan plan);
/// `shape`: a struct of position and size.
Result<std::unique_ptr<PageDecoder>> OpenBlobPage(const PageOptions& options, PageSource source,
                                                  const ValueShape& shape, LayerPlan plan);

/// kResourceExhausted when a batch takes more than it may.
Status CheckBatchBytes(const PageOptions& options, const LeafBuilder& builder);

}  // namespace pchronicle::lance
