#pragma once

#include <cstddef>
#include <string_view>

#include "pchronicle/app/find/expression.h"
#include "pchronicle/base/result.h"

namespace pchronicle::app {

/// Bytes of one `--match` (catalog.md 12).
inline constexpr size_t kMaxMatchBytes = 4096;
/// Levels of a tree: NOT, and AND and OR inside each other.
inline constexpr size_t kMaxMatchDepth = 100;

/// Reads one `--match` expression (catalog.md 13, cli.md 4.5.1). Linear in the text; nesting costs
/// no stack. Errors (kInvalidArgument; too deep: kResourceExhausted) name the place, `character 9:
/// ...` counted from 1, and what to write instead. The caller checks kMaxMatchBytes: a canonical
/// text may be longer than what was typed.
Result<FindExpression> ParseFindExpression(std::string_view text);

}  // namespace pchronicle::app
