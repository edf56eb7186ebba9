#include "tests/golden/golden_run.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "pchronicle/json/compare.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/decode.h"
#include "pchronicle/model/detect.h"
#include "pchronicle/model/encode.h"
#include "pchronicle/model/events/fold.h"
#include "tests/golden/row_view.h"

namespace pchronicle::golden {
namespace {

using model::Format;

Outcome Fail(std::string why) { return {Outcome::Kind::kFailed, std::move(why)}; }

model::WalkOptions OptionsFor(const Case& golden) {
  model::WalkOptions options;
  options.strict = golden.strict;
  options.source_path = golden.path;
  options.container = model::ContainerByName(golden.path);
  return options;
}

std::string Quoted(std::string_view text) {
  std::string out;
  json::AppendQuoted(text, out);
  return out;
}

/// The documents as a JSON array of wire objects.
Result<std::string> WireArray(const std::vector<model::Storyline>& stories) {
  if (stories.empty()) {
    return std::string("[]");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text,
                              model::Encode(Format::kStoryline, stories, {.pretty = false}));
  return stories.size() == 1 ? "[" + text + "]" : text;
}

Outcome Match(const char* what, std::string_view expected, std::string_view actual) {
  std::string why;
  if (json::Matches(expected, actual, &why)) {
    return {};
  }
  return Fail(fmt::format("{}: {}\nactual: {}", what, why, actual));
}

class Runner {
 public:
  Runner(const Case& golden, const json::Value& expect)
      : golden_(golden), expect_(expect), input_(golden.input), options_(OptionsFor(golden)) {}

  Outcome Run() {
    if (golden_.op == "detect") {
      return RunDetect();
    }
    if (golden_.op == "fold") {
      return RunFold();
    }
    if (golden_.op == "blocks") {
      return RunBlocks();
    }
    if (golden_.op != "decode" && golden_.op != "convert") {
      return Fail("operation " + golden_.op);
    }
    const std::optional<Format> from = model::ParseFormatName(golden_.from);
    const std::optional<Format> to =
        golden_.op == "convert" ? model::ParseFormatName(golden_.to) : Format::kStoryline;
    if (!from || !to) {
      return Fail("unknown format " + golden_.from + " or " + golden_.to);
    }
    return RunDecode(*from, *to);
  }

 private:
  Outcome RunDetect();
  Outcome RunBlocks();
  Outcome RunFold();
  Outcome RunDecode(Format from, Format to);
  Outcome CheckError(const Status& status, const std::string& location);
  Outcome CheckRows(Format from);
  Outcome CheckIds(const std::vector<model::Storyline>& stories);
  Outcome CheckOut(const std::string& out);
  Outcome CheckStable(Format format, const std::vector<model::Storyline>& stories);

