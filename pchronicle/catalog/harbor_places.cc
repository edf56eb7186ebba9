#include "pchronicle/catalog/harbor_places.h"

#include <algorithm>

namespace pchronicle::catalog {
namespace {

std::string_view Parent(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string Join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

class Places {
 public:
  explicit Places(Discovery& discovery) : discovery_(discovery) {}

  void Assign() {
    for (Source& source : discovery_.sources) {
      if (source.kind != SourceKind::kFile || !source.error.ok() ||
          !source.ignored_reason.empty()) {
        continue;
      }
      if (BaseName(source.file) == "result.json") {
        source.harbor = ForResult(source);
      } else if (const size_t agent = AgentFolder(source.file); agent != std::string_view::npos) {
        source.harbor = ForAgentFile(source, std::string_view(source.file).substr(0, agent));
      }
    }
  }

 private:
  /// Length of `<trial>` in `<trial>/agent/...`; npos when there is no such part.
  static size_t AgentFolder(std::string_view file) {
    if (file.starts_with("agent/")) {
      return 0;
    }
    return file.find("/agent/");
  }

  const Source* Find(std::string_view file) const {
    const auto it =
        std::lower_bound(discovery_.sources.begin(), discovery_.sources.end(), file,
                         [](const Source& source, std::string_view f) { return source.file < f; });
    return it != discovery_.sources.end() && it->file == file ? &*it : nullptr;
  }

  std::optional<io::Entry> EntryOf(const std::string& file) const {
    const Source* source = Find(file);
    return source != nullptr && source->error.ok() ? std::optional(source->revision.entry)
                                                   : std::nullopt;
  }

  std::optional<io::Entry> RewardText(std::string_view trial) const {
    const std::string path = Join(trial, "verifier/reward.txt");
    const auto it = std::lower_bound(
        discovery_.rewards.begin(), discovery_.rewards.end(), path,
        [](const io::Entry& entry, const std::string& p) { return entry.path < p; });
    return it != discovery_.rewards.end() && it->path == path ? std::optional(*it) : std::nullopt;
  }

  /// `_file_`s of readable files below a folder.
  std::vector<std::string> Below(std::string_view folder) const {
    const std::string prefix = Join(folder, "");
    std::vector<std::string> files;
    for (auto it = std::lower_bound(
             discovery_.sources.begin(), discovery_.sources.end(), prefix,
             [](const Source& source, const std::string& p) { return source.file < p; });
         it != discovery_.sources.end() && it->file.starts_with(prefix); ++it) {
      if (it->kind == SourceKind::kFile && it->error.ok() && it->ignored_reason.empty()) {
        files.push_back(it->file);
      }
    }
    return files;
  }

  void FillSidecars(std::string_view trial, HarborPlace& place) const {
    place.trial = trial.empty() ? "." : std::string(BaseName(trial));
    place.result = EntryOf(Join(trial, "result.json"));
    place.reward_json = EntryOf(Join(trial, "verifier/reward.json"));
    place.reward_text = RewardText(trial);
    if (BaseName(Parent(trial)) != "steps") {
      return;
    }
    const std::string_view whole = Parent(Parent(trial));
    place.trial_result = EntryOf(Join(whole, "result.json"));
    const std::vector<std::string> all = Below(Join(whole, "steps"));
    place.only_step = std::count_if(all.begin(), all.end(),
                                    [](const std::string& file) {
                                      return file.ends_with("/agent/trajectory.json");
                                    }) == 1 &&
                      Find(Join(whole, "agent/trajectory.json")) == nullptr;
  }

  std::shared_ptr<const HarborPlace> ForAgentFile(const Source& source,
                                                  std::string_view trial) const {
    HarborPlace place;
    const std::string main = Join(trial, "agent/trajectory.json");
    const bool direct = Parent(source.file) == Parent(main);
    // The outcome belongs to one file: trajectory.json, or failing that the only one there.
    place.is_main =
        source.file == main || (direct && Find(main) == nullptr && Below(Parent(main)).size() == 1);
    FillSidecars(trial, place);
    if (!place.result && !place.reward_json && !place.reward_text && !place.trial_result) {
      return nullptr;  // a folder that only happens to be named agent
    }
    if (!direct) {
      // Deeper files get no values of the trial, but may be its native logs (HAR-08).
      place.result.reset();
      place.reward_json.reset();
      place.reward_text.reset();
      place.trial_result.reset();
    }
    if (!place.is_main && Find(main) != nullptr) {
      place.trajectory = main;
    }
    return std::make_shared<const HarborPlace>(std::move(place));
  }

  /// A trial result whose trial has no trajectory file stands for the run itself (HAR-07).
  std::shared_ptr<const HarborPlace> ForResult(const Source& source) const {
    const std::string_view trial = Parent(source.file);
    if (Find(Join(trial, "agent/trajectory.json")) != nullptr) {
      return nullptr;
    }
    HarborPlace place;
    place.role = HarborPlace::Role::kTrialResult;
    FillSidecars(trial, place);
    place.others = Below(Join(trial, "agent"));
    for (std::string& file : Below(Join(trial, "steps"))) {
      place.others.push_back(std::move(file));
    }
    return std::make_shared<const HarborPlace>(std::move(place));
  }

  Discovery& discovery_;
};

}  // namespace

void AssignHarborPlaces(Discovery& discovery) { Places(discovery).Assign(); }

std::vector<std::pair<std::string, io::Entry>> SidecarEntries(const HarborPlace& place) {
  std::vector<std::pair<std::string, io::Entry>> entries;
  if (place.role == HarborPlace::Role::kTrajectory) {
    for (const auto* entry :
         {&place.result, &place.reward_json, &place.reward_text, &place.trial_result}) {
      if (*entry) {
        entries.emplace_back((*entry)->path, **entry);
      }
    }
  }
  return entries;
}

}  // namespace pchronicle::catalog
