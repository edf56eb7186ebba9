#include "pchronicle/lance/table/version_name.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace pchronicle::lance {
namespace {

TEST(VersionName, KnowsBothSchemes_LNC_A2) {
  EXPECT_EQ(ManifestName(1, NameScheme::kV2), "18446744073709551614.manifest");
  EXPECT_EQ(ManifestName(12, NameScheme::kV1), "12.manifest");
  EXPECT_EQ(ParseVersionName("18446744073709551614.manifest")->version, 1u);
  EXPECT_EQ(ParseVersionName("7.manifest")->scheme, NameScheme::kV1);
}

TEST(VersionName, PassesOverWhatIsNoVersion_LNC_C3) {
  for (const char* name :
       {"d7.manifest", "7.manifest-5c", "7.manifest.tmp", ".manifest", "x.manifest", "-1.manifest",
        "0.manifest", "18446744073709551615.manifest", "99999999999999999999.manifest",
        "+7.manifest", "latest_version_hint.json", "00000000000000000000.manifest"}) {
    EXPECT_FALSE(ParseVersionName(name)) << name;
  }
}

TEST(VersionName, ReadsWhatItWrites_LNC_A2) {
  EXPECT_TRUE(rc::check([] {
    const uint64_t version = *rc::gen::inRange<uint64_t>(1, uint64_t{1} << 62);
    for (const NameScheme scheme : {NameScheme::kV1, NameScheme::kV2}) {
      const auto parsed = ParseVersionName(ManifestName(version, scheme));
      RC_ASSERT(parsed && parsed->version == version);
      // A V1 name of 20 digits would read as V2; no table has so many versions.
      RC_ASSERT(parsed->scheme == scheme);
    }
  }));
}

}  // namespace
}  // namespace pchronicle::lance
