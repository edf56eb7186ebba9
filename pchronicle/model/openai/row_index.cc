#include "pchronicle/model/openai/row_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <tuple>
#include <utility>

#include "pchronicle/base/hashed_bytes.h"
#include "pchronicle/model/openai/corpus_keys.h"

namespace pchronicle::model::openai {

/// What the first pass wants to know of one object.
struct RowIndex::Head {
  uint64_t offset = 0;
  uint64_t row = 0;
  uint32_t seen = 0;  // bits of RowKey, for members that may stand only once
  std::string_view session_id;
  int64_t step_id = 0;  // 0: none, or not a positive integer
  bool step_as_text = false;
  std::array<std::string_view, 3> runs;  // run_id, run_bucket, job_id
  bool is_envelope = false;
  Status status;  // first fault of the row itself
  uint64_t fault_at = 0;
  std::string_view fault_member;

  void Fault(Status what, uint64_t at, std::string_view member) {
    if (status.ok()) {
      status = std::move(what);
      fault_at = at;
      fault_member = member;
    }
  }
  std::string_view run() const {
    for (const std::string_view candidate : runs) {
      if (!candidate.empty()) {
        return candidate;
      }
    }
    return {};
  }
};

RowIndex::RowIndex(const json::ByteInput& input, const WalkOptions& options)
    : input_(input), options_(options), head_(std::make_unique<Head>()) {}
RowIndex::~RowIndex() = default;

uint64_t RowIndex::buffer_bytes() const {
  return (stream_ ? stream_->buffer_peak_bytes() : 0) + id_bytes();
}

uint64_t RowIndex::id_bytes() const {
  return rows_.capacity() * sizeof(RowEntry) + groups_.capacity() * sizeof(SessionGroup) +
         envelopes_.capacity() * sizeof(EnvelopeEntry) + HashedBytes(group_of_) + names_.bytes();
}

bool RowIndex::Read(size_t rows, std::vector<Problem>* problems) {
  problems_ = problems;
  for (size_t i = 0; i < rows && state_ != State::kDone; ++i) {
    switch (state_) {
      case State::kClosed:
        Open();
        break;
      case State::kRecords:
        NextRecord();
        break;
      case State::kSteps:
        ReadStep(stream_->cursor());
        break;
      case State::kDone:
        break;
    }
  }
  return state_ != State::kDone;
}

void RowIndex::Open() {
  auto stream = json::RecordStream::Open(input_, options_.container, {}, options_.cursor);
  if (!stream.ok()) {
    FailSource(stream.status(), 0);
    return;
  }
  stream_ = std::move(*stream);
  state_ = State::kRecords;
}

void RowIndex::BeginRecord() {
  rows_before_ = rows_.size();
  groups_before_ = groups_.size();
  envelopes_before_ = envelopes_.size();
  lost_now_.clear();
  runs_now_.clear();
}

void RowIndex::NextRecord() {
  BeginRecord();
  if (!stream_->Next(&record_)) {
    open_tail_ = stream_->open_tail();
    if (!stream_->status().ok()) {
      const bool other_root = stream_->records() == 0 && stream_->cursor().ok();
      FailSource(other_root ? Status::InvalidArgument(
                                  "OpenAI corpus must be a JSON array or session_steps object")
                            : stream_->status(),
                 stream_->error_offset());
      return;
    }
    if (row_count_ == 0 && !open_tail_) {
      FailSource(Status::Unsupported("OpenAI corpus cannot be empty"), 0);
      return;
    }
    state_ = State::kDone;
    Sort();
    return;
  }
  json::Cursor& cursor = stream_->cursor();
  const json::Kind kind = cursor.Peek();
  *head_ = Head{};
  head_->offset = cursor.offset();
  head_->row = row_count_;
  if (kind == json::Kind::kObject) {
    cursor.BeginObject();
    ReadMembers(cursor);
  } else {
    NotAnObject(cursor);
  }
}

/// A record or element that is no object, or nothing readable at all.
void RowIndex::NotAnObject(json::Cursor& cursor) {
  const uint64_t at = cursor.offset();
  cursor.Skip();
  if (cursor.ok() && options_.container == json::Container::kDocument && !record_.in_array &&
      state_ == State::kRecords) {
    FailSource(
        Status::InvalidArgument("OpenAI corpus must be a JSON array or session_steps object"), at);
    return;
  }
  ++row_count_;
  const Status finished = state_ == State::kRecords ? stream_->Finish() : cursor.status();
  if (finished.ok()) {
    LoseRow(*head_, Status::InvalidArgument("OpenAI corpus row must be an object"), at, "");
    if (state_ == State::kRecords) {
      KeepRecord();
    }
    cursor.ReleaseViews();
  } else if (state_ == State::kRecords) {
    LoseRecord(finished);
  }
}

/// The members of the open record, up to an array `session_steps` or to the end.
void RowIndex::ReadMembers(json::Cursor& cursor) {
  for (std::string_view key; cursor.NextKey(&key);) {
    if (key == "session_steps" && !record_.in_array) {
      EnterSteps(cursor);
      return;
    }
    ReadHeadMember(cursor, key, head_.get());
  }
  EndObject(cursor);
}

void RowIndex::EnterSteps(json::Cursor& cursor) {
  const uint64_t at = cursor.offset();
  Status status;
  if (head_->is_envelope) {
    status = Status::InvalidArgument("duplicate key 'session_steps'");
  } else if (cursor.Peek() != json::Kind::kArray) {
    status = Status::InvalidArgument("OpenAI corpus object requires a session_steps array");
  }
  head_->is_envelope = true;
  if (!cursor.ok() || !status.ok()) {
    if (options_.container == json::Container::kDocument && cursor.ok()) {
      FailSource(std::move(status), at);
    } else {
      LoseRecord(cursor.ok() ? std::move(status) : cursor.status());
    }
    return;
  }
  cursor.BeginArray();
  state_ = State::kSteps;
}

/// One element of `session_steps`, or its end.
void RowIndex::ReadStep(json::Cursor& cursor) {
  if (!cursor.NextElement()) {
    state_ = State::kRecords;
    if (cursor.ok()) {
      ReadMembers(cursor);
    } else {
      FinishRecord();
    }
    return;
  }
  Head row;
  row.row = row_count_;
  const json::Kind kind = cursor.Peek();
  row.offset = cursor.offset();
  if (kind == json::Kind::kObject) {
    cursor.BeginObject();
    for (std::string_view key; cursor.NextKey(&key);) {
      ReadHeadMember(cursor, key, &row);
    }
    ++row_count_;
    if (cursor.ok()) {
      AddRow(row, cursor.offset());
    }
  } else {
    const Head outer = std::exchange(*head_, row);
    NotAnObject(cursor);
    *head_ = outer;
  }
  if (!cursor.ok()) {
    state_ = State::kRecords;
    FinishRecord();
    return;
  }
  cursor.ReleaseViews();
}

void RowIndex::ReadHeadMember(json::Cursor& cursor, std::string_view key, Head* head) {
  const std::optional<RowKey> known = FindRowKey(key);
  if (!known) {
    cursor.Skip();
    return;
  }
  switch (*known) {
    case RowKey::kSessionId:
    case RowKey::kStepId:
    case RowKey::kMessages:
    case RowKey::kResponse: {
      const uint32_t bit = 1U << static_cast<uint32_t>(*known);
      if ((head->seen & bit) != 0) {
        const std::string_view name = RowKeyName(*known);
        head->Fault(Status::InvalidArgument("duplicate key '{}'", name), cursor.offset(), name);
      }
      head->seen |= bit;
      break;
    }
    default:
      break;
  }
  const auto read_text = [&cursor](std::string_view* out) {
    if (cursor.Peek() == json::Kind::kString) {
      cursor.ReadString(out);
    } else {
      cursor.Skip();
    }
  };
  switch (*known) {
    case RowKey::kSessionId: {
      cursor.Peek();
      const uint64_t at = cursor.offset();
      read_text(&head->session_id);
      if (head->session_id.empty()) {
        head->Fault(Status::InvalidArgument("OpenAI corpus row requires non-empty session_id"), at,
                    "session_id");
      }
      break;
    }
    case RowKey::kStepId:
      ReadStepId(cursor, head);
      break;
    case RowKey::kRunId:
      read_text(&head->runs[0]);
      break;
    case RowKey::kRunBucket:
      read_text(&head->runs[1]);
      break;
    case RowKey::kJobId:
      read_text(&head->runs[2]);
      break;
    default:
      cursor.Skip();
  }
}

void RowIndex::ReadStepId(json::Cursor& cursor, Head* head) {
  const json::Kind kind = cursor.Peek();
  const uint64_t at = cursor.offset();
  int64_t step = 0;
  if (kind == json::Kind::kNumber) {
    json::Raw raw;
    if (!cursor.Capture(&raw) || !json::ToInt64(raw, &step)) {
      step = 0;
    }
  } else if (kind == json::Kind::kString) {
    std::string_view text;
    if (cursor.ReadString(&text)) {
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, step);
      if (error != std::errc() || stop != end) {
        step = 0;
      }
      head->step_as_text = true;
    }
  } else {
    cursor.Skip();
  }
  head->step_id = std::max<int64_t>(step, 0);
  if (step <= 0) {
    head->Fault(Status::InvalidArgument("OpenAI corpus row requires positive integer step_id"), at,
                "step_id");
  } else if (step > INT64_MAX / 2) {
    head->Fault(Status::InvalidArgument("OpenAI corpus step_id overflows Storyline turn id"), at,
                "step_id");
  }
}

