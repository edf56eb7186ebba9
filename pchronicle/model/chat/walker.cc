#include "pchronicle/model/chat/walker.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/json/decompress.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/chat/conversation.h"
#include "pchronicle/model/chat/documents.h"
#include "pchronicle/model/chat/row_reader.h"
#include "pchronicle/model/document_ids.h"
#include "pchronicle/model/line_finder.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/residuals.h"

namespace pchronicle::model {
namespace {

using chat::Row;
using chat::RowMember;
using chat::Side;

/// File name without folder and extension (HF-01).
std::string StemOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const std::string_view extension : {".jsonl", ".ndjson", ".json"}) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      name.remove_suffix(extension.size());
      break;
    }
  }
  return name.empty() ? "rows" : std::string(name);
}

/// Reads one row after the other; a row is held while its turns leave.
class ChatWalker final : public Walker {
 public:
  ChatWalker(const json::ByteInput& input, const WalkOptions& options, const SourceNotes& notes,
             DocumentSink& sink)
      : input_(input),
        options_(options),
        notes_(notes),
        sink_(sink),
        lines_(input),
        was_lost_(notes.lost_source),
        stem_(StemOf(json::NameInside(options.source_path))),
        conversation_(options.fields),
        wants_turns_(options.fields.has_any(kAnyTurnField)) {
    next_ordinal_ = options_.first_ordinal;
  }

  bool Advance() override;
  bool needs_second_pass() const override { return needs_second_pass_; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return stream_ && stream_->open_tail(); }
  uint64_t records() const override {
    return list_ ? list_rows_ : stream_ ? stream_->records() : 0;
  }
  uint64_t bytes_read() const override {
    return (stream_ ? stream_->bytes_read() : 0) + (list_ ? list_->bytes_read() : 0);
  }
  uint64_t buffer_peak_bytes() const override {
    return (stream_ ? stream_->buffer_peak_bytes() : 0) + (list_ ? list_->buffer_peak_bytes() : 0);
  }
  uint64_t id_bytes() const override { return ids_.bytes() + notes_.bytes(); }

 private:
  bool Open();
  bool NextRow();
  bool NextListRow();
  bool ReadStreamRow();
  Status LookForList(bool* found);
  bool UseRow();
  bool StartDocument();
  bool NextTurn();
  bool EndDocument();
  bool FinishSource();
  void BuildTurns();
  std::string RowPointer();
  void AddMessages(RowMember member, const std::string& base);
  bool BadRow(const Status& status, uint64_t offset, uint64_t length);
  bool Lose(Status status, uint64_t offset);
  json::Cursor& cursor() { return list_ ? *list_ : stream_->cursor(); }
  bool wants(Field field) const { return options_.fields.has(field); }
  bool is_lines() const { return options_.container == json::Container::kLines; }

  const json::ByteInput& input_;
  const WalkOptions options_;
  SourceNotes notes_;
  DocumentSink& sink_;
  LineFinder lines_;
  const bool was_lost_;
  const std::string stem_;
  std::unique_ptr<json::RecordStream> stream_;
  std::unique_ptr<json::Cursor> list_;  // rows inside a root object (HF-11)
  uint64_t list_rows_ = 0;
  std::string list_pointer_;

  json::Record record_;
  uint64_t row_index_ = 0;
  Arena arena_{16 << 10};  // of the row
  Row row_;
  chat::Conversation conversation_;
  const bool wants_turns_;
  std::array<Document, 2> documents_;
  std::array<std::unique_ptr<ResidualBuilder>, 2> residuals_;
  DocumentIds ids_;
  int64_t next_ordinal_ = 0;
  std::vector<Side> sides_;  // documents of the row
  size_t next_side_ = 0;
  size_t next_turn_ = 0;
  bool in_row_ = false;
  bool in_document_ = false;
  bool needs_second_pass_ = false;
  uint64_t good_rows_ = 0;
  uint64_t bad_rows_ = 0;
  Status first_bad_;
  bool done_ = false;
};

bool ChatWalker::Advance() {
  if (done_) {
    return false;
  }
  bool more = false;
  if (!stream_) {
    more = Open() && NextRow();
  } else if (in_document_) {
    more = NextTurn();
  } else if (in_row_) {
    more = StartDocument();
  } else {
    more = NextRow();
  }
  done_ = !more;
  return more;
}

bool ChatWalker::Open() {
  Result<std::unique_ptr<json::RecordStream>> stream =
      json::RecordStream::Open(input_, options_.container, options_.range, options_.cursor);
  if (!stream.ok()) {
    return Lose(stream.status(), 0);
  }
  stream_ = std::move(*stream);
  return true;
}

bool ChatWalker::Lose(Status status, uint64_t offset) {
  notes_.lost_source = true;
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = offset;
  problem.location = stream_ ? lines_.Location(options_.container, record_) : "";
  problem.whole_source = true;
  sink_.OnProblem(std::move(problem));
  return false;
}

