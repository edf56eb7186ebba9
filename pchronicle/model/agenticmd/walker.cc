#include "pchronicle/model/agenticmd/walker.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/agenticmd/wire_text.h"
#include "pchronicle/model/storyline/head_reader.h"
#include "pchronicle/model/storyline/turn_reader.h"

namespace pchronicle::model {
namespace {

using agenticmd::ProblemAt;

/// All bytes of an input; an error above `limit`.
Result<std::string> ReadWhole(const json::ByteInput& input, uint64_t limit) {
  const Status too_large =
      Status::ResourceExhausted("AgenticMD document exceeded max_record_bytes {}", limit);
  const uint64_t known = input.size().value_or(0);
  if (known > limit) {
    return too_large;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<json::ByteSource> source, input.Open(0));
  std::string text;
  constexpr size_t kStep = 256 << 10;
  for (size_t room = std::max<size_t>(known + 1, kStep);; room = std::max(text.size(), kStep)) {
    const size_t used = text.size();
    text.resize(used + room);
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got,
                                source->Read(std::span(text).subspan(used, room)));
    text.resize(used + got);
    if (text.size() > limit) {
      return too_large;
    }
    if (got == 0) {
      return text;
    }
  }
}

class AgenticMdWalker final : public Walker {
 public:
  AgenticMdWalker(const json::ByteInput& input, const WalkOptions& options,
                  const SourceNotes& notes, DocumentSink& sink, AgenticMdLevel level)
      : input_(input),
        options_(options),
        notes_(notes),
        sink_(sink),
        level_(level),
        head_(options_, options.first_ordinal),
        turns_(options_),
        native_(head_.arena()),
        muted_(notes.lost_source) {}

  bool Advance() override {
    switch (place_) {
      case Place::kStart:
        place_ = Place::kTurns;
        return Go(Open());
      case Place::kTurns:
        return Go(next_block_ < last_block_ ? ReadTurn() : Finish());
      case Place::kDone:
        return false;
    }
    return false;
  }
  bool needs_second_pass() const override { return false; }
  const SourceNotes& notes() const override { return notes_; }
  bool open_tail() const override { return false; }
  uint64_t records() const override { return text_.empty() ? 0 : 1; }
  uint64_t bytes_read() const override { return text_.size(); }
  uint64_t buffer_peak_bytes() const override { return text_.size(); }

 private:
  enum class Place : uint8_t { kStart, kTurns, kDone };

  bool Go(bool more) {
    if (!more) {
      place_ = Place::kDone;
    }
    return more;
  }
  bool wants(Field field) const { return options_.fields.has(field); }
  DocumentSink* sink() { return muted_ ? nullptr : &sink_; }
  bool Open();
  bool ReadHead();
  bool ReadTurn();
  bool Finish();
  Status AddResiduals();
  bool Lose(Problem problem);

  /// Errors of the wire's readers, placed in the Markdown.
  bool LoseHead(const Status& status) {
    Problem problem = ProblemAt(status, document_.frontmatter_begin, "frontmatter.storyline");
    problem.pointer = "/frontmatter/storyline" + head_.error_pointer();
    return Lose(std::move(problem));
  }
  bool LoseTurn(const Status& status);

  const json::ByteInput& input_;
  const WalkOptions options_;
  SourceNotes notes_;
  DocumentSink& sink_;
  const AgenticMdLevel level_;
  Place place_ = Place::kStart;

