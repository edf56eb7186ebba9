#include "pchronicle/model/actf/prompt_pairs.h"

#include "pchronicle/model/compose.h"

namespace pchronicle::model::actf {
namespace {

std::string_view TextOf(const json::Raw& raw) {
  return PromptPair::HasText(raw) ? raw.text : std::string_view();
}

json::Raw SideOf(std::string_view text, uint8_t flags) {
  return text.empty() ? json::Raw() : json::Raw{text, json::Kind::kString, flags};
}

}  // namespace

void PromptPairs::Reset() {
  has_baseline_ = false;
  system_.clear();
  user_.clear();
}

PromptPairs::Verdict PromptPairs::Judge(const PromptPair& pair) {
  if (pair.empty()) {
    return has_baseline_ ? Verdict::kCleared : Verdict::kUndecided;
  }
  if (!has_baseline_) {
    has_baseline_ = true;
    system_.assign(TextOf(pair.system));
    user_.assign(TextOf(pair.user));
    flags_ = pair.system.flags | pair.user.flags;
    return Verdict::kSame;
  }
  return EqualsBaseline(pair) ? Verdict::kSame : Verdict::kOwn;
}

/// Equal as strings: the same characters may be escaped in two ways.
bool PromptPairs::EqualsBaseline(const PromptPair& pair) {
  const auto same = [this](const json::Raw& side, const std::string& baseline) {
    const std::string_view text = TextOf(side);
    if (text == baseline) {
      return true;
    }
    if (text.empty() || baseline.empty() || ((side.flags | flags_) & json::kHasEscapes) == 0) {
      return false;
    }
    scratch_.Reset();
    return json::DecodeString(side, scratch_) ==
           json::DecodeString(json::Raw{baseline, json::Kind::kString, flags_}, scratch_);
  };
  return same(pair.system, system_) && same(pair.user, user_);
}

json::Raw PromptPairs::Root(Arena& arena) const {
  return has_baseline_ ? Object({SideOf(system_, flags_), SideOf(user_, flags_)}, arena)
                       : json::Raw();
}

json::Raw PromptPairs::Object(const PromptPair& pair, Arena& arena) {
  ObjectComposer prompt(arena);
  prompt.Add("system", PromptPair::HasText(pair.system) ? pair.system : json::Raw());
  prompt.Add("user", PromptPair::HasText(pair.user) ? pair.user : json::Raw());
  return prompt.Finish();
}

json::Raw PromptPairs::Clear() { return {R"({"system":"","user":""})", json::Kind::kObject, 0}; }

}  // namespace pchronicle::model::actf
