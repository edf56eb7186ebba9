#pragma once

#include <string>
#include <string_view>

namespace pchronicle::model::agenticmd {

/// File name without `.md` of a session's AgenticMD view (formats.md 6.1): the trimmed id with
/// every character but ASCII letters, digits, `-`, `_` and `.` as one `_`, at most 128 bytes;
/// `session` when nothing is left. Two sessions may share one.
std::string FileStem(std::string_view session_id);

/// True when a stem looks like that of a trajectory: `agent-`, `run-`, or a `-` and 8 bytes.
bool LooksLikeTrajectory(std::string_view stem);

}  // namespace pchronicle::model::agenticmd
