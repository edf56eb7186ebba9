#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/base/result.h"

namespace pchronicle::cli {

/// Runs one command line, without the program's name, and gives its stdout.
using CommandRunner = std::function<Result<std::string>(const std::vector<std::string>& words)>;

/// Where the guide works (cli.md 8.1).
struct GuidePlace {
  std::string workspace;  // temporary folder with the samples; prints as `<temporary-workspace>`
  std::optional<std::string> dataset;  // the reader's own Dataset, only read
};

/// Sections in the order of `all`.
const std::vector<std::string>& GuideSections();
/// True for sections that a Dataset can be given to.
bool SectionTakesDataset(const std::string& section);
/// One section as Markdown: text, commands and their real output. Fails when one of its commands
/// fails.
Result<std::string> GuideSection(const std::string& section, const GuidePlace& place,
                                 const CommandRunner& run);

/// Markdown for a terminal: headings, bullets, quotes, indented code; colours only with `color`.
std::string RenderMarkdown(const std::string& markdown, bool color);

}  // namespace pchronicle::cli
