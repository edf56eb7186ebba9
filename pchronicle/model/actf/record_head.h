#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/json/cursor.h"
#include "pchronicle/json/raw.h"

namespace pchronicle::model::actf {

/// A finding about a record that is told to the sink once its documents are known.
struct HeadNote {
  std::string code;
  std::string pointer;
  std::string example;
};

/// Where an attempt stands and what its required members say (formats.md 5.1).
struct AttemptHead {
  std::string_view key;
  std::string pointer;  // `/attempts/<escaped key>`
  uint64_t offset = 0;  // [offset, end): its value
  uint64_t end = 0;
  bool event_log = false;  // `trajectory` is an array (5.5)
  // Not ok: the attempt is lost.
  Status problem;
  uint64_t problem_offset = 0;
  std::string problem_pointer;
};

/// Root members and attempt heads of one ACTF record: what every row needs before the first row can
/// leave (STL-126).
struct RecordHead {
  std::string_view task_id;
  int64_t k = 0;
  int64_t attempts_tried = 0;
  json::Raw correct;
  json::Raw category;
  json::Raw solved_at;
  json::Raw retry_count;
  json::Raw retry_counts;
  json::Raw envelope;  // `_storyline`, when residuals are asked for
  std::vector<std::pair<std::string_view, json::Raw>> more;  // residuals: escaped pointer, value
  std::vector<AttemptHead> attempts;                         // ascending by code point
  std::vector<HeadNote> notes;
};

struct SkimOptions {
  bool strict = false;
  bool residuals = false;
};

struct SkimError {
  Status status;
  uint64_t offset = 0;
  std::string pointer;
};

/// Consumes the record at the cursor, looking only at root members and attempt heads. Texts go to
/// `arena`. Not ok: the record is no ACTF document; the cursor itself tells whether its structure
/// held (then the value is consumed).
SkimError SkimRecord(json::Cursor& cursor, const SkimOptions& options, Arena& arena,
                     RecordHead* head);

/// True when nothing but blanks is left.
bool IsBlank(std::string_view text);

}  // namespace pchronicle::model::actf
