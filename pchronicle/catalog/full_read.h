#pragma once

#include <functional>
#include <memory>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/source_pass.h"

namespace pchronicle::catalog {

/// What one complete reading of a source gave.
struct FullRead {
  std::shared_ptr<const ResolvedSource> resolved;
  std::vector<SourceProblem> problems;  // placed; none of FailsAlways
  uint64_t records = 0;
  uint64_t bytes_read = 0, buffer_peak_bytes = 0, id_peak_bytes = 0;
  uint64_t compressed_bytes_read = 0;
  bool open_tail = false;
  bool truncated = false;  // the compressed file is cut off
  bool has_documents = false;
};

/// A sink that can be made anew when a source has to be read a second time (STL-127).
struct PassSink {
  model::DocumentSink* sink = nullptr;
  std::function<const std::vector<model::Problem>&()> problems;
  std::function<bool()> needs_second_pass;
};

/// Reads a source to its end into the sink that `make` gives; again with what was learnt when
/// something came as a surprise (nothing of the first reading counts then: `make` is called again).
/// Errors: the storage's, cancellation and limits.
Result<FullRead> ReadFully(const CatalogDataset& dataset, const Source& source,
                           const Limits& limits, const Context& context, model::FieldMask fields,
                           const std::function<PassSink()>& make);

}  // namespace pchronicle::catalog
