#pragma once

#include <functional>
#include <memory>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/source_pass.h"
#include "pchronicle/model/first_problems.h"

namespace pchronicle::catalog {

/// What one complete reading of a source gave.
struct FullRead {
  std::shared_ptr<const ResolvedSource> resolved;
  std::vector<SourceProblem> problems;  // the first ones, placed; none of FailsAlways
  uint64_t problems_left_out = 0;       // further ones, which the sink only counted
  uint64_t records = 0;
  uint64_t bytes_read = 0, buffer_peak_bytes = 0, id_peak_bytes = 0;
  uint64_t compressed_bytes_read = 0;
  bool open_tail = false;
  bool truncated = false;  // the compressed file is cut off
  bool has_documents = false;
  uint64_t problem_count() const { return problems.size() + problems_left_out; }
};

/// What a sink keeps of the problems it met (model::FirstProblems).
struct KeptProblems {
  KeptProblems(const std::vector<model::Problem>& first_in, uint64_t left_out_in)
      : first(first_in), left_out(left_out_in) {}
  explicit KeptProblems(const model::FirstProblems& problems)
      : KeptProblems(problems.kept(), problems.left_out()) {}
  const std::vector<model::Problem>& first;
  uint64_t left_out = 0;
};

/// A sink that can be made anew when a source has to be read a second time (STL-127).
struct PassSink {
  model::DocumentSink* sink = nullptr;
  std::function<KeptProblems()> problems;
  std::function<bool()> needs_second_pass;
};

using MakePassSink = std::function<PassSink(const std::shared_ptr<const ResolvedSource>& resolved)>;

/// Reads a source to its end into the sink that `make` gives; again with what was learnt when
/// something came as a surprise (nothing of the first reading counts then: `make` is called again).
/// Errors: the storage's, cancellation and limits.
Result<FullRead> ReadFully(const CatalogDataset& dataset, const Source& source,
                           const Limits& limits, const Context& context, model::FieldMask fields,
                           const MakePassSink& make);

}  // namespace pchronicle::catalog
