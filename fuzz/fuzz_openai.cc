// The OpenAI corpus reader and writer on hostile bytes. Equations: those of reading_equations.h;
// how much of a row is held changes nothing; a projection sees the turns of a full read that found
// nothing odd; what was read can be written, and what was written can be read.
//
// Input: first byte flags, the rest is text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/reading_equations.h"
#include "pchronicle/model/decode.h"
#include "pchronicle/model/openai/encoder.h"
#include "pchronicle/model/openai/walker.h"

namespace pchronicle::model {
namespace {

using fuzz::Require;

struct Read {
  std::vector<Storyline> storylines;
  std::vector<std::string> turns;
  bool clean = false;
};

Read ReadAll(const std::string& text, json::Container container, FieldMask fields,
             uint64_t held_bytes) {
  const json::MemoryInput input(text);
  WalkOptions options;
  options.fields = fields;
  options.container = container;
  options.cursor.max_record_bytes = held_bytes;
  options.source_path = "rows.json";
  HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<Walker> walker = MakeOpenAiWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  Read read;
  read.clean = sink.problems().empty() && sink.diagnostics().empty() && !walker->open_tail();
  read.storylines = sink.Take();
  for (const Storyline& story : read.storylines) {
    for (const Turn& turn : story.turns) {
      read.turns.push_back(std::string(story.document.session_id) + " " + std::to_string(turn.id) +
                           " " + std::string(turn.source) + " " + std::to_string(turn.call_count));
    }
  }
  return read;
}

int FuzzOpenAi(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::Container container =
      (data[0] & 1) != 0 ? json::Container::kLines : json::Container::kDocument;
  fuzz::CheckReading(Format::kOpenAiMessages, data, size);
  const Read full = ReadAll(text, container, FieldMask::All(), 1 << 20);
  if (full.clean) {
    // Half a text holds every value of most rows, but not the rows.
    const Read streamed = ReadAll(text, container, FieldMask::All(), size / 2 + 64);
    if (streamed.clean) {
      Require(full.turns == streamed.turns, "a row that is not held gives the same turns");
    }
    Require(full.turns == ReadAll(text, container, Field::kTurns, 1 << 20).turns,
            "a projection sees the same turns");
  }
  if (full.storylines.empty()) {
    return 0;
  }
  EncodeOptions options;
  options.pretty = (data[0] & 2) != 0;
  const Result<std::string> written = EncodeOpenAi(full.storylines, options, nullptr);
  if (written.ok()) {
    const Read again = ReadAll(*written, json::Container::kDocument, FieldMask::All(), 1 << 24);
    Require(again.storylines.size() == full.storylines.size(), "every session comes back");
  }
  return 0;
}

}  // namespace
}  // namespace pchronicle::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::model::FuzzOpenAi(data, size);
}
