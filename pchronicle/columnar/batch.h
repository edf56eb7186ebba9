#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"

namespace pchronicle::columnar {

/// Types of relation columns (catalog.md 6). kJson is UTF-8 JSON text; kTimestampNs holds UTC.
enum class Type : uint8_t {
  kVarchar,
  kJson,
  kBigint,
  kUbigint,
  kDouble,
  kBoolean,
  kTimestampNs,
  kBigintList,
  kDoubleList,
  kVarcharList,
  kJsonList,
};

std::string_view TypeName(Type type);
bool IsList(Type type);
/// Element type of a list type.
Type ElementType(Type type);

struct Field {
  std::string name;
  Type type;
  bool nullable = true;
};
using Schema = std::vector<Field>;

/// Rows that one batch should hold at most (D30). Appending a little more is fine: consumers slice.
inline constexpr size_t kBatchRows = 2048;

/// One growing column. Text is a view into the arena of the batch that owns the column. Not
/// thread-safe. Values of kBigint, kTimestampNs (nanoseconds) and kUbigint (bit pattern) are in
/// ints(), kBoolean in ints() as 0 and 1.
class Column {
 public:
  explicit Column(Type type);

  Type type() const { return type_; }
  size_t size() const { return valid_.size(); }
  bool is_null(size_t row) const { return valid_[row] == 0; }

  void AppendNull();
  void AppendInt(int64_t value);
  void AppendDouble(double value);
  /// `value` must live in the arena of the batch (or outlive it).
  void AppendText(std::string_view value);
  /// Opens a list row; elements follow through element(), CloseList ends the row. A null list is
  /// AppendNull.
  Column& element() { return *element_; }
  void CloseList();

  const std::vector<uint8_t>& valid() const { return valid_; }
  const std::vector<int64_t>& ints() const { return ints_; }
  const std::vector<double>& doubles() const { return doubles_; }
  const std::vector<std::string_view>& texts() const { return texts_; }
  /// List rows: element range [list_begin(row), list_end(row)) of element().
  size_t list_begin(size_t row) const { return row == 0 ? 0 : list_ends_[row - 1]; }
  size_t list_end(size_t row) const { return list_ends_[row]; }
  const Column& element() const { return *element_; }

  /// Drops rows from `rows` on.
  void Truncate(size_t rows);
  /// Drops rows [begin, end); later rows move up.
  void Erase(size_t begin, size_t end);
  void Clear() { Truncate(0); }

 private:
  Type type_;
  std::vector<uint8_t> valid_;
  std::vector<int64_t> ints_;
  std::vector<double> doubles_;
  std::vector<std::string_view> texts_;
  std::vector<uint64_t> list_ends_;
  std::unique_ptr<Column> element_;
};

/// Rows on their way from a scanner to a consumer (D30). `text` is shared so that a consumer can
/// point into it without a copy and keep it alive; a batch with zero columns still has `rows`
/// (COUNT(*)).
struct Batch {
  std::vector<Column> columns;
  size_t rows = 0;
  std::shared_ptr<Arena> text = std::make_shared<Arena>();

  Batch() = default;
  explicit Batch(const std::vector<Type>& types);
  /// Empties the batch; takes a new arena when a consumer still holds the old one.
  void Clear();
  void Truncate(size_t new_rows);
  /// Drops rows [begin, end); later rows move up.
  void Erase(size_t begin, size_t end);
};

}  // namespace pchronicle::columnar
