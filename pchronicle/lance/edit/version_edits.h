#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pchronicle/lance/edit/commit.h"
#include "pchronicle/lance/table/references.h"

namespace pchronicle::lance {

/// Makes a new version with the content of an older one: schema, rows, indices, config. Row and
/// fragment ids that were used since are not used again. kUnavailable: the new version was written
/// while a clean-up removed the old one, and files of it are gone; it must be restored from
/// another.
Result<Committed> RestoreVersion(const std::shared_ptr<io::Store>& store, uint64_t version,
                                 const EditOptions& options = {});

/// Changes of the key-value pairs that a table carries; no value removes the key.
struct ConfigChange {
  using Pairs = std::map<std::string, std::optional<std::string>>;
  Pairs config, table_metadata, schema_metadata;
};
Result<Committed> UpdateConfig(const std::shared_ptr<io::Store>& store, const ConfigChange& change,
                               const EditOptions& options = {});

/// Names a version (lance.md A10): letters, digits, '.', '-' and '_'. Tags are not versioned; a
/// tagged version survives CleanUp. kNotFound: no such version. kAlreadyExists: no such tag may be
/// there yet. `branch` of the version, empty: main.
Status CreateTag(const std::shared_ptr<io::Store>& store, const std::string& name, uint64_t version,
                 const std::string& branch = {});
/// Lets an existing tag name another version; kNotFound when there is no such tag.
Status UpdateTag(const std::shared_ptr<io::Store>& store, const std::string& name, uint64_t version,
                 const std::string& branch = {});
Status DeleteTag(const std::shared_ptr<io::Store>& store, const std::string& name);

}  // namespace pchronicle::lance
