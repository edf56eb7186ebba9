#include "pchronicle/model/actf/results_composer.h"

#include <algorithm>
#include <string>

#include "pchronicle/model/compose.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model::actf {
namespace {

/// Members of an observation element that the mapping looks at.
struct ResultParts {
  json::Raw tool_use_id;
  json::Raw id;
  json::Raw output;
  json::Raw content;
  json::Raw source_call_id;
};

ResultParts PartsOf(const json::Raw& element) {
  ResultParts parts;
  for (RawMembers members(element); members.Next();) {
    json::Raw* slot = members.KeyIs("tool_use_id")         ? &parts.tool_use_id
                      : members.KeyIs("id")                ? &parts.id
                      : members.KeyIs("aggregated_output") ? &parts.output
                      : members.KeyIs("content")           ? &parts.content
                      : members.KeyIs("source_call_id")    ? &parts.source_call_id
                                                           : nullptr;
    if (slot != nullptr) {
      *slot = members.value();
    }
  }
  return parts;
}

}  // namespace

Status ResultsComposer::Compose(const json::Raw& observation, const std::vector<ToolCall>& calls,
                                int64_t step_id, const Options& options, MemberReader& members,
                                Arena& arena, json::Raw* out) {
  text_ = "{\"results\":[";
  const std::string step = members.base();
  const std::string base = step + "/observation";
  size_t index = 0;
  for (RawElements elements(observation); elements.Next(); ++index) {
    const json::Raw& element = elements.value();
    if (index > 0) {
      text_ += ',';
    }
    members.SetBase(base);
    const std::string place = std::to_string(index);
    if (element.kind != json::Kind::kObject) {
      members.Note("bad_value", place, element.text.substr(0, 80));
      text_ += json::CellText(element, json::Surrogates::kKeep, arena);
      continue;
    }
    const ResultParts parts = PartsOf(element);
    const json::Raw link = parts.tool_use_id.is_string() ? parts.tool_use_id
                           : parts.id.is_string()        ? parts.id
                                                         : json::Raw();
    if (options.residuals && parts.source_call_id.present()) {
      members.SetBase(base + "/" + place);
      members.Unknown("source_call_id", parts.source_call_id);
    }
    if (options.residuals && parts.output.has_value() && parts.content.present()) {
      members.SetBase(base + "/" + place);
      members.Unknown("content", parts.content);
    }
    if (link.present() && (options.checks || options.strict)) {
      const std::string_view id = json::DecodeString(link, arena);
      const bool known = std::any_of(calls.begin(), calls.end(),
                                     [id](const ToolCall& call) { return call.id == id; });
      if (!known && options.strict) {
        return Status::InvalidArgument("ACTF step {} observation references unknown tool id '{}'",
                                       step_id, id);
      }
      if (!known) {
        members.SetBase(base);
        members.Note("unlinked_observation_result", place, id);
      }
    }
    AppendResult(element, link, parts.output.has_value() ? parts.output : json::Raw(), arena);
  }
  text_ += "]}";
  members.SetBase(step);
  if ((observation.flags & json::kHasNonFinite) != 0) {
    members.Note("non_finite_number", "observation");
  }
  if ((observation.flags & json::kHasLoneSurrogate) != 0) {
    members.Note("lone_surrogate", "observation");
  }
  *out = RawOf(text_, json::Kind::kObject, CellFlags(observation), arena);
  return Status::Ok();
}

/// The element's members in their order, without those that the link and the output replace.
void ResultsComposer::AppendResult(const json::Raw& element, const json::Raw& link,
                                   const json::Raw& output, Arena& arena) {
  bool first = true;
  const auto separate = [&] {
    text_ += first ? '{' : ',';
    first = false;
  };
  for (RawMembers members(element); members.Next();) {
    if ((link.present() && members.KeyIs("source_call_id")) ||
        (output.present() && members.KeyIs("content"))) {
      continue;
    }
    separate();
    text_ += members.quoted_key();
    text_ += ':';
    text_ += json::CellText(members.value(), json::Surrogates::kKeep, arena);
  }
  if (link.present()) {
    separate();
    text_ += "\"source_call_id\":";
    text_ += link.text;
  }
  if (output.present()) {
    separate();
    text_ += "\"content\":";
    text_ += json::CellText(output, json::Surrogates::kKeep, arena);
  }
  text_ += first ? "{}" : "}";
}

}  // namespace pchronicle::model::actf
