#include "pchronicle/catalog/harbor.h"

#include <algorithm>

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::catalog {
namespace {

using json::Kind;
using json::Raw;
using model::Document;
using model::Field;
using model::FindMember;
using model::Turn;

bool LacksTokens(const Turn& turn) {
  return turn.source == "agent" && !turn.copied.value_or(false) &&
         !FindMember(turn.metrics, "prompt_token_ids").has_value() &&
         !FindMember(turn.metrics, "completion_token_ids").has_value();
}

/// Appends `"key":value` to an object text that is still open.
void AppendMember(std::string_view key, std::string_view value, std::string& object) {
  object += object.ends_with('{') ? "" : ",";
  json::AppendQuoted(key, object);
  object += ':';
  object += value;
}

/// An object with more members, those that are there first; `object` absent: a new one. Nothing is
/// replaced.
Raw Extended(const Raw& object,
             const std::vector<std::pair<std::string_view, std::string_view>>& members,
             Arena& arena) {
  if (object.has_value() && object.kind != Kind::kObject) {
    return object;
  }
  std::string text =
      object.has_value() ? std::string(object.text.substr(0, object.text.size() - 1)) : "{";
  while (text.size() > 1 && (text.back() == ' ' || text.back() == '\n' || text.back() == '\t' ||
                             text.back() == '\r')) {
    text.pop_back();
  }
  for (const auto& [key, value] : members) {
    if (!value.empty() && !FindMember(object, key).present()) {
      AppendMember(key, value, text);
    }
  }
  text += '}';
  return json::RawFromText(arena.Copy(text));
}

}  // namespace

HarborSink::HarborSink(const HarborSidecar& sidecar, model::FieldMask fields, bool fill_calls,
                       model::DocumentSink& next)
    : sidecar_(sidecar), fields_(fields), fill_calls_(fill_calls), next_(next) {}

Document HarborSink::WithIds(const Document& document) const {
  Document lifted = document;
  if (sidecar_.is_trial_) {
    if (!lifted.run_id) {
      lifted.run_id = sidecar_.job_id_;
    }
    if (!lifted.attempt_id) {
      lifted.attempt_id = sidecar_.trial_name_;
    }
  }
  if (document.depth == 0 && sidecar_.whole_ && sidecar_.has_outcome_) {
    lifted.sidecar = &sidecar_.outcome_;
  }
  return lifted;
}

std::string HarborSink::HarborExtra(const Document& document) const {
  std::string harbor(sidecar_.harbor_);
  if (!sidecar_.whole_) {
    return harbor + "}";
  }
  if (document.final_metrics.has_value() && sidecar_.agent_result_.has_value()) {
    AppendMember("agent_result", sidecar_.agent_result_.text, harbor);
  }
  if (!fill_calls_ && sidecar_.rollout_details_.has_value()) {
    AppendMember("rollout_details", sidecar_.rollout_details_.text, harbor);
  }
  return harbor + "}";
}

void HarborSink::AddValues(Document& document) {
  if (document.depth != 0 || !sidecar_.is_trial_) {
    return;
  }
  if (sidecar_.whole_) {
    if (!document.started_at.scalar.has_value()) {
      document.started_at = sidecar_.started_at_;
    }
    if (!document.finished_at.scalar.has_value()) {
      document.finished_at = sidecar_.finished_at_;
    }
  }
  if (fields_.has(Field::kTask) || fields_.has(Field::kOutcome)) {
    const Raw task = json::RawFromText(sidecar_.task_);
    document.task = Extended(document.task,
                             {{"env", FindMember(task, "env").text},
                              {"result", sidecar_.whole_ ? FindMember(task, "result").text : ""}},
                             arena_);
  }
  if (fields_.has(Field::kRootExtra)) {
    document.extra =
        Extended(document.extra, {{"harbor", arena_.Copy(HarborExtra(document))}}, arena_);
  }
}

model::DocumentSink::Wish HarborSink::OnDocument(const Document& document) {
  if (!told_broken_) {
    told_broken_ = true;
    for (const auto& broken : sidecar_.broken_) {
      next_.OnDiagnostic(nullptr, "bad_sidecar", broken.file, broken.message);
    }
    if (!fill_calls_ && sidecar_.whole_ && !sidecar_.calls_.empty() &&
        fields_.has(Field::kMetrics)) {
      next_.OnDiagnostic(nullptr, "rollout_details_unmatched", "", "");
    }
  }
  return next_.OnDocument(WithIds(document));
}

void HarborSink::OnTurn(const Document& document, const Turn& turn) {
  if (fill_calls_ && document.depth == 0 && LacksTokens(turn) &&
      next_call_ < sidecar_.calls_.size()) {
    const auto& call = sidecar_.calls_[next_call_++];
    Turn filled = turn;
    filled.metrics = Extended(turn.metrics,
                              {{"prompt_token_ids", call.prompt_token_ids.text},
                               {"completion_token_ids", call.completion_token_ids.text},
                               {"logprobs", call.logprobs.text}},
                              arena_);
    next_.OnTurn(WithIds(document), filled);
    return;
  }
  next_.OnTurn(WithIds(document), turn);
}

void HarborSink::OnDocumentEnd(const Document& document) {
  Document lifted = WithIds(document);
  AddValues(lifted);
  next_.OnDocumentEnd(lifted);
}

void HarborSink::OnRecordEnd() {
  next_.OnRecordEnd();
  arena_.Reset();
}

void HarborSink::OnDocumentLost(const Document& document) {
  next_.OnDocumentLost(WithIds(document));
}

bool HarborSink::OnProblem(model::Problem problem) { return next_.OnProblem(std::move(problem)); }

void HarborSink::OnDiagnostic(const Document* document, std::string_view code,
                              std::string_view pointer, std::string_view example) {
  next_.OnDiagnostic(document, code, pointer, example);
}

model::FieldMask TokenlessTurnCounter::Fields() { return Field::kMetrics | Field::kCopied; }

model::DocumentSink::Wish TokenlessTurnCounter::OnDocument(const Document& document) {
  return document.depth == 0 ? Wish::kTurns : Wish::kSkip;
}

void TokenlessTurnCounter::OnTurn(const Document& document, const Turn& turn) {
  count_ += document.depth == 0 && LacksTokens(turn) ? 1 : 0;
}

void EmitHarborRun(const HarborSidecar& sidecar, const Source& source, model::DocumentSink& sink) {
  Arena arena(1024);
  const auto text = [&arena](const Raw& object, std::string_view name) -> model::Text {
    const Raw value = FindMember(object, name);
    return value.is_string() ? model::Text(json::DecodeString(value, arena)) : std::nullopt;
  };
  Document document;
  document.document_id = sidecar.trial_name_.value_or(source.file);
  document.session_id = document.document_id;
  document.agent_name = text(sidecar.agent_info_, "name");
  document.agent_id = document.agent_name.value_or("unknown");
  document.agent_version = text(sidecar.agent_info_, "version");
  document.agent_model = text(FindMember(sidecar.agent_info_, "model_info"), "name");
  document.origin_format = "atif";
  document.origin_document_id = source.file;
  const bool missing = source.harbor->role == HarborPlace::Role::kTrialResult;
  document.extra =
      json::RawFromText(missing ? R"({"trajectory":"missing"})" : R"({"trajectory":"empty"})");
  HarborSink lift(sidecar, model::FieldMask::All(), false, sink);
  lift.OnDocument(document);
  lift.OnDocumentEnd(document);
  lift.OnRecordEnd();
}

}  // namespace pchronicle::catalog
