#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::app {

/// Documents (`_file_`, `document_id`) of the snapshot's default Dataset whose row of
/// `trajectories` satisfies one SQL condition: `export --where`. Loads the engine. More than
/// `max_documents` are kResourceExhausted.
Result<std::set<std::pair<std::string, std::string>>> SelectDocuments(
    std::shared_ptr<const catalog::Snapshot> snapshot, std::string_view where,
    uint64_t max_documents, const Context& context);

}  // namespace pchronicle::app
