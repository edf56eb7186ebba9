#include "pchronicle/catalog/mount.h"

#include <gtest/gtest.h>

namespace pchronicle::catalog {
namespace {

TEST(Mounts, AliasIsTrimmedLowercasedAndChecked_MNT01) {
  const auto mount = ParseMount("  Prod_Agents2 ", "/data");
  ASSERT_TRUE(mount.ok());
  EXPECT_EQ(mount->alias, "prod_agents2");
  EXPECT_FALSE(mount->is_default);
  for (const char* name :
       {"", "2x", "a-b", "a b", "public", "PUBLIC", "information_schema", "a/b", "\xc3\xa9"}) {
    EXPECT_EQ(ParseMount(name, "/data").status().code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(ParseMount("_x", "/data").ok());
}

TEST(Mounts, NamespaceKeepsTheGivenName_MNT02_MNT03_CAT01) {
  EXPECT_EQ(ParseMount("Prod", "/data")->name_space, std::vector<std::string>{"Prod"});
  Mount mount = *ParseMount("prod_agents", "/data");
  mount.name_space = {"prod", "agent-data"};
  EXPECT_TRUE(CheckMounts({mount}).ok());
  mount.name_space = {"prod", ""};
  EXPECT_FALSE(CheckMounts({mount}).ok());
}

TEST(Mounts, DuplicatesFailBeforeAnyInput_MNT04_CAT29) {
  const Mount a = *ParseMount("a", "/does/not/exist");
  Mount b = *ParseMount("A", "/does/not/exist/either");
  EXPECT_EQ(CheckMounts({a, b}).message(), "two mounts are named 'a'");
  b.alias = "b";
  b.name_space = a.name_space;
  EXPECT_NE(CheckMounts({a, b}).message().find("namespace"), std::string::npos);
  EXPECT_FALSE(CheckMounts({}).ok());
  Context context;
  const auto snapshot = Snapshot::Build({a, a}, {}, context);
  EXPECT_EQ(snapshot.status().message(), "two mounts are named 'a'");
}

TEST(Mounts, BlankLocationIsRejected_MNT05) {
  EXPECT_FALSE(ParseMount("a", "  ").ok());
  EXPECT_FALSE(CheckMounts({PositionalMount(" ")}).ok());
}

TEST(Mounts, PositionalIsAlwaysDataset_MNT06_CAT28) {
  const Mount mount = PositionalMount("/any/where");
  EXPECT_EQ(mount.alias, "dataset");
  EXPECT_TRUE(mount.is_default);
}

TEST(Mounts, ADefaultMustBeMounted_MNT08) {
  std::vector<Mount> mounts = {*ParseMount("Prod", "/a"), *ParseMount("test", "/b")};
  ASSERT_TRUE(SelectDefault(" PROD ", mounts).ok());
  EXPECT_TRUE(mounts[0].is_default);
  ASSERT_TRUE(SelectDefault("test", mounts).ok());
  EXPECT_FALSE(mounts[0].is_default) << "one default only";
  EXPECT_TRUE(mounts[1].is_default);
  const Status absent = SelectDefault("other", mounts);
  EXPECT_EQ(absent.code(), StatusCode::kNotFound);
  EXPECT_EQ(absent.message(),
            "the default Dataset 'other' is not mounted; mounted are: prod, test");
  EXPECT_TRUE(mounts[1].is_default) << "unchanged";
}

TEST(Mounts, LocationGrammar_MNT09_DSC15) {
  const auto open = [](std::string uri) { return OpenRoot(PositionalMount(uri)).status(); };
  EXPECT_TRUE(open("/tmp").ok());
  EXPECT_TRUE(open("/tmp///").ok());
  EXPECT_TRUE(open("file:///tmp").ok());
  EXPECT_TRUE(open("local:///tmp/").ok());
  EXPECT_EQ(open("s3://bucket-1/prefix").code(), StatusCode::kUnsupported);
  for (const char* uri :
       {"file://host/tmp", "ftp://x/y", "s3://Bucket/x", "s3://ab/x", "s3://a..b/x", "s3://-ab/x",
        "s3://bucket:9000/x", "file:///tmp?x=1", "file:///tmp#x"}) {
    EXPECT_EQ(open(uri).code(), StatusCode::kInvalidArgument) << uri;
  }
  EXPECT_EQ(open("/does/not/exist").code(), StatusCode::kNotFound);
}

TEST(Mounts, ErrorsNeverShowSecrets_ERR02_CAT23_DSC15) {
  const std::string with_key =
      OpenRoot(PositionalMount("s3://key:hush@bucket/x")).status().message();
  EXPECT_EQ(with_key.find("hush"), std::string::npos) << with_key;
  const std::string with_query =
      OpenRoot(PositionalMount("s3://bucket/x?token=hush")).status().message();
  EXPECT_EQ(with_query.find("hush"), std::string::npos) << with_query;
}

}  // namespace
}  // namespace pchronicle::catalog