bool ChatWalker::NextRow() {
  arena_.Reset();
  if (list_) {
    return NextListRow();
  }
  stream_->cursor().ReleaseViews();
  if (!stream_->Next(&record_)) {
    return stream_->status().ok() ? FinishSource()
                                  : Lose(stream_->status(), stream_->error_offset());
  }
  row_index_ = record_.ordinal;
  if (!is_lines() && !record_.in_array && record_.ordinal == 0) {
    bool found = false;
    const Status status = LookForList(&found);
    if (!status.ok()) {
      return Lose(status, record_.offset);
    }
    if (found) {
      return NextListRow();
    }
  }
  return ReadStreamRow();
}

bool ChatWalker::FinishSource() {
  if (good_rows_ > 0 || !options_.range.is_whole() || open_tail()) {
    return false;
  }
  if (bad_rows_ > 0) {
    return Lose(Status::InvalidArgument("no row is a chat row: {}", first_bad_.message()), 0);
  }
  return Lose(Status::Unsupported("hf-chat document cannot be empty"), 0);
}

/// A row is held whole, so its structure decides about it and what follows on its line.
bool ChatWalker::ReadStreamRow() {
  json::Cursor& cursor = stream_->cursor();
  Status status = chat::ReadRow(cursor, options_.fields, wants_turns_, arena_, &row_);
  uint64_t at = cursor.ok() ? record_.offset : cursor.error_offset();
  bool more = true;
  if (cursor.ok()) {
    const Status finished = stream_->Finish();
    if (!finished.ok()) {
      status = finished;
      at = stream_->error_offset();
      more = stream_->Abandon();
    }
  } else {
    more = stream_->Abandon();
  }
  if (stream_->open_tail()) {
    return true;  // a cut last line (SRC-25)
  }
  if (!more) {
    return Lose(std::move(status), at);
  }
  return status.ok() ? UseRow() : BadRow(status, at, stream_->cursor().offset() - record_.offset);
}

/// HF-11: an object that is no row itself but has one list member; its rows are read where they
/// stand.
Status ChatWalker::LookForList(bool* found) {
  *found = false;
  Result<std::unique_ptr<json::Cursor>> opened = stream_->Reopen();
  PCHRONICLE_RETURN_IF_ERROR(opened.status());
  json::Cursor& ahead = **opened;
  if (ahead.Peek() != json::Kind::kObject) {
    return Status::Ok();
  }
  uint64_t begin = 0;
  size_t lists = 0;
  ahead.BeginObject();
  for (std::string_view key; ahead.NextKey(&key);) {
    for (size_t i = 0; i < chat::kRowMembers; ++i) {
      const auto member = static_cast<RowMember>(i);
      if (chat::HoldsMessages(member) && key == chat::RowMemberName(member)) {
        return Status::Ok();
      }
    }
    std::string pointer = "/" + std::string(key);
    if (ahead.Peek() == json::Kind::kArray) {
      begin = ahead.offset();
      list_pointer_ = std::move(pointer);
      ++lists;
    }
    if (!ahead.Skip()) {
      return Status::Ok();  // the row reader tells the error
    }
  }
  if (!ahead.ok() || lists != 1) {
    return Status::Ok();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<json::ByteSource> source, input_.Open(begin));
  list_ = std::make_unique<json::Cursor>(std::move(source), begin, options_.cursor);
  *found = list_->BeginArray();
  return list_->status();
}

bool ChatWalker::NextListRow() {
  list_->ReleaseViews();
  if (!list_->NextElement()) {
    return list_->ok() ? FinishSource() : Lose(list_->status(), list_->error_offset());
  }
  row_index_ = list_rows_++;
  list_->Peek();
  record_ = {row_index_, list_->offset(), true};
  const Status status = chat::ReadRow(*list_, options_.fields, wants_turns_, arena_, &row_);
  if (!list_->ok()) {
    return Lose(list_->status(), list_->error_offset());
  }
  return status.ok() ? UseRow() : BadRow(status, record_.offset, list_->offset() - record_.offset);
}

/// A bad row costs only itself and is told as a note (SRC-24); strict validation makes it an error.
bool ChatWalker::BadRow(const Status& status, uint64_t offset, uint64_t length) {
  ++bad_rows_;
  first_bad_ = first_bad_.ok() ? status : first_bad_;
  const std::string place = lines_.Location(options_.container, record_);
  if (options_.strict || status.code() == StatusCode::kResourceExhausted) {
    Problem problem;
    problem.status = status;
    problem.record_offset = record_.offset;
    problem.offset = offset;
    problem.location = place;
    return sink_.OnProblem(std::move(problem));
  }
  sink_.OnDiagnostic(nullptr, "bad_line", RowPointer(),
                     place + ", byte " + std::to_string(record_.offset) + ", length " +
                         std::to_string(length) + ": " + status.message());
  return true;
}

bool ChatWalker::UseRow() {
  if (was_lost_) {
    return true;
  }
  ++good_rows_;
  sides_.clear();
  for (const Side side : {Side::kWhole, Side::kChosen, Side::kRejected}) {
    if (chat::HasSide(row_, side) && (side != Side::kRejected || chat::IsPreference(row_))) {
      sides_.push_back(side);
    }
  }
  next_side_ = 0;
  in_row_ = true;
  return true;
}

