#include "pchronicle/model/openai/session_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/model/compose.h"

namespace pchronicle::model::openai {
namespace {

constexpr FieldMask kFactFields = Field::kModel | Field::kTimestamp | Field::kMetrics |
                                  Field::kLatency | Field::kEnv | Field::kAgent | Field::kTask |
                                  Field::kFinalMetrics | Field::kUnknown | Field::kDiagnostics;

}  // namespace

SessionReader::SessionReader(const json::ByteInput& input, const WalkOptions& options,
                             FieldMask fields, DocumentSink& sink)
    : options_(options),
      fields_(fields),
      sink_(sink),
      loader_(input, options.cursor,
              {.keep_others = fields.has_any(Field::kUnknown | Field::kDiagnostics),
               .validate = fields.has(Field::kDiagnostics)}),
      residuals_(arena_),
      turns_(fields, options.strict) {}

void SessionReader::Open(const SessionGroup& group, int64_t ordinal) {
  arena_.Reset();
  residuals_.Clear();
  sources_.clear();
  marks_.clear();
  facts_.Reset(&arena_);
  turns_.Reset(&arena_);

  document_ = Document{};
  document_.session_id = group.session_id;
  document_.document_id = group.session_id;
  if (!group.run_id.empty()) {
    document_.run_id = group.run_id;
  }
  document_.ordinal = ordinal;
  document_.origin_format = kHubName;
  if (!options_.source_path.empty()) {
    document_.origin_document_id = options_.source_path;
  }
  document_.turns_member = "/turns";
  reader_.SetTarget({&document_, wants(Field::kUnknown) ? &residuals_ : nullptr, &arena_, &sink_});
}

Status SessionReader::CheckStep(const RowEntry& entry) {
  if (entry.step_as_text) {
    reader_.Note("number_as_text", RowKeyName(RowKey::kStepId), fmt::format("{}", entry.step_id));
  }
  const bool repeated = !marks_.empty() && marks_.back().step_id == entry.step_id;
  marks_.push_back({entry.row, entry.step_id, true, false});
  if (!repeated) {
    return Status::Ok();
  }
  if (options_.strict) {
    return Status::InvalidArgument("duplicate step_id {}", entry.step_id);
  }
  reader_.Note("duplicate_step_id", RowKeyName(RowKey::kStepId), fmt::format("{}", entry.step_id));
  return Status::Ok();
}

Status SessionReader::AddRow(const RowEntry& entry, bool want_turns) {
  reader_.SetBase(fmt::format("/session_steps/{}", entry.row));
  PCHRONICLE_RETURN_IF_ERROR(loader_.Load(entry, reader_, &row_));
  PCHRONICLE_RETURN_IF_ERROR(CheckStep(entry));

  Output output;
  PCHRONICLE_RETURN_IF_ERROR(SelectOutput(row_, &output));
  if (!output.has_output) {
    if (options_.strict) {
      return Status::InvalidArgument("OpenAI corpus row has no assistant output");
    }
    reader_.Note("no_output", RowKeyName(RowKey::kResponse));
  }
  RowFacts facts;
  if (fields_.has_any(kFactFields)) {
    PCHRONICLE_RETURN_IF_ERROR(facts_.Read(row_, output.shape != nullptr, reader_, &facts));
    if (options_.strict_timestamps && row_.shape.at(RowKey::kCreatedAt).has_value() &&
        !facts.created_at.nanoseconds) {
      return Status::InvalidArgument("timestamp must be an RFC3339 string or Unix-seconds number");
    }
  }
  if (want_turns) {
    PCHRONICLE_RETURN_IF_ERROR(turns_.AddRow(row_, output, facts, reader_));
  }
  if (fields_.has_any(Field::kUnknown | Field::kDiagnostics)) {
    PCHRONICLE_RETURN_IF_ERROR(RecordResiduals(output, facts));
  }
  return Status::Ok();
}

Status SessionReader::RecordResiduals(const Output& output, const RowFacts& facts) {
  static const std::vector<size_t> kNone;
  const size_t before = residuals_.size();
  RowOutcome outcome;
  outcome.output = &output;
  outcome.facts = &facts;
  outcome.session_id = document_.session_id;
  outcome.run_id = document_.run_id.value_or(std::string_view());
  outcome.row = row_.entry->row;
  outcome.step_id = row_.entry->step_id;
  outcome.stated_agent_id = facts_.stated_agent_id();
  outcome.unattached = &turns_.unattached();
  outcome.has_turn = output.shape != nullptr || LastUserMessage(row_.shape.messages).has_value();
  RowResiduals residuals(reader_, arena_, &sources_);
  PCHRONICLE_RETURN_IF_ERROR(residuals.Record(row_, outcome));
  marks_.back().has_turn = outcome.has_turn;
  marks_.back().has_residual = residuals_.size() > before;
  return Status::Ok();
}

/// Export writes the rows of a session one after the other by step. Where they do not stand so in
/// the file, only the step tells which row the pointer of a residual meant.
void SessionReader::AddStepHints() {
  bool in_file_order = true;
  bool repeated_steps = false;
  for (size_t i = 0; i < marks_.size(); ++i) {
    in_file_order = in_file_order && marks_[i].has_turn && marks_[i].row == marks_[0].row + i;
    repeated_steps = repeated_steps || (i > 0 && marks_[i].step_id == marks_[i - 1].step_id);
  }
  if (in_file_order || residuals_.empty()) {
    return;
  }
  for (const RowMark& mark : marks_) {
    if (mark.has_turn && (mark.has_residual || repeated_steps)) {
      residuals_.Add(fmt::format("/session_steps/{}/{}", mark.row, RowKeyName(RowKey::kStepId)),
                     IntegerRaw(mark.step_id, arena_));
    }
  }
}

void SessionReader::Close(const std::vector<UnknownField>& root) {
  const std::string_view agent_id = facts_.agent_id();
  document_.agent_id = agent_id;
  document_.agent_name = agent_id;
  document_.agent_model = facts_.model();
  document_.task = facts_.Task();
  document_.final_metrics = facts_.final_metrics();
  turns_.Finish();
  if (!wants(Field::kUnknown)) {
    return;
  }
  for (const RowResiduals::PendingSource& source : sources_) {
    if (json::DecodeString(source.value, arena_) != agent_id) {
      residuals_.Add(source.pointer, source.value);
      std::find_if(marks_.begin(), marks_.end(), [&source](const RowMark& mark) {
        return mark.row == source.row;
      })->has_residual = true;
    }
  }
  AddStepHints();
  for (const UnknownField& member : root) {
    residuals_.Add(member.pointer, member.value);
  }
  document_.unknown = residuals_.Finish(kHubName, options_.source_path);
}

uint64_t SessionReader::held_bytes() const {
  return loader_.buffer_bytes() + arena_.bytes() + row_.arena.bytes();
}

}  // namespace pchronicle::model::openai
