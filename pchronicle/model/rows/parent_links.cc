#include "pchronicle/model/rows/parent_links.h"

#include <algorithm>

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::rows {
namespace {

constexpr std::string_view kRefMember = "subagent_trajectory_ref";

Text NonEmptyText(const json::Raw& raw, Arena& arena) {
  if (!raw.is_string() || raw.text.size() <= 2) {
    return std::nullopt;
  }
  const std::string_view decoded = json::DecodeString(raw, arena);
  const bool inside =
      decoded.data() >= raw.text.data() && decoded.data() < raw.text.data() + raw.text.size();
  return inside ? arena.Copy(decoded) : decoded;
}

void ReadRef(const json::Raw& ref, Arena& arena, std::vector<SubagentRef>& out) {
  SubagentRef read{NonEmptyText(FindMember(ref, "trajectory_id"), arena),
                   NonEmptyText(FindMember(ref, "trajectory_path"), arena)};
  if (read.trajectory_id || read.trajectory_path) {
    out.push_back(read);
  }
}

}  // namespace

void ReadSubagentRefs(const json::Raw& refs, Arena& arena, std::vector<SubagentRef>& out) {
  if (refs.kind == json::Kind::kObject) {
    ReadRef(refs, arena, out);
  }
  for (RawElements elements(refs); elements.Next();) {
    ReadRef(elements.value(), arena, out);
  }
}

bool MayNameSubagents(const json::Raw& observation) {
  if (observation.kind != json::Kind::kObject) {
    return false;
  }
  const bool could_be_escaped =
      (observation.flags & json::kHasEscapes) != 0 && Contains(observation.text, "\\u00");
  return could_be_escaped || Contains(observation.text, kRefMember);
}

void ParentLinks::OpenDocument(const Document& document) {
  if (!open_.empty() && document.depth > 0) {
    parent_of_[document.ordinal] = open_.back();
  }
  open_.push_back(document.ordinal);
}

void ParentLinks::CloseDocument(const Document& document) { std::erase(open_, document.ordinal); }

void ParentLinks::AddTurn(const Document& document, const Turn& turn) {
  if (!turn.observation.has_value() || !MayNameSubagents(turn.observation)) {
    return;
  }
  without_calls_.observation = turn.observation;
  parser_.Parse(without_calls_, arena_);
  for (const ResultView& result : parser_.results()) {
    ++result_number_;
    refs_.clear();
    ReadSubagentRefs(result.subagent_refs, arena_, refs_);
    for (const SubagentRef& ref : refs_) {
      if (!ref.trajectory_id) {
        continue;
      }
      Link& link = links_[document.ordinal][*ref.trajectory_id];
      if (link.last_result == result_number_) {
        continue;
      }
      link.last_result = result_number_;
      ++link.results;
      link.turn_id = turn.id;
      link.call_id = result.call_id ? Text(arena_.Copy(*result.call_id)) : std::nullopt;
    }
  }
  without_calls_.observation = {};
}

void ParentLinks::Resolve(Document& child) const {
  if (!child.parent || !child.trajectory_id) {
    return;
  }
  const auto parent = parent_of_.find(child.ordinal);
  if (parent == parent_of_.end()) {
    return;
  }
  const auto links = links_.find(parent->second);
  if (links == links_.end()) {
    return;
  }
  const auto link = links->second.find(*child.trajectory_id);
  if (link == links->second.end() || link->second.results != 1) {
    return;
  }
  if (!child.parent->call_id) {
    child.parent->call_id = link->second.call_id;
  }
  if (!child.parent->turn_id) {
    child.parent->turn_id = link->second.turn_id;
  }
}

void ParentLinks::Clear() {
  open_.clear();
  if (parent_of_.empty() && links_.empty()) {
    return;
  }
  parent_of_.clear();
  links_.clear();
  arena_.Reset();
}

}  // namespace pchronicle::model::rows
