#include "pchronicle/model/actf/encoder.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/json/compare.h"
#include "pchronicle/json/pointer.h"
#include "pchronicle/json/writer.h"
#include "pchronicle/model/actf/attempt_writer.h"
#include "pchronicle/model/actf/record_head.h"
#include "pchronicle/model/actf/slotted_object.h"
#include "pchronicle/model/actf/walker.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model {
namespace {

constexpr std::string_view kFormat = "actf";

const UnknownSource* OwnResiduals(const Document& document) {
  for (const UnknownSource& source : document.unknown) {
    if (source.format == kFormat && !source.fields.empty()) {
      return &source;
    }
  }
  return nullptr;
}

/// Keeps the first problem of a document that we wrote.
class FirstProblem final : public DocumentSink {
 public:
  Wish OnDocument(const Document&) override { return Wish::kTurns; }
  void OnTurn(const Document&, const Turn&) override {}
  void OnDocumentEnd(const Document&) override {}
  void OnRecordEnd() override {}
  void OnDocumentLost(const Document&) override {}
  bool OnProblem(Problem problem) override {
    status = std::move(problem.status);
    return false;
  }
  void OnDiagnostic(const Document*, std::string_view, std::string_view,
                    std::string_view) override {}

  Status status;
};

class Encoder {
 public:
  Encoder(std::span<const Storyline> storylines, const EncodeOptions& options, EncodeReport& report)
      : storylines_(storylines), options_(options), report_(report) {}

  Result<std::string> Run();

 private:
  Status Plan();
  Status CheckProvenance();
  Status PlaceResiduals();
  Status PlaceRootField(const UnknownField& field);
  Status WriteRoot(std::string& out);
  Status ReportUnused();
  Status Validate(const std::string& text) const;

