#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/columnar/batch.h"
#include "pchronicle/model/first_problems.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::model {

/// Relation run_tree (catalog.md 6.1, ADD-06, ADD-07): needs every document of the Dataset at once.
/// One collector takes the documents of one source; Merge puts those of all sources, in `_file_`
/// order, into rows.
class RunTreeCollector : public DocumentSink {
 public:
  static std::unique_ptr<RunTreeCollector> Make(std::string file);
  static FieldMask Fields();
  virtual const FirstProblems& problems() const = 0;
  virtual const Diagnostics& diagnostics() const = 0;
};

class RunTree {
 public:
  /// `parts` in `_file_` order.
  static std::unique_ptr<RunTree> Build(std::vector<std::unique_ptr<RunTreeCollector>> parts);
  virtual ~RunTree() = default;
  /// Appends rows [begin, end) with the given columns.
  virtual size_t rows() const = 0;
  virtual void Append(size_t begin, size_t end, const std::vector<uint16_t>& columns,
                      columnar::Batch& batch) const = 0;
  /// Documents without a parent resolved in the Dataset (BR-56).
  virtual size_t top_level_runs() const = 0;
  /// Notes found by comparing documents: likely_copied, unresolved_reference, cycle.
  virtual const Diagnostics& diagnostics() const = 0;
};

}  // namespace pchronicle::model
