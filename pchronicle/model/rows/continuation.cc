#include "pchronicle/model/rows/continuation.h"

#include "pchronicle/base/hashed_bytes.h"
#include "pchronicle/model/reference_path.h"

namespace pchronicle::model::rows {

void ContinuationFinder::AddDocument(size_t index, const Document& document) {
  record_.push_back({index, Xxh3Wide(document.document_id), Xxh3Wide(document.session_id)});
}

void ContinuationFinder::Count(const Ids& ids) {
  ++documents_[ids.document];
  if (ids.session != ids.document) {
    ++documents_[ids.session];
  }
}

std::optional<std::string> ContinuationFinder::Find(const Document& document) const {
  const std::string_view ref = document.continued_ref.value_or("");
  if (ref.empty()) {
    return std::nullopt;
  }
  if (request_.file_exists) {
    std::optional<std::string> file = ResolveReferencePath(request_.file, ref);
    if (file && request_.file_exists(*file)) {
      return file;
    }
  }
  // A document does not continue itself.
  const uint64_t self = ref == document.document_id || ref == document.session_id ? 1 : 0;
  const auto known = documents_.find(Xxh3Wide(ref));
  const bool found = (known != documents_.end() && known->second > self) ||
                     (request_.count_documents && request_.count_documents(ref) > self);
  return found ? std::optional<std::string>(request_.file) : std::nullopt;
}

uint64_t ContinuationFinder::bytes() const {
  return HashedBytes(documents_) + record_.capacity() * sizeof(Ids);
}

}  // namespace pchronicle::model::rows
