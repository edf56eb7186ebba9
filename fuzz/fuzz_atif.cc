// The ATIF reader on hostile bytes; the equations are those of reading_equations.h.
#include "fuzz/reading_equations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return pchronicle::fuzz::CheckReading(pchronicle::model::Format::kAtif, data, size);
}
