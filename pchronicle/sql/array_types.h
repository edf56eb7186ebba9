#pragma once

#include "pchronicle/columnar/data_type.h"
#include "pchronicle/sql/duckdb_api.h"

namespace pchronicle::sql {

/// How a column of a foreign table looks to SQL; both sides of the table in docs/user/lance.md.
/// Every other type is the engine's type of the same name.
///
/// | column | SQL |
/// | half float | FLOAT |
/// | decimal of up to 38 digits, scale 0 to its digits | DECIMAL |
/// | other decimals | VARCHAR, all digits |
/// | date64 | DATE |
/// | time in s, ms, us / ns | TIME / TIME_NS |
/// | timestamp with a zone in s, ms, us / ns | TIMESTAMPTZ / TIMESTAMP_NS in UTC |
/// | duration in s, ms, us / ns | INTERVAL / BIGINT |
/// | extension arrow.json, lance.json / arrow.uuid | JSON / UUID |
/// | fixed-size list of 1 to 100,000 items / others | ARRAY / LIST |
/// | null, struct without members, no type | NULL |
duckdb::LogicalType ToLogicalType(const columnar::DataField& field);

}  // namespace pchronicle::sql
