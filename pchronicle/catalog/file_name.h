#pragma once

#include <string>
#include <string_view>

namespace pchronicle::catalog {

/// Why a file with this name is never opened (DSC-16, BR-57); empty: it is read.
std::string UnreadExtension(std::string_view name);
/// `.json`, `.jsonl`, `.ndjson`, and these with `.gz` or `.zst` behind, in any case.
bool IsTrajectoryName(std::string_view name);
/// What passed_over says of a file that is no source: its extension in lower case.
std::string ExtensionKind(std::string_view name);

std::string_view BaseName(std::string_view path);
/// `name` below `directory`, which may be empty.
std::string JoinPath(std::string_view directory, std::string_view name);
/// ASCII letters in lower case.
std::string LowerCase(std::string_view text);
/// Name of an entry that cannot be one of ours: bytes that are no ASCII as `\xNN`.
std::string PrintableName(std::string_view bytes);

}  // namespace pchronicle::catalog
