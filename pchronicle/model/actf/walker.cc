#include "pchronicle/model/actf/walker.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/actf/attempt_reader.h"
#include "pchronicle/model/actf/record_bytes.h"
#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/document_ids.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/line_finder.h"

namespace pchronicle::model {
namespace {

using actf::AttemptHead;
using actf::AttemptReader;
using actf::RecordBytes;
using actf::RecordHead;

/// Skims each record once (every row needs `task_id` and the number of attempts, STL-126), then
/// walks its attempts in key order, a step at a time.
class ActfWalker final : public Walker {
 public:
  ActfWalker(const json::ByteInput& input, const WalkOptions& options, const SourceNotes& notes,
             DocumentSink& sink)
      : file_(&input),
        options_(options),
        notes_(notes),
        sink_(sink),
        lines_(input),
        was_lost_(notes.lost_source) {
    next_ordinal_ = options_.first_ordinal;
  }

  bool Advance() override;
  bool needs_second_pass() const override { return false; }  // heads come before rows
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return stream_ && stream_->open_tail(); }
  uint64_t records() const override { return stream_ ? stream_->records() : 0; }
  uint64_t bytes_read() const override;
  uint64_t id_bytes() const override { return ids_.bytes() + notes_.bytes(); }
  uint64_t buffer_peak_bytes() const override;

 private:
  bool Open();
  Status HoldSmallInput();
  bool NextRecord();
  bool ReadRecord();
  bool AbandonRecord(Status status, uint64_t offset, std::string pointer);
  bool StartRecord();
  bool NextAttempt();
  bool Continue();
  bool FinishRecord();
  Status ReadEnvelope();
  void FillDocument(const AttemptHead& attempt, Document* document);
  void TellHeadNotes(const Document& document);
  bool LoseRecord(Status status, uint64_t offset, std::string pointer, bool whole_source);
  bool LoseAttempt(const AttemptHead& attempt, Status status, uint64_t offset, std::string pointer);
  AttemptReader& reader() { return muted_ ? *muted_reader_ : *reader_; }
  bool wants(Field field) const { return options_.fields.has(field); }

  const json::ByteInput* file_;
  const WalkOptions options_;
  SourceNotes notes_;
  DocumentSink& sink_;
  LineFinder lines_;
  const bool was_lost_;  // an earlier pass found that nothing of the source counts
  std::unique_ptr<json::MemoryInput> held_;  // a small file, so that looking twice reads it once
  uint64_t held_bytes_ = 0;
  std::unique_ptr<json::RecordStream> stream_;
  std::unique_ptr<RecordBytes> bytes_;
  std::unique_ptr<AttemptReader> reader_;
  std::unique_ptr<AttemptReader> muted_reader_;  // walks attempts that an earlier pass found bad

  json::Record record_;
  Arena arena_{16 << 10};  // of the record
  RecordHead head_;
  std::vector<std::vector<UnknownSource>> foreign_;  // by attempt, from `_storyline`
  std::deque<Document> documents_;
  DocumentIds ids_;
  int64_t next_ordinal_ = 0;
  size_t next_attempt_ = 0;
  bool in_record_ = false;
  bool in_attempt_ = false;
  bool announced_ = false;
  bool muted_ = false;
  bool told_notes_ = false;
  bool any_announced_ = false;  // in this record
  bool done_ = false;
};

uint64_t ActfWalker::bytes_read() const {
  if (held_) {
    return held_bytes_;
  }
  return (stream_ ? stream_->bytes_read() : 0) + (bytes_ ? bytes_->bytes_read() : 0);
}

uint64_t ActfWalker::buffer_peak_bytes() const {
  return held_bytes_ + (stream_ ? stream_->buffer_peak_bytes() : 0) +
         (bytes_ ? bytes_->buffer_peak_bytes() : 0);
}

bool ActfWalker::Advance() {
  if (done_) {
    return false;
  }
  bool more = false;
  if (!stream_) {
    more = Open() && NextRecord();
  } else if (in_attempt_) {
    more = Continue();
  } else if (in_record_) {
    more = NextAttempt();
  } else {
    more = NextRecord();
  }
  done_ = !more;
  return more;
}

bool ActfWalker::Open() {
  Status status = HoldSmallInput();
  const json::ByteInput& input = held_ ? *held_ : *file_;
  if (status.ok()) {
    Result<std::unique_ptr<json::RecordStream>> stream =
        json::RecordStream::Open(input, options_.container, options_.range, options_.cursor);
    if (stream.ok()) {
      stream_ = std::move(*stream);
    }
    status = stream.status();
  }
  if (!status.ok()) {
    return LoseRecord(std::move(status), 0, "", true);
  }
  bytes_ = std::make_unique<RecordBytes>(input, options_.cursor);
  reader_ = std::make_unique<AttemptReader>(options_.fields, options_.strict, *bytes_);
  return true;
}

Status ActfWalker::HoldSmallInput() {
  const std::optional<uint64_t> size = file_->size();
  if (!size || *size > RecordBytes::kHoldBytes || options_.range.begin != 0) {
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<json::ByteSource> source,
                              file_->Open(0, *size));
  std::string text(*size, '\0');
  size_t done = 0;
  while (done < text.size()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got,
                                source->Read({text.data() + done, text.size() - done}));
    if (got == 0) {
      break;
    }
    done += got;
  }
  text.resize(done);
  held_bytes_ = done;
  held_ = std::make_unique<json::MemoryInput>(std::move(text));
  return Status::Ok();
}

