#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/decode.h"
#include "pchronicle/model/openai/encoder.h"
#include "pchronicle/model/openai/walker.h"

namespace pchronicle::model::openai {

/// What one read of a corpus gave.
struct ReadBack {
  std::vector<Storyline> storylines;
  std::vector<Problem> problems;
  Diagnostics diagnostics;
  bool open_tail = false;
  uint64_t bytes_read = 0;
  uint64_t buffer_peak = 0;

  const Storyline& at(size_t i) const { return storylines.at(i); }
  std::string error() const {
    return problems.empty() ? std::string() : problems.front().status.message();
  }
  uint64_t count(std::string_view code) const {
    for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
      if (diagnostic.code == code) {
        return diagnostic.count;
      }
    }
    return 0;
  }
};

inline WalkOptions Options() {
  WalkOptions options;
  options.source_path = "in.json";
  return options;
}

inline WalkOptions Lines() {
  WalkOptions options = Options();
  options.container = json::Container::kLines;
  return options;
}

inline WalkOptions Strict() {
  WalkOptions options = Options();
  options.strict = true;
  return options;
}

inline ReadBack Read(std::string_view text, const WalkOptions& options = Options()) {
  const json::MemoryInput input{std::string(text)};
  HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<Walker> walker = MakeOpenAiWalker(input, options, {}, sink);
  while (walker->Advance()) {
  }
  return {sink.Take(),         sink.problems(),      sink.diagnostics(),
          walker->open_tail(), walker->bytes_read(), walker->buffer_peak_bytes()};
}

inline std::string Write(const std::vector<Storyline>& storylines, EncodeReport* report = nullptr) {
  EncodeOptions options;
  options.pretty = false;
  const Result<std::string> text = EncodeOpenAi(storylines, options, report);
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  return text.ok() ? *text : std::string();
}

/// Residuals of this format, `pointer=value` each, in order.
inline std::vector<std::string> Unknown(const Storyline& storyline) {
  std::vector<std::string> fields;
  for (const UnknownSource& source : storyline.document.unknown) {
    for (const UnknownField& field : source.fields) {
      fields.push_back(std::string(field.pointer) + "=" + std::string(field.value.text));
    }
  }
  return fields;
}

/// One line for each turn: `id source kind message`.
inline std::vector<std::string> Turns(const Storyline& storyline) {
  std::vector<std::string> lines;
  for (const Turn& turn : storyline.turns) {
    lines.push_back(std::to_string(turn.id) + " " + std::string(turn.source) + " " +
                    std::string(turn.kind.value_or("-")) + " " + std::string(turn.message.text));
  }
  return lines;
}

}  // namespace pchronicle::model::openai
