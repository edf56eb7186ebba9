#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pchronicle/model/diagnostics.h"

namespace pchronicle::model {

/// The problems of one source with the smallest offsets, and how many there were: a file of bad
/// lines must not cost memory for each of them. Errors that are no property of the data go first,
/// because they end the query. Not thread-safe.
class FirstProblems {
 public:
  static constexpr size_t kMost = 1000;

  void Add(Problem problem);
  /// In no order, at most kMost.
  const std::vector<Problem>& kept() const { return kept_; }
  uint64_t left_out() const { return left_out_; }

 private:
  std::vector<Problem> kept_;  // a heap with the last one in front, once something was left out
  uint64_t left_out_ = 0;
};

}  // namespace pchronicle::model
