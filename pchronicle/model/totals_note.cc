#include "pchronicle/model/totals_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pchronicle::model {
namespace {

bool Same(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  return !a || !b || *a == *b;
}

/// Sums of doubles depend on the order of adding; a billionth apart is the same cost.
bool Same(const std::optional<double>& a, const std::optional<double>& b) {
  return !a || !b || std::abs(*a - *b) <= 1e-9 * std::max({std::abs(*a), std::abs(*b), 1e-9});
}

/// Equal wherever both sides have a number.
bool Agree(const Totals& a, const Totals& b) {
  return Same(a.prompt_tokens, b.prompt_tokens) && Same(a.completion_tokens, b.completion_tokens) &&
         Same(a.cached_tokens, b.cached_tokens) && Same(a.cost_usd, b.cost_usd);
}

/// Both sides have one of the numbers.
bool Comparable(const Totals& a, const Totals& b) {
  return (a.prompt_tokens && b.prompt_tokens) || (a.completion_tokens && b.completion_tokens) ||
         (a.cached_tokens && b.cached_tokens) || (a.cost_usd && b.cost_usd);
}

std::string Count(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// How the producer's numbers relate to ours.
std::string_view DescribeReported(const TotalsFacts& facts) {
  if (!facts.reported.any()) {
    return "";
  }
  if (!Comparable(facts.reported, facts.total)) {
    return "no step states the numbers that are reported";
  }
  const bool subagents_count = facts.total != facts.own;
  if (Comparable(facts.reported, facts.own) && Agree(facts.reported, facts.own)) {
    return subagents_count ? "reported leaves the subagents out" : "";
  }
  if (Agree(facts.reported, facts.total)) {
    return "reported includes the subagents";
  }
  return subagents_count ? "reported equals neither own nor total"
                         : "reported differs from the sum of the steps";
}

}  // namespace

std::string DescribeTotals(const TotalsFacts& facts) {
  std::string note;
  const auto add = [&note](std::string_view part) {
    if (!part.empty()) {
      note.append(note.empty() ? "" : "; ").append(part);
    }
  };
  if (facts.total != facts.own) {
    add(fmt::format("total includes {}", Count(facts.descendants, "subagent run")));
  }
  if (facts.copied_steps > 0) {
    add(fmt::format("{} counted in none of own and total",
                    Count(facts.copied_steps, "copied step")));
  }
  add(DescribeReported(facts));
  if (facts.sidecar.any() && !Agree(facts.sidecar, facts.reported)) {
    add("the trial result reports other numbers");
  }
  if (facts.unresolved_references > 0) {
    add(fmt::format("{} not found", Count(facts.unresolved_references, "subagent reference")));
  }
  return note;
}

}  // namespace pchronicle::model
