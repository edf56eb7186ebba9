// The AgenticMD reader, its YAML and its writer on hostile bytes. Equations: YAML becomes a JSON
// object or an error; what JSON came of it is written as YAML that reads back as the same; a
// projection sees the turns that a full read sees; what was read can be written, and writing what
// comes back changes nothing; a live block can be put into any text that parses.
//
// Input: first byte flags, the rest is text.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pchronicle/json/raw.h"
#include "pchronicle/model/agenticmd/blocks.h"
#include "pchronicle/model/agenticmd/encoder.h"
#include "pchronicle/model/agenticmd/live_view.h"
#include "pchronicle/model/agenticmd/walker.h"
#include "pchronicle/model/agenticmd/yaml_frontmatter.h"
#include "pchronicle/model/agenticmd/yaml_writer.h"
#include "pchronicle/model/decode.h"

namespace pchronicle::model {
namespace {

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

void YamlHolds(std::string_view text) {
  const Result<std::string> json = agenticmd::YamlToJson(text);
  if (!json.ok()) {
    return;
  }
  const json::Raw raw = json::RawFromText(*json);
  Require(raw.kind == json::Kind::kObject, "YAML gives an object");
  Arena arena;
  const std::string cell(json::CellText(raw, json::Surrogates::kKeep, arena));
  const Result<std::string> yaml = agenticmd::JsonToYaml(*json);
  Require(yaml.ok(), "and the object can be written");
  if (yaml->size() <= agenticmd::kMaxYamlBytes) {
    const Result<std::string> back = agenticmd::YamlToJson(*yaml);
    Require(back.ok() && *back == cell, "which reads back as the same");
  }
}

struct Read {
  std::vector<Storyline> stories;
  bool clean = false;
};

Read ReadAll(const std::string& text, FieldMask fields, AgenticMdLevel level) {
  const json::MemoryInput input(text);
  WalkOptions options;
  options.fields = fields;
  HubSink sink;
  const std::unique_ptr<Walker> walker = MakeAgenticMdWalker(input, options, {}, sink, level);
  while (walker->Advance()) {
  }
  Read read;
  read.clean = sink.problems().empty();
  for (const Problem& problem : sink.problems()) {
    Require(problem.whole_source && problem.offset <= text.size(), "errors lie in the source");
  }
  read.stories = sink.Take();
  Require(read.stories.size() == (read.clean ? 1 : 0), "one document or one error");
  return read;
}

void RoundTrips(const std::vector<Storyline>& stories) {
  const Result<std::string> once = EncodeAgenticMd(stories, {}, nullptr);
  if (!once.ok()) {
    return;
  }
  const Read back = ReadAll(*once, FieldMask::All(), AgenticMdLevel::kAuthoritative);
  Require(back.clean, "what was written can be read");
  const Result<std::string> twice = EncodeAgenticMd(back.stories, {}, nullptr);
  Require(twice.ok() && *twice == *once, "writing is idempotent");
}

void LiveBlocksFit(const std::string& text) {
  const agenticmd::LiveBlock block{"c", "agent", "body\n"};
  const Result<std::string> put = agenticmd::PutLiveBlock(text, block);
  if (!put.ok()) {
    return;
  }
  agenticmd::BlockDocument document;
  Require(!agenticmd::ParseBlocks(*put, 128, &document), "a text with a new block parses");
  const Result<std::string> again = agenticmd::PutLiveBlock(*put, block);
  Require(again.ok() && *again == *put, "putting the same block changes nothing");
}

int FuzzAgenticMd(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const AgenticMdLevel level =
      (data[0] & 1) != 0 ? AgenticMdLevel::kLenient : AgenticMdLevel::kAuthoritative;
  YamlHolds(text);
  LiveBlocksFit(text);
  const Read full = ReadAll(text, FieldMask::All(), level);
  if (full.clean) {
    const Read narrow = ReadAll(text, Field::kCalls, level);
    Require(narrow.clean, "a projection reads what a full read reads");
    Require(narrow.stories[0].turns.size() == full.stories[0].turns.size(), "and the same turns");
    RoundTrips(full.stories);
  }
  return 0;
}

}  // namespace
}  // namespace pchronicle::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::model::FuzzAgenticMd(data, size);
}
