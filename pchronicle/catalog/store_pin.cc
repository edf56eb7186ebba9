#include "pchronicle/catalog/store_pin.h"

#include <algorithm>
#include <set>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/hash.h"
#include "pchronicle/model/raw_walk.h"

namespace pchronicle::catalog {
namespace {

using json::Kind;
using json::Raw;
using model::FindMember;

constexpr std::string_view kVortexCurrent = "pchronicle-vortex-current/";
/// What the projector of canonical events writes into its lineage (storage.md 1.2).
constexpr std::string_view kProjector = "canonical-events-to-storyline";
constexpr std::string_view kRecipe =
    "group=storyline_identity;order=manifest_append;projection=events-storyline";
constexpr std::string_view kFull = "full";

/// Members of one object; the first one that is missing or of another kind is remembered as the
/// error.
class Members {
 public:
  Members(const Raw& object, std::string_view what) : object_(object), what_(what) {
    if (object.kind != Kind::kObject) {
      status_ = Status::Corruption("{} is no JSON object", what);
    }
  }

  uint64_t Number(std::string_view name) {
    int64_t value = -1;
    const Raw raw = FindMember(object_, name);
    if (raw.kind != Kind::kNumber || !json::ToInt64(raw, &value) || value < 0) {
      return Fail(name, raw.present() ? "is no count" : "is missing"), 0;
    }
    return static_cast<uint64_t>(value);
  }
  /// A string of more than blanks.
  std::string Text(std::string_view name) {
    const Raw raw = FindMember(object_, name);
    if (!raw.is_string()) {
      return Fail(name, raw.present() ? "is no string" : "is missing"), "";
    }
    Arena arena;
    std::string text(json::DecodeString(raw, arena));
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      Fail(name, "is blank");
    }
    return text;
  }
  /// The name of a generation, which becomes part of a path (STL-012).
  std::string Generation(std::string_view name) {
    std::string text = Text(name);
    if (status_.ok() && (!text.starts_with("gen-") || text.find('\0') != std::string::npos ||
                         text.find_first_of("/\\") != std::string::npos)) {
      Fail(name, "is no generation name");
    }
    return text;
  }
  Raw Object(std::string_view name) const { return FindMember(object_, name); }
  void Fail(std::string_view name, std::string_view why) {
    if (status_.ok()) {
      status_ = Status::Corruption("{}: {} {}", what_, name, why);
    }
  }
  const Status& status() const { return status_; }

 private:
  const Raw object_;
  const std::string_view what_;
  Status status_;
};

Result<ProjectionLineage> ReadLineage(const Raw& raw) {
  Members members(raw, "CURRENT projection");
  ProjectionLineage lineage;
  lineage.source_id = members.Text("source_id");
  lineage.source_file = members.Text("source_file");
  lineage.projector_name = members.Text("projector_name");
  lineage.recipe_hash = members.Text("recipe_hash");
  lineage.completeness = members.Text("completeness");
  PCHRONICLE_RETURN_IF_ERROR(members.status());
  Members source(members.Object("source"), "CURRENT projection source");
  const std::string kind = source.Text("kind");
  lineage.source_uri = source.Text("source_uri");
  lineage.canonical_events = kind == "canonical_events";
  if (lineage.canonical_events) {
    lineage.fact_version = source.Number("fact_version");
    lineage.fact_rows = source.Number("fact_rows");
    lineage.layout_revision = source.Number("layout_revision");
  } else if (kind == "exchange") {
    source.Text("snapshot_ref");
  } else {
    source.Fail("kind", "is unknown");
  }
  PCHRONICLE_RETURN_IF_ERROR(source.status());
  return lineage;
}

Result<StorylinePin> ReadPointer(const Raw& raw) {
  Members members(raw, "CURRENT");
  const uint64_t schema = members.Number("schema_version");
  PCHRONICLE_RETURN_IF_ERROR(members.status());
  if (schema != 1) {
    return Status::Corruption("CURRENT: schema_version {} is unknown, this program reads 1",
                              schema);
  }
  StorylinePin pin;
  pin.generation = members.Generation("generation");
  pin.table_generation = members.Generation("table_generation");
  pin.runs_version = members.Number("runs_version");
  pin.steps_version = members.Number("steps_version");
  pin.tool_calls_version = members.Number("tool_calls_version");
  pin.objects_version = members.Number("objects_version");
  PCHRONICLE_RETURN_IF_ERROR(members.status());
  if (const Raw projection = members.Object("projection"); projection.has_value()) {
    PCHRONICLE_ASSIGN_OR_RETURN(pin.projection, ReadLineage(projection));
  }
  return pin;
}

Result<EventsPin::Segment> ReadSegment(const Raw& raw) {
  Members members(raw, "_manifest.json segment");
  EventsPin::Segment segment;
  segment.id = members.Text("id");
  segment.version = members.Number("version");
  segment.rows = members.Number("rows");
  if (segment.version == 0) {
    members.Fail("version", "must be greater than 0");
  }
  // The id becomes part of a path.
  if (segment.id.find('\0') != std::string::npos ||
      segment.id.find_first_of("/\\") != std::string::npos) {
    members.Fail("id", "is no name");
  }
  PCHRONICLE_RETURN_IF_ERROR(members.status());
  return segment;
}

}  // namespace

