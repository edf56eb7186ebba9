#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pchronicle/app/configuration.h"

namespace pchronicle::app {

/// Options of `dataset pin` and `dataset set` (cli.md 6).
struct PinOptions {
  std::optional<std::string> endpoint, region, access_key, secret_key;
  bool any() const { return endpoint || region || access_key || secret_key; }
};

/// All pins by name with their URIs, built-ins included, sorted.
std::vector<std::pair<std::string, std::string>> ListPins(const Configuration& configuration);
/// URI of a pin; kNotFound.
Result<std::string> ShowPin(const Configuration& configuration, const std::string& name);

// The changes below write the file; on failure it is as before. Each gives back the URI that is
// stored now.

/// kAlreadyExists when the name is taken. `default` takes a directory, which is created if missing.
Result<std::string> AddPin(Configuration& configuration, const std::string& name,
                           const std::string& dataset, const PinOptions& options);
/// kNotFound when unknown. Between two s3:// URIs what is not given is kept.
Result<std::string> SetPin(Configuration& configuration, const std::string& name,
                           const std::string& dataset, const PinOptions& options);
/// Never deletes data.
Status RemovePin(Configuration& configuration, const std::string& name);
Status RenamePin(Configuration& configuration, const std::string& from, const std::string& to);

}  // namespace pchronicle::app
