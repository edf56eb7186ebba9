#include "pchronicle/lance/table/scan_stream.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace pchronicle::lance {
namespace {

constexpr size_t kQueuedBatches = ScanTask::kTaskBatches;
// Tasks that may be begun ahead of the first one that the consumer is not done with, by thread.
constexpr size_t kTasksAhead = 2;

class InlineStream : public ScanStream {
 public:
  InlineStream(std::shared_ptr<const Scan> scan, const Context& context)
      : scan_(std::move(scan)), context_(context) {}

  Result<bool> Next(columnar::RecordBatch* out) override {
    Result<bool> more = Advance(out);
    if (!more.ok() || !*more) {
      task_ = scan_->tasks().size();
      reader_.reset();
    }
    return more;
  }

 private:
  Result<bool> Advance(columnar::RecordBatch* out) {
    for (; task_ < scan_->tasks().size(); ++task_) {
      if (!open_) {
        PCHRONICLE_RETURN_IF_ERROR(scan_->OpenTask(task_, &reader_));
        open_ = true;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader_->Next(out, context_));
      if (more) {
        return true;
      }
      open_ = false;
    }
    return false;
  }

  std::shared_ptr<const Scan> scan_;
  const Context& context_;
  size_t task_ = 0;
  bool open_ = false;  // reader_ is at task_
  std::unique_ptr<ScanTaskReader> reader_;
};

// Workers take tasks in order; each puts its batches into the queue of its task.
class ThreadedStream : public ScanStream {
 public:
  ThreadedStream(std::shared_ptr<const Scan> scan, size_t threads, bool ordered,
                 const Context& context)
      : scan_(std::move(scan)),
        context_(context),
        ordered_(ordered),
        window_(kTasksAhead * threads),
        queues_(scan_->tasks().size()) {
    for (size_t i = 0; i < threads; ++i) {
      workers_.emplace_back([this] { Work(); });
    }
  }

  ~ThreadedStream() override {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    for (std::thread& worker : workers_) {
      worker.join();
    }
  }

  Result<bool> Next(columnar::RecordBatch* out) override {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (!failure_.ok()) {
        return failure_;
      }
      if (Queue* queue = Ready()) {
        *out = std::move(queue->batches.front());
        queue->batches.pop_front();
        lock.unlock();
        room_.notify_all();
        return true;
      }
      if (first_ == queues_.size()) {
        return false;
      }
      filled_.wait(lock);
    }
  }

 private:
  struct Queue {
    std::deque<columnar::RecordBatch> batches;
    bool finished = false;
  };

  // A queue with a batch for the consumer; moves first_ behind what is done.
  Queue* Ready() {
    const size_t before = first_;
    while (first_ < queues_.size() && queues_[first_].finished && queues_[first_].batches.empty()) {
      ++first_;
    }
    if (first_ != before) {
      room_.notify_all();
    }
    const size_t last = ordered_ ? std::min(first_ + 1, queues_.size()) : next_;
    for (size_t i = first_; i < last; ++i) {
      if (!queues_[i].batches.empty()) {
        return &queues_[i];
      }
    }
    return nullptr;
  }

  void Work() {
    std::unique_ptr<ScanTaskReader> reader;
    for (;;) {
      size_t task;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] {
          return stopped_ || !failure_.ok() || next_ == queues_.size() || next_ < first_ + window_;
        });
        if (stopped_ || !failure_.ok() || next_ == queues_.size()) {
          return;
        }
        task = next_++;
      }
      const Status status = RunTask(task, &reader);
      const std::lock_guard lock(mutex_);
      queues_[task].finished = true;
      if (!status.ok() && failure_.ok()) {
        failure_ = status;
      }
      filled_.notify_all();
    }
  }

  // The border of a thread: nothing may leave it but a Status.
  Status RunTask(size_t task, std::unique_ptr<ScanTaskReader>* reader) {
    try {
      return ReadTask(task, reader);
    } catch (const std::bad_alloc&) {
      return Status::ResourceExhausted("out of memory; use fewer threads or smaller batches");
    }
  }

  Status ReadTask(size_t task, std::unique_ptr<ScanTaskReader>* reader) {
    PCHRONICLE_RETURN_IF_ERROR(scan_->OpenTask(task, reader));
    for (;;) {
      columnar::RecordBatch batch;
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, (*reader)->Next(&batch, context_));
      if (!more) {
        return Status::Ok();
      }
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] {
        return stopped_ || !failure_.ok() || queues_[task].batches.size() < kQueuedBatches;
      });
      if (stopped_ || !failure_.ok()) {
        return Status::Ok();
      }
      queues_[task].batches.push_back(std::move(batch));
      filled_.notify_all();
    }
  }

  std::shared_ptr<const Scan> scan_;
  const Context& context_;
  const bool ordered_;
  const size_t window_;  // tasks that are begun and not consumed
  std::mutex mutex_;     // guards what follows, but for workers_
  std::condition_variable filled_, room_;
  std::vector<Queue> queues_;  // one for each task
  size_t next_ = 0;            // task that the next free worker takes
  size_t first_ = 0;           // first task that the consumer is not done with
  bool stopped_ = false;
  Status failure_;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<ScanStream> ScanStream::Start(std::shared_ptr<const Scan> scan, size_t threads,
                                              bool ordered, const Context& context) {
  threads = std::min(threads, scan->tasks().size());
  if (threads <= 1) {
    return std::make_unique<InlineStream>(std::move(scan), context);
  }
  return std::make_unique<ThreadedStream>(std::move(scan), threads, ordered, context);
}

}  // namespace pchronicle::lance
