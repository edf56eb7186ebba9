#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/catalog/node_manifest.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/io/store.h"

namespace pchronicle::catalog {

// Sources that are directories. `directory` is relative to the root of the mount, empty for it.

/// A store of `format` (absent: unknown). `reason` says why nothing of it is read; empty: it is.
/// `marker` is the file that makes it a store; null: there is none.
Source StoreSource(std::string_view directory, std::optional<std::string> format,
                   std::string reason, const io::Entry* marker);
/// Reads and pins the store that a marker file `path` names: CURRENT of a Storyline store, the
/// manifest of events. One that cannot be pinned is a source with an error.
Source StorylineStore(const io::Store& store, std::string_view directory, const std::string& path);
Source EventsStore(const io::Store& store, std::string_view directory, const std::string& path);
/// A directory that a `chronicle.manifest` calls a store.
Source LeafStore(std::string_view directory, const NodeManifest& node, const io::Entry& manifest);

}  // namespace pchronicle::catalog
