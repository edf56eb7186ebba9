#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/result.h"
#include "pchronicle/json/byte_source.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::model {

/// What a file is, told from its content (formats.md 8, sources.md 1.5).
struct Detection {
  enum class Kind : uint8_t {
    kFormat,   // `format` is set: read it
    kEmpty,    // no record in it
    kIgnored,  // no trajectory that we read: `reason`
    kError,    // `error`: nothing of the file can be used
  };
  /// Part of a Harbor job folder (sources.md HAR-01).
  enum class Harbor : uint8_t { kNone, kTrialResult, kOther };

  Kind kind = Kind::kIgnored;
  std::optional<Format> format;
  json::Container container = json::Container::kDocument;
  std::string reason;
  Harbor harbor = Harbor::kNone;
  Status error;
  uint64_t error_record = 0;  // kError: first byte of the record, and the byte, for json::Locate
  uint64_t error_offset = 0;
};

struct DetectOptions {
  /// Bytes in which all members count; beyond, the first test that holds decides (8.1).
  uint64_t window_bytes = 1 << 20;
  /// Bytes of one value that may be held (8.4).
  uint64_t max_detection_bytes = 256ULL << 20;
};

/// Reads as much of `input` as it takes to name its format. `file` is the relative path: it chooses
/// lines or document, and is a hint only where the content says nothing. An error status is one of
/// the storage, or `max_detection_bytes`; everything the content can do wrong is a Detection.
Result<Detection> Detect(const json::ByteInput& input, std::string_view file,
                         const DetectOptions& options = {});

/// Lines for `.jsonl` and `.ndjson`, also of compressed text, in any case; else a document.
json::Container ContainerByName(std::string_view file);

}  // namespace pchronicle::model
