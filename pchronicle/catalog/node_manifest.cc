#include "pchronicle/catalog/node_manifest.h"

#include <optional>

namespace pchronicle::catalog {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Content of a quoted TOML string without escapes: the only form that the keys read here are
/// written in.
std::optional<std::string_view> PlainString(std::string_view value) {
  if (value.size() < 2 || (value.front() != '"' && value.front() != '\'')) {
    return std::nullopt;
  }
  const size_t end = value.find(value.front(), 1);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = Trim(value.substr(end + 1));
  const std::string_view content = value.substr(1, end - 1);
  if ((!rest.empty() && rest.front() != '#') || content.find('\\') != std::string_view::npos) {
    return std::nullopt;
  }
  return content;
}

}  // namespace

Result<NodeManifest> ParseNodeManifest(std::string_view text) {
  std::optional<std::string_view> version, kind, format;
  bool in_root = true;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = Trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (line.front() == '[') {
      in_root = false;
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return Status::InvalidArgument("chronicle.manifest: '{}' is no key and value",
                                     line.substr(0, 80));
    }
    if (!in_root) {
      continue;
    }
    const std::string_view key = Trim(line.substr(0, equals));
    const std::string_view value = Trim(line.substr(equals + 1));
    if (key == "schema_version") {
      version = Trim(value.substr(0, value.find('#')));
    } else if (key == "kind") {
      kind = PlainString(value);
    } else if (key == "format") {
      format = PlainString(value);
      if (!format || format->empty()) {
        return Status::InvalidArgument("chronicle.manifest: format must be a string");
      }
    }
  }
  if (version != "1") {
    return Status::InvalidArgument("chronicle.manifest: schema_version must be 1");
  }
  NodeManifest manifest;
  if (kind == "leaf") {
    manifest.kind = NodeManifest::Kind::kLeaf;
    if (!format) {
      return Status::InvalidArgument("chronicle.manifest: a leaf needs a format");
    }
    manifest.format = *format;
    return manifest;
  }
  if (kind != "branch") {
    return Status::InvalidArgument("chronicle.manifest: kind must be leaf or branch");
  }
  if (format) {
    return Status::InvalidArgument("chronicle.manifest: a branch has no format");
  }
  return manifest;
}

}  // namespace pchronicle::catalog
