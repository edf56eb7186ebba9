#pragma once

#include <memory>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/catalog/resolve.h"
#include "pchronicle/model/file_ids.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::catalog {

/// Tells a row sink how a continuation is found (catalog.md 6.1, `continued_by`): a file of the
/// Dataset, or a document of the same file, whose ids are read when first asked. Every reader that
/// makes rows or diagnostics of trajectories uses these, so that all say the same of a reference.
/// `sources` (of the Dataset, by file) and `context` must outlive the request; returns the ids, for
/// their memory, null when the source has no documents of its own.
std::shared_ptr<model::FileIds> AddReferenceHooks(const std::vector<Source>& sources,
                                                  const Source& source,
                                                  std::shared_ptr<const ResolvedSource> resolved,
                                                  const Limits& limits, const Context& context,
                                                  model::RowSink::Request& request);

}  // namespace pchronicle::catalog
