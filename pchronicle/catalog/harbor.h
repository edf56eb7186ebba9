#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/model/sink.h"

namespace pchronicle::catalog {

/// Members that a Harbor trial can add (HAR-02, HAR-13): sidecars are read only for these.
inline constexpr model::FieldMask kHarborFields =
    model::Field::kRunId | model::Field::kTask | model::Field::kTimes | model::Field::kRootExtra |
    model::Field::kOutcome | model::Field::kFinalMetrics | model::Field::kMetrics |
    model::Field::kDiagnostics;

/// What stands beside a trajectory in its trial (sources.md HAR-03 to HAR-06), parsed. Immutable,
/// thread-safe; every view lives as long as this.
class HarborSidecar {
 public:
  /// result.json is a trial result (HAR-01), so that its values count.
  bool is_trial() const { return is_trial_; }
  /// Model calls whose token ids it holds (HAR-13).
  size_t model_calls() const { return calls_.size(); }

 private:
  friend class SidecarLoader;
  friend class HarborSink;
  friend void EmitHarborRun(const HarborSidecar&, const Source&, model::DocumentSink&);

  struct Broken {
    std::string file, message;
  };
  /// Token lists of one model call (HAR-13), as JSON text.
  struct ModelCall {
    json::Raw prompt_token_ids, completion_token_ids, logprobs;
  };

  Arena arena_{4096};
  std::vector<std::string> texts_;  // of the files that the raw values point into
  std::vector<Broken> broken_;
  bool is_trial_ = false;
  bool whole_ = false;  // outcome, times and totals belong to this file (HAR-09)
  model::Text job_id_, trial_name_, task_name_;
  model::Timestamp started_at_, finished_at_;
  model::SidecarOutcome outcome_;
  bool has_outcome_ = false;
  std::string_view task_;    // JSON object: env, result
  std::string_view harbor_;  // JSON object for extra.harbor, without its closing brace
  json::Raw agent_result_;   // without rollout_details
  json::Raw agent_info_;
  json::Raw rollout_details_;
  std::vector<ModelCall> calls_;
};

/// Reads the sidecars of a place, checking their pins (a changed one is kConflict). Broken ones are
/// noted inside.
Result<std::shared_ptr<const HarborSidecar>> LoadHarborSidecar(const CatalogDataset& dataset,
                                                               const HarborPlace& place,
                                                               const Context& context);

/// Adds the trial's values to the documents that pass through; never changes one that is there.
/// `next` and `sidecar` must outlive it. `fill_calls`: the number of model calls in the sidecar
/// equals that of the turns without token ids (HAR-13).
class HarborSink final : public model::DocumentSink {
 public:
  HarborSink(const HarborSidecar& sidecar, model::FieldMask fields, bool fill_calls,
             model::DocumentSink& next);
  Wish OnDocument(const model::Document& document) override;
  void OnTurn(const model::Document& document, const model::Turn& turn) override;
  void OnDocumentEnd(const model::Document& document) override;
  void OnRecordEnd() override;
  void OnDocumentLost(const model::Document& document) override;
  bool OnProblem(model::Problem problem) override;
  void OnDiagnostic(const model::Document* document, std::string_view code,
                    std::string_view pointer, std::string_view example) override;

 private:
  model::Document WithIds(const model::Document& document) const;
  void AddValues(model::Document& document);
  std::string HarborExtra(const model::Document& document) const;

  const HarborSidecar& sidecar_;
  const model::FieldMask fields_;
  const bool fill_calls_;
  model::DocumentSink& next_;
  Arena arena_{4096};  // values made for the current record
  size_t next_call_ = 0;
  bool told_broken_ = false;
};

/// Counts the turns that HAR-13 may fill: own agent turns without token ids of root documents.
class TokenlessTurnCounter final : public model::DocumentSink {
 public:
  static model::FieldMask Fields();
  size_t count() const { return count_; }
  Wish OnDocument(const model::Document& document) override;
  void OnTurn(const model::Document& document, const model::Turn& turn) override;
  void OnDocumentEnd(const model::Document&) override {}
  void OnRecordEnd() override {}
  void OnDocumentLost(const model::Document&) override {}
  bool OnProblem(model::Problem) override { return true; }
  void OnDiagnostic(const model::Document*, std::string_view, std::string_view,
                    std::string_view) override {}

 private:
  size_t count_ = 0;
};
/// The document without turns that stands for a trial without a trajectory (HAR-07), given to
/// `sink`.
void EmitHarborRun(const HarborSidecar& sidecar, const Source& source, model::DocumentSink& sink);

}  // namespace pchronicle::catalog
