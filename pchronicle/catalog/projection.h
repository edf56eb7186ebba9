#pragma once

#include <vector>

#include "pchronicle/catalog/mount.h"
#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog {

/// Binds Storyline stores that are projections of an events source of the same Dataset to that
/// source (catalog.md 4.2): they leave `sources`, and of several the best one is chosen (CAT-14). A
/// projection is recognised by the recorded URI of its facts or, since folders are moved and
/// copied, by their place beside it; so nothing is served twice.
///
/// Local URIs are looked up in the file system (one stat each); nothing is opened.
void BindProjections(const OpenedRoot& root, std::vector<Source>& sources);

}  // namespace pchronicle::catalog
