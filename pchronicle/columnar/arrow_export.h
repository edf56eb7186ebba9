#pragma once

#include "pchronicle/base/status.h"
#include "pchronicle/columnar/array.h"
#include "pchronicle/columnar/arrow_abi.h"

namespace pchronicle::columnar {

/// Gives arrays away through the Arrow C data interface. What is written to `out` shares the
/// buffers and must be released by its `release`, on any thread. Nothing is written on an error.

/// The schema of a struct with these fields as members: what a record batch is there. Extension
/// metadata of fields is kept. kUnsupported: a type that the interface has no format for.
Status ExportSchema(const std::vector<DataField>& fields, ArrowSchema* out);
/// One field.
Status ExportField(const DataField& field, ArrowSchema* out);

/// A batch as a struct array without nulls, or one array.
void ExportBatch(const RecordBatch& batch, ArrowArray* out);
void ExportArray(const ArrayPtr& array, ArrowArray* out);

}  // namespace pchronicle::columnar
