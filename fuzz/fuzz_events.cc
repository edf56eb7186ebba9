// The event fold on hostile bytes: what folds can be synthesised, and what was synthesised folds
// again to as many turns.
#include "fuzz/reading_equations.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/model/events/fold.h"
#include "pchronicle/model/events/synthesize.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pchronicle;  // one function, nothing leaks
  const json::Raw batch = json::RawFromText({reinterpret_cast<const char*>(data), size});
  const Result<std::vector<json::Raw>> records = model::events::BatchRecords(batch);
  if (!records.ok()) {
    return 0;
  }
  const auto storylines = model::events::FoldBatch(*records);
  if (!storylines.ok()) {
    return 0;
  }
  for (const model::Storyline& story : *storylines) {
    std::vector<std::string> texts = model::events::Synthesize(story);
    std::vector<json::Raw> again;
    for (const std::string& text : texts) {
      again.push_back(json::RawFromText(text));
      fuzz::Require(again.back().present(), "a synthesised record is JSON");
    }
    if (!again.empty()) {
      fuzz::Require(model::events::FoldOne(again).ok(), "synthesised records fold");
    }
  }
  return 0;
}
