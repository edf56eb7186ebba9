#include "pchronicle/catalog/file_name.h"

#include <fmt/core.h>

#include <algorithm>

#include "pchronicle/json/decompress.h"
#include "pchronicle/json/utf8.h"

namespace pchronicle::catalog {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name);
}

std::string PrintableName(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) < 0x80) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

std::string ExtensionKind(std::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string_view extension =
      dot == std::string_view::npos ? std::string_view() : name.substr(dot);
  const bool usual = extension.size() > 1 && extension.size() <= 16 && json::IsValidUtf8(extension);
  return usual ? LowerCase(extension) : "no extension";
}

bool IsTrajectoryName(std::string_view name) {
  name = json::NameInside(name);
  const std::string tail = LowerCase(name.substr(name.size() - std::min<size_t>(name.size(), 8)));
  return tail.ends_with(".json") || tail.ends_with(".jsonl") || tail.ends_with(".ndjson");
}

std::string UnreadExtension(std::string_view name) {
  struct Known {
    std::string_view suffix, reason;
  };
  static constexpr Known kKnown[] = {
      {".tar.gz", "not read: archive (tar, gzip)"},
      {".tgz", "not read: archive (tar, gzip)"},
      {".tar.zst", "not read: archive (tar, zstd)"},
      {".tar.bz2", "not read: archive (tar, bzip2)"},
      {".tar.xz", "not read: archive (tar, xz)"},
      {".tar", "not read: archive (tar)"},
      {".zip", "not read: archive (zip)"},
      {".gz", "not read: compressed (gzip)"},
      {".zst", "not read: compressed (zstd)"},
      {".bz2", "not read: compressed (bzip2)"},
      {".xz", "not read: compressed (xz)"},
      {".parquet", "not read: Parquet table"},
      {".traj", "not read: .traj file (SWE-agent)"},
      {".eval", "not read: .eval log (Inspect)"},
      {".meta.json", "metadata sidecar, not a trajectory"},
  };
  name = json::NameInside(name);
  const std::string tail = LowerCase(name.substr(name.size() - std::min<size_t>(name.size(), 10)));
  for (const Known& known : kKnown) {
    if (tail.size() > known.suffix.size() ? tail.ends_with(known.suffix) : tail == known.suffix) {
      return std::string(known.reason);
    }
  }
  return {};
}

}  // namespace pchronicle::catalog
