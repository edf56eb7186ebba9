#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/fields.h"
#include "pchronicle/model/residuals.h"

namespace pchronicle::model::atif {

/// Root members that must not stand twice: two identities or two sets of rows are not guessed
/// between (formats.md 1.1).
enum RootMember : uint32_t {
  kSeenSchemaVersion = 1,
  kSeenSessionId = 2,
  kSeenTrajectoryId = 4,
  kSeenAgent = 8,
  kSeenSteps = 16,
  kSeenSubagents = 32,
};

/// One trajectory object that is being read: a record's root or an embedded child. Lives until the
/// end of its record.
struct DocumentState {
  explicit DocumentState(DocumentState* parent_state) : parent(parent_state) {}

  DocumentState* parent;
  Arena arena{2048};  // owns what `document` points to
  Document document;
  ResidualBuilder residuals{arena};
  uint64_t offset =
      0;  // of the object's first byte; names the document in SourceNotes::lost_documents
  uint32_t base_depth = 0;  // cursor depth outside the object
  uint32_t seen = 0;        // RootMember bits met in the main walk

  std::string_view own_schema_version;
  std::string_view own_session_id;
  std::string_view own_trajectory_id;
  bool has_trajectory_id = false;  // member present and not null
  bool agent_is_valid = false;

  bool announced = false;  // OnDocument was called, or would have been: `muted`
  bool muted = false;      // an earlier pass found it bad: nothing of it reaches the sink
  bool wants_turns = true;
  bool skimmed = false;              // head members were looked up ahead
  std::string_view used_session_id;  // what OnDocument was told
  bool used_trajectory_id = false;

  int64_t next_ordinal = 0;  // of turns
  std::vector<std::string_view> children;
  std::unordered_set<int64_t> step_ids;  // only when diagnostics or strict validation ask
  std::unordered_set<std::string> call_ids;

  bool is_root() const { return parent == nullptr; }
};

}  // namespace pchronicle::model::atif
