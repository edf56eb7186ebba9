#pragma once

#include <cstddef>
#include <memory>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/lance/table/scan.h"

namespace pchronicle::lance {

/// All batches of a scan, read by `threads` threads. Memory: twice as many tasks as threads are
/// begun and not consumed, each with at most two finished batches, beside one batch in work per
/// thread. Ordered: batches come in the order of the rows. One consumer at a time. With one thread
/// nothing runs beside the consumer.
class ScanStream {
 public:
  /// `context` must outlive the stream; cancelling it ends Next with kCancelled.
  static std::unique_ptr<ScanStream> Start(std::shared_ptr<const Scan> scan, size_t threads,
                                           bool ordered, const Context& context);
  virtual ~ScanStream() = default;

  /// False at the end. After a failure the stream is at its end.
  virtual Result<bool> Next(columnar::RecordBatch* out) = 0;
};

}  // namespace pchronicle::lance