  std::span<const Storyline> storylines_;
  const EncodeOptions& options_;
  EncodeReport& report_;
  std::string task_id_;
  bool same_format_ = true;
  std::map<std::string, const Storyline*, std::less<>> attempts_;  // ascending by code point
  actf::FieldSlots slots_;
  std::map<std::string, std::string_view, std::less<>> root_fields_;
};

Result<std::string> Encoder::Run() {
  PCHRONICLE_RETURN_IF_ERROR(Plan());
  PCHRONICLE_RETURN_IF_ERROR(CheckProvenance());
  PCHRONICLE_RETURN_IF_ERROR(PlaceResiduals());
  std::string text;
  PCHRONICLE_RETURN_IF_ERROR(WriteRoot(text));
  PCHRONICLE_RETURN_IF_ERROR(ReportUnused());
  std::vector<CarrierBinding> bindings;
  for (const auto& [key, storyline] : attempts_) {
    std::string carrier = "/attempts";
    json::AppendPointerToken(key, carrier);
    bindings.push_back({std::move(carrier), &storyline->document.unknown});
  }
  PCHRONICLE_ASSIGN_OR_RETURN(text, AddEnvelope(std::move(text), bindings, kFormat));
  if (options_.strict && !report_.lossy.empty()) {
    return Status::InvalidArgument("lossy_export fields={}", LossyFields(report_));
  }
  PCHRONICLE_RETURN_IF_ERROR(Validate(text));
  return options_.pretty ? json::Pretty(text) + "\n" : text;
}

Status Encoder::Plan() {
  if (storylines_.empty()) {
    return Status::Unsupported("ACTF document cannot be empty");
  }
  for (const Storyline& storyline : storylines_) {
    const Document& document = storyline.document;
    same_format_ = same_format_ && document.origin_format == kFormat;
    if (task_id_.empty() && document.run_id) {
      task_id_ = *document.run_id;
    }
    std::string key;
    if (document.attempt_id && !document.attempt_id->empty()) {
      key = *document.attempt_id;
    } else if (storylines_.size() == 1) {
      key = "1";
    } else {
      return Status::InvalidArgument("ACTF multi-attempt Storyline requires attempt_id");
    }
    if (!attempts_.emplace(key, &storyline).second) {
      return Status::InvalidArgument("duplicate ACTF attempt id '{}'", key);
    }
  }
  if (task_id_.empty()) {
    task_id_ = storylines_.front().document.session_id;
  }
  return actf::IsBlank(task_id_) ? Status::InvalidArgument("ACTF task_id is required")
                                 : Status::Ok();
}

/// Residuals of one source document cannot be spread over a document that others share.
Status Encoder::CheckProvenance() {
  const UnknownSource* first = nullptr;
  for (const Storyline& storyline : storylines_) {
    if (const UnknownSource* own = OwnResiduals(storyline.document)) {
      if (first != nullptr && own->source_document_id != first->source_document_id) {
        return Status::InvalidArgument("one ACTF document cannot merge multiple source documents");
      }
      first = own;
    }
  }
  for (const Storyline& storyline : storylines_) {
    if (first != nullptr && OwnResiduals(storyline.document) == nullptr &&
        storyline.document.origin_format != kFormat) {
      return Status::InvalidArgument("cannot mix ACTF unknown fields and unrelated Storylines");
    }
  }
  return Status::Ok();
}

Status Encoder::PlaceResiduals() {
  for (const auto& [key, storyline] : attempts_) {
    const UnknownSource* own = OwnResiduals(storyline->document);
    if (own == nullptr) {
      continue;
    }
    for (const UnknownField& field : own->fields) {
      if (field.pointer.starts_with("/attempts/")) {
        PCHRONICLE_RETURN_IF_ERROR(slots_.Add(field.pointer, field.value.text));
      } else {
        PCHRONICLE_RETURN_IF_ERROR(PlaceRootField(field));
      }
    }
  }
  return Status::Ok();
}

/// Every attempt carries a copy of the root's residuals; they must agree.
Status Encoder::PlaceRootField(const UnknownField& field) {
  const auto [found, added] = root_fields_.emplace(field.pointer, field.value.text);
  if (added) {
    return slots_.Add(field.pointer, field.value.text);
  }
  return json::SameMeaning(found->second, field.value.text)
             ? Status::Ok()
             : Status::InvalidArgument("ACTF unknown-field conflict at '{}'", field.pointer);
}

Status Encoder::WriteRoot(std::string& out) {
  const Document& first = storylines_.front().document;
  const json::Raw result = FindMember(first.task, "result");
  const json::Raw k = FindMember(FindMember(first.task, "llm"), "k");
  const auto count = static_cast<int64_t>(attempts_.size());
  Arena arena(4096);
  const auto cell = [&](const json::Raw& raw, std::string_view otherwise) {
    return raw.has_value() ? json::CellText(raw, json::Surrogates::kKeep, arena) : otherwise;
  };
  int64_t tried = count;
  if (const json::Raw stated = FindMember(result, "attempts_tried");
      json::ToInt64(stated, &tried) && tried != count) {
    report_.notes["attempts_tried"] =
        "written as " + std::to_string(count) + ", the number of attempts exported";
    tried = count;
  }
  int64_t positive = 0;
  if (!json::ToInt64(k, &positive) || positive <= 0) {
    positive = count;
  }
  const json::Raw category = FindMember(result, "category");
  json::Raw correct = FindMember(result, "task_correct");
  if (correct.kind != json::Kind::kBool) {
    correct = FindMember(first.final_metrics, "task_correct");
  }
  std::string quoted_id;
  json::AppendQuoted(task_id_, quoted_id);
  actf::SlottedObject root(out, slots_, "");
  root.Add("task_id", quoted_id);
  root.Add("category",
           category.is_string() && category.text.size() > 2 ? cell(category, "") : "\"unknown\"");
  root.Add("k", std::to_string(positive));
  root.Add("correct", correct.kind == json::Kind::kBool ? correct.text : "false");
  root.Add("attempts_tried", std::to_string(tried));
  root.Add("solved_at", cell(FindMember(result, "solved_at"), "null"));
  for (const std::string_view key : {"retry_count", "retry_counts"}) {
    if (const json::Raw value = FindMember(result, key); value.has_value()) {
      root.Add(key, cell(value, ""));
    }
  }
  root.BeginMember("attempts");
  actf::AttemptWriter writer(options_, same_format_, &report_);
  out += '{';
  bool is_first = true;
  for (const auto& [key, storyline] : attempts_) {
    if (!is_first) {
      out += ',';
    }
    is_first = false;
    json::AppendQuoted(key, out);
    out += ':';
    std::string pointer = "/attempts";
    json::AppendPointerToken(key, pointer);
    PCHRONICLE_RETURN_IF_ERROR(
        writer.Write(*storyline, pointer, slots_, out).WithContext("attempts." + key));
  }
  out += '}';
  return root.Finish();
}

/// A pointer whose object is gone: an error in strict export, else reported and left in the
/// Storyline (formats.md 9.2).
Status Encoder::ReportUnused() {
  const std::vector<std::string> unused = slots_.Unused();
  if (unused.empty()) {
    return Status::Ok();
  }
  if (options_.strict) {
    return Status::InvalidArgument("JSON Pointer '{}' has a missing object parent", unused.front());
  }
  report_.lossy["unknown_fields"] += unused.size();
  report_.notes["unknown_fields"] = "no place for " + unused.front();
  return Status::Ok();
}

Status Encoder::Validate(const std::string& text) const {
  WalkOptions options;
  options.strict = options_.strict;
  options.fields = FieldMask(Field::kMessage) | (options_.strict ? FieldMask::All() : FieldMask());
  const json::MemoryInput input(text);
  FirstProblem sink;
  const std::unique_ptr<Walker> walker = MakeActfWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  return sink.status.WithContext("encode ACTF");
}

}  // namespace

Result<std::string> EncodeActf(std::span<const Storyline> storylines, const EncodeOptions& options,
                               EncodeReport* report) {
  EncodeReport counted;
  Result<std::string> text = Encoder(storylines, options, counted).Run();
  if (text.ok()) {
    AddReport(counted, report);
  }
  return text;
}

}  // namespace pchronicle::model
