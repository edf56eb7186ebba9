#include "pchronicle/catalog/projection.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "pchronicle/catalog/store_pin.h"

namespace pchronicle::catalog {
namespace {

constexpr std::string_view kEventsName = "events.lance";

/// The same place has one spelling: without blanks around it, local scheme and final slashes.
std::string_view WithoutScheme(std::string_view uri) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = uri.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  uri = uri.substr(begin, uri.find_last_not_of(kBlanks) - begin + 1);
  for (const std::string_view scheme : {"file://", "local://"}) {
    if (uri.starts_with(scheme)) {
      uri.remove_prefix(scheme.size());
    }
  }
  while (uri.size() > 1 && uri.ends_with('/')) {
    uri.remove_suffix(1);
  }
  return uri;
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Finds the events source that a lineage means.
class FactFinder {
 public:
  FactFinder(const OpenedRoot& root, const std::vector<Source>& sources) : root_(root) {
    for (size_t i = 0; i < sources.size(); ++i) {
      const Source& source = sources[i];
      if (source.store_pin != nullptr && source.store_pin->kind == StorePin::Kind::kEvents) {
        by_file_.emplace(source.file, i);
        facts_.emplace(i, &source.store_pin->events);
      }
    }
  }

  bool empty() const { return by_file_.empty(); }

  /// Index of the events source; nothing when the facts lie outside this Dataset.
  std::optional<size_t> Find(const Source& projection, const ProjectionLineage& lineage) const {
    const std::string recorded(WithoutScheme(lineage.source_uri));
    bool elsewhere = true;
    std::string actual = recorded;
    if (recorded.starts_with('/')) {
      const auto place = io::LocateLocal(recorded);
      elsewhere = place.ok();
      if (place.ok() && place->file.empty()) {
        actual = place->directory;
      }
    }
    if (const auto exact = AtUri(actual)) {
      return exact;
    }
    for (const std::string& file : {lineage.source_file, Sibling(projection)}) {
      const auto found = by_file_.find(file);
      if (found == by_file_.end()) {
        continue;
      }
      // When the recorded facts still exist, this may be another store altogether: only a copy has
      // the same watermark, or at least the same folder name.
      const EventsPin& facts = *facts_.at(found->second);
      const bool same_facts =
          lineage.fact_version == facts.fact_version && lineage.fact_rows == facts.fact_rows;
      const bool same_folder = NameOf(recorded) == kEventsName && !ParentOf(file).empty() &&
                               NameOf(ParentOf(recorded)) == NameOf(ParentOf(file));
      if (!elsewhere || same_facts || same_folder) {
        return found->second;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<size_t> AtUri(std::string_view uri) const {
    std::string file;
    if (uri == root_.uri) {
      file = ".";
    } else if (uri.starts_with(root_.uri) &&
               (root_.uri == "/" || uri.substr(root_.uri.size()).starts_with('/'))) {
      file = uri.substr(root_.uri == "/" ? 1 : root_.uri.size() + 1);
    }
    const auto found = by_file_.find(file);
    return found == by_file_.end() ? std::nullopt : std::optional(found->second);
  }

  /// `<dir>/events.lance` of `<dir>/storyline` (DSC-13).
  static std::string Sibling(const Source& projection) {
    const std::string_view parent = ParentOf(projection.file);
    return parent.empty() ? std::string(kEventsName) : fmt::format("{}/{}", parent, kEventsName);
  }

  const OpenedRoot& root_;
  std::map<std::string, size_t> by_file_;
  std::map<size_t, const EventsPin*> facts_;
};

/// Order of candidates: the last one is chosen.
auto Rank(const Source& source, bool fresh) {
  return std::make_tuple(fresh, source.modified_ns.value_or(INT64_MIN),
                         std::string_view(source.store_pin->storyline.generation),
                         std::string_view(source.file));
}

}  // namespace

void BindProjections(const OpenedRoot& root, std::vector<Source>& sources) {
  const FactFinder finder(root, sources);
  if (finder.empty()) {
    return;
  }
  struct Best {
    size_t source = 0;
    bool fresh = false;
    uint64_t candidates = 0;
  };
  std::map<size_t, Best> chosen;  // by events source
  std::vector<bool> bound(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    if (source.store_pin == nullptr || source.store_pin->kind != StorePin::Kind::kStoryline ||
        !source.store_pin->storyline.projection ||
        !source.store_pin->storyline.projection->canonical_events) {
      continue;
    }
    const ProjectionLineage& lineage = *source.store_pin->storyline.projection;
    const auto facts = finder.Find(source, lineage);
    if (!facts) {
      continue;
    }
    bound[i] = true;
    const bool fresh = IsFresh(lineage, sources[*facts].store_pin->events);
    Best& best = chosen[*facts];
    if (++best.candidates == 1 || Rank(sources[best.source], best.fresh) < Rank(source, fresh)) {
      best.source = i;
      best.fresh = fresh;
    }
  }
  for (const auto& [facts, best] : chosen) {
    const Source& source = sources[best.source];
    sources[facts].projection = std::make_shared<const Projection>(
        Projection{source.file, source.store_pin->storyline.generation, best.fresh, best.candidates,
                   source.store_pin});
  }
  size_t kept = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!bound[i]) {
      if (kept != i) {
        sources[kept] = std::move(sources[i]);
      }
      ++kept;
    }
  }
  sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(kept), sources.end());
}

}  // namespace pchronicle::catalog
