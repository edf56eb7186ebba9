#include "pchronicle/sql/scan_sharing.h"

#include "pchronicle/sql/scan_function.h"

namespace pchronicle::sql {
namespace {

struct PlannedScan {
  RelationScanData* data;
  catalog::ScanRequest request;
};

void Collect(duckdb::LogicalOperator& plan, std::vector<PlannedScan>& scans) {
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    auto& get = plan.Cast<duckdb::LogicalGet>();
    auto* const data = dynamic_cast<RelationScanData*>(get.bind_data.get());
    if (data != nullptr && data->state) {
      duckdb::vector<duckdb::column_t> ids;
      for (const duckdb::ColumnIndex& id : get.GetColumnIds()) {
        ids.push_back(id.GetPrimaryIndex());
      }
      scans.push_back({data, data->Request(data->RelationColumns(ids))});
    }
  }
  for (auto& child : plan.children) {
    Collect(*child, scans);
  }
}

void AnnounceScans(duckdb::OptimizerExtensionInput&,
                   duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  std::vector<PlannedScan> scans;
  Collect(*plan, scans);
  if (scans.size() < 2) {
    return;
  }
  std::vector<catalog::ScanRequest> requests;
  for (PlannedScan& scan : scans) {
    scan.data->announced = requests.size();
    requests.push_back(std::move(scan.request));
  }
  scans.front().data->state->scans().Announce(requests);
}

}  // namespace

void RegisterScanSharing(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.optimize_function = AnnounceScans;
  duckdb::OptimizerExtension::Register(config, extension);
}

}  // namespace pchronicle::sql
