#include "pchronicle/model/openai/encoder.h"

#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/json/writer.h"
#include "pchronicle/model/envelope.h"
#include "pchronicle/model/openai/content_value.h"
#include "pchronicle/model/openai/corpus_keys.h"
#include "pchronicle/model/openai/interactions.h"
#include "pchronicle/model/openai/json_node.h"
#include "pchronicle/model/openai/lossy_count.h"
#include "pchronicle/model/openai/message_writer.h"
#include "pchronicle/model/openai/residual_tree.h"
#include "pchronicle/model/openai/row_writer.h"

namespace pchronicle::model {
namespace {

using openai::Interaction;
using openai::Interactions;
using openai::JsonNode;
using openai::ResidualNode;

/// What the messages of the next row begin with.
struct History {
  std::vector<JsonNode> messages;
  bool has_user = false;
  bool has_answer = false;

  void Append(const std::vector<JsonNode>& more) {
    messages.insert(messages.end(), more.begin(), more.end());
  }
};

/// An answer by the reader's rule (formats.md 4.3).
bool SaysSomething(const Turn* answer) {
  return answer != nullptr && (!answer->calls.empty() || openai::HasValue(answer->message));
}

/// Writes the rows of all Storylines into one corpus object (formats.md 4.9).
class CorpusEncoder {
 public:
  explicit CorpusEncoder(EncodeReport& report) : report_(report), rows_("[") {}

  Status Add(const Storyline& storyline);
  Result<std::string> Finish();

 private:
  void AddContext(const Turn& turn, History* history);
  void AddRow(const Storyline& storyline, const Interaction& row, bool from_corpus,
              const ResidualNode& residuals, History* history);
  void WriteRow(const JsonNode& row);
  Status MergeRoot(ResidualNode more);

