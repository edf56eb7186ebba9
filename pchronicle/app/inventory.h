#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/app/dataset_location.h"
#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::app {

/// Freezes one Dataset as the schema `dataset`.
Result<std::shared_ptr<const catalog::Snapshot>> OpenDataset(const DatasetLocation& location,
                                                             catalog::SnapshotOptions options,
                                                             const Context& context);

/// Sources by state. Unread ones count as ready; error stands for `status` or content
/// (catalog.md 6.1).
struct SourceCounts {
  uint64_t total = 0, ready = 0, error = 0, open = 0, empty = 0, ignored = 0;
};
SourceCounts CountSources(const catalog::CatalogDataset& dataset);

/// What a person is told about one source: the worst of what is known, never by reading it.
struct SourceState {
  std::string status;  // ready, open, empty, ignored, error
  std::string reason;  // empty when ready
};
SourceState StateOf(const catalog::Source& source, const catalog::SourceContent& content);

/// First source with an error, as the error of a strict command (ERR-01); ok when there is none.
Status FirstError(const catalog::CatalogDataset& dataset);

/// One entry of `list --shallow`: a child of the Dataset's folder.
struct ShallowEntry {
  std::string kind;  // file, directory, dataset (a store)
  std::string name;
};
/// One directory level, nothing opened. A store gives the one entry `.`; names that start with a
/// dot and files that are never Sources are left out.
Result<std::vector<ShallowEntry>> ListShallow(const DatasetLocation& location,
                                              uint64_t max_entries);

}  // namespace pchronicle::app
