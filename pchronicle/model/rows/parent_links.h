#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/observation.h"

namespace pchronicle::model::rows {

/// Elements of a result's `subagent_trajectory_ref` (an array, or a single object before v1.7),
/// decoded into `arena`.
struct SubagentRef {
  Text trajectory_id;
  Text trajectory_path;
};
void ReadSubagentRefs(const json::Raw& refs, Arena& arena, std::vector<SubagentRef>& out);
/// False when the observation surely names no subagent; cheap.
bool MayNameSubagents(const json::Raw& observation);

/// Finds the call and step that spawned an embedded child (formats.md 3.6): when exactly one result
/// of its parent names it by trajectory_id, `parent.scid` is that result's source_call_id and
/// `parent.ptid` the step's id. Fed with the documents and turns of one record, asked at its end.
/// Needs Field::kObservation, kParent and kDocumentId. Not thread-safe.
class ParentLinks {
 public:
  /// In the order of OnDocument.
  void OpenDocument(const Document& document);
  void CloseDocument(const Document& document);
  void AddTurn(const Document& document, const Turn& turn);
  /// Fills call_id and turn_id of `child.parent` where they are absent and the reference is the
  /// only one. The text lives until Clear. `child` must be closed or open in this record.
  void Resolve(Document& child) const;
  /// Forgets the record.
  void Clear();

 private:
  struct Link {
    Text call_id;
    int64_t turn_id = 0;
    int results = 0;           // that name the id
    uint64_t last_result = 0;  // number of the last one, so that naming a child twice is one result
  };
  using ById = std::unordered_map<std::string_view, Link>;

  Arena arena_{4096};
  std::vector<int64_t> open_;
  std::unordered_map<int64_t, int64_t> parent_of_;  // ordinals; roots are not in it
  std::unordered_map<int64_t, ById> links_;         // of a parent, by trajectory_id
  ObservationParser parser_;
  std::vector<SubagentRef> refs_;
  uint64_t result_number_ = 0;
  Turn without_calls_;
};

}  // namespace pchronicle::model::rows
