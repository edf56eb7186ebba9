#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pchronicle/columnar/array.h"
#include "pchronicle/lance/encoding/structure_builder.h"

namespace pchronicle::lance {

/// Slots [from, from + count) of a leaf array.
struct SlotRun {
  const columnar::Array* leaf = nullptr;
  int64_t from = 0;
  int64_t count = 0;
};

/// The structure above the values of one column of a page, as levels (lance.md B3), and where the
/// values are. Layers that are never null or empty here, nor right below a null struct, take no
/// level.
struct LeafLevels {
  std::vector<uint32_t> layers;    // proto::RepDefLayer, inner to outer
  std::vector<uint16_t> rep, def;  // one for each entry; empty: there are none
  uint16_t lists = 0;              // the repetition level at which a row starts; 0: no lists
  uint16_t visible = 0;            // entries up to this definition level own a value slot
  uint16_t max_def = 0;
  size_t rows = 0;
  size_t entries = 0;
  size_t slots = 0;
  std::vector<SlotRun> runs;  // where the values of the slots lie, in order

  /// False: entry i owns slot i.
  bool hides_entries() const { return slots != entries; }
  /// Slots that hold no value because the item, or a struct right above it, is null.
  bool has_null_slots() const { return visible != 0; }
};

/// Turns rows of a top-level array into levels, from the outside to the inside. Reused for one page
/// after the other. Not thread-safe.
class LevelBuilder {
 public:
  /// `path`: the steps from the top-level field down to the column; `members[i]` is the child of
  /// step i that step i + 1 is.
  LevelBuilder(std::vector<PathStep> path, std::vector<size_t> members);

  void Start();
  /// Rows [from, to) of `root`, which the levels' runs point into.
  void Append(const columnar::Array& root, int64_t from, int64_t to);
  /// The levels of everything since Start().
  LeafLevels Finish();

 private:
  /// Numbers of a layer while it is not known which ones occur; compacted in Finish().
  struct StepLevels {
    uint16_t null = 0, empty = 0;
  };

  void Enter(const columnar::Array& array, size_t step);
  void EnterItem(const columnar::Array& array, uint16_t level, bool keep_slots);
  void EnterList(const columnar::Array& array, StepLevels levels, uint16_t rep_of_items);
  void NeedDef();
  void ReserveBelowNulls(std::vector<uint16_t>* used) const;
  void AddRun(std::vector<SlotRun>* runs, const columnar::Array* leaf, int64_t from,
              int64_t count) const;

  std::vector<PathStep> path_;
  std::vector<size_t> members_;
  std::vector<StepLevels> numbers_;  // of each step
  uint16_t lists_ = 0;
  uint16_t inner_items_ = 0;  // levels up to this one are nulls within the innermost list

  LeafLevels page_;
  std::vector<uint16_t> used_;  // 1 for each number that occurs
  // The rows that are being appended.
  size_t entries_ = 0;
  bool has_def_ = false;
  std::vector<uint16_t> rep_, def_, next_rep_, next_def_;
  std::vector<SlotRun> runs_, next_runs_;
};

}  // namespace pchronicle::lance
