#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/scan.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::app {

struct LoadOptions {
  /// Which documents to load whole; asked once their ids are known, the others' turns are not even
  /// read. May be asked twice for the same document.
  std::function<bool(const model::Document&)> wanted;
  uint64_t max_documents = UINT64_MAX;  // of those wanted; no more are held
  bool keep_going =
      false;  // bad units are left out; else the first one is the error, with its place
};

struct LoadedRuns {
  std::vector<model::Storyline> storylines;      // in source order
  uint64_t documents = 0;                        // wanted or not
  bool over_limit = false;                       // more were wanted than max_documents
  std::vector<catalog::SourceProblem> problems;  // the first ones
  uint64_t problems_left_out = 0;
};

/// Reads documents of one source into the hub. Sources without documents (empty, ignored) give
/// none.
Result<LoadedRuns> LoadRuns(const catalog::CatalogDataset& dataset, const catalog::Source& source,
                            const catalog::Limits& limits, const LoadOptions& options,
                            const Context& context);

}  // namespace pchronicle::app
