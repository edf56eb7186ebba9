#include "pchronicle/model/observation.h"

#include <algorithm>

#include "pchronicle/model/message_text.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model {
namespace {

using json::Raw;

std::optional<bool> BoolOf(const Raw& raw) {
  if (raw.kind != json::Kind::kBool) {
    return std::nullopt;
  }
  return raw.text == "true";
}

std::optional<int64_t> IntOf(const Raw& raw) {
  int64_t value;
  if (raw.kind != json::Kind::kNumber || !json::ToInt64(raw, &value)) {
    return std::nullopt;
  }
  return value;
}

/// Fills what `extra` states where the result itself does not.
void ReadExtraFlags(const Raw& extra, ResultView* result) {
  for (RawMembers members(extra); members.Next();) {
    if (!result->holds_is_error && members.KeyIs("is_error")) {
      result->is_error = BoolOf(members.value());
    } else if (!result->holds_exit_code && members.KeyIs("exit_code")) {
      result->exit_code = IntOf(members.value());
    }
  }
}

struct Ids {
  Raw source;
  Raw tool;
};

bool IsNonEmptyString(const Raw& raw) { return raw.is_string() && raw.text.size() > 2; }

/// `source_call_id`, failing that `tool_call_id`; an empty one counts only when there is no better.
void ReadIds(const Ids& ids, Arena& arena, ResultView* result) {
  if (IsNonEmptyString(ids.source) || (ids.source.is_string() && !IsNonEmptyString(ids.tool))) {
    result->call_id = json::DecodeString(ids.source, arena);
    result->holds_source_id = true;
  } else if (ids.tool.is_string()) {
    result->call_id = json::DecodeString(ids.tool, arena);
    result->holds_tool_id = true;
  }
}

/// Reads the members of a result object; true when one is left that no field holds.
void ReadMembers(const Raw& value, Arena& arena, ResultView* result) {
  Ids ids;
  Raw is_error, exit_code;
  bool others = false;
  for (RawMembers members(value); members.Next();) {
    const Raw& member = members.value();
    if (members.KeyIs("content")) {
      result->content = member.has_value() ? member : Raw{};
    } else if (members.KeyIs("source_call_id")) {
      ids.source = member;
    } else if (members.KeyIs("tool_call_id")) {
      ids.tool = member;
    } else if (members.KeyIs("subagent_trajectory_ref")) {
      result->subagent_refs = member.has_value() ? member : Raw{};
    } else if (members.KeyIs("extra")) {
      result->extra = member.has_value() ? member : Raw{};
    } else if (members.KeyIs("is_error")) {
      is_error = member;
    } else if (members.KeyIs("exit_code")) {
      exit_code = member;
    } else {
      others = true;
    }
  }
  result->is_error = BoolOf(is_error);
  result->holds_is_error = result->is_error.has_value();
  result->exit_code = IntOf(exit_code);
  result->holds_exit_code = result->exit_code.has_value();
  ReadIds(ids, arena, result);
  ReadExtraFlags(result->extra, result);
  result->has_more = others || (ids.source.has_value() && !result->holds_source_id) ||
                     (ids.tool.has_value() && !result->holds_tool_id) ||
                     (is_error.has_value() && !result->holds_is_error) ||
                     (exit_code.has_value() && !result->holds_exit_code);
}

/// True for a member of a result that AppendExtra has to carry.
bool IsLeftOver(const RawMembers& member, const ResultView& result) {
  if (member.KeyIs("content") || member.KeyIs("subagent_trajectory_ref") || member.KeyIs("extra")) {
    return false;
  }
  const bool known = member.KeyIs("source_call_id") || member.KeyIs("tool_call_id") ||
                     member.KeyIs("is_error") || member.KeyIs("exit_code");
  if (!known) {
    return true;
  }
  const bool held = (member.KeyIs("source_call_id") && result.holds_source_id) ||
                    (member.KeyIs("tool_call_id") && result.holds_tool_id) ||
                    (member.KeyIs("is_error") && result.holds_is_error) ||
                    (member.KeyIs("exit_code") && result.holds_exit_code);
  return !held && member.value().has_value();
}

void AppendCell(const Raw& raw, Arena& scratch, std::string& out) {
  out.append(json::CellText(raw, json::Surrogates::kReplace, scratch));
}

void AppendMember(const RawMembers& member, Arena& scratch, std::string& out) {
  if (out.back() != '{') {
    out.push_back(',');
  }
  const Raw key{member.quoted_key(), json::Kind::kString, member.value().flags};
  AppendCell(key, scratch, out);
  out.push_back(':');
  AppendCell(member.value(), scratch, out);
}

}  // namespace

std::string_view ResultLinkName(ResultLink link) {
  switch (link) {
    case ResultLink::kId:
      return "id";
    case ResultLink::kPosition:
      return "position";
    case ResultLink::kNone:
      return "none";
  }
  return "none";
}

void ObservationParser::Parse(const Turn& turn, Arena& arena) {
  results_.clear();
  any_id_ = false;
  dangling_ = 0;
  if (turn.observation.has_value()) {
    const Raw results = FindMember(turn.observation, "results");
    if (results.kind == json::Kind::kArray) {
      for (RawElements elements(results); elements.Next();) {
        AddResult(elements.value(), arena);
      }
      if (any_id_) {
        LinkIds(turn);
      } else {
        LinkPositions(turn);
      }
    } else {
      ResultView& whole = results_.emplace_back();
      whole.value = whole.content = turn.observation;
    }
  }
  AddInline(turn);
  IndexByCall(turn.calls.size());
}

