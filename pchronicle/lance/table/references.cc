#include "pchronicle/lance/table/references.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "pchronicle/lance/table/reference_json.h"

namespace pchronicle::lance {
namespace {

constexpr uint64_t kMaxReferenceBytes = 1 << 20;

// Names in a directory of `_refs`, without `.json`; none when it is missing.
Result<std::vector<std::string>> ListReferences(const io::Store& store, std::string_view path) {
  constexpr std::string_view kSuffix = ".json";
  std::vector<std::string> out;
  const Result<std::vector<io::Entry>> entries = store.ListDirectory(path);
  if (!entries.ok()) {
    return entries.status().code() == StatusCode::kNotFound ? Result(std::move(out))
                                                            : entries.status();
  }
  for (const io::Entry& entry : *entries) {
    const std::string_view name = std::string_view(entry.path).substr(entry.path.rfind('/') + 1);
    if (name.ends_with(kSuffix)) {
      out.emplace_back(name.substr(0, name.size() - kSuffix.size()));
    }
  }
  return out;
}

Result<columnar::Metadata> ReadReference(const io::Store& store, const std::string& path) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, io::ReadAll(store, path, kMaxReferenceBytes));
  Result<columnar::Metadata> out = ReadReferenceJson(text);
  return out.ok() ? std::move(out) : Result<columnar::Metadata>(out.status().WithContext(path));
}

std::string Member(const columnar::Metadata& members, std::string_view key) {
  const auto found = members.find(key);
  return found == members.end() ? std::string() : found->second;
}

Status NoSuchTag(const io::Store& store, const std::string& tag) {
  std::string names;
  if (const auto known = ListReferences(store, "_refs/tags"); known.ok()) {
    for (const std::string& name : *known) {
      names += (names.empty() ? "" : ", ") + name;
    }
  }
  return Status::NotFound("tag '{}' does not exist; there are {}", tag,
                          names.empty() ? "none" : names);
}

}  // namespace

Result<Tag> ReadTag(const io::Store& store, const std::string& name) {
  const std::string path = fmt::format("_refs/tags/{}.json", name);
  if (name.empty() || name.find('/') != std::string::npos) {
    return Status::InvalidArgument("'{}' is no name of a tag", name);
  }
  const Result<columnar::Metadata> members = ReadReference(store, path);
  if (!members.ok()) {
    return members.status().code() == StatusCode::kNotFound ? NoSuchTag(store, name)
                                                            : members.status();
  }
  const std::optional<uint64_t> version = ReferenceNumber(*members, "version");
  if (!version) {
    return Status::Corruption("{}: the tag names no version", path);
  }
  return Tag{name, Member(*members, "branch"), *version};
}

Result<std::vector<Tag>> ListTags(const io::Store& store) {
  std::vector<Tag> out;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              ListReferences(store, "_refs/tags"));
  for (const std::string& name : names) {
    PCHRONICLE_ASSIGN_OR_RETURN(Tag tag, ReadTag(store, name));
    out.push_back(std::move(tag));
  }
  return out;
}

Result<std::vector<Branch>> ListBranches(const io::Store& store) {
  std::vector<Branch> out;
  PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              ListReferences(store, "_refs/branches"));
  for (const std::string& name : names) {
    PCHRONICLE_ASSIGN_OR_RETURN(const columnar::Metadata members,
                                ReadReference(store, fmt::format("_refs/branches/{}.json", name)));
    Branch branch;
    for (size_t i = 0; i < name.size(); ++i) {
      const bool slash = name.compare(i, 3, "%2F") == 0 || name.compare(i, 3, "%2f") == 0;
      branch.name += slash ? '/' : name[i];
      i += slash ? 2 : 0;
    }
    branch.parent = Member(members, "parentBranch");
    branch.parent_version = ReferenceNumber(members, "parentVersion").value_or(0);
    out.push_back(std::move(branch));
  }
  return out;
}

}  // namespace pchronicle::lance
