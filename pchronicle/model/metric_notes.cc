#include "pchronicle/model/metric_notes.h"

#include <fmt/format.h>

namespace pchronicle::model {
namespace {

constexpr size_t kExampleBytes =
    400;  // Diagnostics cuts to 80 characters; this bounds what is handed over

std::string_view Example(const json::Raw& raw) { return raw.text.substr(0, kExampleBytes); }

}  // namespace

std::string TurnPointer(const Document& document, int64_t ordinal) {
  return fmt::format("{}{}/{}", document.pointer, document.turns_member, ordinal);
}

void NoteBadMetric(Diagnostics& diagnostics, const Document& document, int64_t ordinal,
                   const BadMetric& bad) {
  const std::string pointer =
      fmt::format("{}/{}{}", TurnPointer(document, ordinal), document.metrics_member, bad.pointer);
  diagnostics.Add("bad_value", pointer, Example(bad.value));
}

void NoteBadTotal(Diagnostics& diagnostics, const Document& document, const BadMetric& bad) {
  diagnostics.Add("bad_value", fmt::format("{}/final_metrics{}", document.pointer, bad.pointer),
                  Example(bad.value));
}

}  // namespace pchronicle::model
