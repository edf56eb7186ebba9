#pragma once

#include <vector>

#include "pchronicle/model/document.h"
#include "pchronicle/model/step_metrics.h"

namespace pchronicle::model {

/// Totals as the producer reports them: those of final_metrics; of a document without final_metrics
/// the sidecar's (HAR-06).
Totals ReportedTotals(const Document& document, std::vector<BadMetric>* bad);
/// The sidecar's totals, whatever the document says.
Totals SidecarTotals(const Document& document);

}  // namespace pchronicle::model
