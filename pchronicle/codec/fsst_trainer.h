#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pchronicle/codec/fsst_encoder.h"

namespace pchronicle::codec {

/// Finds FSST symbols, sample after sample in the same memory (about 1 MiB). The same sample gives
/// the same symbols, whatever came before. Not thread-safe.
class FsstTrainer {
 public:
  FsstTrainer();
  ~FsstTrainer();

  /// An encoder for texts like these, valid until the next call. A few tens of KiB suffice; all of
  /// `sample` is used.
  const FsstEncoder& Train(std::span<const FsstEncoder::Text> sample);

 private:
  class Counts;
  class Candidates;

  void Gather(std::span<const FsstEncoder::Text> sample);
  void Count(FsstEncoder::Text text);
  void Propose();
  FsstEncoder::Symbol SymbolOf(size_t number) const;

  FsstEncoder encoder_;
  std::vector<uint8_t> bytes_;  // of the sample, with slack
  std::vector<FsstEncoder::Text> texts_;
  std::unique_ptr<Counts> counts_;
  std::unique_ptr<Candidates> candidates_;
  std::vector<FsstEncoder::Symbol> best_;
};

}  // namespace pchronicle::codec
