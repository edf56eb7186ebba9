#include "pchronicle/lance/edit/index_files.h"

#include "pchronicle/lance/edit/unique_name.h"

namespace pchronicle::lance {

IndexFiles::IndexFiles(UnpublishedFiles* files, const TablePaths& paths,
                       const std::array<uint8_t, 16>& uuid)
    : files_(files), directory_(paths.InRoot("_indices/" + UuidText(uuid) + "/")) {}

IndexFiles::~IndexFiles() {
  if (writer_ != nullptr) {
    writer_->Abort();
  }
}

Status IndexFiles::Begin(std::string_view name) {
  const std::string path = directory_ + std::string(name);
  files_->Add(path);
  PCHRONICLE_ASSIGN_OR_RETURN(writer_, files_->store().Create(path));
  return Status::Ok();
}

Status IndexFiles::Append(std::string_view bytes) { return writer_->Append(bytes); }

Status IndexFiles::End() {
  PCHRONICLE_RETURN_IF_ERROR(writer_->Finish());
  writer_.reset();
  return Status::Ok();
}

}  // namespace pchronicle::lance