/// The open record's object has ended, well or not.
void RowIndex::EndObject(json::Cursor& cursor) {
  if (cursor.ok()) {
    if (head_->is_envelope) {
      envelopes_.push_back({head_->offset, cursor.offset() - head_->offset});
    } else if (options_.container == json::Container::kDocument && !record_.in_array &&
               (head_->seen & 3U) == 0) {
      FailSource(Status::InvalidArgument("OpenAI corpus object requires a session_steps array"),
                 head_->offset);
      return;
    }
  }
  if (!head_->is_envelope) {
    ++row_count_;
  }
  const uint64_t end = cursor.offset();
  const bool ok = cursor.ok();
  // A line with more behind its object is no row: asked before the row is added.
  if (!ok || head_->is_envelope) {
    FinishRecord();
    return;
  }
  const Status finished = stream_->Finish();
  if (!finished.ok()) {
    LoseRecord(finished);
    return;
  }
  AddRow(*head_, end);
  KeepRecord();
  cursor.ReleaseViews();
}

void RowIndex::FinishRecord() {
  const Status status = stream_->Finish();
  if (!status.ok()) {
    LoseRecord(status);
    return;
  }
  KeepRecord();
  stream_->cursor().ReleaseViews();
}

void RowIndex::AddRow(const Head& head, uint64_t end) {
  Head checked = head;
  if (head.session_id.empty()) {
    checked.Fault(Status::InvalidArgument("OpenAI corpus row requires non-empty session_id"),
                  head.offset, "session_id");
  }
  if (head.step_id == 0) {
    checked.Fault(Status::InvalidArgument("OpenAI corpus row requires positive integer step_id"),
                  head.offset, "step_id");
  }
  if (checked.status.ok()) {
    const uint32_t index = GroupOf(head.session_id);
    SessionGroup& group = groups_[index];
    const std::string_view run = head.run();
    if (group.run_id.empty() && !run.empty()) {
      group.run_id = names_.Copy(run);
      runs_now_.push_back(index);
    } else if (!run.empty() && run != group.run_id) {
      checked.Fault(Status::InvalidArgument("OpenAI corpus session has conflicting run ids"),
                    head.offset, "");
    }
    if (checked.status.ok()) {
      ++group.count;
      rows_.push_back({head.offset, end - head.offset, head.step_id, head.row, record_.offset,
                       index, head.step_as_text});
      return;
    }
  }
  LoseRow(checked, checked.status, checked.fault_at, checked.fault_member);
}

