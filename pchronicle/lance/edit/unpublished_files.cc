#include "pchronicle/lance/edit/unpublished_files.h"

namespace pchronicle::lance {

void UnpublishedFiles::Take(UnpublishedFiles* from) {
  paths_.insert(paths_.end(), from->paths_.begin(), from->paths_.end());
  directories_.insert(directories_.end(), from->directories_.begin(), from->directories_.end());
  from->Keep();
}

void UnpublishedFiles::DeleteAll() {
  for (const std::string& path : paths_) {
    const Status ignored = store_->Delete(path);
    static_cast<void>(ignored);
  }
  for (const std::string& path : directories_) {
    const Status ignored = store_->DeleteEmptyDirectory(path);
    static_cast<void>(ignored);
  }
  Keep();
}

}  // namespace pchronicle::lance
