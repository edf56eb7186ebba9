#pragma once

#include <string>
#include <string_view>

#include "pchronicle/app/find/case_fold.h"
#include "pchronicle/base/arena.h"

namespace pchronicle::app {

/// True when the needle stands in one of the texts of a valid JSON value: a string at any depth, a
/// number, true or false as written. Member names and the strings of members named `type` are no
/// texts. `decoded` and `folded` are working memory.
bool FoundInJson(std::string_view json, const CaselessNeedle& needle, Arena& decoded,
                 std::string* folded);

}  // namespace pchronicle::app
