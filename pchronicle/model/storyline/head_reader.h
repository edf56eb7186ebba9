#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/model/residuals.h"
#include "pchronicle/model/storyline/wire_reader.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model::storyline {

/// Root members of the wire beside `turns`, in the order writers use.
enum class HeadMember : uint8_t {
  kSchemaVersion,
  kOrigin,
  kRun,
  kTrajectory,
  kAttemptId,
  kSession,
  kAgent,
  kParent,
  kChildren,
  kNotes,
  kTask,
  kPrompt,
  kStartedAt,
  kFinishedAt,
  kFinalMetrics,
  kContinuedRef,
  kExtra,
  kMeta,
  kUnknownFields,
  kUnknownKeyCounts,
};
inline constexpr size_t kHeadMembers = 20;

/// Reads and validates everything of one document but its turns (formats.md 2.2 to 2.7, 2.10).
/// Members are collected in any order, then Build makes the Document. One object per document; owns
/// what the Document points to.
class HeadReader {
 public:
  HeadReader(const WalkOptions& options, int64_t ordinal);

  /// The cursor stands behind the key. False: the key is no head member (`turns`, or unknown);
  /// nothing was consumed.
  bool Owns(std::string_view key) const;
  Status Read(std::string_view key, json::Cursor& cursor);
  bool seen(HeadMember member) const { return (seen_ & Bit(member)) != 0; }
  /// What OnDocument needs and no document can lack.
  bool has_required() const {
    return seen(HeadMember::kSchemaVersion) && seen(HeadMember::kSession) &&
           seen(HeadMember::kAgent);
  }

  /// Fills document() from the members read so far and checks them. May be called again when more
  /// have come.
  Status Build(DocumentSink* sink);
  /// Puts the residuals in place; after the last turn.
  Status FinishUnknown();

  Document& document() { return document_; }
  /// Residuals of the turns go here.
  ResidualBuilder& turn_residuals() { return turn_residuals_; }
  Arena& arena() { return arena_; }
  const std::string& error_pointer() const { return reader_.error_pointer(); }
  /// The id before D8.
  std::string_view own_id() const {
    return document_.trajectory_id ? *document_.trajectory_id : document_.session_id;
  }

 private:
  static constexpr uint32_t Bit(HeadMember member) { return 1U << static_cast<uint32_t>(member); }
  const json::Raw& at(HeadMember member) const { return members_[static_cast<size_t>(member)]; }
  bool wants(Field field) const { return options_.fields.has(field); }
  Status ReadAgent(json::Cursor& cursor);
  Status BuildIdentity();
  Status BuildAgent();
  Status CheckTask();
  Status BuildOrigin();
  Status BuildParent();
  Status BuildChildren();
  Status BuildRest();
  Status BuildUnknown();
  Status CheckCounts(const json::Raw& counts);

  const WalkOptions& options_;
  Arena arena_{4096};
  Document document_;
  ResidualBuilder residuals_{arena_};  // of the head, made anew by every Build
  ResidualBuilder turn_residuals_{arena_};
  WireReader reader_;
  std::array<json::Raw, kHeadMembers> members_;
  json::Raw agent_id_, agent_name_, agent_version_, agent_model_;
  uint32_t seen_ = 0;
  std::vector<UnknownSource> written_unknown_;
};

}  // namespace pchronicle::model::storyline
