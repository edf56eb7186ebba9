#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/member_reader.h"
#include "pchronicle/model/openai/row_index.h"
#include "pchronicle/model/openai/row_loader.h"
#include "pchronicle/model/openai/row_residuals.h"
#include "pchronicle/model/openai/session_facts.h"
#include "pchronicle/model/openai/turn_builder.h"
#include "pchronicle/model/residuals.h"
#include "pchronicle/model/sink.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::openai {

/// Second pass: builds one session after the other out of its rows (formats.md 4.2 to 4.8). Holds
/// the turns of the session that is open. Not thread-safe.
class SessionReader {
 public:
  SessionReader(const json::ByteInput& input, const WalkOptions& options, FieldMask fields,
                DocumentSink& sink);

  /// Opens a session: session_id, ids, run and ordinal of document() are known.
  void Open(const SessionGroup& group, int64_t ordinal);
  /// Reads one row of it, in step order. `want_turns` false: only what the document needs. An error
  /// costs the session; error_offset() tells where.
  Status AddRow(const RowEntry& entry, bool want_turns);
  /// All rows are in: completes document and turns. `root` are the members of the corpus object
  /// beside its rows.
  void Close(const std::vector<UnknownField>& root);

  Document& document() { return document_; }
  std::vector<Turn>& turns() { return turns_.turns(); }

  uint64_t error_offset() const { return loader_.error_offset(); }
  uint64_t bytes_read() const { return loader_.bytes_read(); }
  /// Bytes held now: the row's buffer and what is kept of the session.
  uint64_t held_bytes() const;
  uint64_t results_dropped() const { return turns_.results_dropped(); }

 private:
  bool wants(Field field) const { return fields_.has(field); }
  Status CheckStep(const RowEntry& entry);
  void AddStepHints();
  Status RecordResiduals(const Output& output, const RowFacts& facts);

  const WalkOptions& options_;
  FieldMask fields_;
  DocumentSink& sink_;
  RowLoader loader_;
  LoadedRow row_;
  Arena arena_{64 << 10};  // of the session
  Document document_;
  ResidualBuilder residuals_;
  MemberReader reader_;
  SessionFacts facts_;
  TurnBuilder turns_;
  std::vector<RowResiduals::PendingSource> sources_;
  /// A row that was read, for AddStepHints.
  struct RowMark {
    uint64_t row;
    int64_t step_id;
    bool has_turn;
    bool has_residual;
  };
  std::vector<RowMark> marks_;
};

}  // namespace pchronicle::model::openai
