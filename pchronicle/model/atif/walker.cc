#include "pchronicle/model/atif/walker.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/model/atif/document_reader.h"
#include "pchronicle/model/atif/document_state.h"
#include "pchronicle/model/atif/source_hash.h"
#include "pchronicle/model/atif/step_reader.h"
#include "pchronicle/model/document_ids.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/member_reader.h"

namespace pchronicle::model {
namespace {

using atif::DocumentState;

bool IsInside(const DocumentState& state, const DocumentState& ancestor) {
  for (const DocumentState* at = &state; at != nullptr; at = at->parent) {
    if (at == &ancestor) {
      return true;
    }
  }
  return false;
}

/// Reads records one after the other; a small stack of frames stands for the open arrays, so that
/// Advance can stop after every step.
class AtifWalker final : public Walker {
 public:
  AtifWalker(const json::ByteInput& input, const WalkOptions& options, const SourceNotes& notes,
             DocumentSink& sink)
      : input_(input),
        options_(options),
        notes_(notes),
        sink_(sink),
        members_(input, options_, sink),
        steps_(options_, sink) {
    needs_ids_ = options_.fields.has_any(Field::kDocumentId | Field::kParent | Field::kChildren);
    next_ordinal_ = options_.first_ordinal;
  }

  bool Advance() override;
  bool needs_second_pass() const override { return needs_second_pass_; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return stream_ && stream_->open_tail(); }
  uint64_t records() const override { return stream_ ? stream_->records() : 0; }
  uint64_t bytes_read() const override {
    return (stream_ ? stream_->bytes_read() : 0) + members_.bytes_read_ahead() + bytes_hashed_;
  }
  uint64_t buffer_peak_bytes() const override { return stream_ ? stream_->buffer_peak_bytes() : 0; }
  uint64_t id_bytes() const override { return ids_.bytes() + notes_.bytes(); }

 private:
  enum class Place : uint8_t { kMembers, kSteps, kSubagents };
  struct Frame {
    DocumentState* state;
    Place place;
  };

  bool wants(Field field) const { return options_.fields.has(field); }
  bool Open();
  bool NextRecord();
  bool FinishRecord();
  DocumentState* OpenDocument(DocumentState* parent);
  bool ReadRootMember();
  Status ReadValue(DocumentState& state, std::string_view key, json::Cursor& cursor);
  Status EnterSteps(DocumentState& state, json::Cursor& cursor);
  Status EnterSubagents(DocumentState& state, json::Cursor& cursor);
  bool ReadStep();
  bool ReadSubagent();
  Status Announce(DocumentState& state);
  Status CloseDocument(DocumentState& state);
  bool TakenInTree(std::string_view own_id) const;
  void CheckSurprise(DocumentState& state);
  bool Lose(DocumentState& state, Status status, uint64_t offset, std::string pointer);
  bool LoseRecord(Status status, uint64_t offset, std::string pointer);
  bool Report(Problem problem);
  bool ReportWithRecord(Problem problem);
  bool ReportHeld();
  std::string_view EffectiveSession(const DocumentState& state) const;
  Status EndWithResiduals();
  Status MergeEnvelope();

