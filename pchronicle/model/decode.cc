#include "pchronicle/model/decode.h"

#include <unordered_map>
#include <utility>

#include "pchronicle/model/first_problems.h"
#include "pchronicle/model/line_finder.h"

namespace pchronicle::model {

struct HubSink::Impl {
  /// One document of the record that is being read.
  struct Entry {
    Storyline storyline;
    bool open = true;
  };
  std::vector<Entry> record;
  std::vector<Storyline> finished;
  FirstProblems problems;
  bool lost_source = false;
  Diagnostics diagnostics;
  bool keep_going = false;

  std::unordered_map<int64_t, size_t>
      index;  // ordinal of a document of this record -> place in `record`

  /// record.size() when the document was not announced.
  size_t Find(const Document& document) const {
    const auto found = index.find(document.ordinal);
    return found == index.end() ? record.size() : found->second;
  }
};

HubSink::HubSink() : impl_(std::make_unique<Impl>()) {}
HubSink::~HubSink() = default;

DocumentSink::Wish HubSink::OnDocument(const Document& document) {
  Impl::Entry& entry = impl_->record.emplace_back();
  entry.storyline.document.ordinal = document.ordinal;
  entry.storyline.document.depth = document.depth;
  impl_->index[document.ordinal] = impl_->record.size() - 1;
  return Wish::kTurns;
}

void HubSink::OnTurn(const Document& document, const Turn& turn) {
  const size_t i = impl_->Find(document);
  if (i < impl_->record.size()) {
    Storyline& storyline = impl_->record[i].storyline;
    storyline.turns.push_back(CopyTurn(turn, storyline.arena));
  }
}

void HubSink::OnDocumentEnd(const Document& document) {
  const size_t i = impl_->Find(document);
  if (i < impl_->record.size()) {
    Storyline& storyline = impl_->record[i].storyline;
    storyline.document = CopyDocument(document, storyline.arena);
    impl_->record[i].open = false;
  }
}

void HubSink::OnRecordEnd() {
  for (Impl::Entry& entry : impl_->record) {
    if (!entry.open) {
      impl_->finished.push_back(std::move(entry.storyline));
    }
  }
  impl_->record.clear();
  impl_->index.clear();
}

void HubSink::OnDocumentLost(const Document& document) {
  std::vector<Impl::Entry>& record = impl_->record;
  const size_t first = impl_->Find(document);
  if (first == record.size()) {
    return;
  }
  // In pre-order a subtree is the document and everything deeper that follows it.
  size_t last = first + 1;
  while (last < record.size() &&
         record[last].storyline.document.depth > record[first].storyline.document.depth) {
    ++last;
  }
  record.erase(record.begin() + static_cast<ptrdiff_t>(first),
               record.begin() + static_cast<ptrdiff_t>(last));
  impl_->index.clear();
  for (size_t i = 0; i < record.size(); ++i) {
    impl_->index[record[i].storyline.document.ordinal] = i;
  }
}

bool HubSink::OnProblem(Problem problem) {
  impl_->lost_source |= problem.whole_source;
  impl_->problems.Add(std::move(problem));
  return impl_->keep_going;
}

void HubSink::OnDiagnostic(const Document* /*document*/, std::string_view code,
                           std::string_view pointer, std::string_view example) {
  impl_->diagnostics.Add(code, pointer, example);
}

std::vector<Storyline> HubSink::Take() { return std::exchange(impl_->finished, {}); }
const std::vector<Problem>& HubSink::problems() const { return impl_->problems.kept(); }
uint64_t HubSink::problems_left_out() const { return impl_->problems.left_out(); }
bool HubSink::lost_source() const { return impl_->lost_source; }
const Diagnostics& HubSink::diagnostics() const { return impl_->diagnostics; }
void HubSink::set_keep_going(bool keep_going) { impl_->keep_going = keep_going; }

namespace {

/// Walkers know bytes; people want lines (formats.md 1.7).
void PlaceInLines(const json::ByteInput& input, std::vector<Problem>& problems) {
  LineFinder lines(input);
  for (Problem& problem : problems) {
    if (problem.location.empty() && !problem.status.ok()) {
      problem.location = fmt::format("line {}", lines.LineAt(problem.record_offset));
    }
  }
}

}  // namespace

Result<Decoded> DecodeAll(Format format, const json::ByteInput& input, const WalkOptions& options,
                          bool keep_going) {
  // Every further pass knows one kind of surprise more (STL-127), so a few are always enough.
  constexpr int kMaxPasses = 4;
  SourceNotes notes;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    HubSink sink;
    sink.set_keep_going(keep_going);
    const std::unique_ptr<Walker> walker = MakeWalker(format, input, options, notes, sink);
    while (walker->Advance()) {
    }
    if (walker->needs_second_pass()) {
      notes = walker->notes();
      continue;
    }
    Decoded decoded{sink.Take(), sink.problems(), sink.problems_left_out(), sink.diagnostics()};
    if (options.container == json::Container::kLines) {
      PlaceInLines(input, decoded.problems);
    }
    if (sink.lost_source()) {
      decoded.storylines.clear();
    }
    return decoded;
  }
  return Status::Internal("{} source did not settle in {} passes", FormatName(format), kMaxPasses);
}

Result<std::vector<Storyline>> Decode(Format format, const json::ByteInput& input,
                                      WalkOptions options, Diagnostics* diagnostics) {
  PCHRONICLE_ASSIGN_OR_RETURN(Decoded decoded, DecodeAll(format, input, options, false));
  if (diagnostics != nullptr) {
    diagnostics->Merge(decoded.diagnostics);
  }
  if (!decoded.problems.empty()) {
    const Problem& first = decoded.problems.front();
    return first.location.empty() ? first.status : first.status.WithContext(first.location);
  }
  return std::move(decoded.storylines);
}

}  // namespace pchronicle::model
