#include <algorithm>

#include "pchronicle/base/timestamp.h"
#include "pchronicle/catalog/file_input.h"
#include "pchronicle/catalog/harbor.h"
#include "pchronicle/catalog/resolve.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::catalog {
namespace {

using json::Kind;
using json::Raw;
using model::FindMember;
using model::RawMembers;

constexpr uint64_t kMaxSidecarBytes = 256ULL << 20;

/// Reads a pinned sidecar whole.
Result<std::string> ReadPinned(const CatalogDataset& dataset, const io::Entry& entry,
                               const Context& context) {
  if (entry.size > kMaxSidecarBytes) {
    return Status::InvalidArgument("{} bytes are too many for a sidecar", entry.size);
  }
  Revision revision;
  revision.entry = entry;
  const FileInput input(dataset.store, entry.path, revision);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto source, ContextInput(input, context).Open(0));
  std::string text(static_cast<size_t>(entry.size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t got, source->Read(std::span(text).subspan(done)));
    if (got == 0) {
      break;
    }
    done += got;
  }
  text.resize(done);
  return text;
}

Result<Raw> ParseJson(std::string_view text) {
  json::Cursor cursor(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text);
  Raw raw;
  if (!cursor.Capture(&raw)) {
    return cursor.ok() ? Status::InvalidArgument("empty") : cursor.status();
  }
  if (!cursor.AtEnd()) {
    return Status::InvalidArgument("trailing data after JSON document");
  }
  return raw;
}

