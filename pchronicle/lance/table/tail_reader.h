#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "pchronicle/io/store.h"

namespace pchronicle::lance {

/// A file that keeps what was first read at its end, at most 64 KiB, and serves later reads from
/// it: opening a data file reads its tail, which for a small file is all of it. Thread-safe.
class TailReader : public io::RandomReader {
 public:
  explicit TailReader(std::unique_ptr<io::RandomReader> file) : file_(std::move(file)) {}

  uint64_t size() const override { return file_->size(); }
  const io::Entry& entry() const override { return file_->entry(); }
  Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override;
  Result<io::Entry> Stat() const override { return file_->Stat(); }

 private:
  std::unique_ptr<io::RandomReader> file_;
  mutable std::mutex mutex_;  // guards tail_
  mutable std::string tail_;  // the last bytes of the file; empty: not yet read
};

}  // namespace pchronicle::lance
