#include "pchronicle/model/first_problems.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pchronicle::model {
namespace {

bool IsOfData(const Problem& problem) {
  switch (problem.status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kCorruption:
    case StatusCode::kUnsupported:
      return true;
    default:
      return false;
  }
}

bool IsBefore(const Problem& a, const Problem& b) {
  return std::tuple(IsOfData(a), a.offset, a.record_offset) <
         std::tuple(IsOfData(b), b.offset, b.record_offset);
}

}  // namespace

void FirstProblems::Add(Problem problem) {
  if (kept_.size() < kMost) {
    kept_.push_back(std::move(problem));
    return;
  }
  if (left_out_++ == 0) {
    std::make_heap(kept_.begin(), kept_.end(), IsBefore);
  }
  if (!IsBefore(problem, kept_.front())) {
    return;
  }
  std::pop_heap(kept_.begin(), kept_.end(), IsBefore);
  kept_.back() = std::move(problem);
  std::push_heap(kept_.begin(), kept_.end(), IsBefore);
}

}  // namespace pchronicle::model