void ObservationParser::IndexByCall(size_t calls) {
  unlinked_ = 0;
  first_of_call_.assign(calls, kNoResult);
  next_result_.resize(results_.size());
  for (uint32_t i = static_cast<uint32_t>(results_.size()); i-- > 0;) {
    if (results_[i].link != ResultLink::kId) {
      ++unlinked_;
      continue;
    }
    next_result_[i] = first_of_call_[results_[i].call];
    first_of_call_[results_[i].call] = i;
  }
}

void ObservationParser::AddResult(const Raw& value, Arena& arena) {
  ResultView& result = results_.emplace_back();
  result.value = value;
  if (value.kind != json::Kind::kObject) {
    result.content = value.has_value() ? value : Raw{};
    return;
  }
  ReadMembers(value, arena, &result);
  any_id_ |= result.call_id.has_value() && !result.call_id->empty();
}

void ObservationParser::LinkIds(const Turn& turn) {
  const std::vector<ToolCall>& calls = turn.calls;
  by_id_.resize(calls.size());
  taken_.assign(calls.size(), 0);
  for (uint32_t i = 0; i < by_id_.size(); ++i) {
    by_id_[i] = i;
  }
  std::sort(by_id_.begin(), by_id_.end(), [&calls](uint32_t a, uint32_t b) {
    return calls[a].id != calls[b].id ? calls[a].id < calls[b].id : a < b;
  });
  const auto id_of = [&calls](uint32_t call) { return calls[call].id; };
  for (ResultView& result : results_) {
    if (!result.call_id || result.call_id->empty()) {
      continue;
    }
    const auto [first, last] = std::ranges::equal_range(by_id_, *result.call_id, {}, id_of);
    if (first == last) {
      ++dangling_;
      continue;
    }
    uint32_t& taken = taken_[static_cast<size_t>(first - by_id_.begin())];
    const uint32_t surplus = static_cast<uint32_t>(last - first) - 1;
    result.link = ResultLink::kId;
    result.call = *(first + std::min(taken, surplus));
    ++taken;
  }
}

void ObservationParser::LinkPositions(const Turn& turn) {
  if (results_.size() != turn.calls.size()) {
    return;
  }
  for (uint32_t i = 0; i < results_.size(); ++i) {
    results_[i].link = ResultLink::kPosition;
    results_[i].call = i;
  }
}

void ObservationParser::AddInline(const Turn& turn) {
  for (uint32_t i = 0; i < turn.calls.size(); ++i) {
    const Raw& value = turn.calls[i].result;
    if (!value.has_value()) {
      continue;
    }
    ResultView& result = results_.emplace_back();
    result.value = result.content = value;
    result.is_inline = true;
    result.link = ResultLink::kId;
    result.call = i;
    result.is_error = BoolOf(FindMember(value, "is_error"));
    result.exit_code = IntOf(FindMember(value, "exit_code"));
    result.holds_is_error = result.is_error.has_value();
    result.holds_exit_code = result.exit_code.has_value();
    if (!result.holds_is_error || !result.holds_exit_code) {
      ReadExtraFlags(FindMember(value, "extra"), &result);
    }
  }
}

void AppendExtra(const ResultView& result, Arena& scratch, std::string& out) {
  if (!result.has_more) {
    if (result.extra.has_value()) {
      AppendCell(result.extra, scratch, out);
    }
    return;
  }
  out.push_back('{');
  if (result.extra.kind == json::Kind::kObject) {
    for (RawMembers members(result.extra); members.Next();) {
      AppendMember(members, scratch, out);
    }
  } else if (result.extra.has_value()) {
    out.append("\"extra\":");
    AppendCell(result.extra, scratch, out);
  }
  for (RawMembers members(result.value); members.Next();) {
    if (IsLeftOver(members, result)) {
      AppendMember(members, scratch, out);
    }
  }
  out.push_back('}');
}

CallFacts ObservationParser::Facts(const ToolCall& call, uint32_t index) const {
  CallFacts facts;
  const auto state_error = [&facts](std::optional<bool> stated) {
    if (stated) {
      facts.is_error = *stated || facts.is_error.value_or(false);
    }
  };
  state_error(call.is_error);
  state_error(BoolOf(FindMember(call.extra, "is_error")));
  facts.exit_code = IntOf(FindMember(call.response, "exit_code"));
  for (uint32_t i = FirstOf(index); i != kNoResult; i = next_result_[i]) {
    ++facts.result_count;
    state_error(results_[i].is_error);
    if (!facts.exit_code) {
      facts.exit_code = results_[i].exit_code;
    }
  }
  return facts;
}

void ObservationParser::AppendResults(uint32_t call, Arena& scratch, std::string& out) const {
  out.push_back('[');
  bool any = false;
  for (uint32_t i = FirstOf(call); i != kNoResult; i = next_result_[i]) {
    if (results_[i].is_inline) {
      continue;
    }
    if (any) {
      out.push_back(',');
    }
    AppendCell(results_[i].value, scratch, out);
    any = true;
  }
  out.push_back(']');
}

bool ObservationParser::AppendText(uint32_t call, Arena& scratch, std::string& out) const {
  bool any = false;
  for (uint32_t i = FirstOf(call); i != kNoResult; i = next_result_[i]) {
    if (!results_[i].content.present()) {
      continue;
    }
    if (const auto text = MessageText(results_[i].content, scratch)) {
      if (any) {
        out.append("\n\n");
      }
      out.append(*text);
      any = true;
    }
  }
  return any;
}

}  // namespace pchronicle::model
