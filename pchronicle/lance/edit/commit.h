#pragma once

#include <memory>

#include "pchronicle/base/result.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/edit/change.h"
#include "pchronicle/lance/edit/edit_options.h"
#include "pchronicle/lance/edit/unpublished_files.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

/// The version that a change starts from: options.read_version, else the newest one. kUnsupported
/// when the table has feature flags that a writer must know (lance.md A4).
Result<std::shared_ptr<const Table>> OpenToEdit(const std::shared_ptr<io::Store>& store,
                                                const EditOptions& options);

/// Makes `change` the next version of the table (lance.md A6). The files that it refers to are
/// written already; they are `files`, which are kept when a version refers to them or may do so.
/// `change.transaction` says on which version it was made (0: the table is to be created); uuid and
/// properties are filled in here.
///
/// What others committed meanwhile is checked (A7); what does not touch the change is no obstacle,
/// and deletions of other rows in the same fragment are merged. Then the manifest is written under
/// the next version number, which only one writer can get; the others check and try again, at most
/// options.attempts times.
///
/// kAlreadyExists: create, and there is a table. kConflict: others won; the message names their
/// version, what they did and what is lost. kUnavailable: the store did not say whether the version
/// was written, and cannot be asked; or all attempts were lost. Other failures: nothing was
/// changed. Thread-safe; any number of processes may commit to one table.
Result<Committed> Commit(const std::shared_ptr<io::Store>& store, Change change,
                         const EditOptions& options, UnpublishedFiles* files);

}  // namespace pchronicle::lance