/// JSON pointer of the row in its source; residuals of a line file name the line (SRC-27).
std::string ChatWalker::RowPointer() {
  if (is_lines()) {
    return "/events/" + std::to_string(lines_.LineAt(record_.offset) - 1);
  }
  return record_.in_array ? list_pointer_ + "/" + std::to_string(row_index_) : std::string();
}

bool ChatWalker::StartDocument() {
  if (next_side_ == sides_.size()) {
    in_row_ = false;
    sink_.OnRecordEnd();
    return true;
  }
  const size_t slot = next_side_++;
  const Side side = sides_[slot];
  Document& document = documents_[slot];
  document = {};
  std::string_view own = chat::RowId(row_, arena_);
  if (own.empty()) {
    own = arena_.Copy(stem_ + "-" + std::to_string(row_index_));
    if (options_.range.begin != 0) {
      // The number of the row is known only from the start of the file.
      notes_.serial = true;
      needs_second_pass_ = true;
    }
  }
  if (side != Side::kWhole) {
    own = arena_.Copy(std::string(own) + (side == Side::kChosen ? "#chosen" : "#rejected"));
  }
  document.session_id = own;
  document.document_id = wants(Field::kDocumentId) ? ids_.Take(own).id : own;
  document.ordinal = next_ordinal_++;
  document.origin_format = "hf-chat";
  // Residuals name their source by it, too.
  if (!options_.source_path.empty() && (wants(Field::kOrigin) || wants(Field::kUnknown))) {
    const bool many = is_lines() || record_.in_array;
    document.origin_document_id = arena_.Copy(
        options_.source_path + (many ? "#" + std::to_string(row_index_) : std::string()));
  }
  const std::string base = wants(Field::kUnknown) ? RowPointer() : std::string();
  residuals_[slot] = wants(Field::kUnknown) ? std::make_unique<ResidualBuilder>(arena_) : nullptr;
  const MemberReader::Target target{&document, residuals_[slot].get(), &arena_, &sink_};
  MemberReader members;
  members.SetTarget(target);
  members.SetBase(base);
  chat::FillDocument(row_, side, options_.fields, members, arena_, &document);
  document.outcome_pointer =
      wants(Field::kOutcome) ? chat::OutcomePointer(row_) : std::string_view();
  if (residuals_[slot] != nullptr) {
    chat::AddRowResiduals(row_, side, members);
  }
  const bool takes = sink_.OnDocument(document) == DocumentSink::Wish::kTurns;
  if (document.document_id != document.session_id) {
    sink_.OnDiagnostic(&document, "duplicate_document_id", "", document.session_id);
  }
  if (row_.any_text_list) {
    sink_.OnDiagnostic(&document, "messages_as_text", base, "");
  }
  in_document_ = true;
  next_turn_ = 0;
  conversation_.Begin(arena_, target);
  if (row_.messages_held && ((takes && wants_turns_) || wants(Field::kUnknown))) {
    BuildTurns();
  }
  if (!takes || !wants_turns_) {
    next_turn_ = conversation_.size();
  }
  return true;
}

void ChatWalker::BuildTurns() {
  const Side side = sides_[next_side_ - 1];
  const std::string base = wants(Field::kUnknown) ? RowPointer() : std::string();
  conversation_.SetSystem(row_[RowMember::kSystem]);
  if (side == Side::kWhole) {
    AddMessages(chat::MessagesOf(row_), base);
  } else {
    const bool chosen = side == Side::kChosen;
    const RowMember whole = chosen ? RowMember::kChosenMessages : RowMember::kRejectedMessages;
    if (row_.has(whole)) {
      AddMessages(whole, base);
    } else {
      AddMessages(chat::MessagesOf(row_), base);
      AddMessages(chosen ? RowMember::kChosen : RowMember::kRejected, base);
    }
  }
  conversation_.Finish();
}

void ChatWalker::AddMessages(RowMember member, const std::string& base) {
  if (row_.has(member)) {
    conversation_.Add(row_[member], base + "/" + std::string(chat::RowMemberName(member)));
  }
}

bool ChatWalker::NextTurn() {
  if (next_turn_ == conversation_.size()) {
    return EndDocument();
  }
  sink_.OnTurn(documents_[next_side_ - 1], conversation_.turn(next_turn_++));
  return true;
}

bool ChatWalker::EndDocument() {
  in_document_ = false;
  Document& document = documents_[next_side_ - 1];
  if (ResidualBuilder* residuals = residuals_[next_side_ - 1].get()) {
    document.unknown =
        residuals->Finish("hf-chat", document.origin_document_id.value_or(document.session_id));
  }
  sink_.OnDocumentEnd(document);
  return true;
}

}  // namespace

std::unique_ptr<Walker> MakeChatWalker(const json::ByteInput& input, const WalkOptions& options,
                                       const SourceNotes& notes, DocumentSink& sink) {
  return std::make_unique<ChatWalker>(input, options, notes, sink);
}

}  // namespace pchronicle::model
