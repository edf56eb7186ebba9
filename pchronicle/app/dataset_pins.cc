#include "pchronicle/app/dataset_pins.h"

#include <algorithm>
#include <filesystem>

#include "pchronicle/app/dataset_location.h"

namespace pchronicle::app {
namespace {

Status CheckName(const std::string& name) {
  if (!IsPinName(name)) {
    return Status::InvalidArgument("'{}' is no pin name: [a-z][a-z0-9._-]{{0,63}}", name);
  }
  if (IsBuiltInPin(name)) {
    return Status::InvalidArgument("'{}' is built in and cannot be changed", name);
  }
  return Status::Ok();
}

Status Unknown(const Configuration& configuration, const std::string& name) {
  return Status::NotFound("pin '{}' is not in {}", name, configuration.path());
}

Result<std::string> DefaultDirectory(const std::string& uri) {
  if (uri.find("://") != std::string::npos) {
    return Status::InvalidArgument("the default Dataset must be a local directory, not {}", uri);
  }
  std::error_code error;
  std::filesystem::create_directories(uri, error);
  if (!std::filesystem::is_directory(uri)) {
    return error ? Status::InvalidArgument("the default Dataset {} cannot be created: {}", uri,
                                           error.message())
                 : Status::InvalidArgument("the default Dataset {} is not a directory", uri);
  }
  return uri;
}

// The pin to store: `kept` gives what stays of the old one.
Result<Pin> MakePin(const std::string& name, const std::string& dataset, const PinOptions& options,
                    const Pin& kept) {
  if (options.access_key.has_value() != options.secret_key.has_value()) {
    return Status::InvalidArgument("--ak and --sk are only given together");
  }
  if (name == kDefaultPin && options.any()) {
    return Status::InvalidArgument(
        "the default Dataset is a local directory and takes no endpoint, region or keys");
  }
  Pin pin;
  PCHRONICLE_ASSIGN_OR_RETURN(pin.uri, PinnableUri(dataset));
  if (name == kDefaultPin) {
    PCHRONICLE_ASSIGN_OR_RETURN(pin.uri, DefaultDirectory(pin.uri));
    return pin;
  }
  const bool object = pin.uri.rfind("s3://", 0) == 0;
  if (!object && options.any()) {
    return Status::InvalidArgument("endpoint, region and keys belong to s3:// Datasets only");
  }
  if (object && kept.uri.rfind("s3://", 0) == 0) {
    pin = Pin{pin.uri, kept.endpoint, kept.region, kept.access_key, kept.secret_key};
  }
  pin.endpoint = options.endpoint ? options.endpoint : pin.endpoint;
  pin.region = options.region ? options.region : pin.region;
  pin.access_key = options.access_key ? options.access_key : pin.access_key;
  pin.secret_key = options.secret_key ? options.secret_key : pin.secret_key;
  return pin;
}

Result<std::string> Store(Configuration& configuration, const std::string& name, Pin pin) {
  std::string uri = pin.uri;
  configuration.Set(name, std::move(pin));
  PCHRONICLE_RETURN_IF_ERROR(configuration.Save());
  return uri;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ListPins(const Configuration& configuration) {
  std::vector<std::pair<std::string, std::string>> pins = BuiltInPins();
  for (const auto& [name, pin] : configuration.pins()) {
    if (!IsBuiltInPin(name)) {
      pins.emplace_back(name, pin.uri);
    }
  }
  std::sort(pins.begin(), pins.end());
  return pins;
}

Result<std::string> ShowPin(const Configuration& configuration, const std::string& name) {
  for (const auto& [known, uri] : ListPins(configuration)) {
    if (known == name) {
      return uri;
    }
  }
  return Unknown(configuration, name);
}

Result<std::string> AddPin(Configuration& configuration, const std::string& name,
                           const std::string& dataset, const PinOptions& options) {
  PCHRONICLE_RETURN_IF_ERROR(CheckName(name));
  if (configuration.Find(name) != nullptr) {
    return Status::AlreadyExists(
        "pin '{}' already exists; change it with: pchronicle dataset set {} DATASET", name, name);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(Pin pin, MakePin(name, dataset, options, {}));
  return Store(configuration, name, std::move(pin));
}

Result<std::string> SetPin(Configuration& configuration, const std::string& name,
                           const std::string& dataset, const PinOptions& options) {
  PCHRONICLE_RETURN_IF_ERROR(CheckName(name));
  const Pin* old = configuration.Find(name);
  if (old == nullptr) {
    return Unknown(configuration, name);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(Pin pin, MakePin(name, dataset, options, *old));
  return Store(configuration, name, std::move(pin));
}

Status RemovePin(Configuration& configuration, const std::string& name) {
  PCHRONICLE_RETURN_IF_ERROR(CheckName(name));
  if (configuration.Find(name) == nullptr) {
    return Unknown(configuration, name);
  }
  configuration.Remove(name);
  return configuration.Save();
}

Status RenamePin(Configuration& configuration, const std::string& from, const std::string& to) {
  if (from == kDefaultPin || to == kDefaultPin) {
    return Status::InvalidArgument("'default' is reserved and cannot be renamed");
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckName(from));
  PCHRONICLE_RETURN_IF_ERROR(CheckName(to));
  const Pin* old = configuration.Find(from);
  if (old == nullptr) {
    return Unknown(configuration, from);
  }
  if (configuration.Find(to) != nullptr) {
    return Status::AlreadyExists("pin '{}' already exists", to);
  }
  Pin pin = *old;
  configuration.Remove(from);
  configuration.Set(to, std::move(pin));
  return configuration.Save();
}

}  // namespace pchronicle::app