/// Reads on until a record has attempts to walk; a bad record costs one problem.
bool ActfWalker::NextRecord() {
  if (!stream_->Next(&record_)) {
    if (!stream_->status().ok()) {
      return LoseRecord(stream_->status(), stream_->error_offset(), "", true);
    }
    if (stream_->records() == 0 && options_.range.is_whole() && !stream_->open_tail()) {
      return LoseRecord(Status::Unsupported("ACTF document cannot be empty"), 0, "", true);
    }
    return false;
  }
  return ReadRecord();
}

bool ActfWalker::ReadRecord() {
  arena_.Reset();
  documents_.clear();
  json::Cursor& cursor = stream_->cursor();
  const actf::SkimError error =
      actf::SkimRecord(cursor, {options_.strict, wants(Field::kUnknown)}, arena_, &head_);
  const uint64_t end = cursor.offset();
  Status status = error.status;
  uint64_t offset = error.offset;
  if (cursor.ok()) {
    // What follows the value counts too: a line with a second value is no document.
    const Status finished = stream_->Finish();
    if (!finished.ok() && status.ok()) {
      status = finished;
      offset = end;
    }
    if (!finished.ok()) {
      return AbandonRecord(std::move(status), offset, error.pointer);
    }
  } else {
    return AbandonRecord(std::move(status), offset, error.pointer);
  }
  if (!status.ok()) {
    return LoseRecord(std::move(status), offset, error.pointer, false);
  }
  if (was_lost_) {
    return true;
  }
  bytes_->SetRecord(record_.offset, end);
  return StartRecord();
}

/// The record is no JSON, or has more behind it.
bool ActfWalker::AbandonRecord(Status status, uint64_t offset, std::string pointer) {
  const bool next = stream_->Abandon();
  if (stream_->open_tail()) {
    return next;  // a cut last line is no error (BR-11)
  }
  return LoseRecord(std::move(status), offset, std::move(pointer), !next) && next;
}

bool ActfWalker::StartRecord() {
  const Status status = ReadEnvelope();
  if (!status.ok()) {
    return LoseRecord(status, record_.offset, "/_storyline", false);
  }
  next_attempt_ = 0;
  told_notes_ = false;
  any_announced_ = false;
  in_record_ = true;
  return true;
}

/// A part that belongs to no attempt is an error of the record, so it is found before the first
/// row.
Status ActfWalker::ReadEnvelope() {
  foreign_.clear();
  if (!head_.envelope.has_value()) {
    return Status::Ok();
  }
  foreign_.resize(head_.attempts.size());
  std::vector<EnvelopeBinding> bindings;
  for (size_t i = 0; i < foreign_.size(); ++i) {
    bindings.push_back({head_.attempts[i].pointer, &foreign_[i]});
  }
  return DecodeEnvelope(head_.envelope, "actf", bindings, arena_);
}

