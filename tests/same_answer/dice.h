#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace pchronicle::same_answer {

/// Random choices of one property run, from one seed: a failure is repeated by its seed, and no
/// thousand numbers are shrunk one by one. Used by one thread.
class Dice {
 public:
  static void Seed(uint64_t seed) { Engine().seed(seed); }
  /// From `least` to `most`, both included.
  static int64_t Number(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(Engine()() % static_cast<uint64_t>(most - least + 1));
  }
  /// From 0 to below `end`, which is not 0.
  static size_t Index(size_t end) { return static_cast<size_t>(Engine()() % end); }
  static bool Chance(int percent) { return Number(0, 99) < percent; }
  template <typename T>
  static T OneOf(std::initializer_list<T> values) {
    return *(values.begin() + Index(values.size()));
  }

 private:
  static std::mt19937_64& Engine() {
    static std::mt19937_64 engine;
    return engine;
  }
};

}  // namespace pchronicle::same_answer
