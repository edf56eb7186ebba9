#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/model/actf/encoder.h"
#include "pchronicle/model/actf/walker.h"
#include "pchronicle/model/chat/walker.h"
#include "pchronicle/model/decode.h"
#include "pchronicle/model/storyline/encoder.h"

namespace pchronicle::model::actf::testing_support {

inline const std::string kTimes =
    R"("started_at":"2026-01-01 00:00:00+00:00","finished_at":"2026-01-01 00:00:01+00:00")";

/// A step; `more` are further members, each with a comma in front.
inline std::string Step(int id, const std::string& more = "") {
  return R"({"step_id":)" + std::to_string(id) +
         R"(,"assistant_content":{"content":"c"},"metric":{})" + more + "," + kTimes + "}";
}

inline std::string Steps(const std::vector<std::string>& steps) {
  std::string text = "[";
  for (const std::string& step : steps) {
    text += (text.size() > 1 ? "," : "") + step;
  }
  return text + "]";
}

inline std::string Attempt(const std::string& steps, const std::string& more = "") {
  return R"({"correct":false,"trajectory":{"schema_version":"ACTF_v1.0","steps":)" + steps + "," +
         kTimes + "}" + more + "}";
}

/// A document of `attempts` (`"1":{...},...`).
inline std::string Task(const std::string& attempts, int tried = 1, int k = 1,
                        const std::string& more = "") {
  return R"({"task_id":"t","category":"cat","k":)" + std::to_string(k) +
         R"(,"correct":false,"attempts_tried":)" + std::to_string(tried) +
         R"(,"solved_at":null,"attempts":{)" + attempts + "}" + more + "}";
}

inline std::string OneAttempt(const std::vector<std::string>& steps, const std::string& more = "") {
  return Task(R"("1":)" + Attempt(Steps(steps), more));
}

/// Everything a walk told, and the hub's documents.
struct Walked {
  std::vector<Storyline> stories;
  std::vector<Problem> problems;
  std::map<std::string, Diagnostic> notes;  // by code
  SourceNotes source_notes;
  bool open_tail = false;
  uint64_t bytes_read = 0;
  uint64_t buffer_peak_bytes = 0;
};

inline Walked WalkWith(Format format, const json::ByteInput& input, const WalkOptions& options = {},
                       const SourceNotes& notes = {}) {
  HubSink sink;
  sink.set_keep_going(true);
  const std::unique_ptr<Walker> walker = format == Format::kHfChat
                                             ? MakeChatWalker(input, options, notes, sink)
                                             : MakeActfWalker(input, options, notes, sink);
  while (walker->Advance()) {
  }
  Walked walked;
  walked.stories = sink.Take();
  walked.problems = sink.problems();
  for (const Diagnostic& diagnostic : sink.diagnostics().Sorted()) {
    walked.notes[diagnostic.code] = diagnostic;
  }
  walked.source_notes = walker->notes();
  walked.open_tail = walker->open_tail();
  walked.bytes_read = walker->bytes_read();
  walked.buffer_peak_bytes = walker->buffer_peak_bytes();
  return walked;
}

inline Walked WalkText(const std::string& text, const WalkOptions& options = {},
                       Format format = Format::kActf) {
  return WalkWith(format, json::MemoryInput(text), options);
}

/// The compact wire text of one Storyline.
inline std::string Wire(const Storyline& story) {
  EncodeOptions options;
  options.pretty = false;
  Result<std::string> text = EncodeStoryline({&story, 1}, options, nullptr);
  return text.ok() ? *text : text.status().ToString();
}

inline std::string EncodeBack(const std::vector<Storyline>& stories, EncodeReport* report = nullptr,
                              bool strict = false) {
  EncodeOptions options;
  options.pretty = false;
  options.strict = strict;
  Result<std::string> text = EncodeActf(stories, options, report);
  return text.ok() ? *text : "error: " + text.status().message();
}

}  // namespace pchronicle::model::actf::testing_support
