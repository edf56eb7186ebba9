#pragma once

#include <optional>
#include <utility>

#include "pchronicle/base/check.h"
#include "pchronicle/base/status.h"

namespace pchronicle {

/// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit on purpose, `return value;`
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit on purpose
    PCHRONICLE_CHECK(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & {
    PCHRONICLE_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    PCHRONICLE_CHECK(ok());
    return *value_;
  }
  T&& value() && {
    PCHRONICLE_CHECK(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace pchronicle

#define PCHRONICLE_CONCAT_(a, b) a##b
#define PCHRONICLE_CONCAT(a, b) PCHRONICLE_CONCAT_(a, b)
/// `PCHRONICLE_ASSIGN_OR_RETURN(const auto x, F());` returns the status of a failed F().
#define PCHRONICLE_ASSIGN_OR_RETURN(lhs, expr) \
  PCHRONICLE_ASSIGN_OR_RETURN_(PCHRONICLE_CONCAT(result_, __LINE__), lhs, expr)
#define PCHRONICLE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                                 \
  if (!tmp.ok()) {                                   \
    return tmp.status();                             \
  }                                                  \
  lhs = std::move(tmp).value()
