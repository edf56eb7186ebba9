#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "pchronicle/base/status.h"
#include "pchronicle/lance/file/file_sink.h"
#include "pchronicle/lance/file/page_encoder.h"

namespace pchronicle::lance {

/// A piece of a file that is prepared on any thread and written in its turn.
class FileItem {
 public:
  virtual ~FileItem() = default;
  /// Encodes; touches nothing that other items do.
  virtual Status Prepare(PageEncoder* encoder) = 0;
  /// Writes what was prepared; called for one item after the other, by the thread that uses the
  /// queue.
  virtual Status Write(FileSink* sink) = 0;
};

/// Prepares items on several threads and writes them in the order in which they came, so that the
/// file is the same for any number of threads. Used by one thread, which works along.
class ItemQueue {
 public:
  virtual ~ItemQueue() = default;
  /// `threads` >= 1, the caller's included; others start when there is enough to do.
  static std::unique_ptr<ItemQueue> Make(size_t threads, EncoderOptions options, FileSink* sink);

  /// `bytes`: about how much work it is. Writes older items when many are waiting. The first error
  /// of any item is given by this and all later calls.
  virtual Status Add(std::unique_ptr<FileItem> item, uint64_t bytes) = 0;
  /// Writes everything that was added.
  virtual Status Drain() = 0;
};

}  // namespace pchronicle::lance