Result<StorePin> ParseCurrent(std::string_view text) {
  const Raw root = json::RawFromText(text);
  if (root.kind != Kind::kObject) {
    return Status::Corruption(
        "CURRENT must be a JSON object that pins the versions of all tables and objects");
  }
  StorePin pin;
  Members members(root, "CURRENT");
  if (members.Object("format").is_string() && members.Text("format").starts_with(kVortexCurrent)) {
    pin.kind = StorePin::Kind::kVortex;
    return pin;
  }
  Raw pointer = root;
  if (members.Object("control_version").present()) {
    const uint64_t control = members.Number("control_version");
    members.Number("revision");
    PCHRONICLE_RETURN_IF_ERROR(members.status());
    if (control != 1) {
      return Status::Corruption("CURRENT: control_version {} is unknown, this program reads 1",
                                control);
    }
    pointer = members.Object("committed");
    if (!pointer.has_value()) {
      pin.kind = StorePin::Kind::kStorylineUnpublished;
      return pin;
    }
  }
  PCHRONICLE_ASSIGN_OR_RETURN(pin.storyline, ReadPointer(pointer));
  return pin;
}

Result<StorePin> ParseEventsManifest(std::string_view text) {
  Members members(json::RawFromText(text), "_manifest.json");
  StorePin pin;
  pin.kind = StorePin::Kind::kEvents;
  EventsPin& events = pin.events;
  events.revision = members.Number("revision");
  events.fact_version = members.Number("fact_version");
  events.fact_rows = members.Number("fact_rows");
  PCHRONICLE_RETURN_IF_ERROR(members.status());
  Members writer(members.Object("active_writer"), "_manifest.json active_writer");
  if (writer.Number("epoch") == 0) {
    writer.Fail("epoch", "must be greater than 0");
  }
  writer.Text("writer_id");
  PCHRONICLE_RETURN_IF_ERROR(writer.status());
  std::set<std::string> ids;
  uint64_t rows = 0;
  for (model::RawElements segments(members.Object("segments")); segments.Next();) {
    PCHRONICLE_ASSIGN_OR_RETURN(EventsPin::Segment segment, ReadSegment(segments.value()));
    if (!ids.insert(segment.id).second) {
      return Status::Corruption("_manifest.json: two segments are named '{}'", segment.id);
    }
    if (segment.rows > UINT64_MAX - rows) {
      return Status::Corruption("_manifest.json: the segments' rows are no sum");
    }
    rows += segment.rows;
    events.segments.push_back(std::move(segment));
  }
  if (rows != events.fact_rows) {
    return Status::Corruption("_manifest.json: fact_rows is {}, its segments have {}",
                              events.fact_rows, rows);
  }
  if (events.segments.empty()) {
    return Status::Corruption("_manifest.json: no visible segments");
  }
  return pin;
}

bool IsFresh(const ProjectionLineage& lineage, const EventsPin& facts) {
  static const std::string recipe = Blake3Hex({kRecipe});
  return lineage.canonical_events && lineage.fact_version == facts.fact_version &&
         lineage.fact_rows == facts.fact_rows &&
         lineage.source_id == "events:" + Blake3Hex({lineage.source_uri}) &&
         lineage.projector_name == kProjector && lineage.recipe_hash == recipe &&
         lineage.completeness == kFull;
}

}  // namespace pchronicle::catalog
