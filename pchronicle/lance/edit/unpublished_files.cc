#include "pchronicle/lance/edit/unpublished_files.h"

namespace pchronicle::lance {

void UnpublishedFiles::Take(UnpublishedFiles* from) {
  paths_.insert(paths_.end(), from->paths_.begin(), from->paths_.end());
  from->paths_.clear();
}

void UnpublishedFiles::DeleteAll() {
  for (const std::string& path : paths_) {
    const Status ignored = store_->Delete(path);
    static_cast<void>(ignored);
  }
  paths_.clear();
}

}  // namespace pchronicle::lance
