#include "pchronicle/lance/edit/unpublished_files.h"

namespace pchronicle::lance {

void UnpublishedFiles::DeleteAll() {
  for (const std::string& path : paths_) {
    const Status ignored = store_->Delete(path);
    static_cast<void>(ignored);
  }
  paths_.clear();
}

}  // namespace pchronicle::lance
