#pragma once

#include <memory>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/model/sink.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

/// Reads Storyline v1 wire documents (formats.md 2): closed objects, an object, an array, or lines.
/// `input` and `sink` must outlive the walker; `notes` are those of earlier passes over the same
/// source (copied). Never fails here: what is wrong with the input reaches the sink on Advance.
std::unique_ptr<Walker> MakeStorylineWalker(const json::ByteInput& input,
                                            const WalkOptions& options, const SourceNotes& notes,
                                            DocumentSink& sink);

}  // namespace pchronicle::model
