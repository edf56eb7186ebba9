#include "bench/table_sums.h"

#include <fmt/core.h>

namespace pchronicle::bench {
namespace {

using columnar::Array;
using columnar::TypeId;

template <typename T>
void SumRange(const Array& array, int64_t begin, int64_t end, std::optional<int64_t>* sum) {
  const T* values = array.values->as<T>();
  int64_t total = 0, count = 0;
  for (int64_t i = begin; i < end; ++i) {
    if (!array.IsNull(i)) {
      total += values[i];
      ++count;
    }
  }
  if (count > 0) {
    *sum = sum->value_or(0) + total;
  }
}

Status SumNumbers(const Array& array, std::optional<int64_t>* sum) {
  if (array.type->id != TypeId::kInt64) {
    return Status::InvalidArgument("a column to sum is {}, not int64",
                                   columnar::ToString(*array.type));
  }
  SumRange<int64_t>(array, 0, array.length, sum);
  return Status::Ok();
}

uint64_t SumLengths(const Array& array) {
  uint64_t bytes = 0;
  for (int64_t i = 0; i < array.length; ++i) {
    bytes += array.IsNull(i) ? 0 : static_cast<uint64_t>(array.Offset(i + 1) - array.Offset(i));
  }
  return bytes;
}

// list<list<int32>>: items of the lists that are there.
Status SumTokens(const Array& outer, uint64_t* tokens, std::optional<int64_t>* sum) {
  if (!columnar::IsListLike(outer.type->id) || !columnar::IsListLike(outer.children[0]->type->id) ||
      outer.children[0]->children[0]->type->id != TypeId::kInt32) {
    return Status::InvalidArgument("token ids are {}", columnar::ToString(*outer.type));
  }
  const Array& inner = *outer.children[0];
  for (int64_t row = 0; row < outer.length; ++row) {
    if (outer.IsNull(row)) {
      continue;
    }
    for (int64_t list = outer.Offset(row); list < outer.Offset(row + 1); ++list) {
      if (!inner.IsNull(list)) {
        *tokens += static_cast<uint64_t>(inner.Offset(list + 1) - inner.Offset(list));
        SumRange<int32_t>(*inner.children[0], inner.Offset(list), inner.Offset(list + 1), sum);
      }
    }
  }
  return Status::Ok();
}

std::string OrNull(const std::optional<int64_t>& sum) {
  return sum ? std::to_string(*sum) : "null";
}

}  // namespace

Status TableSums::Add(const columnar::RecordBatch& batch) {
  rows_ += static_cast<uint64_t>(batch.rows);
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    const std::string& name = batch.fields[i].name;
    const Array& array = *batch.columns[i];
    if (name == "prompt_tokens" && array.type->id == TypeId::kInt64) {
      PCHRONICLE_RETURN_IF_ERROR(SumNumbers(array, &prompt_tokens_));
    } else if (name == "step_id") {
      PCHRONICLE_RETURN_IF_ERROR(SumNumbers(array, &step_ids_));
    } else if (name == "message_value" && columnar::IsVariable(array.type->id)) {
      message_bytes_ += SumLengths(array);
    } else if (name == "completion_token_ids") {
      PCHRONICLE_RETURN_IF_ERROR(SumTokens(array, &tokens_, &token_sum_));
    }
  }
  return Status::Ok();
}

std::string TableSums::ToJson(std::string_view action) const {
  std::string out = fmt::format("{{\"rows\": {}", rows_);
  if (action == "full" || action == "narrow") {
    out += fmt::format(", \"prompt_tokens\": {}", OrNull(prompt_tokens_));
  }
  if (action == "full" || action == "take") {
    out += fmt::format(", \"message_bytes\": {}", message_bytes_);
  }
  if (action == "full" || action == "take" || action == "filter") {
    out += fmt::format(", \"step_ids\": {}", OrNull(step_ids_));
  }
  if (action.starts_with("lanes")) {
    out += fmt::format(", \"tokens\": {}, \"token_sum\": {}", tokens_, OrNull(token_sum_));
  }
  return out + "}";
}

}  // namespace pchronicle::bench