/// Gives up the session of a row; the row alone when it names none.
void RowIndex::LoseRow(const Head& head, Status status, uint64_t at, std::string_view member) {
  if (!head.session_id.empty()) {
    const uint32_t index = GroupOf(head.session_id);
    if (std::exchange(groups_[index].lost, true)) {
      return;
    }
    lost_now_.push_back(index);
  }
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = at;
  problem.location = fmt::format("rows[{}]", head.row);
  problem.pointer = fmt::format("/session_steps/{}", head.row);
  if (!member.empty()) {
    problem.location += fmt::format(".{}", member);
    problem.pointer += fmt::format("/{}", member);
  }
  problems_now_.push_back(std::move(problem));
  if (options_.container != json::Container::kLines) {
    KeepRecord();  // a document has no tail that could be taken back, and may be large
  }
}

/// The open record is read to its end, and that is no cut tail: what it said about rows holds.
void RowIndex::KeepRecord() {
  std::move(problems_now_.begin(), problems_now_.end(), std::back_inserter(*problems_));
  problems_now_.clear();
}

/// The open record is no JSON, or has more behind it.
void RowIndex::LoseRecord(Status status) {
  json::Cursor& cursor = stream_->cursor();
  const uint64_t at = cursor.ok() ? cursor.offset() : cursor.error_offset();
  state_ = State::kRecords;
  const std::string session(head_->is_envelope ? std::string_view() : head_->session_id);
  const bool goes_on = stream_->Abandon();
  envelopes_.resize(envelopes_before_);
  if (stream_->open_tail()) {
    TakeBack();
    return;
  }
  KeepRecord();
  if (!goes_on) {
    FailSource(std::move(status), at);
    return;
  }
  // What the record had given already goes with it, and its sessions too.
  bool known_as_lost = !session.empty() && std::exchange(groups_[GroupOf(session)].lost, true);
  for (size_t i = rows_before_; i < rows_.size(); ++i) {
    groups_[rows_[i].group].lost = true;
  }
  if (known_as_lost) {
    return;
  }
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = at;
  problems_->push_back(std::move(problem));
}

