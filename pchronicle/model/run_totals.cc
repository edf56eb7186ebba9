#include "pchronicle/model/run_totals.h"

namespace pchronicle::model {

Totals SidecarTotals(const Document& document) {
  if (document.sidecar == nullptr) {
    return {};
  }
  const SidecarOutcome& sidecar = *document.sidecar;
  return {sidecar.prompt_tokens, sidecar.completion_tokens, sidecar.cached_tokens,
          sidecar.cost_usd};
}

Totals ReportedTotals(const Document& document, std::vector<BadMetric>* bad) {
  return document.final_metrics.has_value() ? ReadReportedTotals(document.final_metrics, bad)
                                            : SidecarTotals(document);
}

}  // namespace pchronicle::model
