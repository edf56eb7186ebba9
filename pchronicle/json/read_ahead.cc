#include "pchronicle/json/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace pchronicle::json {
namespace {

std::atomic<unsigned> running_threads{0};

/// The right to run one thread.
class ThreadTicket {
 public:
  ThreadTicket() = default;
  ThreadTicket(ThreadTicket&& other) noexcept : held_(std::exchange(other.held_, false)) {}
  ThreadTicket& operator=(ThreadTicket&&) = delete;
  ~ThreadTicket() {
    if (held_) {
      --running_threads;
    }
  }
  bool Get(unsigned most) {
    if (running_threads.fetch_add(1) < most) {
      held_ = true;
    } else {
      --running_threads;
    }
    return held_;
  }

 private:
  bool held_ = false;
};

/// The thread and what it has read. The source is its own until it ends.
class Reader {
 public:
  Reader(ByteSource& source, const ReadAheadOptions& options, ThreadTicket ticket)
      : source_(source),
        options_(options),
        ticket_(std::move(ticket)),
        thread_([this] { Run(); }) {}
  ~Reader() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// The next block, waited for; no data at the end. Gives `spare` back for reading into.
  Result<Block> Next(Block spare) {
    std::unique_lock lock(mutex_);
    if (spare.data != nullptr && spare.capacity == Capacity() && spare_.size() < options_.blocks) {
      spare_.push_back(std::move(spare));
    }
    changed_.wait(lock, [this] { return !ready_.empty(); });
    if (!ready_.front().ok() || ready_.front()->data == nullptr) {
      return ready_.front().ok() ? Result<Block>(Block()) : ready_.front().status();
    }
    Result<Block> block = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return block;
  }

 private:
  size_t Capacity() const { return options_.block_bytes + Block::kRoom; }

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || ready_.size() < options_.blocks; });
      if (stop_) {
        return;
      }
      Block block;
      if (!spare_.empty()) {
        block = std::move(spare_.back());
        spare_.pop_back();
      }
      lock.unlock();
      Result<Block> filled = FillOrFail(std::move(block));
      const bool last = !filled.ok() || filled->data == nullptr;
      lock.lock();
      ready_.push_back(std::move(filled));
      changed_.notify_all();
      if (last) {
        return;
      }
    }
  }

  Result<Block> FillOrFail(Block block) {
    try {
      return Fill(std::move(block));
    } catch (const std::bad_alloc&) {
      return Status::ResourceExhausted("no memory to read {} bytes ahead", options_.block_bytes);
    }
  }

  Result<Block> Fill(Block block) {
    if (block.data == nullptr) {
      block = Block::Allocate(Capacity());
    }
    block.begin = Block::kRoom;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const size_t got, source_.Read({block.data.get() + Block::kRoom, options_.block_bytes}));
    if (got == 0) {
      return Block();
    }
    block.end = block.begin + got;
    return block;
  }

  ByteSource& source_;
  const ReadAheadOptions options_;
  const ThreadTicket ticket_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Result<Block>> ready_;  // an error or the end stays
  std::vector<Block> spare_;
  bool stop_ = false;
  std::thread thread_;
};

class ReadAhead final : public ByteSource {
 public:
  ReadAhead(std::unique_ptr<ByteSource> source, const ReadAheadOptions& options)
      : source_(std::move(source)), options_(options) {
    if (options_.max_threads == 0) {
      options_.max_threads = std::max(1U, std::thread::hardware_concurrency() / 2);
    }
  }

  Result<size_t> Read(std::span<char> out) override {
    if (reader_ == nullptr) {
      PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source_->Read(out));
      since_ += got;
      if (since_ >= options_.start_after) {
        since_ = 0;
        Start();
      }
      return got;
    }
    if (block_.begin == block_.end) {
      PCHRONICLE_ASSIGN_OR_RETURN(block_, reader_->Next(std::move(block_)));
    }
    const size_t count = std::min(out.size(), block_.end - block_.begin);
    if (count != 0) {
      std::memcpy(out.data(), block_.data.get() + block_.begin, count);
      block_.begin += count;
    }
    return count;
  }
  Result<bool> Approach() override {
    return reader_ != nullptr ? Result<bool>(true) : source_->Approach();
  }

  bool gives_blocks() const override { return reader_ != nullptr; }
  Result<Block> Take(Block spare) override {
    if (block_.begin != block_.end) {
      return std::exchange(block_, Block());
    }
    return reader_->Next(std::move(spare));
  }

 private:
  /// Where there is no thread to be had, reading goes on as it did.
  void Start() {
    ThreadTicket ticket;
    if (!ticket.Get(options_.max_threads)) {
      return;
    }
    try {
      reader_ = std::make_unique<Reader>(*source_, options_, std::move(ticket));
    } catch (const std::system_error&) {
    }
  }

  const std::unique_ptr<ByteSource> source_;
  ReadAheadOptions options_;
  uint64_t since_ = 0;
  Block block_;                     // partly given by Read
  std::unique_ptr<Reader> reader_;  // ends before the source
};

}  // namespace

std::unique_ptr<ByteSource> MakeReadAhead(std::unique_ptr<ByteSource> source,
                                          ReadAheadOptions options) {
  return std::make_unique<ReadAhead>(std::move(source), options);
}

unsigned ReadAheadThreads() { return running_threads.load(); }

}  // namespace pchronicle::json
