#include "pchronicle/model/agenticmd/file_name.h"

namespace pchronicle::model::agenticmd {
namespace {

constexpr size_t kMaxStem = 128;
constexpr std::string_view kSpace = " \t\r\n\v\f";

bool IsKept(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string FileStem(std::string_view session_id) {
  const size_t begin = session_id.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return "session";
  }
  const size_t end = session_id.find_last_not_of(kSpace) + 1;
  std::string stem;
  for (const char c : session_id.substr(begin, end - begin)) {
    // One character, one underscore: continuation bytes of UTF-8 add nothing.
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      stem += IsKept(c) ? c : '_';
    }
    if (stem.size() == kMaxStem) {
      break;
    }
  }
  return stem.empty() ? "session" : stem;
}

bool LooksLikeTrajectory(std::string_view stem) {
  return stem.starts_with("agent-") || stem.starts_with("run-") ||
         (stem.size() >= 8 && stem.find('-') != std::string_view::npos);
}

}  // namespace pchronicle::model::agenticmd