  std::string text_;
  agenticmd::BlockDocument document_;
  agenticmd::WireText wire_;
  storyline::HeadReader head_;
  storyline::TurnReader turns_;
  ResidualBuilder native_;
  std::string turn_text_;  // what turns_.turn() points into
  size_t next_block_ = 0;
  size_t last_block_ = 0;  // 0 when the sink does not want the turns
  bool announced_ = false;
  bool muted_ = false;  // an earlier pass found the source bad
};

bool AgenticMdWalker::Open() {
  Result<std::string> text = ReadWhole(input_, options_.cursor.max_record_bytes);
  if (!text.ok()) {
    return Lose(ProblemAt(text.status(), 0, ""));
  }
  text_ = *std::move(text);
  if (auto problem = agenticmd::ParseBlocks(text_, options_.cursor.max_depth, &document_)) {
    return Lose(*std::move(problem));
  }
  if (!document_.frontmatter && document_.blocks.empty()) {
    return Lose(ProblemAt(Status::Unsupported("AgenticMD document cannot be empty"), 0, ""));
  }
  if (auto problem = wire_.Open(document_, options_, level_ == AgenticMdLevel::kLenient)) {
    return Lose(*std::move(problem));
  }
  return ReadHead();
}

bool AgenticMdWalker::ReadHead() {
  std::string head;
  if (auto problem = wire_.AppendHead(head)) {
    return Lose(*std::move(problem));
  }
  json::Cursor cursor(head, 0, {.max_depth = options_.cursor.max_depth});
  cursor.BeginObject();
  for (std::string_view key; cursor.NextKey(&key);) {
    if (!head_.Owns(key)) {
      return LoseHead(Status::InvalidArgument("unknown field '{}'", key));
    }
    const Status status = head_.Read(key, cursor);
    if (!status.ok()) {
      return LoseHead(status);
    }
  }
  if (!cursor.ok()) {
    return LoseHead(cursor.status());
  }
  if (const Status built = head_.Build(nullptr); !built.ok()) {
    return LoseHead(built);
  }
  head_.document().document_id = head_.own_id();
  announced_ = true;
  const bool reads = options_.fields.has_any(kAnyTurnField) || options_.strict;
  const bool wanted = muted_ || sink_.OnDocument(head_.document()) == DocumentSink::Wish::kTurns;
  if ((wanted && reads) || wants(Field::kDiagnostics)) {
    last_block_ = document_.blocks.size();
    turns_.BeginDocument({&head_.document(),
                          wants(Field::kUnknown) ? &head_.turn_residuals() : nullptr, nullptr,
                          sink()});
  }
  return true;
}

bool AgenticMdWalker::LoseTurn(const Status& status) {
  const std::string place = fmt::format("/turns/{}", next_block_);
  const std::string& pointer = turns_.error_pointer();
  const std::string inside = pointer.starts_with(place) ? pointer.substr(place.size()) : "";
  const agenticmd::Block& block = document_.blocks[next_block_];
  const bool body = inside.starts_with("/msg");
  Problem problem =
      ProblemAt(status, body ? block.body_begin : block.begin,
                fmt::format("block[{}].{}", next_block_, body ? "body" : "storyline"));
  problem.pointer = fmt::format("/blocks/{}/header/storyline{}", next_block_, inside);
  return Lose(std::move(problem));
}

bool AgenticMdWalker::ReadTurn() {
  turn_text_.clear();
  if (auto problem = wire_.AppendTurn(next_block_, turn_text_)) {
    return Lose(*std::move(problem));
  }
  json::Cursor cursor(turn_text_, 0, {.max_depth = options_.cursor.max_depth});
  if (const Status status = turns_.Read(cursor); !status.ok()) {
    return LoseTurn(status);
  }
  if (!muted_) {
    sink_.OnTurn(head_.document(), turns_.turn());
  }
  ++next_block_;
  return true;
}

bool AgenticMdWalker::Finish() {
  Document& document = head_.document();
  if (wants(Field::kDiagnostics)) {
    // Notes about the head are made once, when all of it counts.
    const std::string_view id = document.document_id;
    if (const Status built = head_.Build(sink()); !built.ok()) {
      return LoseHead(built);
    }
    document.document_id = id;
  }
  Status status = head_.FinishUnknown();
  if (status.ok()) {
    status = AddResiduals();
  }
  if (!status.ok()) {
    return LoseHead(status);
  }
  if (!muted_) {
    sink_.OnDocumentEnd(document);
    sink_.OnRecordEnd();
  }
  return false;
}

Status AgenticMdWalker::AddResiduals() {
  const bool unknown = wants(Field::kUnknown);
  if (!unknown && !wants(Field::kDiagnostics)) {
    return Status::Ok();
  }
  MemberReader members;
  members.SetTarget({&head_.document(), unknown ? &native_ : nullptr, &head_.arena(), sink()});
  wire_.ReadResiduals(members);
  if (native_.empty()) {
    return Status::Ok();
  }
  return MergeUnknown(native_.Finish("agenticmd", wire_.SourceId(options_.cursor)),
                      head_.document().unknown);
}

bool AgenticMdWalker::Lose(Problem problem) {
  notes_.lost_source = true;
  if (announced_ && !muted_) {
    sink_.OnDocumentLost(head_.document());
  }
  sink_.OnProblem(std::move(problem));
  return false;
}

}  // namespace

std::unique_ptr<Walker> MakeAgenticMdWalker(const json::ByteInput& input,
                                            const WalkOptions& options, const SourceNotes& notes,
                                            DocumentSink& sink, AgenticMdLevel level) {
  return std::make_unique<AgenticMdWalker>(input, options, notes, sink, level);
}

}  // namespace pchronicle::model
