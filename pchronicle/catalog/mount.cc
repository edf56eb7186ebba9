#include "pchronicle/catalog/mount.h"

#include <algorithm>
#include <set>

namespace pchronicle::catalog {
namespace {

std::string_view Trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Status CheckAlias(std::string_view alias, std::string_view given) {
  const bool good = !alias.empty() && (IsLower(alias.front()) || alias.front() == '_') &&
                    std::all_of(alias.begin(), alias.end(),
                                [](char c) { return IsLower(c) || IsDigit(c) || c == '_'; });
  if (!good) {
    return Status::InvalidArgument(
        "mount name '{}' must start with a letter or '_' and hold only letters, digits and '_'",
        given);
  }
  if (alias == "public" || alias == "information_schema") {
    return Status::InvalidArgument("mount name '{}' is reserved", given);
  }
  return Status::Ok();
}

Status CheckBucket(std::string_view bucket, std::string_view uri) {
  const auto alphanumeric = [](char c) { return IsLower(c) || IsDigit(c); };
  const bool good = bucket.size() >= 3 && bucket.size() <= 63 && alphanumeric(bucket.front()) &&
                    alphanumeric(bucket.back()) && bucket.find("..") == std::string_view::npos &&
                    std::all_of(bucket.begin(), bucket.end(),
                                [&](char c) { return alphanumeric(c) || c == '-' || c == '.'; });
  return good ? Status::Ok()
              : Status::InvalidArgument(
                    "'{}' is no bucket name (3-63 lowercase letters, digits, '-' and '.') in {}",
                    bucket, uri);
}

/// What stands before `://`; empty for a plain path.
std::string_view SchemeOf(std::string_view uri) {
  const size_t end = uri.find("://");
  if (end == std::string_view::npos || end == 0 ||
      !std::all_of(uri.begin(), uri.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
        return IsLower(Lower(c)) || IsDigit(c) || c == '+' || c == '-' || c == '.';
      })) {
    return {};
  }
  return uri.substr(0, end);
}

Status CheckObjectUri(std::string_view uri, std::string_view rest) {
  const std::string_view bucket = rest.substr(0, rest.find('/'));
  if (bucket.find(':') != std::string_view::npos) {
    return Status::InvalidArgument("a port is not allowed in {}", uri);
  }
  return CheckBucket(bucket, uri);
}

}  // namespace

Result<Mount> ParseMount(std::string_view name, std::string_view uri) {
  const std::string_view trimmed = Trim(name);
  Mount mount;
  mount.alias = trimmed;
  std::transform(mount.alias.begin(), mount.alias.end(), mount.alias.begin(), Lower);
  PCHRONICLE_RETURN_IF_ERROR(CheckAlias(mount.alias, trimmed));
  mount.name_space = {std::string(trimmed)};
  mount.uri = Trim(uri);
  if (mount.uri.empty()) {
    return Status::InvalidArgument("mount '{}' has no location", trimmed);
  }
  return mount;
}

Mount PositionalMount(std::string_view uri) {
  Mount mount;
  mount.alias = "dataset";
  mount.name_space = {"dataset"};
  mount.uri = Trim(uri);
  mount.is_default = true;
  return mount;
}

Status CheckMounts(const std::vector<Mount>& mounts) {
  if (mounts.empty()) {
    return Status::InvalidArgument("no Dataset is mounted");
  }
  std::set<std::string_view> aliases;
  std::set<std::vector<std::string>> spaces;
  bool has_default = false;
  for (const Mount& mount : mounts) {
    PCHRONICLE_RETURN_IF_ERROR(CheckAlias(mount.alias, mount.alias));
    if (Trim(mount.uri).empty()) {
      return Status::InvalidArgument("mount '{}' has no location", mount.alias);
    }
    if (!aliases.insert(mount.alias).second) {
      return Status::InvalidArgument("two mounts are named '{}'", mount.alias);
    }
    const auto good = [](const std::string& part) {
      return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return IsLower(Lower(c)) || IsDigit(c) || c == '_' || c == '-' || c == '.';
      });
    };
    if (mount.name_space.empty() ||
        !std::all_of(mount.name_space.begin(), mount.name_space.end(), good)) {
      return Status::InvalidArgument(
          "the namespace of mount '{}' needs non-empty parts of letters, digits, '_', '-' and '.'",
          mount.alias);
    }
    if (!spaces.insert(mount.name_space).second) {
      return Status::InvalidArgument("two mounts have the namespace of '{}'", mount.alias);
    }
    if (mount.is_default && has_default) {
      return Status::InvalidArgument("two mounts are the default Dataset");
    }
    has_default = has_default || mount.is_default;
  }
  return Status::Ok();
}

Status SelectDefault(std::string_view alias, std::vector<Mount>& mounts) {
  std::string wanted(Trim(alias));
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), Lower);
  std::string known;
  bool found = false;
  for (const Mount& mount : mounts) {
    known += known.empty() ? "" : ", ";
    known += mount.alias;
    found = found || mount.alias == wanted;
  }
  if (!found) {
    return Status::NotFound("the default Dataset '{}' is not mounted; mounted are: {}", Trim(alias),
                            known);
  }
  for (Mount& mount : mounts) {
    mount.is_default = mount.alias == wanted;
  }
  return Status::Ok();
}

Result<OpenedRoot> OpenRoot(const Mount& mount) {
  if (mount.store != nullptr) {
    return OpenedRoot{mount.store, mount.store->uri(), ""};
  }
  std::string path = mount.uri;
  if (const std::string_view scheme = SchemeOf(mount.uri); !scheme.empty()) {
    const std::string_view rest = std::string_view(mount.uri).substr(scheme.size() + 3);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    // The URI itself is not repeated where it may hold a secret (ERR-02).
    if (authority.find('@') != std::string_view::npos) {
      return Status::InvalidArgument("credentials are not allowed in the location of '{}'",
                                     mount.alias);
    }
    if (rest.find_first_of("?#") != std::string_view::npos) {
      return Status::InvalidArgument("a query or fragment is not allowed in the location of '{}'",
                                     mount.alias);
    }
    if (scheme == "s3" || scheme == "az" || scheme == "gs") {
      PCHRONICLE_RETURN_IF_ERROR(CheckObjectUri(mount.uri, rest));
      return Status::Unsupported("{}:// locations are not readable yet: {}", scheme, mount.uri);
    }
    if (scheme != "file" && scheme != "local") {
      return Status::InvalidArgument(
          "unknown location scheme '{}://'; use a path, local://, file://, s3://, "
          "az:// or gs://",
          scheme);
    }
    if (!rest.starts_with('/')) {
      return Status::InvalidArgument("a host is not allowed in {}", mount.uri);
    }
    path = rest;
  }
  PCHRONICLE_ASSIGN_OR_RETURN(io::LocalPlace place, io::LocateLocal(path));
  OpenedRoot root;
  PCHRONICLE_ASSIGN_OR_RETURN(root.store, io::OpenLocalStore(place.directory));
  root.uri = root.store->uri();
  if (!place.file.empty()) {
    root.uri = root.uri == "/" ? "/" + place.file : root.uri + "/" + place.file;
    root.file = std::move(place.file);
  }
  return root;
}

}  // namespace pchronicle::catalog
