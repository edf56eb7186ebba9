#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/columnar/data_type.h"

namespace pchronicle::lance {

/// The scalar members of one JSON object, as the small files beside a table hold it (tags,
/// branches, the version hint; lance.md A10): text unescaped, numbers and words as written, null
/// left out, nested values passed over. kCorruption with the byte when it is no object.
Result<columnar::Metadata> ReadReferenceJson(std::string_view json);

/// The member as a number of at most 64 bits; nothing when absent or no such number.
std::optional<uint64_t> ReferenceNumber(const columnar::Metadata& members, std::string_view key);

}  // namespace pchronicle::lance
