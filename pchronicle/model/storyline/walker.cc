#include "pchronicle/model/storyline/walker.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/document_ids.h"
#include "pchronicle/model/storyline/head_reader.h"
#include "pchronicle/model/storyline/turn_reader.h"

namespace pchronicle::model {
namespace {

using storyline::HeadMember;
using storyline::HeadReader;
using storyline::TurnReader;

/// One record is one document. Root members are read in any order; turns are handed on as they are
/// read, once the head members that stand in every row are known (STL-126).
class StorylineWalker final : public Walker {
 public:
  StorylineWalker(const json::ByteInput& input, const WalkOptions& options,
                  const SourceNotes& notes, DocumentSink& sink)
      : input_(input), options_(options), notes_(notes), sink_(sink), turns_(options_) {
    needs_ids_ = options_.fields.has(Field::kDocumentId);
    next_ordinal_ = options_.first_ordinal;
  }

  bool Advance() override {
    switch (place_) {
      case Place::kStart:
        return Go(Open());
      case Place::kBetween:
        return Go(NextRecord());
      case Place::kRoot:
        return Go(ReadRootMember());
      case Place::kTurns:
        return Go(ReadTurn());
      case Place::kDone:
        return false;
    }
    return false;
  }
  bool needs_second_pass() const override { return needs_second_pass_; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return stream_ != nullptr && stream_->open_tail(); }
  uint64_t records() const override { return stream_ ? stream_->records() : 0; }
  uint64_t bytes_read() const override {
    return (stream_ ? stream_->bytes_read() : 0) + skim_bytes_read_;
  }
  uint64_t buffer_peak_bytes() const override { return stream_ ? stream_->buffer_peak_bytes() : 0; }
  uint64_t id_bytes() const override { return ids_.bytes() + notes_.bytes(); }

 private:
  enum class Place : uint8_t { kStart, kBetween, kRoot, kTurns, kDone };

  bool Go(bool more) {
    if (!more) {
      place_ = Place::kDone;
    }
    return more;
  }
  bool Open();
  bool NextRecord();
  bool ReadRootMember();
  bool EnterTurns();
  bool ReadTurn();
  bool FinishRecord();
  Status Skim();
  Status Announce();
  Status CloseDocument();
  bool Lose(Status status, uint64_t offset, std::string pointer);
  bool LoseToSyntax() {
    json::Cursor& cursor = stream_->cursor();
    return Lose(cursor.status(), cursor.error_offset(), "");
  }
  bool Report(Problem problem) { return sink_.OnProblem(std::move(problem)); }
  DocumentSink* sink() { return muted_ ? nullptr : &sink_; }

  const json::ByteInput& input_;
  const WalkOptions options_;
  SourceNotes notes_;
  DocumentSink& sink_;
  std::unique_ptr<json::RecordStream> stream_;
  TurnReader turns_;
  DocumentIds ids_;
  Place place_ = Place::kStart;

  json::Record record_;
  std::optional<HeadReader> head_;
  uint64_t object_offset_ = 0;
  bool seen_turns_ = false;
  bool announced_ = false;
  bool skimmed_ = false;                // head_ is complete; later head members are passed over
  std::optional<uint64_t> skim_error_;  // offset of the syntax error that ended it
  bool grew_after_rows_ = false;
  bool muted_ = false;  // an earlier pass found the record bad

  std::string announced_id_;  // what the rows were told
  std::optional<std::string> announced_run_;

