#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"
#include "pchronicle/model/openai/interactions.h"
#include "pchronicle/model/openai/json_node.h"
#include "pchronicle/model/openai/residual_tree.h"

namespace pchronicle::model::openai {

/// Writes the members of a row beside its messages (formats.md 4.9, item 5). `residuals` of the row
/// decide which of several names carries the run and the model. What the format has no member for
/// is counted in `report`.
class RowWriter {
 public:
  RowWriter(const Document& document, EncodeReport& report)
      : document_(document), report_(report) {}

  JsonNode Write(const Interaction& row, const ResidualNode& residuals);

 private:
  void WriteIdentity(const Interaction& row, const ResidualNode& residuals, JsonNode* out);
  void WriteEnvironment(const Interaction& row, JsonNode* out, JsonNode* meta, JsonNode* state);
  void WriteMetrics(const Turn& turn, JsonNode* out, JsonNode* state);

  const Document& document_;
  EncodeReport& report_;
};

/// Which of `job_id`, `run_id`, `run_bucket` can say the run beside the row's residuals, so that a
/// reader finds it again.
std::string_view RunMember(const ResidualNode& residuals);

}  // namespace pchronicle::model::openai
