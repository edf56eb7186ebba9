#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/app/configuration.h"
#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// A Dataset as a command names it (cli.md 3.1), resolved.
struct DatasetLocation {
  std::string given;  // what results print as dataset_uri: the text typed, or the URI behind a pin
  std::string path;   // local path, without trailing slashes
};

/// Checks the grammar of a location and resolves `@NAME[/suffix]`. Never touches the Dataset
/// itself; secrets never come into messages. kNotFound: unknown pin. kUnsupported: an object store,
/// which this build does not open.
Result<DatasetLocation> ParseDataset(std::string_view text, const Configuration& configuration);

/// The Dataset of a read command: `text`, or the `default` pin when absent (kNotFound when there is
/// none; the message says how to set it). The place must exist.
Result<DatasetLocation> ResolveDataset(const std::optional<std::string>& text,
                                       const Configuration& configuration);

/// Pins the program brings along: codex, claude, claude-code.
std::vector<std::pair<std::string, std::string>> BuiltInPins();
bool IsBuiltInPin(std::string_view name);

/// What `dataset pin` stores for a location: absolute local path, or the URI as given. Checks the
/// grammar.
Result<std::string> PinnableUri(std::string_view text);

}  // namespace pchronicle::app
