#include "pchronicle/model/step_metrics.h"

#include <charconv>
#include <cmath>

#include "pchronicle/model/raw_walk.h"

namespace pchronicle::model {
namespace {

using json::Raw;

/// Non-negative integer, or nothing with a note.
std::optional<int64_t> ReadCount(const Raw& raw, std::string_view pointer,
                                 std::vector<BadMetric>* bad) {
  if (!raw.has_value()) {
    return std::nullopt;
  }
  int64_t value;
  if (raw.kind == json::Kind::kNumber && json::ToInt64(raw, &value) && value >= 0) {
    return value;
  }
  bad->push_back({pointer, raw});
  return std::nullopt;
}

std::optional<double> ReadNumber(const Raw& raw, std::string_view pointer,
                                 std::vector<BadMetric>* bad) {
  if (!raw.has_value()) {
    return std::nullopt;
  }
  double value;
  if (raw.kind == json::Kind::kNumber && json::ToDouble(raw, &value)) {
    return value;
  }
  bad->push_back({pointer, raw});
  return std::nullopt;
}

std::optional<double> ReadCost(const Raw& raw, std::string_view pointer,
                               std::vector<BadMetric>* bad) {
  std::optional<double> cost = ReadNumber(raw, pointer, bad);
  if (cost && *cost < 0) {
    bad->push_back({pointer, raw});
    cost.reset();
  }
  return cost;
}

/// Members as they stand; what a typed value is made of.
struct Members {
  Raw prompt, prompt_len, completion, completion_len, cached, cost, reward, step_reward, extra;
};

bool TakeCount(const RawMembers& member, Members* found) {
  const std::string_view key = member.key_text();
  const bool escaped = key.find('\\') != std::string_view::npos;
  const auto take = [&](std::string_view name, Raw* slot) {
    if (escaped ? member.KeyIs(name) : key == name) {
      *slot = member.value();
      return true;
    }
    return false;
  };
  return take("prompt_tokens", &found->prompt) || take("completion_tokens", &found->completion) ||
         take("cached_tokens", &found->cached) || take("cost_usd", &found->cost) ||
         take("prompt_tokens_len", &found->prompt_len) ||
         take("completion_tokens_len", &found->completion_len) || take("reward", &found->reward) ||
         take("step_reward", &found->step_reward) || take("extra", &found->extra);
}

bool TakeLane(const RawMembers& member, StepMetrics* out) {
  const Raw value = member.value().has_value() ? member.value() : Raw{};
  if (member.KeyIs("prompt_token_ids")) {
    out->prompt_token_ids = value;
  } else if (member.KeyIs("completion_token_ids")) {
    out->completion_token_ids = value;
  } else if (member.KeyIs("logprobs")) {
    out->logprobs = value;
  } else {
    return false;
  }
  return true;
}

/// First number of the three places; every other value there is a bad one.
std::optional<double> ReadReward(const Members& found, std::vector<BadMetric>* bad) {
  std::optional<double> reward = ReadNumber(found.reward, "/reward", bad);
  if (!reward) {
    reward = ReadNumber(found.step_reward, "/step_reward", bad);
  }
  if (!reward) {
    reward = ReadNumber(FindMember(found.extra, "reward"), "/extra/reward", bad);
  }
  return reward;
}

const Raw& Either(const Raw& first, const Raw& second) {
  return first.has_value() ? first : second;
}

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Parses the elements of an array of plain integers; false at anything else.
bool ParseTokenIds(std::string_view text, columnar::Column& out) {
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  const auto skip = [&] {
    while (at < end && IsBlank(*at)) {
      ++at;
    }
  };
  skip();
  if (at == end) {
    return true;
  }
  while (true) {
    uint64_t value = 0;
    const char* const begin = at;
    while (at < end && IsDigit(*at) && at - begin < 19) {
      value = value * 10 + static_cast<uint64_t>(*at - '0');
      ++at;
    }
    const bool whole = at > begin && (at == end || !IsDigit(*at)) && value <= INT64_MAX;
    if (!whole) {
      return false;
    }
    skip();
    if (at < end && *at != ',') {
      return false;
    }
    out.AppendInt(static_cast<int64_t>(value));
    if (at == end) {
      return true;
    }
    ++at;
    skip();
  }
}

/// One element of a logprob lane: a number, null, or an object with the number.
bool AppendLogprob(Raw element, columnar::Column& out) {
  if (element.kind == json::Kind::kObject) {
    element = FindMember(element, "logprob");
    if (!element.present()) {
      return false;
    }
  }
  if (element.kind == json::Kind::kNull) {
    out.AppendNull();
    return true;
  }
  if (element.kind != json::Kind::kNumber) {
    return false;
  }
  double value;
  const char* const end = element.text.data() + element.text.size();
  const auto [stop, error] = std::from_chars(element.text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    // Underflow and overflow are from_chars errors; the reader of numbers knows which of them is a
    // value.
    if (!json::ToDouble(element, &value)) {
      return false;
    }
  }
  if (!std::isfinite(value)) {
    return false;
  }
  out.AppendDouble(value);
  return true;
}

void AddCount(std::optional<int64_t> from, std::optional<int64_t>* to) {
  if (!from) {
    return;
  }
  int64_t sum;
  *to = __builtin_add_overflow(to->value_or(0), *from, &sum) ? INT64_MAX : sum;
}

}  // namespace

void ReadStepMetrics(const Raw& metrics, uint32_t wanted, StepMetrics* out) {
  std::vector<BadMetric> bad = std::move(out->bad);
  *out = StepMetrics{};
  bad.clear();
  out->bad = std::move(bad);
  if (wanted == 0 || !metrics.has_value()) {
    return;
  }
  if (metrics.kind != json::Kind::kObject) {
    out->bad.push_back({"", metrics});
    return;
  }
  Members found;
  const bool lanes = (wanted & kTokenLanes) != 0;
  for (RawMembers members(metrics); members.Next();) {
    if (!TakeCount(members, &found) && lanes) {
      TakeLane(members, out);
    }
  }
  if (wanted & kPromptTokens) {
    out->prompt_tokens =
        ReadCount(Either(found.prompt, found.prompt_len),
                  found.prompt.has_value() ? "/prompt_tokens" : "/prompt_tokens_len", &out->bad);
  }
  if (wanted & kCompletionTokens) {
    out->completion_tokens = ReadCount(
        Either(found.completion, found.completion_len),
        found.completion.has_value() ? "/completion_tokens" : "/completion_tokens_len", &out->bad);
  }
  if (wanted & kCachedTokens) {
    out->cached_tokens = ReadCount(found.cached, "/cached_tokens", &out->bad);
  }
  if (wanted & kCostUsd) {
    out->cost_usd = ReadCost(found.cost, "/cost_usd", &out->bad);
  }
  if (wanted & kReward) {
    out->reward = ReadReward(found, &out->bad);
  }
}

bool AppendTokenIds(const Raw& ids, columnar::Column& column) {
  if (!ids.has_value()) {
    column.AppendNull();
    return true;
  }
  columnar::Column& element = column.element();
  const size_t before = element.size();
  if (ids.kind == json::Kind::kArray && ids.text.size() >= 2 && ParseTokenIds(ids.text, element)) {
    column.CloseList();
    return true;
  }
  element.Truncate(before);
  column.AppendNull();
  return false;
}

bool AppendLogprobs(const Raw& logprobs, columnar::Column& column) {
  if (!logprobs.has_value()) {
    column.AppendNull();
    return true;
  }
  columnar::Column& element = column.element();
  const size_t before = element.size();
  bool good = logprobs.kind == json::Kind::kArray;
  for (RawElements elements(logprobs); good && elements.Next();) {
    good = AppendLogprob(elements.value(), element);
  }
  if (good) {
    column.CloseList();
    return true;
  }
  element.Truncate(before);
  column.AppendNull();
  return false;
}

void Totals::Add(const Totals& other) {
  AddCount(other.prompt_tokens, &prompt_tokens);
  AddCount(other.completion_tokens, &completion_tokens);
  AddCount(other.cached_tokens, &cached_tokens);
  if (other.cost_usd) {
    cost_usd = cost_usd.value_or(0) + *other.cost_usd;
  }
}

Totals ReadReportedTotals(const Raw& final_metrics, std::vector<BadMetric>* bad) {
  Totals totals;
  if (final_metrics.kind != json::Kind::kObject) {
    if (final_metrics.has_value()) {
      bad->push_back({"", final_metrics});
    }
    return totals;
  }
  Members found;
  for (RawMembers members(final_metrics); members.Next();) {
    if (members.KeyIs("total_prompt_tokens")) {
      found.prompt = members.value();
    } else if (members.KeyIs("total_completion_tokens")) {
      found.completion = members.value();
    } else if (members.KeyIs("total_cached_tokens")) {
      found.cached = members.value();
    } else if (members.KeyIs("total_cost_usd")) {
      found.cost = members.value();
    }
  }
  totals.prompt_tokens = ReadCount(found.prompt, "/total_prompt_tokens", bad);
  totals.completion_tokens = ReadCount(found.completion, "/total_completion_tokens", bad);
  totals.cached_tokens = ReadCount(found.cached, "/total_cached_tokens", bad);
  totals.cost_usd = ReadCost(found.cost, "/total_cost_usd", bad);
  return totals;
}

Totals TotalsOf(const StepMetrics& metrics) {
  return {metrics.prompt_tokens, metrics.completion_tokens, metrics.cached_tokens,
          metrics.cost_usd};
}

}  // namespace pchronicle::model
