// Compressed input on hostile bytes. Equations: an error or the text, the same for every size of
// reads; a cut is the end only where it is asked for; memory and text stay below the limits.
//
// Input: first byte chooses the compression, the rest is compressed bytes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "pchronicle/json/decompress.h"
#include "pchronicle/json/json_test_support.h"

namespace {

namespace json = pchronicle::json;

constexpr uint64_t kMaxText = 1 << 20;
constexpr uint64_t kMaxWindow = 1 << 20;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

struct Reading {
  std::string text;
  std::string error;
  bool truncated = false;
};

Reading Read(const std::string& bytes, json::Compression kind, size_t piece, size_t step,
             bool cut_is_end) {
  json::DecompressOptions options;
  options.max_decompressed_bytes = kMaxText;
  options.max_decompression_window_bytes = kMaxWindow;
  options.cut_is_end = cut_is_end;
  const auto source = json::MakeDecompressor(
      std::make_unique<json::testing_support::ChunkedSource>(bytes, step), kind, options);
  Reading reading;
  std::string buffer(piece, '\0');
  while (true) {
    const auto got = source->Read(buffer);
    // zstd holds the window and one block twice beside its tables.
    Require(source->memory_bytes() < kMaxWindow + (1 << 20), "memory is bounded");
    if (!got.ok()) {
      reading.error = got.status().message();
      break;
    }
    if (*got == 0) {
      break;
    }
    reading.text.append(buffer, 0, *got);
  }
  Require(reading.text.size() <= kMaxText, "the text is bounded");
  reading.truncated = source->truncated();
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::Compression kind =
      (data[0] & 1) != 0 ? json::Compression::kZstd : json::Compression::kGzip;
  const Reading whole = Read(bytes, kind, 64 << 10, SIZE_MAX, false);
  const Reading pieces = Read(bytes, kind, 100, 7, false);
  // A limit may hit in the middle of a piece; else the text is the same.
  const size_t common = std::min(whole.text.size(), pieces.text.size());
  Require(whole.text.compare(0, common, pieces.text, 0, common) == 0, "pieces change no text");
  Require(whole.error.empty() == pieces.error.empty(), "pieces change no verdict");
  if (whole.error.empty()) {
    Require(whole.text == pieces.text, "pieces lose no text");
  }
  const Reading lenient = Read(bytes, kind, 100, 7, true);
  Require(lenient.text == pieces.text, "a cut changes no text before it");
  Require(lenient.truncated == (pieces.error.find("is cut off") != std::string::npos),
          "only a cut is forgiven");
  return 0;
}
