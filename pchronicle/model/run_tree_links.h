#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/run_tree_part.h"

namespace pchronicle::model {

inline constexpr uint32_t kNoRun = UINT32_MAX;

/// One run of the Dataset in its tree. Points into the parts.
struct RunNode {
  const std::string* file = nullptr;
  const TreeDocument* document = nullptr;
  uint32_t parent = kNoRun;
  int64_t children = 0;
  int64_t depth = 0;
  int64_t unresolved_references = 0;
};

struct RunLinks {
  std::vector<RunNode> nodes;  // in (`_file_`, ordinal) order
  std::vector<std::pair<uint32_t, uint32_t>>
      continuations;  // (run, run that its continued_trajectory_ref names)
};

/// Applies the tree rule (ADD-06): embedding first, then the parent that a document itself names,
/// then references in
/// (`_file_`, ordinal) order; a link that would close a cycle is left out (diagnostic `cycle`), a
/// reference that names nothing is counted (`unresolved_reference`). `parts` must outlive the
/// result.
RunLinks LinkRuns(const std::vector<std::unique_ptr<RunTreeCollector>>& parts,
                  Diagnostics& diagnostics);

/// A run that begins with the steps of an earlier one without marking them as copied (ADD-07).
struct LikelyCopy {
  uint32_t earlier = kNoRun;
  size_t steps = 0;
  bool is_capped = false;  // more steps may be equal than were compared
};
/// By the later run. Compares runs that share a session id, a run id or a continuation link.
std::unordered_map<uint32_t, LikelyCopy> FindLikelyCopies(const RunLinks& links,
                                                          Diagnostics& diagnostics);

}  // namespace pchronicle::model
