#include "pchronicle/model/atif/encoder.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pchronicle/json/writer.h"
#include "pchronicle/model/atif/step_writer.h"
#include "pchronicle/model/atif/tree.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/object_writer.h"
#include "pchronicle/model/residual_insert.h"

namespace pchronicle::model {
namespace {

using atif::Forest;

constexpr std::string_view kTarget = "atif";

/// A residual's pointer where its document stands now: a document may have moved since it was read
/// (a sibling was lost, or it is exported without its parent).
std::string Moved(std::string_view pointer, std::string_view from, std::string_view to) {
  if (!from.empty() && pointer.starts_with(from) &&
      (pointer.size() == from.size() || pointer[from.size()] == '/')) {
    return std::string(to) + std::string(pointer.substr(from.size()));
  }
  return std::string(pointer);
}

/// Encodes one tree; a new object for each root.
class TreeEncoder {
 public:
  TreeEncoder(std::span<const Storyline> storylines, const Forest& forest,
              const EncodeOptions& options, EncodeReport& report)
      : storylines_(storylines), forest_(forest), options_(options), report_(report) {}

  Result<std::string> Encode(size_t root) {
    std::string out;
    PCHRONICLE_RETURN_IF_ERROR(Write(root, "", out));
    std::vector<std::string> dangling;
    PCHRONICLE_ASSIGN_OR_RETURN(out, InsertFields(std::move(out), std::move(fields_),
                                                  {.skip_dangling = !options_.strict}, &dangling));
    if (!dangling.empty()) {
      report_.lossy["unknown_fields"] += dangling.size();
      report_.notes.emplace("unknown_fields", fmt::format("no place for {}", dangling.front()));
    }
    return out;
  }
  const std::vector<CarrierBinding>& bindings() const { return bindings_; }
  /// Sources of the ATIF residuals met in this tree.
  const std::vector<std::string_view>& source_ids() const { return source_ids_; }

 private:
  Status Write(size_t index, const std::string& pointer, std::string& out);
  void WriteAgent(const Document& document, ObjectWriter& root);
  Status WriteSteps(const Storyline& storyline, ObjectWriter& root);
  Status CheckStepIds(const Storyline& storyline);
  Status WriteChildren(size_t index, const std::string& pointer, ObjectWriter& root);
  void CollectResiduals(const Document& document, const std::string& pointer);
  void CountLost(const Document& document, bool is_root);
  void Lost(bool present, const char* field) {
    if (present) {
      ++report_.lossy[field];
    }
  }