bool ActfWalker::NextAttempt() {
  if (next_attempt_ == head_.attempts.size()) {
    return FinishRecord();
  }
  const AttemptHead& attempt = head_.attempts[next_attempt_++];
  Document& document = documents_.emplace_back();
  FillDocument(attempt, &document);
  const bool renamed = document.document_id != document.session_id;
  muted_ = notes_.lost_documents.contains(static_cast<uint64_t>(document.ordinal));
  announced_ = false;
  if (!attempt.problem.ok()) {
    return LoseAttempt(attempt, attempt.problem, attempt.problem_offset, attempt.problem_pointer);
  }
  AttemptReader::Target target{&document, &arena_, muted_ ? nullptr : &sink_,
                               foreign_.empty() ? nullptr : &foreign_[next_attempt_ - 1], true};
  if (!muted_) {
    target.wants_turns = sink_.OnDocument(document) == DocumentSink::Wish::kTurns;
    announced_ = any_announced_ = true;
    if (renamed) {
      sink_.OnDiagnostic(&document, "duplicate_document_id", document.pointer, document.session_id);
    }
    TellHeadNotes(document);
  } else if (!muted_reader_) {
    muted_reader_ = std::make_unique<AttemptReader>(FieldMask::All(), options_.strict, *bytes_);
  }
  const Status begun = reader().Begin(head_, attempt, target);
  if (!begun.ok()) {
    return LoseAttempt(attempt, begun, attempt.offset, attempt.pointer);
  }
  in_attempt_ = true;
  return true;
}

void ActfWalker::FillDocument(const AttemptHead& attempt, Document* document) {
  document->session_id =
      head_.attempts.size() == 1
          ? head_.task_id
          : arena_.Copy(std::string(head_.task_id) + "#attempt-" + std::string(attempt.key));
  document->document_id =
      wants(Field::kDocumentId) ? ids_.Take(document->session_id).id : document->session_id;
  document->run_id = head_.task_id;
  document->attempt_id = attempt.key;
  document->ordinal = next_ordinal_++;
  document->agent_id = "actf-agent";
  document->agent_name = "ACTF Agent";
  document->origin_format = "actf";
  document->origin_schema_version = "ACTF_v1.0";
  document->pointer = attempt.pointer;
  document->outcome_pointer = arena_.Copy(attempt.pointer + "/correct");
}

/// Findings about the whole record are told with its first usable attempt.
void ActfWalker::TellHeadNotes(const Document& document) {
  if (told_notes_) {
    return;
  }
  told_notes_ = true;
  for (const actf::HeadNote& note : head_.notes) {
    sink_.OnDiagnostic(&document, note.code, note.pointer, note.example);
  }
}

bool ActfWalker::Continue() {
  const AttemptHead& attempt = head_.attempts[next_attempt_ - 1];
  switch (reader().Advance()) {
    case AttemptReader::Progress::kMore:
      return true;
    case AttemptReader::Progress::kFailed:
      in_attempt_ = false;
      return LoseAttempt(attempt, reader().status(), reader().error_offset(),
                         reader().error_pointer());
    case AttemptReader::Progress::kDone:
      break;
  }
  in_attempt_ = false;
  if (announced_) {
    sink_.OnDocumentEnd(documents_.back());
  } else {
    return LoseAttempt(attempt,
                       Status::Corruption("ACTF attempt was invalid when it was read before"),
                       attempt.offset, attempt.pointer);
  }
  return true;
}

bool ActfWalker::FinishRecord() {
  in_record_ = false;
  if (any_announced_) {
    sink_.OnRecordEnd();
  }
  return true;
}

bool ActfWalker::LoseRecord(Status status, uint64_t offset, std::string pointer,
                            bool whole_source) {
  notes_.lost_source = notes_.lost_source || whole_source;
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = offset;
  problem.location = stream_ ? lines_.Location(options_.container, record_) : "";
  problem.pointer = std::move(pointer);
  problem.whole_source = whole_source;
  return sink_.OnProblem(std::move(problem)) && !whole_source;
}

/// One bad attempt costs that attempt (formats.md 1.7).
bool ActfWalker::LoseAttempt(const AttemptHead& attempt, Status status, uint64_t offset,
                             std::string pointer) {
  const Document& document = documents_.back();
  if (announced_) {
    sink_.OnDocumentLost(document);
    announced_ = false;
  }
  notes_.lost_documents.insert(static_cast<uint64_t>(document.ordinal));
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = offset;
  problem.location = lines_.Location(options_.container, record_);
  problem.location += problem.location.empty() ? "attempts." : " attempts.";
  problem.location += attempt.key;
  if (pointer.size() > attempt.pointer.size()) {
    problem.location += ".trajectory";
  }
  problem.pointer = std::move(pointer);
  return sink_.OnProblem(std::move(problem));
}

}  // namespace

std::unique_ptr<Walker> MakeActfWalker(const json::ByteInput& input, const WalkOptions& options,
                                       const SourceNotes& notes, DocumentSink& sink) {
  return std::make_unique<ActfWalker>(input, options, notes, sink);
}

}  // namespace pchronicle::model
