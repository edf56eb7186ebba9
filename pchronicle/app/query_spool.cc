#include "pchronicle/app/query_spool.h"

#include <algorithm>
#include <utility>

namespace pchronicle::app {

Spool::~Spool() { Clear(); }

Spool::Spool(Spool&& other) noexcept
    : memory_bytes_(other.memory_bytes_),
      memory_(std::exchange(other.memory_, {})),
      file_(std::move(other.file_)),
      size_(std::exchange(other.size_, 0)) {}

Spool& Spool::operator=(Spool&& other) noexcept {
  std::swap(memory_bytes_, other.memory_bytes_);
  std::swap(memory_, other.memory_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  return *this;
}

Status Spool::Append(std::string_view bytes) {
  memory_ += bytes;
  size_ += bytes.size();
  return memory_.size() > memory_bytes_ ? Spill() : Status::Ok();
}

Status Spool::Spill() {
  if (!file_.is_open()) {
    PCHRONICLE_RETURN_IF_ERROR(file_.Open());
  }
  PCHRONICLE_RETURN_IF_ERROR(file_.Append(memory_));
  memory_.clear();
  return Status::Ok();
}

Status Spool::ForEach(const std::function<Status(std::string_view)>& sink,
                      const Context* context) const {
  constexpr uint64_t kPiece = 1 << 20;
  const auto give = [&](std::string_view piece) {
    return context != nullptr && context->cancelled() ? Status::Cancelled("cancelled")
                                                      : sink(piece);
  };
  std::string piece;
  for (uint64_t at = 0; at < file_.size(); at += piece.size()) {
    piece.resize(static_cast<size_t>(std::min(kPiece, file_.size() - at)));
    PCHRONICLE_RETURN_IF_ERROR(file_.ReadAt(at, piece));
    PCHRONICLE_RETURN_IF_ERROR(give(piece));
  }
  for (size_t at = 0; at < memory_.size(); at += kPiece) {
    PCHRONICLE_RETURN_IF_ERROR(give(std::string_view(memory_).substr(at, kPiece)));
  }
  return Status::Ok();
}

void Spool::Clear() {
  file_.Close();
  memory_.clear();
  size_ = 0;
}

}  // namespace pchronicle::app
