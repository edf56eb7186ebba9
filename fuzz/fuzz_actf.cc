// The ACTF reader and encoder on hostile bytes. Equations: those of reading_equations.h; what was
// read can be written, and writing what comes back changes nothing.
//
// Input: first byte flags, the rest is text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/reading_equations.h"
#include "pchronicle/model/actf/encoder.h"
#include "pchronicle/model/actf/walker.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

using fuzz::Require;

struct Read {
  std::vector<Storyline> stories;
  bool clean = false;
};

Read ReadAll(const std::string& text, json::Container container, FieldMask fields, size_t window) {
  const json::MemoryInput input(text);
  WalkOptions options;
  options.fields = fields;
  options.container = container;
  options.cursor.window_bytes = window;
  options.cursor.max_record_bytes = 1 << 20;
  HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<Walker> walker = MakeActfWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  Read read;
  read.clean = sink.problems().empty() && !walker->open_tail();
  read.stories = sink.Take();
  return read;
}

void RoundTrips(std::vector<Storyline> stories) {
  EncodeOptions options;
  options.pretty = false;
  const Result<std::string> once = EncodeActf(stories, options, nullptr);
  if (!once.ok()) {
    return;
  }
  const Read back = ReadAll(*once, json::Container::kDocument, FieldMask::All(), 256 << 10);
  Require(back.clean, "what was written can be read");
  const Result<std::string> twice = EncodeActf(back.stories, options, nullptr);
  Require(twice.ok() && *twice == *once, "writing is idempotent");
}

int FuzzActf(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::Container container =
      (data[0] & 1) != 0 ? json::Container::kLines : json::Container::kDocument;
  fuzz::CheckReading(Format::kActf, data, size);
  Read full = ReadAll(text, container, FieldMask::All(), 256 << 10);
  if (full.clean) {
    RoundTrips(std::move(full.stories));
  }
  return 0;
}

}  // namespace
}  // namespace pchronicle::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::model::FuzzActf(data, size);
}