  EncodeReport& report_;
  std::string rows_;
  uint64_t row_count_ = 0;
  uint64_t unlinked_ = 0;
  ResidualNode root_;
  std::vector<CarrierBinding> bindings_;
};

Status CorpusEncoder::Add(const Storyline& storyline) {
  const Document& document = storyline.document;
  const bool from_corpus = openai::IsFromCorpus(document);
  PCHRONICLE_ASSIGN_OR_RETURN(const Interactions parts,
                              openai::SplitInteractions(storyline, from_corpus));
  std::vector<int64_t> steps;
  for (const Interaction& row : parts.rows) {
    steps.push_back(row.step_id);
  }
  const UnknownSource* own = openai::OwnResiduals(document);
  const std::span<const UnknownField> fields =
      own != nullptr ? std::span<const UnknownField>(own->fields) : std::span<const UnknownField>();
  PCHRONICLE_ASSIGN_OR_RETURN(openai::StorylineResiduals residuals,
                              openai::SplitResiduals(fields, steps, row_count_));
  if (residuals.misplaced > 0) {
    report_.lossy["unknown_fields"] += residuals.misplaced;
    report_.notes.emplace("unknown_fields",
                          fmt::format("no place for {}", residuals.first_misplaced));
  }
  History history;
  for (size_t i = 0; i < parts.context; ++i) {
    AddContext(storyline.turns[i], &history);
  }
  for (const openai::PlacedRow& row : residuals.rows) {
    bindings_.push_back({fmt::format("/session_steps/{}", row_count_), &document.unknown});
    if (row.interaction) {
      AddRow(storyline, parts.rows[*row.interaction], from_corpus, row.residuals, &history);
    } else {
      WriteRow(openai::WholeOf(row.residuals));
    }
  }
  openai::CountLost(storyline, report_);
  return MergeRoot(std::move(residuals.root));
}

void CorpusEncoder::AddContext(const Turn& turn, History* history) {
  const std::string_view role = turn.source == "agent" ? "assistant" : turn.source;
  history->messages.push_back(openai::MessageOf(turn, role));
  history->Append(openai::ToolMessagesOf(turn, &unlinked_));
  history->has_user = history->has_user || turn.source == "user";
}

void CorpusEncoder::AddRow(const Storyline& storyline, const Interaction& row, bool from_corpus,
                           const ResidualNode& residuals, History* history) {
  openai::RowWriter writer(storyline.document, report_);
  JsonNode out = writer.Write(row, residuals);

  std::vector<JsonNode> own;
  if (row.user != nullptr) {
    own.push_back(openai::MessageOf(*row.user, "user"));
  }
  if (row.agent != nullptr) {
    for (JsonNode& message : openai::ToolMessagesOf(*row.agent, &unlinked_)) {
      own.push_back(std::move(message));
    }
  }
  JsonNode& messages = out.Add("messages", JsonNode::Array());
  // A row that was read without a user message, or without an answer that says something, must not
  // repeat an earlier one: a reader would take it for this row's own. Its source did not have that
  // history either.
  const bool delta = from_corpus && ((row.user == nullptr && history->has_user) ||
                                     (!SaysSomething(row.agent) && history->has_answer));
  if (!delta) {
    messages.elements() = history->messages;
  }
  messages.elements().insert(messages.elements().end(), own.begin(), own.end());
  history->Append(own);
  history->has_user = history->has_user || row.user != nullptr;
  if (row.agent != nullptr) {
    history->messages.push_back(openai::MessageOf(*row.agent, "assistant"));
    history->has_answer = history->has_answer || SaysSomething(row.agent);
    out.Add("response", history->messages.back());
  }

  std::vector<std::string> dangling;
  openai::InsertResiduals(residuals, SaysSomething(row.agent), &out, &dangling);
  if (!dangling.empty()) {
    report_.lossy["unknown_fields"] += dangling.size();
    report_.notes.emplace("unknown_fields", fmt::format("no place for /session_steps/{}{}",
                                                        row_count_, dangling.front()));
  }
  WriteRow(out);
}

void CorpusEncoder::WriteRow(const JsonNode& row) {
  rows_ += row_count_++ == 0 ? "" : ",";
  row.Write(rows_);
}

/// Members of the corpus object stand in every session of its file.
Status CorpusEncoder::MergeRoot(ResidualNode more) {
  for (auto& [key, node] : more.children) {
    const ResidualNode* known = root_.Find(key);
    if (known != nullptr && known->value != node.value) {
      return Status::InvalidArgument("unknown fields source '{}' has conflicting values at '/{}'",
                                     openai::kHubName, key);
    }
    root_.children.emplace(key, std::move(node));
  }
  return Status::Ok();
}

Result<std::string> CorpusEncoder::Finish() {
  if (unlinked_ > 0) {
    report_.lossy["observation"] += unlinked_;
  }
  rows_ += ']';
  JsonNode root;
  root.Add("session_steps", JsonNode(std::move(rows_)));
  openai::InsertRootResiduals(root_, &root);
  std::string text;
  root.Write(text);
  return AddEnvelope(std::move(text), bindings_, openai::kHubName);
}

/// One output file stands for one source file (formats.md 4.9, item 7).
Status CheckSources(std::span<const Storyline> storylines) {
  std::set<std::string_view> files;
  size_t from_corpus = 0;
  for (const Storyline& storyline : storylines) {
    const Document& document = storyline.document;
    if (!openai::IsFromCorpus(document)) {
      continue;
    }
    ++from_corpus;
    const UnknownSource* own = openai::OwnResiduals(document);
    std::string_view origin;
    if (document.origin_format == openai::kHubName && document.origin_document_id) {
      origin = *document.origin_document_id;
    }
    if (own != nullptr && !origin.empty() && own->source_document_id != origin) {
      return Status::InvalidArgument("one OpenAI output cannot merge multiple source documents");
    }
    files.insert(own != nullptr ? own->source_document_id : origin);
  }
  if (files.size() > 1) {
    return Status::InvalidArgument("one JSON document cannot preserve {} OpenAI source files",
                                   files.size());
  }
  if (from_corpus != 0 && from_corpus != storylines.size()) {
    return Status::InvalidArgument("cannot mix OpenAI unknown fields and unrelated Storylines");
  }
  return Status::Ok();
}

std::string Names(const std::map<std::string, uint64_t>& lossy) {
  std::string names;
  for (const auto& [field, count] : lossy) {
    names += names.empty() ? "" : ",";
    names += field;
  }
  return names;
}

}  // namespace

Result<std::string> EncodeOpenAi(std::span<const Storyline> storylines,
                                 const EncodeOptions& options, EncodeReport* report) {
  if (storylines.empty()) {
    return Status::Unsupported("OpenAI corpus cannot be empty");
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckSources(storylines));
  EncodeReport counted;
  CorpusEncoder corpus(counted);
  for (const Storyline& storyline : storylines) {
    PCHRONICLE_RETURN_IF_ERROR(corpus.Add(storyline));
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, corpus.Finish());
  if (options.strict && !counted.lossy.empty()) {
    return Status::InvalidArgument("lossy_export fields={}", Names(counted.lossy));
  }
  if (report != nullptr) {
    for (const auto& [field, count] : counted.lossy) {
      report->lossy[field] += count;
    }
    report->notes.merge(counted.notes);
  }
  return options.pretty ? json::Pretty(text) : text;
}

}  // namespace pchronicle::model
