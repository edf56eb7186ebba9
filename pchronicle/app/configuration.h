#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// `[pins.<name>]` of the user configuration (cli.md 3.2, 9.1). Keys are never printed.
struct Pin {
  std::string uri;
  std::optional<std::string> endpoint, region, access_key, secret_key;
};

inline constexpr std::string_view kDefaultPin = "default";
inline constexpr size_t kMaxConfigurationBytes = 1 << 20;

/// The user configuration file: pins by name. A value; not thread-safe.
class Configuration {
 public:
  /// `--config`, else PCHRONICLE_CONFIG, PCHRONICLE_SETTINGS,
  /// $XDG_CONFIG_HOME/pchronicle/config.toml,
  /// ~/.config/pchronicle/config.toml. kNotFound when none of them is set.
  static Result<std::string> FindPath(const std::optional<std::string>& flag);
  /// A missing file is empty. kInvalidArgument with line and column for anything that is not
  /// understood.
  static Result<Configuration> Load(std::string path);

  const std::string& path() const { return path_; }
  const std::map<std::string, Pin>& pins() const { return pins_; }
  const Pin* Find(std::string_view name) const;
  /// Adds or replaces.
  void Set(std::string name, Pin pin) { pins_[std::move(name)] = std::move(pin); }
  void Remove(const std::string& name) { pins_.erase(name); }

  /// Rewrites the file atomically with mode 0600; folders are made. On failure the old file is
  /// intact.
  Status Save() const;

 private:
  std::string path_;
  std::map<std::string, Pin> pins_;
};

/// Names match `[a-z][a-z0-9._-]{0,63}`.
bool IsPinName(std::string_view name);

}  // namespace pchronicle::app
