#include "pchronicle/lance/file/file_item.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace pchronicle::lance {
namespace {

/// Less work than this is not worth a thread.
constexpr uint64_t kThreadBytes = 512 << 10;

struct QueuedItem {
  enum class State { kWaiting, kPreparing, kPrepared };
  std::unique_ptr<FileItem> item;
  State state = State::kWaiting;
  Status status;
};

class ThreadedQueue : public ItemQueue {
 public:
  ThreadedQueue(size_t threads, EncoderOptions options, FileSink* sink)
      : threads_(threads), options_(options), encoder_(options), sink_(sink) {}
  ThreadedQueue(const ThreadedQueue&) = delete;
  ThreadedQueue& operator=(const ThreadedQueue&) = delete;

  ~ThreadedQueue() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) {
      worker.join();
    }
  }

  Status Add(std::unique_ptr<FileItem> item, uint64_t bytes) override {
    PCHRONICLE_RETURN_IF_ERROR(failed_);
    bytes_ += bytes;
    {
      const std::lock_guard lock(mutex_);
      items_.emplace_back().item = std::move(item);
    }
    changed_.notify_one();
    if (workers_.size() + 1 < threads_ && items_.size() > 1 && bytes_ >= kThreadBytes) {
      workers_.emplace_back([this] { Work(); });
    }
    while (items_.size() > 2 * threads_) {
      PCHRONICLE_RETURN_IF_ERROR(WriteFirst());
    }
    return Status::Ok();
  }

  Status Drain() override {
    PCHRONICLE_RETURN_IF_ERROR(failed_);
    while (!items_.empty()) {
      PCHRONICLE_RETURN_IF_ERROR(WriteFirst());
    }
    return Status::Ok();
  }

 private:
  using State = QueuedItem::State;

  static Status Prepare(FileItem* item, PageEncoder* encoder) {
    try {
      return item->Prepare(encoder);
    } catch (const std::bad_alloc&) {
      return Status::ResourceExhausted("no memory to encode a page");
    }
  }

  /// The first item nobody prepares, null when there is none. References to items stay valid until
  /// they are written.
  QueuedItem* TakeWaiting() {
    for (QueuedItem& item : items_) {
      if (item.state == State::kWaiting) {
        item.state = State::kPreparing;
        return &item;
      }
    }
    return nullptr;
  }

  void PrepareTaken(QueuedItem* item, PageEncoder* encoder, std::unique_lock<std::mutex>* lock) {
    lock->unlock();
    Status status = Prepare(item->item.get(), encoder);
    lock->lock();
    item->status = std::move(status);
    item->state = State::kPrepared;
    changed_.notify_all();
  }

  void Work() {
    PageEncoder encoder(options_);
    std::unique_lock lock(mutex_);
    while (!stop_) {
      if (QueuedItem* item = TakeWaiting()) {
        PrepareTaken(item, &encoder, &lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  Status WriteFirst() {
    {
      std::unique_lock lock(mutex_);
      while (items_.front().state != State::kPrepared) {
        if (QueuedItem* item = TakeWaiting()) {
          PrepareTaken(item, &encoder_, &lock);
        } else {
          changed_.wait(lock);
        }
      }
    }
    Status status = std::move(items_.front().status);
    if (status.ok()) {
      status = items_.front().item->Write(sink_);
    }
    {
      const std::lock_guard lock(mutex_);
      items_.pop_front();
    }
    failed_ = status;
    return status;
  }

  size_t threads_;
  EncoderOptions options_;
  PageEncoder encoder_;
  FileSink* sink_;
  uint64_t bytes_ = 0;
  Status failed_;
  std::mutex mutex_;  // guards items_ and stop_; only the caller's thread adds and removes items
  std::condition_variable changed_;
  std::deque<QueuedItem> items_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<ItemQueue> ItemQueue::Make(size_t threads, EncoderOptions options, FileSink* sink) {
  return std::make_unique<ThreadedQueue>(threads, options, sink);
}

}  // namespace pchronicle::lance