bool IsDecimal(std::string_view text) {
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

/// Fills one HarborSidecar from its files.
class SidecarLoader {
 public:
  SidecarLoader(const CatalogDataset& dataset, const HarborPlace& place, const Context& context)
      : dataset_(dataset),
        place_(place),
        context_(context),
        sidecar_(std::make_shared<HarborSidecar>()) {}

  Result<std::shared_ptr<const HarborSidecar>> Load() {
    sidecar_->texts_.reserve(4);  // raw values point into the strings: they must not move
    sidecar_->whole_ = place_.is_main || place_.role == HarborPlace::Role::kTrialResult;
    PCHRONICLE_ASSIGN_OR_RETURN(Raw result, ReadResult(place_.result));
    const bool own_result = result.has_value();
    if (!own_result) {
      PCHRONICLE_ASSIGN_OR_RETURN(result, ReadResult(place_.trial_result));
    }
    // A trial's reward is no step's, unless the trial is that step (HAR-10).
    const bool outcome_counts = own_result || place_.only_step;
    if (result.has_value()) {
      sidecar_->is_trial_ = true;
      ReadNames(result);
      if (outcome_counts) {
        ReadTimes(result);
        ReadException(FindMember(result, "exception_info"));
        ReadAgentResult(FindMember(result, "agent_result"));
      }
    }
    PCHRONICLE_RETURN_IF_ERROR(ReadReward(outcome_counts ? result : Raw()));
    BuildTask();
    BuildHarbor(result);
    return std::shared_ptr<const HarborSidecar>(std::move(sidecar_));
  }

 private:
  /// The trial result at `entry`; absent when there is none, or it is none.
  Result<Raw> ReadResult(const std::optional<io::Entry>& entry) {
    PCHRONICLE_ASSIGN_OR_RETURN(const Raw raw, ReadFile(entry, /*json=*/true));
    const bool trial =
        FindMember(raw, "task_name").is_string() &&
        (FindMember(raw, "trial_name").present() || FindMember(raw, "agent_info").present() ||
         FindMember(raw, "verifier_result").present());
    return trial ? raw : Raw();
  }

  /// Content of one sidecar. A broken one is noted and counts as absent; one that changed is the
  /// query's error (CAT-18).
  Result<Raw> ReadFile(const std::optional<io::Entry>& entry, bool json) {
    if (!entry) {
      return Raw();
    }
    auto text = ReadPinned(dataset_, *entry, context_);
    if (!text.ok()) {
      if (text.status().code() == StatusCode::kConflict || !context_.Check().ok()) {
        return text.status();
      }
      sidecar_->broken_.push_back({entry->path, text.status().message()});
      return Raw();
    }
    sidecar_->texts_.push_back(std::move(text).value());
    const std::string& kept = sidecar_->texts_.back();
    auto raw = ParseJson(json ? std::string_view(kept) : Trim(kept));
    if (!raw.ok() || (!json && (raw->kind != Kind::kNumber || !IsDecimal(raw->text)))) {
      sidecar_->broken_.push_back(
          {entry->path, raw.ok() ? "not one number" : raw.status().message()});
      return Raw();
    }
    return *raw;
  }

  model::Text TextOf(const Raw& raw) {
    return raw.is_string() ? model::Text(json::DecodeString(raw, sidecar_->arena_)) : std::nullopt;
  }

  void ReadNames(const Raw& result) {
    sidecar_->trial_name_ = TextOf(FindMember(result, "trial_name"));
    sidecar_->task_name_ = TextOf(FindMember(result, "task_name"));
    sidecar_->job_id_ = TextOf(FindMember(FindMember(result, "config"), "job_id"));
    sidecar_->agent_info_ = FindMember(result, "agent_info");
  }

  model::Timestamp TimeOf(const Raw& raw) {
    model::Timestamp timestamp;
    if (raw.is_string()) {
      timestamp.scalar = raw;
      if (const auto instant = ParseTimestampText(json::DecodeString(raw, sidecar_->arena_));
          instant.ok()) {
        timestamp.nanoseconds = instant->nanoseconds;
      }
    }
    return timestamp;
  }

  void ReadTimes(const Raw& result) {
    const Raw execution = FindMember(result, "agent_execution");
    const auto pick = [&](std::string_view name) {
      const Raw own = FindMember(execution, name);
      return TimeOf(own.has_value() ? own : FindMember(result, name));
    };
    sidecar_->started_at_ = pick("started_at");
    sidecar_->finished_at_ = pick("finished_at");
  }

  void ReadException(const Raw& info) {
    if (info.kind != Kind::kObject) {
      return;
    }
    sidecar_->has_outcome_ = true;
    sidecar_->outcome_.has_exception = true;
    sidecar_->outcome_.error_kind = TextOf(FindMember(info, "exception_type"));
    sidecar_->outcome_.error_message = TextOf(FindMember(info, "exception_message"));
    traceback_ = FindMember(info, "exception_traceback");
  }

  void ReadAgentResult(const Raw& result) {
    if (result.kind != Kind::kObject) {
      return;
    }
    const auto integer = [&result](std::string_view name) {
      int64_t value = 0;
      return json::ToInt64(FindMember(result, name), &value) && value >= 0 ? std::optional(value)
                                                                           : std::nullopt;
    };
    model::SidecarOutcome& outcome = sidecar_->outcome_;
    outcome.prompt_tokens = integer("n_input_tokens");
    outcome.completion_tokens = integer("n_output_tokens");
    outcome.cached_tokens = integer("n_cache_tokens");
    double cost = 0;
    if (json::ToDouble(FindMember(result, "cost_usd"), &cost)) {
      outcome.cost_usd = cost;
    }
    sidecar_->has_outcome_ = true;
    std::string kept = "{";
    for (RawMembers members(result); members.Next();) {
      if (members.KeyIs("rollout_details")) {
        sidecar_->rollout_details_ = members.value();
      } else {
        kept += kept.size() > 1 ? "," : "";
        kept += members.quoted_key();
        kept += ':';
        kept += members.value().text;
      }
    }
    sidecar_->agent_result_ = json::RawFromText(sidecar_->arena_.Copy(kept + "}"));
    for (model::RawElements details(sidecar_->rollout_details_); details.Next();) {
      AddCalls(details.value());
    }
  }

  /// One list of lists per kind of tokens; the shorter ones leave the rest of a call empty
  /// (HAR-13).
  void AddCalls(const Raw& details) {
    model::RawElements prompt(FindMember(details, "prompt_token_ids"));
    model::RawElements completion(FindMember(details, "completion_token_ids"));
    model::RawElements logprobs(FindMember(details, "logprobs"));
    const auto list = [](model::RawElements& elements) {
      return elements.Next() && elements.value().kind == Kind::kArray ? elements.value() : Raw();
    };
    while (true) {
      HarborSidecar::ModelCall call{list(prompt), list(completion), list(logprobs)};
      if (!call.prompt_token_ids.present() && !call.completion_token_ids.present() &&
          !call.logprobs.present()) {
        return;
      }
      sidecar_->calls_.push_back(call);
    }
  }

  /// The first place that has rewards (HAR-04).
  Status ReadReward(const Raw& result) {
    const Raw rewards = FindMember(FindMember(result, "verifier_result"), "rewards");
    if (TakeRewards(rewards, "result.json:/verifier_result/rewards")) {
      return Status::Ok();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Raw json_file, ReadFile(place_.reward_json, true));
    if (TakeRewards(json_file, "verifier/reward.json:")) {
      return Status::Ok();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const Raw text_file, ReadFile(place_.reward_text, false));
    TakeRewards(text_file, "verifier/reward.txt:");
    return Status::Ok();
  }

  bool TakeRewards(const Raw& rewards, std::string_view place) {
    if (rewards.kind == Kind::kNumber) {
      // One number alone: the file is its place.
      SetScore(rewards, place.substr(0, place.size() - 1));
      rewards_ = sidecar_->arena_.Copy(fmt::format(R"({{"reward":{}}})", rewards.text));
      return true;
    }
    if (rewards.kind != Kind::kObject) {
      return false;
    }
    Raw named, only;
    std::string_view only_key;
    size_t numbers = 0, members_seen = 0;
    for (RawMembers members(rewards); members.Next(); ++members_seen) {
      if (members.value().kind == Kind::kNumber) {
        ++numbers;
        only = members.value();
        only_key = members.key_text();
        if (members.KeyIs("reward")) {
          named = members.value();
        }
      }
    }
    if (members_seen == 0) {
      return false;
    }
    rewards_ = json::CellText(rewards, json::Surrogates::kKeep, sidecar_->arena_);
    sidecar_->outcome_.has_reward = numbers > 0;
    if (named.present()) {
      SetScore(named, fmt::format("{}/reward", place));
    } else if (numbers == 1) {
      SetScore(only, fmt::format("{}/{}", place, only_key));
    }
    sidecar_->has_outcome_ = sidecar_->has_outcome_ || numbers > 0;
    return true;
  }

  void SetScore(const Raw& number, std::string_view source) {
    double score = 0;
    if (!json::ToDouble(number, &score)) {
      return;
    }
    score_ = number;
    model::SidecarOutcome& outcome = sidecar_->outcome_;
    outcome.score = score;
    if (score == 1 || score == 0) {
      outcome.success = score == 1;
    }
    outcome.outcome_source = sidecar_->arena_.Copy(source);
    outcome.has_reward = true;
    sidecar_->has_outcome_ = true;
  }

  static std::string Quoted(std::string_view text) {
    std::string quoted;
    json::AppendQuoted(text, quoted);
    return quoted;
  }

  static void Append(std::string_view key, std::string_view value, std::string& object) {
    if (!value.empty()) {
      object += object.ends_with('{') ? "" : ",";
      object += Quoted(key) + ":";
      object += value;
    }
  }

  static std::string QuotedOrNone(const model::Text& text) {
    return text ? Quoted(*text) : std::string();
  }

  void BuildTask() {
    std::string env = "{";
    Append("id", QuotedOrNone(sidecar_->trial_name_), env);
    Append("name", QuotedOrNone(sidecar_->task_name_), env);
    std::string result = "{";
    const model::SidecarOutcome& outcome = sidecar_->outcome_;
    Append("correct", outcome.success ? (*outcome.success ? "true" : "false") : "", result);
    Append("score", score_.text, result);
    Append("rewards", rewards_, result);
    std::string task = "{";
    Append("env", env.size() > 1 ? env + "}" : "", task);
    Append("result", result.size() > 1 ? result + "}" : "", task);
    sidecar_->task_ = sidecar_->arena_.Copy(task + "}");
  }

  void BuildHarbor(const Raw& result) {
    std::string harbor = "{";
    const auto member = [&](std::string_view name) {
      const Raw value = FindMember(result, name);
      return value.has_value() ? json::CellText(value, json::Surrogates::kKeep, sidecar_->arena_)
                               : std::string_view();
    };
    for (const std::string_view name : {"task_name", "trial_name", "task_checksum", "source"}) {
      Append(name, member(name), harbor);
    }
    std::string timings = "{";
    for (const std::string_view name :
         {"environment_setup", "agent_setup", "agent_execution", "verifier"}) {
      Append(name, member(name), timings);
    }
    Append("timings", timings.size() > 1 ? timings + "}" : "", harbor);
    Append("agent_info", member("agent_info"), harbor);
    if (traceback_.has_value()) {
      Append("exception_traceback", traceback_.text, harbor);
    }
    sidecar_->harbor_ = sidecar_->arena_.Copy(harbor);
  }

  const CatalogDataset& dataset_;
  const HarborPlace& place_;
  const Context& context_;
  std::shared_ptr<HarborSidecar> sidecar_;
  Raw traceback_;
  Raw score_;
  std::string_view rewards_;
};

Result<std::shared_ptr<const HarborSidecar>> LoadHarborSidecar(const CatalogDataset& dataset,
                                                               const HarborPlace& place,
                                                               const Context& context) {
  return SidecarLoader(dataset, place, context).Load();
}

}  // namespace pchronicle::catalog
