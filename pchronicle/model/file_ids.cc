#include "pchronicle/model/file_ids.h"

#include <memory>
#include <utility>
#include <vector>

#include "pchronicle/base/hashed_bytes.h"

namespace pchronicle::model {
namespace {

class IdSink final : public DocumentSink {
 public:
  explicit IdSink(std::unordered_map<Hash128, uint64_t, Hash128Hasher>& counts) : counts_(counts) {}

  Wish OnDocument(const Document& document) override {
    open_.push_back({document.ordinal, document.depth, Xxh3Wide(document.document_id),
                     Xxh3Wide(document.session_id)});
    return Wish::kSkip;
  }
  void OnTurn(const Document&, const Turn&) override {}
  void OnDocumentEnd(const Document&) override {}
  void OnRecordEnd() override {
    for (const Ids& ids : open_) {
      ++counts_[ids.document];
      if (ids.session != ids.document) {
        ++counts_[ids.session];
      }
    }
    open_.clear();
  }
  void OnDocumentLost(const Document& document) override {
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].ordinal != document.ordinal) {
        continue;
      }
      size_t end = i + 1;
      while (end < open_.size() && open_[end].depth > document.depth) {
        ++end;
      }
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i),
                  open_.begin() + static_cast<std::ptrdiff_t>(end));
      return;
    }
  }
  bool OnProblem(Problem) override { return true; }
  void OnDiagnostic(const Document*, std::string_view, std::string_view,
                    std::string_view) override {}

 private:
  struct Ids {
    int64_t ordinal;
    int depth;
    Hash128 document;
    Hash128 session;
  };
  std::unordered_map<Hash128, uint64_t, Hash128Hasher>& counts_;
  std::vector<Ids> open_;  // of the record
};

}  // namespace

FileIds::FileIds(Format format, const json::ByteInput& input, WalkOptions options)
    : format_(format), input_(&input), options_(std::move(options)) {
  options_.fields = Field::kDocumentId;
  options_.range = {};
  options_.first_ordinal = 0;
}

void FileIds::Load() {
  counts_.emplace();
  IdSink sink(*counts_);
  const auto walker = MakeWalker(format_, *input_, options_, SourceNotes{}, sink);
  while (walker->Advance()) {
  }
}

uint64_t FileIds::CountDocuments(std::string_view id) {
  if (!counts_) {
    Load();
  }
  const auto found = counts_->find(Xxh3Wide(id));
  return found == counts_->end() ? 0 : found->second;
}

uint64_t FileIds::bytes() const { return counts_ ? HashedBytes(*counts_) : 0; }

}  // namespace pchronicle::model
