#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/model/decode.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::fuzz {

inline void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

/// What one reading of an input saw.
struct Reading {
  std::vector<size_t> turns;       // by document
  std::vector<uint64_t> problems;  // where they stand
  bool open_tail = false;
  bool clean = false;  // no problem, no diagnostic, no open tail
};

inline Reading Read(model::Format format, const std::string& text, json::Container container,
                    model::FieldMask fields, size_t window) {
  const json::MemoryInput input(text);
  model::WalkOptions options;
  options.fields = fields;
  options.container = container;
  options.cursor.window_bytes = window;
  options.cursor.max_record_bytes = 1 << 20;
  options.source_path = container == json::Container::kLines ? "rows.jsonl" : "rows.json";
  model::HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<model::Walker> walker = model::MakeWalker(format, input, options, {}, sink);
  while (walker->Advance()) {
  }
  Reading reading;
  reading.clean = sink.problems().empty() && sink.diagnostics().empty() && !walker->open_tail() &&
                  !walker->needs_second_pass();
  reading.open_tail = walker->open_tail();
  for (const model::Problem& problem : sink.problems()) {
    reading.problems.push_back(problem.offset);
  }
  for (const model::Storyline& story : sink.Take()) {
    reading.turns.push_back(story.turns.size());
  }
  return reading;
}

/// The first byte chooses the container, the rest is text. The size of the window changes nothing;
/// on clean input a projection sees the documents and turns that a full read sees.
inline int CheckReading(model::Format format, const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::Container container =
      (data[0] & 1) != 0 ? json::Container::kLines : json::Container::kDocument;
  constexpr size_t kWindow = 256 << 10;
  const Reading full = Read(format, text, container, model::FieldMask::All(), kWindow);
  const Reading narrow = Read(format, text, container, model::FieldMask::All(), 64);
  Require(full.turns == narrow.turns && full.problems == narrow.problems &&
              full.open_tail == narrow.open_tail,
          "the window changes nothing");
  if (full.clean) {
    Require(full.turns == Read(format, text, container, model::Field::kTurnKind, kWindow).turns,
            "a projection sees the same documents and turns");
  }
  return 0;
}

}  // namespace pchronicle::fuzz
