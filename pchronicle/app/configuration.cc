#include "pchronicle/app/configuration.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

#include "pchronicle/app/durable_file.h"

namespace pchronicle::app {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Status At(const std::string& path, const toml::source_region& where, std::string_view message) {
  return Status::InvalidArgument("configuration {}: line {}, column {}: {}", path, where.begin.line,
                                 where.begin.column, message);
}

Result<Pin> ReadPin(const std::string& path, std::string_view name, const toml::table& table) {
  Pin pin;
  bool has_uri = false;
  for (const auto& [key, value] : table) {
    const auto text = value.value_exact<std::string>();
    const std::string_view member = key.str();
    std::optional<std::string>* optional = member == "endpoint"     ? &pin.endpoint
                                           : member == "region"     ? &pin.region
                                           : member == "access_key" ? &pin.access_key
                                           : member == "secret_key" ? &pin.secret_key
                                                                    : nullptr;
    if (optional == nullptr && member != "uri") {
      return At(path, key.source(), fmt::format("unknown key 'pins.{}.{}'", name, member));
    }
    if (!text) {
      return At(path, value.source(), fmt::format("pins.{}.{} must be a string", name, member));
    }
    if (optional != nullptr) {
      *optional = *text;
    } else {
      pin.uri = *text;
      has_uri = true;
    }
  }
  if (!has_uri || pin.uri.empty()) {
    return At(path, table.source(), fmt::format("pins.{} needs a uri", name));
  }
  if (pin.uri.front() == '@') {
    return At(path, table.source(), fmt::format("pins.{} points at another pin", name));
  }
  return pin;
}

Result<std::string> ReadFile(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return Status::NotFound("{}", path);
    }
    return Status::Io("configuration {}: {}", path, std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return Status::InvalidArgument("configuration {} is not a regular file", path);
  }
  if (static_cast<uint64_t>(info.st_size) > kMaxConfigurationBytes) {
    return Status::InvalidArgument("configuration {} is {} bytes, more than the limit of {}", path,
                                   info.st_size, kMaxConfigurationBytes);
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxConfigurationBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return Status::Io("configuration {} cannot be read", path);
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

bool IsPinName(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() < 'a' || name.front() > 'z') {
    return false;
  }
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-')) {
      return false;
    }
  }
  return true;
}

Result<std::string> Configuration::FindPath(const std::optional<std::string>& flag) {
  if (flag) {
    if (flag->empty()) {
      return Status::InvalidArgument("--config needs a file name");
    }
    return *flag;
  }
  for (const char* name : {"PCHRONICLE_CONFIG", "PCHRONICLE_SETTINGS"}) {
    if (std::string path = Environment(name); !path.empty()) {
      return path;
    }
  }
  if (const std::string base = Environment("XDG_CONFIG_HOME"); !base.empty()) {
    return base + "/pchronicle/config.toml";
  }
  if (const std::string home = Environment("HOME"); !home.empty()) {
    return home + "/.config/pchronicle/config.toml";
  }
  return Status::NotFound(
      "no configuration file: set HOME or PCHRONICLE_CONFIG, or pass --config FILE");
}

Result<Configuration> Configuration::Load(std::string path) {
  Configuration configuration;
  configuration.path_ = std::move(path);
  auto text = ReadFile(configuration.path_);
  if (!text.ok()) {
    if (text.status().code() == StatusCode::kNotFound) {
      return configuration;
    }
    return text.status();
  }
  const toml::parse_result parsed = toml::parse(std::string_view(*text));
  if (!parsed) {
    return At(configuration.path_, parsed.error().source(), parsed.error().description());
  }
  for (const auto& [key, value] : parsed.table()) {
    if (key.str() != "pins") {
      return At(configuration.path_, key.source(),
                fmt::format("unknown key '{}'; only [pins.NAME] is read", key.str()));
    }
    const toml::table* pins = value.as_table();
    if (pins == nullptr) {
      return At(configuration.path_, value.source(), "pins must be a table");
    }
    for (const auto& [name, pin] : *pins) {
      if (!IsPinName(name.str())) {
        return At(configuration.path_, name.source(),
                  fmt::format("'{}' is no pin name: [a-z][a-z0-9._-]{{0,63}}", name.str()));
      }
      if (!pin.is_table()) {
        return At(configuration.path_, pin.source(),
                  fmt::format("pins.{} must be a table", name.str()));
      }
      PCHRONICLE_ASSIGN_OR_RETURN(Pin read,
                                  ReadPin(configuration.path_, name.str(), *pin.as_table()));
      configuration.pins_.emplace(std::string(name.str()), std::move(read));
    }
  }
  return configuration;
}

const Pin* Configuration::Find(std::string_view name) const {
  const auto it = pins_.find(std::string(name));
  return it == pins_.end() ? nullptr : &it->second;
}

Status Configuration::Save() const {
  std::ostringstream out;
  bool first = true;
  for (const auto& [name, pin] : pins_) {
    toml::table table;
    table.insert("uri", pin.uri);
    const std::pair<const char*, const std::optional<std::string>*> members[] = {
        {"endpoint", &pin.endpoint},
        {"region", &pin.region},
        {"access_key", &pin.access_key},
        {"secret_key", &pin.secret_key}};
    for (const auto& [member, value] : members) {
      if (*value) {
        table.insert(member, **value);
      }
    }
    toml::table pins;
    toml::table named;
    named.insert(name, std::move(table));
    pins.insert("pins", std::move(named));
    // Literal strings keep backslashes readable, but cannot hold every text; basic strings always
    // can.
    out << (first ? "" : "\n")
        << toml::toml_formatter(pins, toml::toml_formatter::default_flags &
                                          ~toml::format_flags::allow_literal_strings)
        << "\n";
    first = false;
  }
  return ReplaceFile(path_, out.str(), 0600);
}

}  // namespace pchronicle::app
