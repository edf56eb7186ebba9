#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::app {

/// A small file of our own making that the guide works on.
struct SampleFile {
  std::string_view path;  // relative: atif/support-ticket.json
  std::string_view text;
};

/// Three Datasets of one format each: atif/, actf/, openai/. Together 3 files, 4 runs, 9 steps, 2
/// tool calls.
std::span<const SampleFile> SampleFiles();

/// Writes them below `folder`.
Status WriteSamples(const std::string& folder);

}  // namespace pchronicle::app
