#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/relations.h"
#include "pchronicle/model/rows/cell.h"

namespace pchronicle::model::rows {

/// A RowPredicate made ready for many rows. Answers "may this cell satisfy it"; whatever cannot be
/// decided may.
class Predicate {
 public:
  Predicate(const RowPredicate& source, Relation relation);

  uint16_t column() const { return column_; }
  RowPredicate::Op op() const { return op_; }
  bool MayMatch(const Cell& cell) const;

  /// Looks at a message as written: false when no text that it decodes to can satisfy the
  /// predicate, so that nothing has to be decoded. True means nothing.
  bool DecodedTextMayMatch(std::string_view raw) const;

 private:
  bool MatchText(std::string_view text) const;
  bool MatchInt(int64_t value) const;
  bool MatchDouble(double value) const;

  uint16_t column_;
  RowPredicate::Op op_;
  bool undecidable_ = false;  // a value of another type than the column
  std::vector<int64_t> ints_;
  std::vector<std::string> texts_;
  std::string
      plain_needle_;  // text that stands in the source as it is, unless by \u escapes; may be empty
};

/// Decodes a message only when a predicate cannot be answered without.
bool HasUnicodeEscape(std::string_view raw);

}  // namespace pchronicle::model::rows
