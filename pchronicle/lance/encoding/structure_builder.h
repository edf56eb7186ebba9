#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/lance/encoding/value_builder.h"

namespace pchronicle::lance {

/// One step of the path from a top-level field down to a column: a struct or the column itself (an
/// item), or a list.
struct PathStep {
  bool list = false;
  bool large = false;  // list offsets of 64 bits
};

/// What the definition and repetition levels of one page mean (lance.md B3), made once for a page.
struct LayerPlan {
  struct Layer {
    bool list = false;
    bool nullable = false;
    uint16_t base = 0;         // levels of the layers within this one
    uint16_t null_level = 0;   // items: this level and more are null; lists: the null list
    uint16_t empty_level = 0;  // lists; 0: none
    uint16_t top = 0;          // base plus this layer's own levels
    uint16_t mask = 0;         // lists: entries up to this level have a slot in the list array
  };
  std::vector<Layer> layers;  // inner to outer, one for each step of the path
  uint16_t lists = 0;         // the level at which a row starts; 0: no repetition
  uint16_t visible = 0;       // entries up to this level have a value slot
  uint16_t max_def = 0;

  /// `layers` as stored, inner to outer. More layers than steps: the inner ones belong to a packed
  /// column and count as nulls of it. kUnsupported: a layer without a known meaning; kCorruption:
  /// layers that do not match the path.
  static Result<LayerPlan> Make(std::span<const uint32_t> layers, std::span<const PathStep> path);
};

/// Collects validity and offsets of every step of a path. Not thread-safe.
class StructureBuilder {
 public:
  explicit StructureBuilder(std::vector<PathStep> path);

  const std::vector<PathStep>& path() const { return path_; }
  /// `count` rows of a page without list layers; `def` may be null: nothing is null.
  void AppendFlat(const LayerPlan& plan, const uint16_t* def, size_t count);
  /// Whole rows of a page with list layers; `def` may be empty. kCorruption when the levels
  /// contradict each other.
  Status AppendNested(const LayerPlan& plan, std::span<const uint16_t> rep,
                      std::span<const uint16_t> def);

  size_t length(size_t step) const { return nodes_[step].validity.length(); }
  size_t nulls(size_t step) const { return nodes_[step].validity.nulls(); }
  columnar::BufferPtr FinishValidity(size_t step) { return nodes_[step].validity.Finish(); }
  /// Offsets of a list step.
  columnar::BufferPtr FinishOffsets(size_t step);
  size_t bytes() const;
  void Reset();

 private:
  struct Node {
    ValidityBuilder validity;
    columnar::BufferPool pool;
    std::shared_ptr<columnar::Buffer> offsets;
  };
  /// Validity of an item layer for the entries that have a slot.
  void AppendItems(const LayerPlan::Layer& layer, uint16_t mask, Node* node);
  Status AppendLists(const LayerPlan::Layer& layer, bool large, size_t children, Node* node);

  std::vector<PathStep> path_;
  std::vector<Node> nodes_;
  std::vector<uint16_t> rep_, def_, slots_;
};

}  // namespace pchronicle::lance
