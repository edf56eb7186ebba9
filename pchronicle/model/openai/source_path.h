#pragma once

#include <string_view>

#include "pchronicle/base/status.h"

namespace pchronicle::model::openai {

/// The name of a corpus inside its data set (formats.md 4.1) becomes `origin.document_id`:
/// relative, without `.` and `..`.
Status CheckSourcePath(std::string_view path);

}  // namespace pchronicle::model::openai
