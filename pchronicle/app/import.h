#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/catalog/snapshot.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::app {

/// A byte-for-byte import (cli.md 5.1, `preserve`).
struct ImportOptions {
  std::string from;                 // local file or folder; with `text`: only a name for messages
  std::optional<std::string> text;  // the input itself (stdin)
  std::string to;                   // local folder to make
  std::string to_given;             // as results print it
  std::optional<model::Format> format;            // absent: each file is detected
  std::optional<model::Format> suggested_format;  // tried when detection cannot decide
  uint64_t max_input_bytes = 256ULL << 20;        // per source; of `text` in all
  catalog::Limits limits;
  bool replace = false;
};

struct ImportOutcome {
  uint64_t sources = 0, trajectories = 0, input_bytes = 0;
  std::optional<std::string> source_path, format;  // single file or stdin
  std::vector<std::string> warnings;               // one per skipped source
};

/// Copies every accepted source below a new folder that appears at once. Single files and stdin get
/// a canonical name. In a folder whose formats are detected, a source that cannot be used is
/// skipped with a warning; else it is the error. kAlreadyExists when `to` exists and is not
/// replaced.
Result<ImportOutcome> ImportPreserved(
    const ImportOptions& options, const Context& context,
    const std::function<void(std::string_view stage, size_t done, size_t total)>& progress);

/// Refuses targets that must never be replaced: roots, the home folder, a folder in which nothing
/// is a Source.
Status CheckReplaceable(const std::string& target, const Context& context);

}  // namespace pchronicle::app
