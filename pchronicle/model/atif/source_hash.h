#pragma once

#include <cstdint>
#include <string>

#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/cursor.h"

namespace pchronicle::model::atif {

/// `source_document_id` of residuals (formats.md 3.5): BLAKE3-256 in lowercase hex of the record at
/// `record_offset` without its root member `_storyline`, object keys sorted recursively, compact.
/// It groups the documents of one tree; it is no checksum of bytes. A record above max_record_bytes
/// gives the hash of its offset in the source instead, because sorting needs it whole. Reads the
/// record again: adds to *bytes_read.
std::string SourceDocumentId(const json::ByteInput& input, uint64_t record_offset,
                             const json::CursorOptions& options, uint64_t* bytes_read);

}  // namespace pchronicle::model::atif