  std::span<const Storyline> storylines_;
  const Forest& forest_;
  const EncodeOptions& options_;
  EncodeReport& report_;
  std::vector<PlacedField> fields_;
  std::vector<CarrierBinding> bindings_;
  std::vector<std::string_view> source_ids_;
};

Status TreeEncoder::Write(size_t index, const std::string& pointer, std::string& out) {
  const Storyline& storyline = storylines_[index];
  const Document& document = storyline.document;
  ObjectWriter root(out);
  root.String("schema_version", atif::VersionFor(storyline));
  root.String("session_id", document.session_id);
  if (document.trajectory_id || !pointer.empty()) {
    root.String("trajectory_id", document.trajectory_id.value_or(document.document_id));
  }
  WriteAgent(document, root);
  PCHRONICLE_RETURN_IF_ERROR(WriteSteps(storyline, root));
  root.String("notes", document.notes);
  root.Cell("final_metrics", document.final_metrics);
  root.String("continued_trajectory_ref", document.continued_ref);
  root.Cell("extra", document.extra);
  PCHRONICLE_RETURN_IF_ERROR(WriteChildren(index, pointer, root));
  root.Close();
  CollectResiduals(document, pointer);
  CountLost(document, pointer.empty());
  return Status::Ok();
}

void TreeEncoder::WriteAgent(const Document& document, ObjectWriter& root) {
  root.Key("agent");
  ObjectWriter agent(root.out());
  agent.String("name", document.agent_name.value_or(document.agent_id));
  agent.String("version", document.agent_version.value_or("unknown"));
  agent.String("model_name", document.agent_model);
  agent.Cell("tool_definitions", document.agent_tools);
  agent.Cell("extra", document.agent_extra);
  agent.Close();
}

Status TreeEncoder::WriteSteps(const Storyline& storyline, ObjectWriter& root) {
  PCHRONICLE_RETURN_IF_ERROR(CheckStepIds(storyline));
  const bool from_atif = storyline.document.origin_format == kTarget;
  root.Key("steps");
  std::string& out = root.out();
  out += '[';
  for (const Turn& turn : storyline.turns) {
    out += &turn == storyline.turns.data() ? "" : ",";
    PCHRONICLE_RETURN_IF_ERROR(atif::WriteStep(turn, from_atif, out, report_));
  }
  out += ']';
  return Status::Ok();
}

/// A file that can be read can be written again, so odd ids are only reported unless strict.
Status TreeEncoder::CheckStepIds(const Storyline& storyline) {
  std::unordered_set<int64_t> ids;
  for (const Turn& turn : storyline.turns) {
    const bool repeated = !ids.insert(turn.id).second;
    if (turn.id >= 1 && !repeated) {
      continue;
    }
    if (options_.strict) {
      return repeated ? Status::InvalidArgument("duplicate step_id {}", turn.id)
                      : Status::InvalidArgument("step_id must start from 1, got {}", turn.id);
    }
    report_.notes.emplace(
        "step_id", fmt::format("step ids that ATIF does not allow, the first is {}", turn.id));
  }
  return Status::Ok();
}

Status TreeEncoder::WriteChildren(size_t index, const std::string& pointer, ObjectWriter& root) {
  if (!storylines_[index].document.children) {
    return Status::Ok();
  }
  root.Key("subagent_trajectories");
  std::string& out = root.out();
  out += '[';
  const std::vector<size_t>& children = forest_.children[index];
  for (size_t i = 0; i < children.size(); ++i) {
    out += i == 0 ? "" : ",";
    PCHRONICLE_RETURN_IF_ERROR(
        Write(children[i], fmt::format("{}/subagent_trajectories/{}", pointer, i), out));
  }
  out += ']';
  return Status::Ok();
}

void TreeEncoder::CollectResiduals(const Document& document, const std::string& pointer) {
  bindings_.push_back({pointer, &document.unknown});
  for (const UnknownSource& source : document.unknown) {
    if (source.format != kTarget || source.fields.empty()) {
      continue;
    }
    source_ids_.push_back(source.source_document_id);
    for (const UnknownField& field : source.fields) {
      fields_.push_back({Moved(field.pointer, document.pointer, pointer), field.value.text});
    }
  }
}

void TreeEncoder::CountLost(const Document& document, bool is_root) {
  Lost(document.run_id.has_value(), "run");
  Lost(document.attempt_id.has_value(), "attempt_id");
  Lost(document.task.has_value(), "task");
  Lost(document.prompt.has_value(), "prompt");
  Lost(document.started_at.scalar.present() || document.started_at.nanoseconds, "started_at");
  Lost(document.finished_at.scalar.present() || document.finished_at.nanoseconds, "finished_at");
  Lost(document.meta.has_value(), "meta");
  Lost(document.origin_document_id.has_value(), "origin.document_id");
  Lost(document.agent_name && *document.agent_name != document.agent_id, "agent.id");
  if (document.parent) {
    Lost(is_root, "parent.psid");
    Lost(document.parent->relation != "spawn", "parent.rel");
    // What an ATIF import set is found again through the parent's results.
    const bool derived = !is_root && document.origin_format == kTarget;
    Lost(!derived && document.parent->call_id, "parent.scid");
    Lost(!derived && document.parent->turn_id, "parent.ptid");
  }
}

}  // namespace

Result<std::string> EncodeAtif(std::span<const Storyline> storylines, const EncodeOptions& options,
                               EncodeReport* report) {
  if (storylines.empty()) {
    return Status::Unsupported("ATIF document cannot be empty");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const Forest forest, atif::BuildForest(storylines));
  EncodeReport counted;
  std::map<std::string_view, size_t> root_of_source;
  std::string out = forest.roots.size() == 1 ? "" : "[";
  for (const size_t root : forest.roots) {
    TreeEncoder tree(storylines, forest, options, counted);
    PCHRONICLE_ASSIGN_OR_RETURN(std::string text, tree.Encode(root));
    for (const std::string_view id : tree.source_ids()) {
      if (root_of_source.emplace(id, root).first->second != root) {
        return Status::InvalidArgument("ATIF source document '{}' has multiple root trajectories",
                                       id);
      }
    }
    if (forest.roots.size() == 1) {
      PCHRONICLE_ASSIGN_OR_RETURN(text, AddEnvelope(std::move(text), tree.bindings(), kTarget));
    } else if (std::any_of(tree.bindings().begin(), tree.bindings().end(),
                           [](const CarrierBinding& binding) {
                             return HasForeign(*binding.unknown, kTarget);
                           })) {
      return Status::InvalidArgument("foreign unknown fields require an object document root");
    }
    out += root == forest.roots.front() ? "" : ",";
    out += text;
  }
  out += forest.roots.size() == 1 ? "" : "]";
  if (options.strict && !counted.lossy.empty()) {
    return Status::InvalidArgument("lossy_export fields={}", LossyFields(counted));
  }
  AddReport(counted, report);
  return options.pretty ? json::Pretty(out) + "\n" : out;
}

}  // namespace pchronicle::model
