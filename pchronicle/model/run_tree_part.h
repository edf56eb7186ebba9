#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/hash.h"
#include "pchronicle/model/observation.h"
#include "pchronicle/model/rows/parent_links.h"
#include "pchronicle/model/run_tree.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model {

/// Hashes that decide how many leading steps of two documents are equal (ADD-07): element i stands
/// for steps 0 to i (step_id, source, message text). Ends at the first step without text, and after
/// kMax steps so that memory is small.
class StepPrefix {
 public:
  static constexpr size_t kMax = 64;

  void Add(const Turn& turn, Arena& scratch);
  /// Number of equal leading steps, at most kMax.
  size_t CommonSteps(const StepPrefix& other) const;
  size_t size() const { return hashes_.size(); }
  uint64_t first_two() const { return hashes_[1]; }

 private:
  Hash128 state_;
  bool closed_ = false;
  std::vector<uint64_t> hashes_;
};

/// What the tree needs of one document. Texts live in the part's arena.
struct TreeDocument {
  int64_t ordinal = 0;
  int depth = 0;        // of embedding
  int64_t holder = -1;  // index of the document it is embedded in
  bool lost = false;
  std::string_view document_id;
  std::string_view session_id;
  Text run_id;
  Text trajectory_id;
  Text parent_id;  // document id that the document itself names as parent
  Text continued_ref;
  std::string_view pointer;
  std::string_view turns_member;
  Totals own;
  Totals reported;
  Totals sidecar;
  int64_t steps = 0;
  int64_t copied_steps = 0;
  bool starts_copied = false;  // its first step is marked as copied
  StepPrefix prefix;
  struct Reference {
    rows::SubagentRef ref;
    int64_t turn = 0;
  };
  std::vector<Reference> references;
};

/// The documents of one source.
class RunTreePart final : public RunTreeCollector {
 public:
  explicit RunTreePart(std::string file) : file_(std::move(file)) {}

  Wish OnDocument(const Document& document) override;
  void OnTurn(const Document& document, const Turn& turn) override;
  void OnDocumentEnd(const Document& document) override;
  void OnRecordEnd() override;
  void OnDocumentLost(const Document& document) override;
  bool OnProblem(Problem problem) override;
  void OnDiagnostic(const Document* document, std::string_view code, std::string_view pointer,
                    std::string_view example) override;
  const FirstProblems& problems() const override { return problems_; }
  const Diagnostics& diagnostics() const override { return diagnostics_; }

  const std::string& file() const { return file_; }
  /// By ordinal. `holder` is an index into this vector.
  const std::vector<TreeDocument>& documents() const { return documents_; }

 private:
  TreeDocument* Find(const Document& document);
  void AddReferences(TreeDocument& document, const Turn& turn);

  std::string file_;
  Arena arena_{4096};
  std::vector<TreeDocument> documents_;  // of finished records
  std::vector<TreeDocument> record_;     // of the open one; `holder` counts from its begin
  std::vector<size_t> open_;
  Arena scratch_{4096};
  StepMetrics metrics_;
  ObservationParser parser_;
  Turn without_calls_;
  std::vector<rows::SubagentRef> refs_;
  std::vector<BadMetric> bad_;
  FirstProblems problems_;
  Diagnostics diagnostics_;
};

}  // namespace pchronicle::model
