#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/base/arena.h"
#include "pchronicle/base/status.h"
#include "pchronicle/model/actf/slotted_object.h"
#include "pchronicle/model/document.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::model::actf {

/// Writes one Storyline as an attempt (formats.md 5.3). Not thread-safe.
class AttemptWriter {
 public:
  /// `report` must not be null. `same_format`: every Storyline of the document came from ACTF.
  AttemptWriter(const EncodeOptions& options, bool same_format, EncodeReport* report)
      : options_(options), same_format_(same_format), report_(*report) {}

  /// Appends the attempt object whose pointer is `/attempts/<escaped key>` to `out`. Errors:
  /// kInvalidArgument.
  Status Write(const Storyline& storyline, const std::string& pointer, FieldSlots& slots,
               std::string& out);

 private:
  Status WriteTrajectory(const Storyline& storyline, const std::string& pointer, FieldSlots& slots,
                         std::string& out);
  Status WriteStep(const Document& document, const Turn& turn, int64_t step_id,
                   const std::string& pointer, FieldSlots& slots, std::string& out);
  Status ChooseIds(const Storyline& storyline, std::vector<int64_t>* ids);
  Status WriteTools(const Turn& turn, const std::string& pointer, FieldSlots& slots,
                    std::string& out);
  Status WriteTool(const ToolCall& call, const std::string& pointer, const std::string& twin,
                   FieldSlots& slots, std::string& out);
  Status WriteObservation(const Turn& turn, const std::string& pointer, FieldSlots& slots,
                          std::string& out);
  Status WriteResult(const json::Raw& result, const std::string& pointer, FieldSlots& slots,
                     std::string& out);
  std::string Metric(const Turn& turn);
  std::string Content(const Turn& turn);
  void CountLossy(const Storyline& storyline);
  void Lossy(std::string_view field, uint64_t count = 1) {
    report_.lossy[std::string(field)] += count;
  }
  std::string_view Cell(const json::Raw& raw) {
    return json::CellText(raw, json::Surrogates::kKeep, arena_);
  }

  const EncodeOptions& options_;
  const bool same_format_;
  EncodeReport& report_;
  Arena arena_{16 << 10};
};

/// The text of a time: as the source wrote it, else `YYYY-MM-DD HH:MM:SS[.fff]+00:00`. A JSON
/// string; empty when the time is absent.
std::string TimeText(const Timestamp& time);

}  // namespace pchronicle::model::actf