  const json::ByteInput& input_;
  const WalkOptions options_;
  SourceNotes notes_;
  DocumentSink& sink_;
  std::unique_ptr<json::RecordStream> stream_;
  atif::DocumentReader members_;
  atif::StepReader steps_;
  DocumentIds ids_;
  json::Record record_;
  std::vector<Frame> frames_;
  std::vector<std::unique_ptr<DocumentState>>
      documents_;  // of the current record, by where their objects open
  std::vector<DocumentState*>
      ended_;  // closed, waiting for the record's end (only when residuals are wanted)
  std::vector<Problem> held_problems_;  // of the record
  int64_t next_ordinal_ = 0;
  uint64_t bytes_hashed_ = 0;
  bool needs_ids_ = false;
  bool needs_second_pass_ = false;
  bool done_ = false;
};

bool AtifWalker::Open() {
  Result<std::unique_ptr<json::RecordStream>> stream =
      json::RecordStream::Open(input_, options_.container, options_.range, options_.cursor);
  if (!stream.ok()) {
    Report({stream.status(), 0, 0, "", "", true});
    return false;
  }
  stream_ = std::move(*stream);
  return true;
}

bool AtifWalker::Advance() {
  if (done_) {
    return false;
  }
  bool more = false;
  if (!stream_) {
    more = Open() && NextRecord();
  } else if (frames_.empty()) {
    more = NextRecord();
  } else {
    switch (frames_.back().place) {
      case Place::kMembers:
        more = ReadRootMember();
        break;
      case Place::kSteps:
        more = ReadStep();
        break;
      case Place::kSubagents:
        more = ReadSubagent();
        break;
    }
  }
  done_ = !more;
  return more;
}

bool AtifWalker::Report(Problem problem) { return sink_.OnProblem(std::move(problem)); }

/// A problem inside a record that goes on. Nothing of a last line that is cut off counts (BR-11),
/// and only its end tells.
bool AtifWalker::ReportWithRecord(Problem problem) {
  if (options_.container != json::Container::kLines) {
    return Report(std::move(problem));
  }
  held_problems_.push_back(std::move(problem));
  return true;
}

bool AtifWalker::ReportHeld() {
  bool goes_on = true;
  for (Problem& problem : held_problems_) {
    goes_on = goes_on && Report(std::move(problem));
  }
  held_problems_.clear();
  return goes_on;
}

bool AtifWalker::NextRecord() {
  documents_.clear();
  ended_.clear();
  members_.BeginRecord();
  if (!stream_->Next(&record_)) {
    if (!stream_->status().ok()) {
      Report({stream_->status(), record_.offset, stream_->error_offset(), "", "", true});
    } else if (stream_->records() == 0 && options_.range.is_whole() && !stream_->open_tail()) {
      Report({Status::Unsupported("ATIF document cannot be empty"), 0, 0, "", "", true});
    }
    return false;
  }
  json::Cursor& cursor = stream_->cursor();
  const json::Kind kind = cursor.Peek();
  if (kind != json::Kind::kObject) {
    const uint64_t at = cursor.offset();
    DocumentState* state = OpenDocument(nullptr);
    if (!cursor.ok()) {
      return LoseRecord(cursor.status(), cursor.error_offset(), "");
    }
    cursor.Skip();
    return Lose(*state, Status::InvalidArgument("an ATIF trajectory must be an object"), at, "");
  }
  OpenDocument(nullptr);
  cursor.BeginObject();
  return true;
}

DocumentState* AtifWalker::OpenDocument(DocumentState* parent) {
  documents_.push_back(std::make_unique<DocumentState>(parent));
  DocumentState* state = documents_.back().get();
  json::Cursor& cursor = stream_->cursor();
  state->offset = cursor.offset();
  state->base_depth = cursor.depth();
  Document& document = state->document;
  document.ordinal = next_ordinal_++;
  document.origin_format = "atif";
  if (parent != nullptr) {
    document.depth = parent->document.depth + 1;
    document.pointer =
        state->arena.Copy(std::string(parent->document.pointer) + "/subagent_trajectories/" +
                          std::to_string(parent->children.size()));
    parent->children.emplace_back();  // the id follows when the child is announced
    state->muted = parent->muted;
  }
  state->muted =
      state->muted || notes_.lost_source || notes_.lost_documents.contains(state->offset);
  frames_.push_back({state, Place::kMembers});
  return state;
}

// -- Root members --

bool AtifWalker::ReadRootMember() {
  DocumentState& state = *frames_.back().state;
  json::Cursor& cursor = stream_->cursor();
  std::string_view key;
  const uint64_t at = cursor.offset();
  if (cursor.NextKey(&key)) {
    const std::string name(key);
    const Status status = ReadValue(state, name, cursor);
    cursor.ReleaseViews();
    if (!cursor.ok()) {
      return LoseRecord(cursor.status(), cursor.error_offset(), "");
    }
    return status.ok() || Lose(state, status, at, members_.Members(state).Pointer(name));
  }
  if (!cursor.ok()) {
    return LoseRecord(cursor.status(), cursor.error_offset(), "");
  }
  const Status closed = CloseDocument(state);
  if (!closed.ok()) {
    return Lose(state, closed, state.offset, std::string(state.document.pointer));
  }
  frames_.pop_back();
  return !frames_.empty() || FinishRecord();
}

// -- Steps and subagents --

Status AtifWalker::ReadValue(DocumentState& state, std::string_view key, json::Cursor& cursor) {
  const uint32_t bit = atif::OnceOnlyBit(key);
  if ((bit != atif::kSeenSteps && bit != atif::kSeenSubagents) || (state.seen & bit) != 0) {
    return members_.ReadMember(state, key, cursor);
  }
  state.seen |= bit;
  return bit == atif::kSeenSteps ? EnterSteps(state, cursor) : EnterSubagents(state, cursor);
}

Status AtifWalker::EnterSteps(DocumentState& state, json::Cursor& cursor) {
  if (cursor.Peek() != json::Kind::kArray) {
    cursor.Skip();
    return Status::InvalidArgument("steps must be an array");
  }
  PCHRONICLE_RETURN_IF_ERROR(Announce(state));
  if (!state.wants_turns) {
    cursor.Skip();
    return Status::Ok();
  }
  cursor.BeginArray();
  frames_.push_back({&state, Place::kSteps});
  return Status::Ok();
}

Status AtifWalker::EnterSubagents(DocumentState& state, json::Cursor& cursor) {
  const json::Kind kind = cursor.Peek();
  if (kind == json::Kind::kNull) {
    cursor.Skip();
    return Status::Ok();
  }
  if (kind != json::Kind::kArray) {
    cursor.Skip();
    return Status::InvalidArgument("subagent_trajectories must be an array");
  }
  PCHRONICLE_RETURN_IF_ERROR(Announce(state));
  state.document.children.emplace();
  cursor.BeginArray();
  frames_.push_back({&state, Place::kSubagents});
  return Status::Ok();
}

bool AtifWalker::ReadStep() {
  DocumentState& state = *frames_.back().state;
  json::Cursor& cursor = stream_->cursor();
  if (!cursor.NextElement()) {
    if (!cursor.ok()) {
      return LoseRecord(cursor.status(), cursor.error_offset(), "");
    }
    frames_.pop_back();
    return true;
  }
  const Status status = steps_.Read(cursor, state);
  if (!cursor.ok()) {
    return LoseRecord(cursor.status(), cursor.error_offset(), "");
  }
  if (!status.ok()) {
    return Lose(state, status, steps_.error_offset(), steps_.error_pointer());
  }
  ++state.next_ordinal;
  if (!state.muted) {
    sink_.OnTurn(state.document, steps_.turn());
  }
  cursor.ReleaseViews();
  return true;
}

bool AtifWalker::ReadSubagent() {
  DocumentState& parent = *frames_.back().state;
  json::Cursor& cursor = stream_->cursor();
  if (!cursor.NextElement()) {
    if (!cursor.ok()) {
      return LoseRecord(cursor.status(), cursor.error_offset(), "");
    }
    frames_.pop_back();
    return true;
  }
  const json::Kind kind = cursor.Peek();
  if (!cursor.ok()) {
    return LoseRecord(cursor.status(), cursor.error_offset(), "");
  }
  DocumentState* child = OpenDocument(&parent);
  if (kind != json::Kind::kObject) {
    cursor.Skip();
    return Lose(*child, Status::InvalidArgument("an embedded ATIF trajectory must be an object"),
                child->offset, std::string(child->document.pointer));
  }
  cursor.BeginObject();
  return true;
}

// -- Identity --

std::string_view AtifWalker::EffectiveSession(const DocumentState& state) const {
  if (!state.own_session_id.empty()) {
    return state.own_session_id;
  }
  if (state.parent != nullptr) {
    return state.parent->used_session_id;
  }
  return state.own_trajectory_id;
}

/// Tells the sink that a document begins. What stands in every row must be known: looked up ahead
/// where it is not.
Status AtifWalker::Announce(DocumentState& state) {
  if (state.announced) {
    return Status::Ok();
  }
  const bool lacks_version = state.own_schema_version.empty();
  const bool lacks_id = state.own_session_id.empty() && state.own_trajectory_id.empty();
  const bool lacks_child_id = !state.is_root() && needs_ids_ && state.own_trajectory_id.empty();
  if (lacks_version || lacks_id || lacks_child_id || notes_.skim_first) {
    PCHRONICLE_RETURN_IF_ERROR(members_.Skim(state));
  }
  Document& document = state.document;
  state.used_session_id = EffectiveSession(state);
  state.used_trajectory_id = !state.own_trajectory_id.empty();
  if (state.used_session_id.empty()) {
    return Status::InvalidArgument("ATIF trajectory requires session_id or trajectory_id");
  }
  document.session_id = state.used_session_id;
  const std::string_view own_id =
      state.used_trajectory_id ? state.own_trajectory_id : document.session_id;
  document.document_id = own_id;
  if (needs_ids_) {
    if (options_.strict && !state.is_root() && TakenInTree(own_id)) {
      return Status::InvalidArgument("duplicate embedded trajectory_id '{}'", own_id);
    }
    const DocumentIds::Id id = ids_.Take(own_id);
    document.document_id = id.id;
    if (id.renamed) {
      members_.Members(state).Note("duplicate_document_id",
                                   state.used_trajectory_id ? "trajectory_id" : "session_id",
                                   own_id);
    }
  }
  if (state.parent != nullptr) {
    document.parent.emplace();
    document.parent->document_id = state.parent->document.document_id;
    auto& siblings = state.parent->children;
    siblings[siblings.size() - 1] = document.document_id;
  }
  state.announced = true;
  if (!state.muted) {
    // Residuals and checks of a document are those of its steps, too, whoever looks at steps.
    state.wants_turns = sink_.OnDocument(document) == DocumentSink::Wish::kTurns ||
                        wants(Field::kDiagnostics) || wants(Field::kUnknown);
  }
  return Status::Ok();
}

/// Whether a document announced before in this record has the id.
bool AtifWalker::TakenInTree(std::string_view own_id) const {
  return std::any_of(documents_.begin(), documents_.end(), [own_id](const auto& other) {
    return other->announced && other->used_trajectory_id && other->own_trajectory_id == own_id;
  });
}

/// What was taken as absent may have come after all (STL-127).
void AtifWalker::CheckSurprise(DocumentState& state) {
  const bool other_session = EffectiveSession(state) != state.used_session_id;
  const bool other_id = needs_ids_ && !state.own_trajectory_id.empty() != state.used_trajectory_id;
  if (other_session || other_id) {
    notes_.skim_first = true;
    needs_second_pass_ = true;
  }
}

Status AtifWalker::CloseDocument(DocumentState& state) {
  PCHRONICLE_RETURN_IF_ERROR(atif::DocumentReader::CheckComplete(state));
  PCHRONICLE_RETURN_IF_ERROR(Announce(state));
  CheckSurprise(state);
  Document& document = state.document;
  if (document.children) {
    std::vector<std::string_view> children;
    for (const std::string_view child : state.children) {
      if (!child.empty()) {
        children.push_back(child);
      }
    }
    document.children = std::move(children);
  }
  if (wants(Field::kUnknown)) {
    // The envelope and the hash belong to the whole record: documents end when its root does.
    ended_.push_back(&state);
    return state.is_root() ? EndWithResiduals() : Status::Ok();
  }
  if (!state.muted) {
    sink_.OnDocumentEnd(document);
  }
  return Status::Ok();
}

Status AtifWalker::EndWithResiduals() {
  const bool any = std::any_of(ended_.begin(), ended_.end(),
                               [](const DocumentState* s) { return !s->residuals.empty(); });
  std::string hash;
  if (any) {
    hash = atif::SourceDocumentId(input_, record_.offset, options_.cursor, &bytes_hashed_);
  }
  for (DocumentState* state : ended_) {
    state->document.unknown = state->residuals.Finish("atif", state->arena.Copy(hash));
  }
  if (members_.envelope().present()) {
    PCHRONICLE_RETURN_IF_ERROR(MergeEnvelope());
  }
  for (DocumentState* state : ended_) {
    if (!state->muted) {
      sink_.OnDocumentEnd(state->document);
    }
  }
  ended_.clear();
  return Status::Ok();
}

/// Residuals of other formats that an export carried here (formats.md 9.2).
Status AtifWalker::MergeEnvelope() {
  std::vector<EnvelopeBinding> bindings;
  for (DocumentState* state : ended_) {
    bindings.push_back({state->document.pointer, &state->document.unknown});
  }
  return DecodeEnvelope(members_.envelope(), "atif", bindings, members_.envelope_arena());
}

// -- Ends --

bool AtifWalker::FinishRecord() {
  const Status finished = stream_->Finish();
  if (!finished.ok()) {
    json::Cursor& cursor = stream_->cursor();
    return LoseRecord(finished, cursor.ok() ? cursor.offset() : cursor.error_offset(), "");
  }
  if (!documents_.front()->muted) {
    sink_.OnRecordEnd();
  }
  return ReportHeld();
}

bool AtifWalker::Lose(DocumentState& state, Status status, uint64_t offset, std::string pointer) {
  if (state.is_root()) {
    json::Cursor& cursor = stream_->cursor();
    if (cursor.ok()) {
      cursor.SkipToDepth(state.base_depth);
    }
    return LoseRecord(std::move(status), offset, std::move(pointer));
  }
  notes_.lost_documents.insert(state.offset);
  if (state.announced && !state.muted) {
    sink_.OnDocumentLost(state.document);
  }
  auto& siblings = state.parent->children;
  siblings[siblings.size() - 1] = std::string_view();
  while (frames_.back().state != state.parent) {
    frames_.pop_back();
  }
  std::erase_if(ended_, [&state](const DocumentState* ended) { return IsInside(*ended, state); });
  // The bad child may be left in the middle of a step: the brackets around it are still sure.
  json::Cursor& cursor = stream_->cursor();
  if (cursor.depth() > state.base_depth && !cursor.SkipToDepth(state.base_depth)) {
    return LoseRecord(cursor.status(), cursor.error_offset(), "");
  }
  cursor.ReleaseViews();
  return ReportWithRecord(
      {std::move(status), record_.offset, offset, "", std::move(pointer), false});
}

bool AtifWalker::LoseRecord(Status status, uint64_t offset, std::string pointer) {
  DocumentState& root = *documents_.front();
  notes_.lost_documents.insert(root.offset);
  if (root.announced && !root.muted) {
    sink_.OnDocumentLost(root.document);
  }
  frames_.clear();
  std::string location;
  if (record_.in_array) {
    location = "array element " + std::to_string(record_.ordinal);
  }
  const bool goes_on = stream_->Abandon();
  if (stream_->open_tail()) {
    held_problems_.clear();
    return goes_on;  // a writer was cut off in its last line: no error (BR-11)
  }
  notes_.lost_source = notes_.lost_source || !goes_on;
  return ReportHeld() &&
         Report({std::move(status), record_.offset, offset, std::move(location), std::move(pointer),
                 !goes_on}) &&
         goes_on;
}

}  // namespace

std::unique_ptr<Walker> MakeAtifWalker(const json::ByteInput& input, const WalkOptions& options,
                                       const SourceNotes& notes, DocumentSink& sink) {
  return std::make_unique<AtifWalker>(input, options, notes, sink);
}

}  // namespace pchronicle::model
