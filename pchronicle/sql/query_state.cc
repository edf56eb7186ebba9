#include "pchronicle/sql/query_state.h"

#include "pchronicle/sql/errors.h"

namespace pchronicle::sql {

void QueryState::Fail(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.ok()) {
      failure_ = status;
    }
  }
  ThrowStatus(status);
}

Status QueryState::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace pchronicle::sql