  int64_t next_ordinal_ = 0;
  uint64_t skim_bytes_read_ = 0;
  bool needs_ids_ = false;
  bool needs_second_pass_ = false;
};

bool StorylineWalker::Open() {
  Result<std::unique_ptr<json::RecordStream>> stream =
      json::RecordStream::Open(input_, options_.container, options_.range, options_.cursor);
  if (!stream.ok()) {
    Report({stream.status(), 0, 0, "", "", true});
    return false;
  }
  stream_ = std::move(*stream);
  place_ = Place::kBetween;
  return true;
}

bool StorylineWalker::NextRecord() {
  head_.reset();
  seen_turns_ = announced_ = skimmed_ = grew_after_rows_ = false;
  if (!stream_->Next(&record_)) {
    if (!stream_->status().ok()) {
      notes_.lost_source = true;
      Report({stream_->status(), record_.offset, stream_->error_offset(), "", "", true});
    } else if (stream_->records() == 0 && options_.range.is_whole() && !stream_->open_tail()) {
      Report({Status::Unsupported("Storyline document cannot be empty"), 0, 0, "", "", true});
    }
    return false;
  }
  json::Cursor& cursor = stream_->cursor();
  const json::Kind kind = cursor.Peek();
  object_offset_ = cursor.offset();
  muted_ = notes_.lost_source || notes_.lost_documents.contains(object_offset_);
  head_.emplace(options_, next_ordinal_++);
  place_ = Place::kRoot;
  if (!cursor.ok()) {
    return LoseToSyntax();
  }
  if (kind != json::Kind::kObject) {
    return Lose(Status::InvalidArgument("a Storyline must be an object"), object_offset_, "");
  }
  return cursor.BeginObject() || LoseToSyntax();
}

bool StorylineWalker::ReadRootMember() {
  json::Cursor& cursor = stream_->cursor();
  std::string_view key;
  const uint64_t at = cursor.offset();
  if (!cursor.NextKey(&key)) {
    return cursor.ok() ? FinishRecord() : LoseToSyntax();
  }
  if (key == "turns") {
    return EnterTurns();
  }
  if (!head_->Owns(key)) {
    return Lose(Status::InvalidArgument("unknown field '{}'", key), at, "");
  }
  if (skimmed_) {
    return cursor.Skip() || LoseToSyntax();
  }
  const Status status = head_->Read(key, cursor);
  if (!cursor.ok()) {
    return LoseToSyntax();
  }
  if (!status.ok()) {
    return Lose(status, at, head_->error_pointer());
  }
  grew_after_rows_ = grew_after_rows_ || announced_;
  cursor.ReleaseViews();
  return true;
}

bool StorylineWalker::EnterTurns() {
  json::Cursor& cursor = stream_->cursor();
  const json::Kind kind = cursor.Peek();
  const uint64_t at = cursor.offset();
  if (!cursor.ok()) {
    return LoseToSyntax();
  }
  if (seen_turns_) {
    return Lose(Status::InvalidArgument("duplicate key 'turns'"), at, "/turns");
  }
  seen_turns_ = true;
  if (kind != json::Kind::kArray) {
    return Lose(Status::InvalidArgument("turns: must be an array"), at, "/turns");
  }
  if (!head_->has_required() || notes_.skim_first) {
    const Status skimmed = Skim();
    if (!skimmed.ok()) {
      return skim_error_ ? Lose(skimmed, *skim_error_, "")
                         : Lose(skimmed, object_offset_, head_->error_pointer());
    }
  }
  const Status announced = Announce();
  if (!announced.ok()) {
    return Lose(announced, object_offset_, head_->error_pointer());
  }
  const bool residuals = options_.fields.has(Field::kUnknown);
  const bool reads = options_.fields.has_any(kAnyTurnField) || residuals || options_.strict;
  const bool wanted = muted_ || sink_.OnDocument(head_->document()) == DocumentSink::Wish::kTurns;
  // A check of everything, and residuals, do not depend on what the sink likes to see.
  if (!(wanted && reads) && !residuals && !options_.fields.has(Field::kDiagnostics)) {
    return cursor.Skip() || LoseToSyntax();
  }
  turns_.BeginDocument({&head_->document(),
                        options_.fields.has(Field::kUnknown) ? &head_->turn_residuals() : nullptr,
                        nullptr, sink()});
  place_ = Place::kTurns;
  return cursor.BeginArray() || LoseToSyntax();
}

bool StorylineWalker::ReadTurn() {
  json::Cursor& cursor = stream_->cursor();
  if (!cursor.NextElement()) {
    place_ = Place::kRoot;
    return cursor.ok() || LoseToSyntax();
  }
  cursor.Peek();
  const uint64_t at = cursor.offset();
  const Status status = turns_.Read(cursor);
  if (!cursor.ok()) {
    return LoseToSyntax();
  }
  if (!status.ok()) {
    return Lose(status, at, turns_.error_pointer());
  }
  if (!muted_) {
    sink_.OnTurn(head_->document(), turns_.turn());
  }
  cursor.ReleaseViews();
  return true;
}

/// Reads all head members of this record ahead of the main walk.
Status StorylineWalker::Skim() {
  Result<std::unique_ptr<json::Cursor>> opened = stream_->Reopen();
  if (!opened.ok()) {
    return opened.status();
  }
  json::Cursor& ahead = **opened;
  head_.emplace(options_, head_->document().ordinal);
  skimmed_ = true;
  skim_error_.reset();
  ahead.BeginObject();
  for (std::string_view key; ahead.NextKey(&key);) {
    if (!head_->Owns(key)) {
      ahead.Skip();  // turns; an unknown member is for the main walk to refuse
      continue;
    }
    const Status status = head_->Read(key, ahead);
    if (!status.ok() && ahead.ok()) {
      return status;
    }
    ahead.ReleaseViews();
  }
  skim_bytes_read_ += ahead.bytes_read();
  if (!ahead.ok()) {
    // Without all of its head nothing can be said of the document.
    skim_error_ = ahead.error_offset();
    return ahead.status();
  }
  return Status::Ok();
}

/// What the rows of this document will carry is settled here.
Status StorylineWalker::Announce() {
  PCHRONICLE_RETURN_IF_ERROR(head_->Build(nullptr));
  Document& document = head_->document();
  const std::string_view own = head_->own_id();
  announced_id_.assign(own);
  announced_run_ = document.run_id ? std::optional<std::string>(*document.run_id) : std::nullopt;
  document.document_id = own;
  if (needs_ids_) {
    const DocumentIds::Id id = ids_.Take(own);
    document.document_id = id.id;
    if (id.renamed && !muted_) {
      sink_.OnDiagnostic(&document, "duplicate_document_id",
                         document.trajectory_id ? "/trajectory" : "/session", own);
    }
  }
  announced_ = true;
  return Status::Ok();
}

Status StorylineWalker::CloseDocument() {
  Document& document = head_->document();
  // Notes about the head are made here, once, when all of it has come.
  if (grew_after_rows_ || options_.fields.has(Field::kDiagnostics)) {
    const std::string_view id = document.document_id;
    PCHRONICLE_RETURN_IF_ERROR(head_->Build(sink()));
    document.document_id = id;
    const std::string_view run = document.run_id.value_or(std::string_view());
    if ((needs_ids_ && head_->own_id() != announced_id_) ||
        document.run_id.has_value() != announced_run_.has_value() ||
        run != announced_run_.value_or("")) {
      // Something the rows carry came after them (STL-127).
      notes_.skim_first = true;
      needs_second_pass_ = true;
    }
  }
  return head_->FinishUnknown();
}

bool StorylineWalker::FinishRecord() {
  if (!seen_turns_) {
    // The head's own errors come first in the order of 2.10.
    const Status built = head_->Build(nullptr);
    return Lose(built.ok() ? Status::InvalidArgument("missing field 'turns'") : built,
                object_offset_, built.ok() ? "" : head_->error_pointer());
  }
  const Status finished = stream_->Finish();
  if (!finished.ok()) {
    json::Cursor& cursor = stream_->cursor();
    return Lose(finished, cursor.error_offset(), "");
  }
  const Status closed = CloseDocument();
  if (!closed.ok()) {
    return Lose(closed, object_offset_, head_->error_pointer());
  }
  if (!muted_) {
    sink_.OnDocumentEnd(head_->document());
    sink_.OnRecordEnd();
  }
  place_ = Place::kBetween;
  return true;
}

bool StorylineWalker::Lose(Status status, uint64_t offset, std::string pointer) {
  notes_.lost_documents.insert(object_offset_);
  if (announced_ && !muted_) {
    sink_.OnDocumentLost(head_->document());
  }
  Problem problem;
  problem.record_offset = record_.offset;
  problem.offset = offset;
  problem.pointer = std::move(pointer);
  if (record_.in_array) {
    problem.location = fmt::format("array element {}", record_.ordinal);
  }
  const bool goes_on = stream_->Abandon();
  if (stream_->open_tail()) {
    return false;  // the last line is still being written: no problem (BR-11)
  }
  problem.status = std::move(status);
  problem.whole_source = !goes_on;
  notes_.lost_source = notes_.lost_source || !goes_on;
  place_ = Place::kBetween;
  return Report(std::move(problem)) && goes_on;
}

}  // namespace

std::unique_ptr<Walker> MakeStorylineWalker(const json::ByteInput& input,
                                            const WalkOptions& options, const SourceNotes& notes,
                                            DocumentSink& sink) {
  return std::make_unique<StorylineWalker>(input, options, notes, sink);
}

}  // namespace pchronicle::model
