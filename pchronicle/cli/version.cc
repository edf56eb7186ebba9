#include "pchronicle/cli/version.h"

namespace pchronicle::cli {

std::string_view VersionNumber() { return PCHRONICLE_VERSION; }

std::string VersionLine() { return "pchronicle " PCHRONICLE_VERSION; }

}  // namespace pchronicle::cli
