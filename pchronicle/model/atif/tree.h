#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pchronicle/base/result.h"
#include "pchronicle/model/document.h"

namespace pchronicle::model::atif {

/// The trees that `children` links make of an export set (formats.md 3.8). Indexes into the set.
struct Forest {
  std::vector<size_t> roots;                  // documents nobody names, in input order
  std::vector<std::vector<size_t>> children;  // of each document, in its order
};

/// Errors (kInvalidArgument): `duplicate Storyline document identity 'X'`, `Storyline child 'X' has
/// no matching document`, `Storyline child 'X' has multiple parents`, `Storyline child graph has no
/// root document`, `Storyline child graph contains unreachable documents`, and a tree deeper than a
/// reader accepts.
Result<Forest> BuildForest(std::span<const Storyline> storylines);

}  // namespace pchronicle::model::atif
