#pragma once

#include <cstddef>
#include <memory>

#include "pchronicle/columnar/arrow_abi.h"
#include "pchronicle/lance/table/scan.h"

namespace pchronicle::lance {

/// Gives a scan away through the Arrow C stream interface. Batches share buffers with the reader
/// and may outlive the stream; releasing the stream early ends its threads. Calls on the stream
/// come from one thread at a time. After a failure get_last_error tells what happened.
void ExportScan(std::shared_ptr<const Scan> scan, size_t threads, bool ordered,
                ArrowArrayStream* out);

}  // namespace pchronicle::lance
