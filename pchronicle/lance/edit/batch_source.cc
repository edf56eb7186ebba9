#include "pchronicle/lance/edit/batch_source.h"

namespace pchronicle::lance {

BatchSource FromBatches(std::vector<columnar::RecordBatch> batches) {
  auto shared = std::make_shared<std::vector<columnar::RecordBatch>>(std::move(batches));
  return [shared, at = size_t{0}](columnar::RecordBatch* out) mutable -> Result<bool> {
    if (at == shared->size()) {
      return false;
    }
    *out = std::move((*shared)[at++]);
    return true;
  };
}

}  // namespace pchronicle::lance
