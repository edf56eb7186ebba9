#include "pchronicle/json/kernels.h"

#include <cstdlib>
#include <cstring>

namespace pchronicle::json::internal {

std::vector<const Kernels*> SupportedKernels() {
  std::vector<const Kernels*> sets = {&kScalarKernels};
#if defined(__x86_64__)
  for (const Kernels* set : {&kSse42Kernels, &kAvx2Kernels, &kAvx512Kernels}) {
    if (set->supported()) {
      sets.push_back(set);
    }
  }
#endif
  return sets;
}

const Kernels& ActiveKernels() {
  static const Kernels* const active = [] {
    const std::vector<const Kernels*> sets = SupportedKernels();
    if (const char* wanted = std::getenv("PCHRONICLE_JSON_KERNELS")) {
      for (const Kernels* set : sets) {
        if (std::strcmp(set->name, wanted) == 0) {
          return set;
        }
      }
    }
    return sets.back();
  }();
  return *active;
}

}  // namespace pchronicle::json::internal
