#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::catalog {

/// Where a projection says that it comes from (storage.md 1.2, `projection`).
struct ProjectionLineage {
  std::string source_id, source_file, projector_name, recipe_hash, completeness;
  bool canonical_events = false;  // else an exchange with another store
  std::string source_uri;
  uint64_t fact_version = 0, fact_rows = 0, layout_revision = 0;  // canonical_events
};

/// The published snapshot that a Storyline store's CURRENT names (storage.md 1.2).
struct StorylinePin {
  std::string generation, table_generation;
  uint64_t runs_version = 0, steps_version = 0, tool_calls_version = 0, objects_version = 0;
  std::optional<ProjectionLineage> projection;
};

/// The visible facts that an events store's manifest names (storage.md 2.2).
struct EventsPin {
  struct Segment {
    std::string id;
    uint64_t version = 0, rows = 0;
  };
  uint64_t revision = 0, fact_version = 0, fact_rows = 0;
  std::vector<Segment> segments;
};

/// What a store's marker file said when the snapshot was taken: all that a later reader may open,
/// so that it never looks at the marker again (PIN-03). Immutable.
struct StorePin {
  enum class Kind : uint8_t {
    kStoryline,
    kStorylineUnpublished,  // a writer has begun, nothing is committed yet
    kVortex,                // a pointer of another kind of store under the same name (CAT-46)
    kEvents,
  };
  Kind kind = Kind::kStoryline;
  StorylinePin storyline;  // kStoryline
  EventsPin events;        // kEvents
};

/// Reads a CURRENT file: the control envelope, the bare pointer of older writers, or the pointer of
/// a Vortex dataset. kCorruption, saying what is wrong, for anything else (STL-020 to STL-022): no
/// generation is ever guessed. Unknown members are ignored (STL-025).
Result<StorePin> ParseCurrent(std::string_view text);
/// Reads `events.lance/_manifest.json`; kCorruption when a check of EVT-002 or EVT-003 fails.
Result<StorePin> ParseEventsManifest(std::string_view text);

/// Whether a projection shows exactly the pinned facts (storage.md 3). That the lineage means this
/// events store is for the caller to find out.
bool IsFresh(const ProjectionLineage& lineage, const EventsPin& facts);

}  // namespace pchronicle::catalog
