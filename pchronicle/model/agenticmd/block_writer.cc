#include "pchronicle/model/agenticmd/block_writer.h"

#include <algorithm>

#include "pchronicle/model/agenticmd/blocks.h"

namespace pchronicle::model::agenticmd {
namespace {

bool IsSpeaker(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

}  // namespace

void AppendBlock(std::string_view speaker, std::string_view header, std::string_view body,
                 std::string& out) {
  out += kMarker;
  if (IsSpeaker(speaker)) {
    out += ':';
    out += speaker;
  }
  out += ' ';
  out += header;
  out += " -->\n\n";
  out += body;
  out += "\n\n";
}

}  // namespace pchronicle::model::agenticmd
