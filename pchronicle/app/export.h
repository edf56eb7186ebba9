#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/model/encode.h"

namespace pchronicle::app {

/// Which runs leave, and how (cli.md 5.2, formats.md 9.3). Filters are ANDed.
struct ExportOptions {
  model::Format format = model::Format::kAtif;
  std::optional<std::string> source, run_id, document_id, session_id;
  /// Documents (`_file_`, `document_id`) that a condition selected; absent: no condition.
  std::optional<std::set<std::pair<std::string, std::string>>> selected;
  bool strict = false;
  uint64_t max_trajectories = 10'000;
  uint64_t max_output_bytes = 64ULL << 20;  // 0: no limit
};

struct ExportOutcome {
  uint64_t trajectories = 0;
  uint64_t output_bytes = 0;
  bool exact = false;  // the bytes of one source file, unchanged
  model::EncodeReport report;
};

/// Encodes the selected runs of the snapshot's first Dataset as one document and hands its bytes to
/// `write`. Nothing is written before everything is known to fit. The exact path copies the bytes
/// of the one source that is left.
Result<ExportOutcome> ExportRuns(const catalog::Snapshot& snapshot, const ExportOptions& options,
                                 const std::function<Status(std::string_view)>& write,
                                 const Context& context);

/// The format of an output name (formats.md 1.9). Messages for decode-only, missing and unknown
/// ones.
Result<model::Format> ParseExportFormat(const std::optional<std::string>& name);

}  // namespace pchronicle::app
