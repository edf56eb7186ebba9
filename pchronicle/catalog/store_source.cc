#include "pchronicle/catalog/store_source.h"

#include <memory>
#include <utility>

#include "pchronicle/catalog/store_pin.h"

namespace pchronicle::catalog {
namespace {

constexpr uint64_t kMaxCurrentBytes = 1 << 20;
constexpr uint64_t kMaxEventsManifestBytes = 64 << 20;

/// A marker file and what it pins; `entry` is of the very content that was read.
struct Marker {
  io::Entry entry;
  Result<StorePin> pin;
};

/// Reads and parses a marker. kNotFound: there is none.
Result<Marker> ReadMarker(const io::Store& store, const std::string& path, uint64_t limit,
                          Result<StorePin> (*parse)(std::string_view)) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, store.Open(path));
  auto text = io::ReadAll(*reader, limit);
  return Marker{reader->entry(), text.ok() ? parse(*text) : text.status()};
}

/// The source of a store with a marker. One that cannot be pinned is an error candidate.
Source MarkedStore(std::string_view directory, std::string format, std::string_view reason,
                   Result<Marker> marker) {
  if (!marker.ok()) {
    Source source = StoreSource(directory, std::move(format), "", nullptr);
    source.error = marker.status();
    return source;
  }
  Source source = StoreSource(directory, std::move(format), "", &marker->entry);
  if (!marker->pin.ok()) {
    source.error = marker->pin.status();
    return source;
  }
  source.store_pin = std::make_shared<const StorePin>(std::move(marker->pin).value());
  source.ignored_reason = reason;
  switch (source.store_pin->kind) {
    case StorePin::Kind::kStoryline:
    case StorePin::Kind::kEvents:
      break;
    case StorePin::Kind::kStorylineUnpublished:
      source.ignored_reason = "Storyline store without a published snapshot";
      break;
    case StorePin::Kind::kVortex:
      source.format_name = "vortex";
      source.ignored_reason = "not readable yet: Vortex dataset";
      break;
  }
  return source;
}

}  // namespace

Source StoreSource(std::string_view directory, std::optional<std::string> format,
                   std::string reason, const io::Entry* marker) {
  Source source;
  source.file = directory.empty() ? "." : std::string(directory);
  source.kind = SourceKind::kStore;
  source.format_name = std::move(format);
  source.ignored_reason = std::move(reason);
  if (marker != nullptr) {
    source.revision.kind = Revision::Kind::kLocalFile;
    source.revision.entry = *marker;
    source.size_bytes = marker->size;
    source.modified_ns = marker->modified_ns;
  }
  return source;
}

Source StorylineStore(const io::Store& store, std::string_view directory, const std::string& path) {
  return MarkedStore(directory, "storyline", "not readable yet: Storyline store",
                     ReadMarker(store, path, kMaxCurrentBytes, ParseCurrent));
}

Source EventsStore(const io::Store& store, std::string_view directory, const std::string& path) {
  return MarkedStore(directory, "events", "not readable yet: events store",
                     ReadMarker(store, path, kMaxEventsManifestBytes, ParseEventsManifest));
}

Source LeafStore(std::string_view directory, const NodeManifest& node, const io::Entry& manifest) {
  if (node.format == "compact-jsonl/v1") {
    return StoreSource(directory, node.format, "not readable yet: Compact JSONL store", &manifest);
  }
  if (node.format == "storyline/v1") {
    Source source = StoreSource(directory, "storyline", "", &manifest);
    source.error =
        Status::Corruption("chronicle.manifest names a Storyline store, but CURRENT is missing");
    return source;
  }
  return StoreSource(directory, node.format,
                     fmt::format("unsupported store format '{}'", node.format), &manifest);
}

}  // namespace pchronicle::catalog