/// Forgets everything that came of the open record: it is the unfinished tail of a growing file.
void RowIndex::TakeBack() {
  open_tail_ = true;
  problems_now_.clear();
  for (const uint32_t group : lost_now_) {
    groups_[group].lost = false;
  }
  for (const uint32_t group : runs_now_) {
    groups_[group].run_id = {};
  }
  for (size_t i = rows_before_; i < rows_.size(); ++i) {
    --groups_[rows_[i].group].count;
  }
  rows_.resize(rows_before_);
  while (groups_.size() > groups_before_) {
    group_of_.erase(groups_.back().session_id);
    groups_.pop_back();
  }
  last_group_ = 0;
}

void RowIndex::FailSource(Status status, uint64_t at) {
  rows_.clear();
  groups_.clear();
  group_of_.clear();
  state_ = State::kDone;
  Problem problem;
  problem.status = std::move(status);
  problem.record_offset = record_.offset;
  problem.offset = at;
  problem.whole_source = true;
  problems_->push_back(std::move(problem));
}

uint32_t RowIndex::GroupOf(std::string_view session_id) {
  // Rows of a session mostly follow each other.
  if (last_group_ < groups_.size() && groups_[last_group_].session_id == session_id) {
    return last_group_;
  }
  const auto found = group_of_.find(session_id);
  if (found != group_of_.end()) {
    return last_group_ = found->second;
  }
  SessionGroup& group = groups_.emplace_back();
  group.session_id = names_.Copy(session_id);
  last_group_ = static_cast<uint32_t>(groups_.size() - 1);
  group_of_.emplace(group.session_id, last_group_);
  return last_group_;
}

void RowIndex::Sort() {
  const auto key = [](const RowEntry& entry) {
    return std::tuple(entry.group, entry.step_id, entry.row);
  };
  const auto less = [&key](const RowEntry& a, const RowEntry& b) { return key(a) < key(b); };
  if (!std::is_sorted(rows_.begin(), rows_.end(), less)) {
    std::sort(rows_.begin(), rows_.end(), less);
  }
  uint64_t at = 0;
  for (SessionGroup& group : groups_) {
    group.first = at;
    at += group.count;
  }
}

}  // namespace pchronicle::model::openai
