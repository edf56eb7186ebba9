// The chat row reader on hostile bytes. Equations: a projection announces the documents that a full
// read announces; the window changes nothing.
//
// Input: first byte flags, the rest is text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/model/chat/walker.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

struct Read {
  std::vector<size_t> turns;  // by document
  bool clean = false;
};

Read ReadAll(const std::string& text, json::Container container, FieldMask fields, size_t window) {
  const json::MemoryInput input(text);
  WalkOptions options;
  options.fields = fields;
  options.container = container;
  options.cursor.window_bytes = window;
  options.cursor.max_record_bytes = 1 << 20;
  options.source_path = "rows.jsonl";
  HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<Walker> walker = MakeChatWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  Read read;
  read.clean = sink.problems().empty() && sink.diagnostics().empty() && !walker->open_tail();
  for (const Storyline& story : sink.Take()) {
    read.turns.push_back(story.turns.size());
  }
  return read;
}

int FuzzChat(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::Container container =
      (data[0] & 1) != 0 ? json::Container::kLines : json::Container::kDocument;
  const Read full = ReadAll(text, container, FieldMask::All(), 256 << 10);
  Require(full.turns == ReadAll(text, container, FieldMask::All(), 64).turns,
          "the window changes nothing");
  if (full.clean) {
    Require(full.turns == ReadAll(text, container, Field::kTurnKind, 256 << 10).turns,
            "a projection sees the same turns");
    Require(full.turns.size() == ReadAll(text, container, FieldMask(), 256 << 10).turns.size(),
            "and the same documents");
  }
  return 0;
}

}  // namespace
}  // namespace pchronicle::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::model::FuzzChat(data, size);
}
