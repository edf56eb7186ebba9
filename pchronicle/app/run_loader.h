#pragma once

#include <functional>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::app {

/// Which documents of a source to load whole. Asked once the ids are known; the others' turns are
/// not even read.
using DocumentFilter = std::function<bool(const model::Document&)>;

struct LoadedRuns {
  std::vector<model::Storyline> storylines;  // in source order
  std::vector<model::Problem> problems;      // units that are lost; only with keep_going
  model::Diagnostics diagnostics;
};

/// Reads documents of one source into the hub. Sources without documents (empty, ignored) give
/// none. Without `keep_going` the first bad unit is the error, placed by file, line, byte and
/// pointer.
Result<LoadedRuns> LoadRuns(const catalog::CatalogDataset& dataset, const catalog::Source& source,
                            const catalog::Limits& limits, const DocumentFilter& wanted,
                            bool keep_going, const Context& context);

/// The place of a problem for people: `a.jsonl: line 3, byte 512, /steps/0/source: ...`.
Status PlaceProblem(const catalog::Source& source, const json::ByteInput& input,
                    const model::Problem& problem);

}  // namespace pchronicle::app
