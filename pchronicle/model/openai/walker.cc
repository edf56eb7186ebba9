#include "pchronicle/model/openai/walker.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/model/envelope.h"
#include "pchronicle/model/openai/root_members.h"
#include "pchronicle/model/openai/row_index.h"
#include "pchronicle/model/openai/session_reader.h"
#include "pchronicle/model/openai/source_path.h"
#include "pchronicle/model/residuals.h"

namespace pchronicle::model {
namespace {

using openai::RowEntry;
using openai::RowIndex;
using openai::SessionGroup;
using openai::SessionReader;

/// What of a document its rows have to be read for.
constexpr FieldMask kDocumentFieldsOfRows =
    Field::kAgent | Field::kTask | Field::kFinalMetrics | Field::kUnknown | Field::kDiagnostics;

// Work of one Advance: enough to make a call cheap, little enough for batches (D30).
constexpr size_t kIndexedRows = 256;
constexpr uint64_t kReadBytes = 256 << 10;
constexpr size_t kEmittedTurns = 256;

/// First an index over all rows, then one session after the other (STL-129).
class OpenAiWalker final : public Walker {
 public:
  OpenAiWalker(const json::ByteInput& input, const WalkOptions& options, const SourceNotes& notes,
               DocumentSink& sink)
      : input_(input),
        options_(options),
        fields_(options.fields.has(Field::kDiagnostics) ? FieldMask::All() : options.fields),
        notes_(notes),
        sink_(sink),
        index_(input, options_),
        session_(input, options_, fields_, sink) {}

  bool Advance() override;
  bool needs_second_pass() const override { return false; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return index_.open_tail(); }
  uint64_t records() const override { return index_.row_count(); }
  uint64_t bytes_read() const override { return index_.bytes_read() + session_.bytes_read(); }
  uint64_t buffer_peak_bytes() const override {
    return index_.buffer_bytes() + session_peak_bytes_ + root_arena_.bytes();
  }
  uint64_t id_bytes() const override { return index_.id_bytes() + notes_.bytes(); }

 private:
  enum class State : uint8_t { kStart, kIndex, kRoot, kOpen, kRows, kTurns, kDone };

  bool Index();
  bool ReadRoot();
  Status ReadEnvelope(const json::Raw& member);
  bool OpenSession();
  bool ReadRows();
  bool CloseSession();
  bool EmitTurns();
  bool EndSession();
  bool LoseSession(Status status, const RowEntry& row);
  bool FailSource(Status status, uint64_t at);
  std::span<const RowEntry> Rows() const;

  const json::ByteInput& input_;
  const WalkOptions options_;
  const FieldMask fields_;
  SourceNotes notes_;
  DocumentSink& sink_;
  RowIndex index_;
  SessionReader session_;
  State state_ = State::kStart;

  Arena root_arena_{4096};
  openai::RootMembers root_;
  std::vector<std::vector<UnknownSource>> foreign_;  // by session; empty when there is no envelope

