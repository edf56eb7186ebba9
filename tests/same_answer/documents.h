#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pchronicle/json/record_stream.h"
#include "pchronicle/model/walker.h"

namespace pchronicle::same_answer {

struct MadeCall {
  std::string id, name;
  std::string arguments;  // minified JSON
};

struct MadeTurn {
  int64_t step_id = 0;
  std::string source;
  std::string message_text;              // decoded
  std::optional<std::string> reasoning;  // decoded
  std::vector<MadeCall> calls;
  bool had_calls = false;  // a list of calls was there, empty or not
};

struct MadeRun {
  std::string session_id;
  std::vector<MadeTurn> turns;
};

/// A text and what was put into it: the answer that every reader must give.
struct MadeText {
  model::Format format = model::Format::kAtif;
  json::Container container = json::Container::kDocument;
  std::string name;
  std::string text;
  std::vector<MadeRun> runs;
};

/// Random texts for rapidcheck properties: members in any order, odd, escaped and repeated keys,
/// blanks, escapes, deep values, some larger than a small buffer. Written from the mapping of
/// formats.md, without any reader of ours.
MadeText MakeAtif();
MadeText MakeOpenAi();
MadeText MakeActf();
MadeText MakeStoryline();
MadeText MakeChat();
MadeText MakeAgenticMd();
MadeText MakeAny();

}  // namespace pchronicle::same_answer
