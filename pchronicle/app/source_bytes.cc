#include "pchronicle/app/source_bytes.h"

#include <vector>

namespace pchronicle::app {
namespace {

constexpr size_t kPiece = 1 << 20;

bool SameFile(const io::Entry& a, const io::Entry& b) {
  return a.size == b.size && a.modified_ns == b.modified_ns && a.device == b.device &&
         a.inode == b.inode;
}

}  // namespace

Status CopyEntryBytes(const catalog::CatalogDataset& dataset, const io::Entry& pinned,
                      const std::function<Status(std::string_view)>& write,
                      const Context& context) {
  const auto changed = [&] {
    return Status::Conflict("{}: export Source changed after the Snapshot was created",
                            pinned.path);
  };
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<io::RandomReader> reader,
                              dataset.store->Open(pinned.path));
  PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry before, reader->Stat());
  if (!SameFile(before, pinned)) {
    return changed();
  }
  std::vector<char> piece(kPiece);
  uint64_t offset = 0;
  while (offset < pinned.size) {
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t n, reader->ReadAt(offset, piece));
    if (n == 0) {
      return changed();
    }
    PCHRONICLE_RETURN_IF_ERROR(write(std::string_view(piece.data(), n)));
    offset += n;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const io::Entry after, reader->Stat());
  return SameFile(after, pinned) && offset == pinned.size ? Status::Ok() : changed();
}

Status CopySourceText(const catalog::ResolvedSource& resolved,
                      const std::function<Status(std::string_view)>& write,
                      const Context& context) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto text, resolved.input->Open(0));
  std::vector<char> piece(kPiece);
  while (true) {
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t n, text->Read(piece));
    if (n == 0) {
      return Status::Ok();
    }
    PCHRONICLE_RETURN_IF_ERROR(write(std::string_view(piece.data(), n)));
  }
}

}  // namespace pchronicle::app
