#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/diagnostics.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::openai {

/// One row as the first pass keeps it (STL-129).
struct RowEntry {
  uint64_t offset = 0;
  uint64_t length = 0;
  int64_t step_id = 0;
  uint64_t row = 0;     // position in the file: r of /session_steps/{r}
  uint64_t record = 0;  // offset of the record that holds it
  uint32_t group = 0;   // index of its session
  bool step_as_text = false;
};

/// One session, in order of first appearance.
struct SessionGroup {
  std::string_view session_id;
  std::string_view run_id;  // empty: none
  uint64_t first = 0;       // rows [first, first + count) of the sorted index
  uint64_t count = 0;
  bool lost = false;
};

/// An object with `session_steps`: its other members are residuals of every session.
struct EnvelopeEntry {
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// First pass over a corpus (formats.md 4.1, 4.2; STL-116, STL-129): the session, step and run of
/// every row, and where it stands. Other values are skipped and cost nothing. Not thread-safe.
class RowIndex {
 public:
  RowIndex(const json::ByteInput& input, const WalkOptions& options);
  ~RowIndex();

  /// Reads at most `rows` more rows. False when the input is through, or lost as a whole; the index
  /// is sorted then. Problems found are added to `problems`, at most one for a session.
  bool Read(size_t rows, std::vector<Problem>* problems);

  /// By session, then step, then place in the file. Complete after Read returned false.
  const std::vector<RowEntry>& rows() const { return rows_; }
  const std::vector<SessionGroup>& groups() const { return groups_; }
  const std::vector<EnvelopeEntry>& envelopes() const { return envelopes_; }
  bool open_tail() const { return open_tail_; }
  /// Rows seen, bad ones included.
  uint64_t row_count() const { return row_count_; }
  uint64_t bytes_read() const { return stream_ ? stream_->bytes_read() : 0; }
  uint64_t buffer_bytes() const;
  /// Memory of the rows and sessions themselves.
  uint64_t id_bytes() const;

 private:
  struct Head;
  enum class State : uint8_t { kClosed, kRecords, kSteps, kDone };

  void Open();
  void NextRecord();
  void ReadMembers(json::Cursor& cursor);
  void ReadHeadMember(json::Cursor& cursor, std::string_view key, Head* head);
  void ReadStepId(json::Cursor& cursor, Head* head);
  void EnterSteps(json::Cursor& cursor);
  void ReadStep(json::Cursor& cursor);
  void EndObject(json::Cursor& cursor);
  void NotAnObject(json::Cursor& cursor);
  void AddRow(const Head& head, uint64_t end);
  void FinishRecord();
  void LoseRecord(Status status);
  void LoseRow(const Head& head, Status status, uint64_t at, std::string_view member);
  void FailSource(Status status, uint64_t at);
  void BeginRecord();
  void KeepRecord();
  void TakeBack();
  uint32_t GroupOf(std::string_view session_id);
  void Sort();

  const json::ByteInput& input_;
  const WalkOptions& options_;
  std::unique_ptr<json::RecordStream> stream_;
  json::Record record_;
  State state_ = State::kClosed;
  std::unique_ptr<Head> head_;  // of the record that is open: a row, unless session_steps comes
  std::vector<Problem>* problems_ = nullptr;
  bool open_tail_ = false;

  // What the open record changed, to take it back.
  size_t rows_before_ = 0;
  size_t groups_before_ = 0;
  size_t envelopes_before_ = 0;
  std::vector<uint32_t> lost_now_;     // sessions
  std::vector<uint32_t> runs_now_;     // sessions that got their run
  std::vector<Problem> problems_now_;  // told when the record counts

  Arena names_{4096};
  std::unordered_map<std::string_view, uint32_t> group_of_;
  uint32_t last_group_ = 0;
  std::vector<SessionGroup> groups_;
  std::vector<RowEntry> rows_;
  std::vector<EnvelopeEntry> envelopes_;
  uint64_t row_count_ = 0;
};

}  // namespace pchronicle::model::openai
