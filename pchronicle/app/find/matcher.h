#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/app/find/case_fold.h"
#include "pchronicle/app/find/expression.h"
#include "pchronicle/base/arena.h"
#include "pchronicle/base/result.h"
#include "pchronicle/columnar/batch.h"
#include "pchronicle/model/relations.h"

namespace pchronicle::app {

/// What a search gives: whole runs, or steps (FND-11).
enum class FindScope : uint8_t { kRuns, kSteps };

/// Steps as soon as a condition asks for text or for `#json.metrics`, else runs.
FindScope ScopeOf(const FindExpression& expression);
bool HasText(const FindExpression& expression);
bool HasJson(const FindExpression& expression);

/// An expression made ready to be asked of rows of `relation`. Immutable, thread-safe.
class FindMatcher {
 public:
  /// Working memory of one thread.
  struct Scratch {
    std::string folded;
    Arena decoded;
  };

  /// kInvalidArgument: a condition names a column that the scope does not have (FND-10).
  static Result<FindMatcher> Create(const FindExpression& expression, FindScope scope,
                                    model::Relation relation);

  /// Columns of the relation that Matches reads.
  const std::vector<uint16_t>& columns() const { return columns_; }
  /// `source` that every row must have to match; absent: any.
  const std::optional<std::string>& required_source() const { return required_source_; }

  /// Asks one row of a batch, where columns() stand from `first_column` on. A NULL cell satisfies
  /// no condition.
  bool Matches(const columnar::Batch& batch, size_t row, size_t first_column,
               Scratch& scratch) const;

 private:
  struct Node {
    FindExpression::Kind kind = FindExpression::Kind::kText;
    std::vector<Node> children;
    std::vector<size_t> columns;  // places in columns_; leaves only
    std::optional<CaselessNeedle> needle;
    std::optional<std::string> source;  // kText: only steps of this source
    JsonCondition json;
  };
  class Row;

  Result<Node> Prepare(const FindExpression& expression, FindScope scope);
  size_t ColumnPlace(std::string_view name);

  model::Relation relation_ = model::Relation::kSteps;
  std::vector<uint16_t> columns_;
  size_t source_place_ = 0;
  std::optional<std::string> required_source_;
  Node root_;
};

/// The readable text of a step's message: that of `message_text`, into `arena` where it has to be
/// rewritten. None when the message has no text.
std::optional<std::string_view> ReadableMessage(std::string_view message_value, Arena& arena);

}  // namespace pchronicle::app
