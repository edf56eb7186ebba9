#include <algorithm>

#include "pchronicle/app/find/expression_parser.h"
#include "pchronicle/app/find/find.h"
#include "pchronicle/base/terminal_text.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::app {
namespace {

constexpr size_t kShownCharacters = 60;

Status CheckId(std::string_view name, const std::optional<std::string>& id) {
  if (!id || (!id->empty() && id->size() <= kMaxFindIdBytes && json::IsValidUtf8(*id))) {
    return Status::Ok();
  }
  return Status::InvalidArgument("{} takes 1 to {} bytes of UTF-8", name, kMaxFindIdBytes);
}

Status CheckSource(const std::string& source) {
  const auto refuse = [](std::string_view why) {
    return Status::InvalidArgument(
        "--source takes a path relative to the Dataset, as `pchronicle ls` prints it: {}", why);
  };
  if (source.find('\0') != std::string::npos) {
    return refuse("it has a NUL byte");
  }
  if (source.front() == '/') {
    return refuse("it starts with '/'");
  }
  if (source.find("://") != std::string::npos) {
    return refuse("it is a URI");
  }
  if (source.front() == ' ' || source.back() == ' ') {
    return refuse("it has blanks around it");
  }
  for (size_t begin = 0; begin <= source.size();) {
    const size_t end = std::min(source.find('/', begin), source.size());
    if (source.substr(begin, end - begin) == "..") {
      return refuse("it has '..'");
    }
    begin = end + 1;
  }
  return Status::Ok();
}

Status CheckIdentity(const FindOptions& options) {
  PCHRONICLE_RETURN_IF_ERROR(CheckId("--run-id", options.run_id));
  PCHRONICLE_RETURN_IF_ERROR(CheckId("--document-id", options.document_id));
  PCHRONICLE_RETURN_IF_ERROR(CheckId("--session-id", options.session_id));
  PCHRONICLE_RETURN_IF_ERROR(CheckId("--source", options.source));
  if (options.source) {
    PCHRONICLE_RETURN_IF_ERROR(CheckSource(*options.source));
  }
  const int identities =
      (options.run_id ? 1 : 0) + (options.document_id ? 1 : 0) + (options.session_id ? 1 : 0);
  if (identities > 1) {
    return Status::InvalidArgument("--run-id, --document-id and --session-id exclude each other");
  }
  if (options.step_id && !options.session_id) {
    return Status::InvalidArgument("--step-id needs --session-id");
  }
  if (identities == 0 && options.matches.empty()) {
    return Status::InvalidArgument(
        "nothing to look for; give --run-id, --document-id, --session-id or --match");
  }
  return Status::Ok();
}

// An error of one of the expressions: which one, as it was typed.
Status InMatch(const Status& status, std::string_view match) {
  const std::string_view shown = CutCharacters(match, kShownCharacters);
  return status.WithContext(
      fmt::format("--match '{}{}'", shown, shown.size() < match.size() ? "…" : ""));
}

Result<FindExpression> ParseMatch(const std::string& match) {
  if (match.size() > kMaxMatchBytes) {
    return InMatch(Status::ResourceExhausted(
                       "{} bytes are more than max_match_bytes {}; give several --match, all of "
                       "which must hold",
                       match.size(), kMaxMatchBytes),
                   match);
  }
  Result<FindExpression> expression = ParseFindExpression(match);
  if (!expression.ok()) {
    return InMatch(expression.status(), match);
  }
  return expression;
}

model::Relation RelationOf(FindScope scope) {
  return scope == FindScope::kRuns ? model::Relation::kTrajectories : model::Relation::kSteps;
}

std::string_view ModeOf(const FindExpression& match) {
  if (!HasText(match)) {
    return "json";
  }
  return HasJson(match) ? "scan+json" : "scan";
}

}  // namespace

Result<FindPlan> PlanFind(FindOptions options) {
  PCHRONICLE_RETURN_IF_ERROR(CheckIdentity(options));
  if (options.max_results == 0) {
    return Status::InvalidArgument("--max-results must be at least 1");
  }
  if (options.matches.size() > kMaxFindMatches) {
    return Status::ResourceExhausted("{} --match are more than max_matches {}",
                                     options.matches.size(), kMaxFindMatches);
  }
  FindPlan plan;
  plan.options = std::move(options);
  plan.mode = "identity";
  plan.scope = plan.options.step_id ? FindScope::kSteps : FindScope::kRuns;
  if (plan.options.matches.empty()) {
    return plan;
  }
  std::vector<FindExpression> expressions;
  for (const std::string& match : plan.options.matches) {
    PCHRONICLE_ASSIGN_OR_RETURN(FindExpression expression, ParseMatch(match));
    if (ScopeOf(expression) == FindScope::kSteps) {
      plan.scope = FindScope::kSteps;
    }
    expressions.push_back(std::move(expression));
  }
  const model::Relation relation = RelationOf(plan.scope);
  for (size_t i = 0; i < expressions.size(); ++i) {
    if (const auto own = FindMatcher::Create(expressions[i], plan.scope, relation); !own.ok()) {
      return InMatch(own.status(), plan.options.matches[i]);
    }
  }
  plan.match = AllOf(std::move(expressions));
  plan.mode = ModeOf(*plan.match);
  PCHRONICLE_ASSIGN_OR_RETURN(plan.matcher, FindMatcher::Create(*plan.match, plan.scope, relation));
  return plan;
}

}  // namespace pchronicle::app
