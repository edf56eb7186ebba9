#include "pchronicle/catalog/problem.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "pchronicle/json/record_stream.h"

namespace pchronicle::catalog {
namespace {

/// The bytes [begin, end) of an input.
class PartInput final : public json::ByteInput {
 public:
  PartInput(const json::ByteInput& base, uint64_t begin, uint64_t end)
      : base_(base), begin_(begin), size_(end - begin) {}
  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset, uint64_t length) const override {
    const uint64_t from = std::min(offset, size_);
    return base_.Open(begin_ + from, std::min(length, size_ - from));
  }
  std::optional<uint64_t> size() const override { return size_; }

 private:
  const json::ByteInput& base_;
  const uint64_t begin_;
  const uint64_t size_;
};

/// The message without the place that stands beside it anyway.
std::string_view Cause(const SourceProblem& problem) {
  std::string_view message = problem.status.message();
  if (message.starts_with(problem.file)) {
    message.remove_prefix(problem.file.size());
    message.remove_prefix(message.starts_with(": ") ? 2 : 0);
  }
  return message;
}

}  // namespace

std::string ReasonText(const SourceProblem& problem) {
  std::string text;
  const auto part = [&text](std::string piece) {
    text += text.empty() ? "" : ", ";
    text += piece;
  };
  if (problem.line != 0) {
    part(fmt::format("line {}", problem.line));
    part(fmt::format("byte {}{}", problem.byte_offset, problem.in_decompressed ? kInText : ""));
  }
  if (!problem.pointer.empty()) {
    part(problem.pointer);
  }
  text += text.empty() ? "" : ": ";
  text += Cause(problem);
  return text;
}

std::string SourceProblem::ToString() const {
  return fmt::format("{}: {}", file, ReasonText(*this));
}

SourceProblem ProblemPlacer::Place(const model::Problem& problem) {
  SourceProblem placed;
  placed.file = file_;
  placed.status = problem.status;
  placed.pointer = problem.pointer;
  if (FailsAlways(problem.status)) {
    return placed;  // the file cannot be trusted, or must not be read any further
  }
  placed.in_decompressed = is_compressed_;
  placed.byte_offset = problem.offset;
  placed.line = lines_.LineAt(problem.offset);
  if (placed.pointer.empty()) {
    // Nothing behind the error is read: a file of many bad lines costs one more reading in all.
    const uint64_t begin = std::min(problem.offset, problem.record_offset);
    const uint64_t inside = problem.offset - begin;
    const PartInput record(input_, begin, problem.offset + 1);
    if (auto place = json::Locate(record, 0, inside); place.ok()) {
      placed.pointer = std::move(place->pointer);
    }
  }
  if (!problem.location.empty() && !problem.location.starts_with("line ") &&
      placed.status.message().find(problem.location) == std::string::npos) {
    placed.status = placed.status.WithContext(problem.location);
  }
  return placed;
}

std::vector<SourceProblem> PlaceProblems(std::string_view file, const json::ByteInput& input,
                                         const std::vector<model::Problem>& problems,
                                         bool is_compressed) {
  std::vector<const model::Problem*> sorted;
  sorted.reserve(problems.size());
  for (const model::Problem& problem : problems) {
    sorted.push_back(&problem);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->offset < b->offset; });
  ProblemPlacer placer(file, input, is_compressed);
  std::vector<SourceProblem> placed;
  placed.reserve(sorted.size());
  for (const model::Problem* problem : sorted) {
    placed.push_back(placer.Place(*problem));
  }
  return placed;
}

SourceProblem PlaceError(const Source& source, const ResolvedSource& resolved) {
  model::Problem problem;
  problem.status = resolved.error;
  problem.record_offset = resolved.error_record;
  problem.offset = resolved.error_offset;
  return ProblemPlacer(source.file, *resolved.input,
                       resolved.compression != json::Compression::kNone)
      .Place(problem);
}

