#include "pchronicle/columnar/batch.h"

#include <cstddef>

#include "pchronicle/base/check.h"

namespace pchronicle::columnar {

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kVarchar:
      return "VARCHAR";
    case Type::kJson:
      return "JSON";
    case Type::kBigint:
      return "BIGINT";
    case Type::kUbigint:
      return "UBIGINT";
    case Type::kDouble:
      return "DOUBLE";
    case Type::kBoolean:
      return "BOOLEAN";
    case Type::kTimestampNs:
      return "TIMESTAMP_NS";
    case Type::kBigintList:
      return "BIGINT[]";
    case Type::kDoubleList:
      return "DOUBLE[]";
    case Type::kVarcharList:
      return "VARCHAR[]";
    case Type::kJsonList:
      return "JSON[]";
  }
  return "VARCHAR";
}

bool IsList(Type type) { return type >= Type::kBigintList; }

Type ElementType(Type type) {
  switch (type) {
    case Type::kBigintList:
      return Type::kBigint;
    case Type::kDoubleList:
      return Type::kDouble;
    case Type::kVarcharList:
      return Type::kVarchar;
    case Type::kJsonList:
      return Type::kJson;
    default:
      return type;
  }
}

Column::Column(Type type) : type_(type) {
  if (IsList(type)) {
    element_ = std::make_unique<Column>(ElementType(type));
  }
}

void Column::AppendNull() {
  valid_.push_back(0);
  switch (type_) {
    case Type::kVarchar:
    case Type::kJson:
      texts_.emplace_back();
      break;
    case Type::kDouble:
      doubles_.push_back(0);
      break;
    case Type::kBigint:
    case Type::kUbigint:
    case Type::kBoolean:
    case Type::kTimestampNs:
      ints_.push_back(0);
      break;
    default:
      list_ends_.push_back(element_->size());
  }
}

void Column::AppendInt(int64_t value) {
  valid_.push_back(1);
  ints_.push_back(value);
}

void Column::AppendDouble(double value) {
  valid_.push_back(1);
  doubles_.push_back(value);
}

void Column::AppendText(std::string_view value) {
  valid_.push_back(1);
  texts_.push_back(value);
}

void Column::CloseList() {
  valid_.push_back(1);
  list_ends_.push_back(element_->size());
}

void Column::Truncate(size_t rows) {
  PCHRONICLE_DCHECK(rows <= valid_.size());
  valid_.resize(rows);
  if (element_) {
    list_ends_.resize(rows);
    element_->Truncate(rows == 0 ? 0 : list_ends_.back());
  } else if (type_ == Type::kVarchar || type_ == Type::kJson) {
    texts_.resize(rows);
  } else if (type_ == Type::kDouble) {
    doubles_.resize(rows);
  } else {
    ints_.resize(rows);
  }
}

void Column::Erase(size_t begin, size_t end) {
  PCHRONICLE_DCHECK(begin <= end && end <= valid_.size());
  if (begin == end) {
    return;
  }
  const auto cut = [begin, end](auto& values) {
    if (!values.empty()) {
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(end));
    }
  };
  if (element_) {
    const uint64_t first = list_begin(begin);
    const uint64_t last = list_ends_[end - 1];
    element_->Erase(first, last);
    for (size_t row = end; row < list_ends_.size(); ++row) {
      list_ends_[row] -= last - first;
    }
  }
  cut(valid_);
  cut(ints_);
  cut(doubles_);
  cut(texts_);
  cut(list_ends_);
}

Batch::Batch(const std::vector<Type>& types) {
  columns.reserve(types.size());
  for (const Type type : types) {
    columns.emplace_back(type);
  }
}

void Batch::Clear() {
  for (Column& column : columns) {
    column.Clear();
  }
  rows = 0;
  if (text.use_count() == 1) {
    text->Reset();
  } else {
    text = std::make_shared<Arena>();
  }
}

void Batch::Truncate(size_t new_rows) {
  for (Column& column : columns) {
    column.Truncate(new_rows);
  }
  rows = new_rows;
}

void Batch::Erase(size_t begin, size_t end) {
  for (Column& column : columns) {
    column.Erase(begin, end);
  }
  rows -= end - begin;
}

}  // namespace pchronicle::columnar