  const Case& golden_;
  const json::Value& expect_;
  json::MemoryInput input_;
  model::WalkOptions options_;
};

/// A format that is known but not read yet is named in the reason only.
std::string DetectedName(const model::Detection& found) {
  constexpr std::string_view kNotRead = "not read yet: ";
  if (found.format) {
    return Quoted(model::HubFormatName(*found.format));
  }
  return found.reason.starts_with(kNotRead) ? Quoted(found.reason.substr(kNotRead.size())) : "null";
}

/// An `error` beside a `format` of null is the text of the command line, not of the detector.
Outcome Runner::RunDetect() {
  const Result<model::Detection> found = model::Detect(input_, golden_.path);
  if (!found.ok()) {
    return Fail(found.status().ToString());
  }
  const std::string name = DetectedName(*found);
  const std::string_view expected = expect_.Find("format").raw().text;
  if (name == expected) {
    return {};
  }
  return Fail(fmt::format("expected {}, detected {} ({})", expected, name, found->reason));
}

/// The records of one Storyline, in append order.
Outcome Runner::RunFold() {
  const Result<std::vector<json::Raw>> records =
      model::events::BatchRecords(json::RawFromText(golden_.input));
  if (!records.ok()) {
    return Fail(records.status().ToString());
  }
  Result<model::Storyline> story = model::events::FoldOne(*records);
  if (expect_.Find("error").present()) {
    return CheckError(story.status(), "");
  }
  if (!story.ok()) {
    return Fail(story.status().ToString());
  }
  std::vector<model::Storyline> stories;
  stories.push_back(std::move(story).value());
  const Result<std::string> wire = WireArray(stories);
  return wire.ok() ? Match("stories", expect_.Find("stories").raw().text, *wire)
                   : Fail(wire.status().ToString());
}

/// The block list of an AgenticMD text.
Outcome Runner::RunBlocks() {
  model::agenticmd::BlockDocument document;
  const std::optional<model::Problem> problem =
      model::agenticmd::ParseBlocks(golden_.input, options_.cursor.max_depth, &document);
  if (expect_.Find("error").present()) {
    return problem ? CheckError(problem->status, problem->location) : CheckError(Status::Ok(), "");
  }
  if (problem) {
    return Fail(problem->status.ToString());
  }
  std::string blocks = "[";
  for (const model::agenticmd::Block& block : document.blocks) {
    blocks += fmt::format("{}{{\"source\":{},\"body\":{}}}", blocks.size() == 1 ? "" : ",",
                          Quoted(block.source), Quoted(block.body));
  }
  return Match("blocks", expect_.Find("blocks").raw().text, blocks + "]");
}

Outcome Runner::CheckError(const Status& status, const std::string& location) {
  const std::string_view text = expect_.Find("error").string();
  if (status.ok()) {
    return Fail(fmt::format("expected the error '{}'", text));
  }
  if (status.message().find(text) == std::string::npos) {
    return Fail(fmt::format("expected the error '{}', got '{}'", text, status.message()));
  }
  const json::Value& expected = expect_.Find("location");
  if (expected.is_string() && expected.string() != location) {
    return Fail(fmt::format("expected location '{}', got '{}'", expected.string(), location));
  }
  return {};
}

Outcome Runner::CheckRows(Format from) {
  constexpr std::pair<const char*, model::Relation> kTables[] = {
      {"runs", model::Relation::kRuns},
      {"steps", model::Relation::kSteps},
      {"tool_calls", model::Relation::kToolCalls}};
  for (const auto& [name, relation] : kTables) {
    const json::Value& expected = expect_.Find("rows").Find(name);
    if (!expected.present()) {
      continue;
    }
    const Result<std::string> rows = RelationRows(relation, from, input_, options_);
    if (!rows.ok()) {
      return Fail(fmt::format("{}: {}", name, rows.status().ToString()));
    }
    if (const Outcome outcome = Match(name, expected.raw().text, *rows);
        outcome.kind != Outcome::Kind::kPassed) {
      return outcome;
    }
  }
  return {};
}

Outcome Runner::CheckIds(const std::vector<model::Storyline>& stories) {
  const json::Value& expected = expect_.Find("rows_ids");
  if (!expected.present()) {
    return {};
  }
  std::string ids = "[";
  for (const model::Storyline& story : stories) {
    ids += ids.size() == 1 ? "" : ",";
    ids += Quoted(story.document.document_id);
  }
  return Match("rows_ids", expected.raw().text, ids + "]");
}

Outcome Runner::CheckOut(const std::string& out) {
  const json::Value& expected = expect_.Find("out");
  if (expected.present()) {
    if (Outcome outcome = Match("out", expected.raw().text, out);
        outcome.kind != Outcome::Kind::kPassed) {
      return outcome;
    }
  }
  for (const json::Value& part : expect_.Find("out_text_contains").elements()) {
    if (out.find(part.string()) == std::string::npos) {
      return Fail(fmt::format("output lacks '{}': {}", part.string(), out));
    }
  }
  return {};
}

/// Guarantee 3: what was encoded once is encoded the same after another decode.
Outcome Runner::CheckStable(Format format, const std::vector<model::Storyline>& stories) {
  const Result<std::string> once = model::Encode(format, stories);
  if (!once.ok()) {
    return Fail("same format: " + once.status().ToString());
  }
  model::WalkOptions options = options_;
  options.container = json::Container::kDocument;
  options.strict = false;
  const json::MemoryInput input(*once);
  const Result<std::vector<model::Storyline>> again = model::Decode(format, input, options);
  if (!again.ok()) {
    return Fail("decode of the encoded: " + again.status().ToString() + "\n" + *once);
  }
  const Result<std::string> twice = model::Encode(format, *again);
  if (!twice.ok()) {
    return Fail("second encode: " + twice.status().ToString());
  }
  return *once == *twice ? Outcome{} : Fail("not idempotent:\n" + *once + "\nagain:\n" + *twice);
}

Outcome Runner::RunDecode(Format from, Format to) {
  const bool expects_error = expect_.Find("error").present();
  const Result<model::Decoded> decoded = model::DecodeAll(from, input_, options_, false);
  if (!decoded.ok()) {
    return Fail(decoded.status().ToString());
  }
  Status status;
  std::string location;
  if (!decoded->problems.empty()) {
    status = decoded->problems.front().status;
    location = decoded->problems.front().location;
  }
  std::string out;
  if (status.ok() && golden_.op == "convert") {
    Result<std::string> encoded = model::Encode(to, decoded->storylines, {.pretty = false});
    status = encoded.status();
    out = encoded.ok() ? std::move(encoded).value() : "";
  }
  if (expects_error) {
    return CheckError(status, location);
  }
  if (!status.ok()) {
    return Fail(status.ToString());
  }
  std::vector<Outcome> outcomes;
  outcomes.push_back(CheckIds(decoded->storylines));
  if (expect_.Find("stories").present()) {
    const Result<std::string> wire = WireArray(decoded->storylines);
    outcomes.push_back(wire.ok() ? Match("stories", expect_.Find("stories").raw().text, *wire)
                                 : Fail(wire.status().ToString()));
  }
  outcomes.push_back(CheckOut(out));
  outcomes.push_back(CheckRows(from));
  if (from != Format::kHfChat) {
    outcomes.push_back(CheckStable(from, decoded->storylines));
  }
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
    return outcome.kind != Outcome::Kind::kPassed;
  });
  return failed == outcomes.end() ? Outcome{} : *failed;
}

}  // namespace

Outcome RunCase(const Case& golden) {
  const Result<json::Tree> expect = json::Tree::Parse(golden.expect);
  if (!expect.ok()) {
    return Fail("no expectation: " + expect.status().ToString());
  }
  return Runner(golden, expect->root()).Run();
}

}  // namespace pchronicle::golden
