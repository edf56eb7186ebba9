#pragma once

#include "pchronicle/catalog/discover.h"

namespace pchronicle::catalog {

/// Recognises Harbor job folders by their paths alone (sources.md 10) and tells every source of one
/// where it stands. `discovery.sources` must be sorted; nothing is read.
void AssignHarborPlaces(Discovery& discovery);

/// The sidecars of a place with their paths, for the fingerprint of the source (HAR-02).
std::vector<std::pair<std::string, io::Entry>> SidecarEntries(const HarborPlace& place);

}  // namespace pchronicle::catalog
