// The grammar of `find --match` on hostile text: what is understood has one canonical text that
// gives the same tree, and is a condition that a search accepts or refuses with a reason.
#include <string_view>

#include "fuzz/reading_equations.h"
#include "pchronicle/app/find/expression_parser.h"

namespace pchronicle::fuzz {
namespace {

int FuzzFindExpression(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<app::FindExpression> parsed = app::ParseFindExpression(text);
  if (!parsed.ok()) {
    Require(!parsed.status().message().empty(), "an error has a message");
    return 0;
  }
  const std::string canonical = app::CanonicalText(*parsed);
  const Result<app::FindExpression> again = app::ParseFindExpression(canonical);
  Require(again.ok(), "the canonical text is an expression");
  Require(*again == *parsed, "the canonical text means the same");
  Require(app::CanonicalText(*again) == canonical, "there is one canonical text");
  return 0;
}

}  // namespace
}  // namespace pchronicle::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::fuzz::FuzzFindExpression(data, size);
}
