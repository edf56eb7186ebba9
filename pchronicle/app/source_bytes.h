#pragma once

#include <functional>
#include <string_view>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::app {

/// Hands the bytes of a pinned entry of the Dataset to `write`, piece by piece, unchanged. The file
/// must be the one that was pinned, before and after: else `export Source changed after the
/// Snapshot was created` (kConflict, CAT-18).
Status CopyEntryBytes(const catalog::CatalogDataset& dataset, const io::Entry& pinned,
                      const std::function<Status(std::string_view)>& write, const Context& context);

/// The same for the text of a resolved source file: what is inside when it is compressed. kConflict
/// as above.
Status CopySourceText(const catalog::ResolvedSource& resolved,
                      const std::function<Status(std::string_view)>& write, const Context& context);

}  // namespace pchronicle::app
