#pragma once

#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// Makes every finished plan with several scans announce them (ScanFactory::Announce), so that
/// scans over the same sources can share one reading.
void RegisterScanSharing(duckdb::DBConfig& config);

}  // namespace pchronicle::sql
