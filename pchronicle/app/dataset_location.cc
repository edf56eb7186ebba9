#include "pchronicle/app/dataset_location.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

namespace pchronicle::app {
namespace {

constexpr std::array<std::string_view, 3> kObjectSchemes = {"s3", "az", "gs"};

std::string TrimSlashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  return std::string(path);
}

// Scheme of `scheme://rest`; a path with a colon elsewhere has none.
std::optional<std::pair<std::string, std::string_view>> SplitScheme(std::string_view text) {
  const size_t at = text.find("://");
  if (at == std::string_view::npos || at == 0) {
    return std::nullopt;
  }
  std::string scheme(text.substr(0, at));
  for (char& c : scheme) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '+' && c != '-' && c != '.') {
      return std::nullopt;
    }
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::make_pair(std::move(scheme), text.substr(at + 3));
}

bool IsBucketName(std::string_view name) {
  const auto edge = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return name.size() >= 3 && name.size() <= 63 && edge(name.front()) && edge(name.back()) &&
         name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return edge(c) || c == '-' || c == '.'; });
}

// The parts of the message never hold what stands before an '@', in a query or in a fragment
// (cli.md 3.1).
Status CheckUri(const std::string& scheme, std::string_view rest) {
  const std::string_view authority =
      rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size()));
  if (authority.find('@') != std::string_view::npos) {
    return Status::InvalidArgument("a {}:// Dataset must not carry a user name or password",
                                   scheme);
  }
  if (rest.find('?') != std::string_view::npos) {
    return Status::InvalidArgument("a {}:// Dataset must not carry a query string", scheme);
  }
  if (rest.find('#') != std::string_view::npos) {
    return Status::InvalidArgument("a {}:// Dataset must not carry a fragment", scheme);
  }
  if (scheme == "file" || scheme == "local") {
    if (!authority.empty()) {
      return Status::InvalidArgument("a {}:// Dataset has no host; write {}:///absolute/path",
                                     scheme, scheme);
    }
    return rest.empty() ? Status::InvalidArgument("a {}:// Dataset needs a path", scheme)
                        : Status::Ok();
  }
  if (std::find(kObjectSchemes.begin(), kObjectSchemes.end(), scheme) == kObjectSchemes.end()) {
    return Status::InvalidArgument(
        "unknown Dataset scheme '{}'; use a path, file, local, s3, az or gs", scheme);
  }
  if (authority.empty()) {
    return Status::InvalidArgument("a {}:// Dataset needs a bucket", scheme);
  }
  if (!IsBucketName(authority)) {
    return Status::InvalidArgument(
        "'{}' is no bucket name: 3 to 63 lowercase letters, digits, '-' or '.'", authority);
  }
  return Status::Ok();
}

Result<DatasetLocation> ParseUri(std::string_view text) {
  if (text.empty()) {
    return Status::InvalidArgument(
        "the Dataset is empty; name a folder, a file, or a pin as @NAME");
  }
  if (text.find('\0') != std::string_view::npos) {
    return Status::InvalidArgument("the Dataset holds a NUL byte");
  }
  const auto split = SplitScheme(text);
  if (!split) {
    std::string path = TrimSlashes(text);
    return DatasetLocation{path, path};
  }
  const auto& [scheme, rest] = *split;
  PCHRONICLE_RETURN_IF_ERROR(CheckUri(scheme, rest));
  if (scheme == "file" || scheme == "local") {
    return DatasetLocation{TrimSlashes(text), TrimSlashes(rest)};
  }
  return Status::Unsupported(
      "{}://{}: this build reads local Datasets only, object stores come later", scheme,
      TrimSlashes(rest));
}

Status CheckSuffix(std::string_view suffix) {
  for (size_t at = 0; at <= suffix.size();) {
    const size_t end = std::min(suffix.find('/', at), suffix.size());
    const std::string_view part = suffix.substr(at, end - at);
    if (part.empty() || part == "." || part == ".." ||
        part.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos) {
      return Status::InvalidArgument(
          "a path behind a pin must not hold empty parts, '.', '..', backslash or NUL");
    }
    at = end + 1;
  }
  return Status::Ok();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> BuiltInPins() {
  const char* value = std::getenv("HOME");
  const std::string home = value == nullptr ? "" : value;
  return {{"claude", home + "/.claude/projects"},
          {"claude-code", home + "/.claude/projects"},
          {"codex", home + "/.codex/sessions"}};
}

bool IsBuiltInPin(std::string_view name) {
  return name == "codex" || name == "claude" || name == "claude-code";
}

Result<DatasetLocation> ParseDataset(std::string_view text, const Configuration& configuration) {
  if (text.empty() || text.front() != '@') {
    return ParseUri(text);
  }
  const size_t slash = std::min(text.find('/'), text.size());
  const std::string_view name = text.substr(1, slash - 1);
  if (!IsPinName(name)) {
    return Status::InvalidArgument("'@{}' is no pin: names match [a-z][a-z0-9._-]{{0,63}}", name);
  }
  std::string uri;
  for (const auto& [built_in, path] : BuiltInPins()) {
    uri = built_in == name ? path : uri;
  }
  if (uri.empty()) {
    const Pin* pin = configuration.Find(name);
    if (pin == nullptr) {
      return Status::NotFound(
          "pin '@{}' is not in {}; add it with: pchronicle dataset pin {} DATASET", name,
          configuration.path(), name);
    }
    uri = pin->uri;
  }
  if (slash < text.size()) {
    PCHRONICLE_RETURN_IF_ERROR(CheckSuffix(text.substr(slash + 1)));
    uri = TrimSlashes(uri) + std::string(text.substr(slash));
  }
  auto location = ParseUri(uri);
  return location.ok() ? location : location.status().WithContext(fmt::format("pin '@{}'", name));
}

Result<DatasetLocation> ResolveDataset(const std::optional<std::string>& text,
                                       const Configuration& configuration) {
  if (!text && configuration.Find(kDefaultPin) == nullptr) {
    return Status::NotFound(
        "no Dataset given and no default configured in {}; name a folder, or set one with: "
        "pchronicle dataset pin default DIR",
        configuration.path());
  }
  PCHRONICLE_ASSIGN_OR_RETURN(DatasetLocation location,
                              ParseDataset(text.value_or("@default"), configuration));
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(location.path, error);
  if (!text && !std::filesystem::is_directory(status)) {
    return Status::NotFound(
        "the default Dataset {} is no longer a directory; set it anew with: pchronicle dataset pin "
        "default DIR",
        location.path);
  }
  if (!std::filesystem::exists(status)) {
    return status.type() == std::filesystem::file_type::not_found
               ? Status::NotFound("Dataset '{}' does not exist", location.given)
               : Status::PermissionDenied("Dataset '{}': {}", location.given, error.message());
  }
  return location;
}

Result<std::string> PinnableUri(std::string_view text) {
  if (!text.empty() && text.front() == '@') {
    return Status::InvalidArgument("a pin must not point at another pin");
  }
  if (const auto split = SplitScheme(text)) {
    if (split->first == "catalog") {
      return Status::Unsupported(
          "catalog:// pins need `serve --catalog-config`, which this build does not have");
    }
    PCHRONICLE_RETURN_IF_ERROR(CheckUri(split->first, split->second));
    if (split->first != "file" && split->first != "local") {
      return TrimSlashes(text);
    }
    return TrimSlashes(split->second);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const DatasetLocation location, ParseUri(text));
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(location.path, error);
  if (error) {
    return Status::Io("{}: {}", location.path, error.message());
  }
  return TrimSlashes(absolute.lexically_normal().string());
}

}  // namespace pchronicle::app