  uint32_t group_ = 0;  // the session that is open, or comes next
  bool wants_turns_ = false;
  size_t next_row_ = 0;
  size_t next_turn_ = 0;
  uint64_t session_peak_bytes_ = 0;
};

bool OpenAiWalker::Advance() {
  bool more = false;
  switch (state_) {
    case State::kStart: {
      const Status path = options_.source_path.empty()
                              ? Status::Ok()
                              : openai::CheckSourcePath(options_.source_path);
      state_ = State::kIndex;
      more = path.ok() ? Index() : FailSource(path, 0);
      break;
    }
    case State::kIndex:
      more = Index();
      break;
    case State::kRoot:
      more = ReadRoot();
      break;
    case State::kOpen:
      more = OpenSession();
      break;
    case State::kRows:
      more = ReadRows();
      break;
    case State::kTurns:
      more = EmitTurns();
      break;
    case State::kDone:
      break;
  }
  if (!more) {
    state_ = State::kDone;
  }
  return more;
}

bool OpenAiWalker::Index() {
  std::vector<Problem> problems;
  const bool more = index_.Read(kIndexedRows, &problems);
  for (Problem& problem : problems) {
    const bool whole_source = problem.whole_source;
    notes_.lost_source = notes_.lost_source || whole_source;
    if (!sink_.OnProblem(std::move(problem)) || whole_source) {
      return false;
    }
  }
  if (!more) {
    const bool wants_root = fields_.has(Field::kUnknown) && !index_.envelopes().empty();
    state_ = wants_root ? State::kRoot : State::kOpen;
  }
  return true;
}

bool OpenAiWalker::ReadRoot() {
  uint64_t error_offset = 0;
  Result<openai::RootMembers> root = openai::ReadRootMembers(
      input_, options_.cursor, index_.envelopes(), root_arena_, &error_offset);
  if (!root.ok()) {
    return FailSource(root.status(), error_offset);
  }
  root_ = std::move(*root);
  if (root_.envelope.present()) {
    const Status status = ReadEnvelope(root_.envelope);
    if (!status.ok()) {
      return FailSource(status, index_.envelopes().front().offset);
    }
  }
  state_ = State::kOpen;
  return true;
}

/// Gives every session its part, by the rows that carry it.
Status OpenAiWalker::ReadEnvelope(const json::Raw& member) {
  foreign_.resize(index_.groups().size());
  std::vector<std::string> carriers;
  carriers.reserve(index_.rows().size());
  std::vector<EnvelopeBinding> bindings;
  for (const RowEntry& row : index_.rows()) {
    carriers.push_back(fmt::format("/session_steps/{}", row.row));
    bindings.push_back({carriers.back(), &foreign_[row.group]});
  }
  return DecodeEnvelope(member, openai::kHubName, bindings, root_arena_);
}

std::span<const RowEntry> OpenAiWalker::Rows() const {
  const SessionGroup& group = index_.groups()[group_];
  return std::span(index_.rows()).subspan(group.first, group.count);
}

bool OpenAiWalker::OpenSession() {
  const auto& groups = index_.groups();
  while (group_ < groups.size() && (groups[group_].lost || groups[group_].count == 0)) {
    notes_.lost_documents.insert(static_cast<uint64_t>(options_.first_ordinal) + group_);
    ++group_;
  }
  if (group_ == groups.size()) {
    return false;
  }
  session_.Open(groups[group_], options_.first_ordinal + group_);
  wants_turns_ = sink_.OnDocument(session_.document()) == DocumentSink::Wish::kTurns &&
                 fields_.has_any(kAnyTurnField);
  next_row_ = 0;
  next_turn_ = 0;
  if (wants_turns_ || fields_.has_any(kDocumentFieldsOfRows)) {
    state_ = State::kRows;
    return true;
  }
  return EndSession();
}

bool OpenAiWalker::ReadRows() {
  const std::span<const RowEntry> rows = Rows();
  for (uint64_t bytes = 0; next_row_ < rows.size() && bytes < kReadBytes; ++next_row_) {
    const RowEntry& row = rows[next_row_];
    const Status status = session_.AddRow(row, wants_turns_);
    session_peak_bytes_ = std::max(session_peak_bytes_, session_.held_bytes());
    if (!status.ok()) {
      return LoseSession(status, row);
    }
    bytes += row.length;
  }
  return next_row_ < rows.size() || CloseSession();
}

bool OpenAiWalker::CloseSession() {
  session_.Close(root_.fields);
  if (!foreign_.empty()) {
    const Status status = MergeUnknown(foreign_[group_], session_.document().unknown);
    if (!status.ok()) {
      return LoseSession(status, Rows().front());
    }
  }
  session_peak_bytes_ = std::max(session_peak_bytes_, session_.held_bytes());
  state_ = State::kTurns;
  return true;
}

bool OpenAiWalker::EmitTurns() {
  const std::vector<Turn>& turns = session_.turns();
  const size_t end = std::min(next_turn_ + kEmittedTurns, wants_turns_ ? turns.size() : 0);
  for (; next_turn_ < end; ++next_turn_) {
    sink_.OnTurn(session_.document(), turns[next_turn_]);
  }
  return (wants_turns_ && next_turn_ < turns.size()) || EndSession();
}

bool OpenAiWalker::EndSession() {
  sink_.OnDocumentEnd(session_.document());
  sink_.OnRecordEnd();
  ++group_;
  state_ = State::kOpen;
  return true;
}

/// A bad value of one row costs its session: rows build on each other (formats.md 1.7). The
/// structure of the whole file is known to be sound from the first pass, so the other sessions
/// stay, also in one big document.
bool OpenAiWalker::LoseSession(Status status, const RowEntry& row) {
  notes_.lost_documents.insert(static_cast<uint64_t>(session_.document().ordinal));
  sink_.OnDocumentLost(session_.document());
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = row.record;
  problem.offset = std::max(session_.error_offset(), row.offset);
  problem.location = fmt::format("rows[{}]", row.row);
  ++group_;
  state_ = State::kOpen;
  return sink_.OnProblem(std::move(problem));
}

bool OpenAiWalker::FailSource(Status status, uint64_t at) {
  notes_.lost_source = true;
  Problem problem;
  problem.status = std::move(status);
  problem.offset = at;
  problem.whole_source = true;
  sink_.OnProblem(std::move(problem));
  return false;
}

}  // namespace

std::unique_ptr<Walker> MakeOpenAiWalker(const json::ByteInput& input, const WalkOptions& options,
                                         const SourceNotes& notes, DocumentSink& sink) {
  return std::make_unique<OpenAiWalker>(input, options, notes, sink);
}

}  // namespace pchronicle::model