bool FailsAlways(const Status& status) {
  switch (status.code()) {
    case StatusCode::kConflict:
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnavailable:
    case StatusCode::kCancelled:
    case StatusCode::kInternal:
      return true;
    default:
      return false;
  }
}

void MergeLost(const model::SourceNotes& found, model::SourceNotes& known) {
  known.lost_source |= found.lost_source;
  known.lost_documents.insert(found.lost_documents.begin(), found.lost_documents.end());
  known.lost_records.insert(found.lost_records.begin(), found.lost_records.end());
}

Status ToStatus(const SourceProblem& problem) {
  return Status(problem.status.code(), problem.ToString());
}

bool QueryScope::ProblemOrder::operator()(const SourceProblem& a, const SourceProblem& b) const {
  const auto key = [](const SourceProblem& p) {
    return std::tuple<uint64_t, const std::string&, const std::string&>(p.byte_offset, p.pointer,
                                                                        p.status.message());
  };
  return key(a) < key(b);
}

/// The mutex is held.
void QueryScope::Keep(SourceProblem problem) {
  FileProblems& of_file = problems_[problem.file];
  of_file.first.insert(std::move(problem));
  if (of_file.first.size() > kMostProblems) {
    of_file.first.erase(std::prev(of_file.first.end()));
    of_file.left_out = true;
  }
}

void QueryScope::AddProblem(SourceProblem problem) {
  const std::lock_guard lock(mutex_);
  Keep(std::move(problem));
}

void QueryScope::AddProblems(json::RecordRange range, std::vector<SourceProblem> problems,
                             uint64_t left_out) {
  if (problems.empty()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  FileProblems& of_file = problems_[problems.front().file];
  of_file.left_out |= left_out > 0;
  uint64_t& met = range.is_whole() ? of_file.met_by_whole : of_file.met[range.begin];
  met = std::max(met, problems.size() + left_out);
  for (SourceProblem& problem : problems) {
    Keep(std::move(problem));
  }
}

std::vector<SourceProblem> QueryScope::problems() const {
  const std::lock_guard lock(mutex_);
  std::vector<SourceProblem> all;
  for (const auto& [file, of_file] : problems_) {
    all.insert(all.end(), of_file.first.begin(), of_file.first.end());
  }
  return all;
}

uint64_t QueryScope::problem_count() const {
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  for (const auto& [file, of_file] : problems_) {
    uint64_t in_ranges = 0;
    for (const auto& [begin, of_range] : of_file.met) {
      in_ranges += of_range;
    }
    const uint64_t met = std::max(of_file.met_by_whole, in_ranges);
    count +=
        of_file.left_out ? std::max<uint64_t>(met, of_file.first.size()) : of_file.first.size();
  }
  return count;
}

model::SourceNotes QueryScope::LostIn(const Source& source, json::RecordRange range) const {
  const std::lock_guard lock(mutex_);
  const auto it = lost_.find({&source, range.begin, range.end});
  return it == lost_.end() ? model::SourceNotes() : it->second;
}

void QueryScope::AddLost(const Source& source, json::RecordRange range,
                         const model::SourceNotes& found) {
  if (found.lost_documents.empty() && found.lost_records.empty() && !found.lost_source) {
    return;
  }
  const std::lock_guard lock(mutex_);
  model::SourceNotes& known = lost_[{&source, range.begin, range.end}];
  const size_t before =
      known.lost_documents.size() + known.lost_records.size() + (known.lost_source ? 1 : 0);
  MergeLost(found, known);
  const size_t after =
      known.lost_documents.size() + known.lost_records.size() + (known.lost_source ? 1 : 0);
  if (after != before && scans_ > 1) {
    RequestRestart();
  }
}

void QueryScope::BeginRestart() {
  const std::lock_guard lock(mutex_);
  problems_.clear();
  restart_.store(false);
  ++metrics_.restarts;
}

}  // namespace pchronicle::catalog
