#pragma once

#include <memory>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/model/sink.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

/// How much an AgenticMD text must say about itself (formats.md 6.3).
enum class AgenticMdLevel : uint8_t {
  kAuthoritative,  // level 1 only: Storyline metadata in the frontmatter and in every block
  kLenient,        // level 2 where the frontmatter has none: session, agent and turns are made up
};

/// Reads one AgenticMD text (formats.md 6): the whole file is held, at most
/// CursorOptions::max_record_bytes of it; turns are read one by one. It is one document, so every
/// problem concerns the whole source; locations are `frontmatter`, `frontmatter.storyline`,
/// `block[i].storyline`, `block[i].body`. `input` and `sink` must outlive the walker.
std::unique_ptr<Walker> MakeAgenticMdWalker(const json::ByteInput& input,
                                            const WalkOptions& options, const SourceNotes& notes,
                                            DocumentSink& sink,
                                            AgenticMdLevel level = AgenticMdLevel::kAuthoritative);

}  // namespace pchronicle::model
