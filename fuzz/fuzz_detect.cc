// Format detection on hostile bytes: the first byte chooses the name. Whatever it says it says
// again, and what it calls a format can be walked.
#include "fuzz/reading_equations.h"
#include "pchronicle/model/detect.h"

namespace pchronicle::fuzz {
namespace {

int FuzzDetect(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  constexpr const char* kNames[] = {"a.json",      "a.jsonl", "trajectory.json",
                                    "a.actf.json", "a.md",    "session_steps.json"};
  const char* name = kNames[data[0] % 6];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const json::MemoryInput input(text);
  const Result<model::Detection> found = model::Detect(input, name);
  if (!found.ok()) {
    return 0;
  }
  const Result<model::Detection> again = model::Detect(input, name);
  Require(again.ok() && again->kind == found->kind && again->format == found->format &&
              again->reason == found->reason,
          "detection is a function of the input");
  if (found->kind == model::Detection::Kind::kFormat) {
    Require(found->format.has_value(), "a detected format is named");
    Read(*found->format, text, found->container, model::FieldMask::All(), 4096);
  }
  return 0;
}

}  // namespace
}  // namespace pchronicle::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::fuzz::FuzzDetect(data, size);
}
