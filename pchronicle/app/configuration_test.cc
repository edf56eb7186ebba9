#include "pchronicle/app/configuration.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pchronicle/app/dataset_location.h"
#include "pchronicle/app/dataset_pins.h"

namespace pchronicle::app {
namespace {

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "pchronicle-config-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/sub/config.toml";
  }
  ~ConfigurationTest() override { std::filesystem::remove_all(folder_); }

  Status LoadText(const std::string& text) {
    std::filesystem::create_directories(folder_ + "/sub");
    std::ofstream(path_, std::ios::binary) << text;
    return Configuration::Load(path_).status();
  }

  std::string folder_, path_;
};

TEST_F(ConfigurationTest, AMissingFileIsEmpty) {
  const auto loaded = Configuration::Load(path_);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->pins().empty());
}

TEST_F(ConfigurationTest, SavedPinsComeBackAndTheFileIsPrivate_MNT10) {
  auto loaded = Configuration::Load(path_);
  ASSERT_TRUE(loaded.ok());
  loaded->Set("a.b-c_1", {"/data/with 'quotes' \" and \\ and \n", std::nullopt, std::nullopt,
                          std::nullopt, std::nullopt});
  loaded->Set("prod", {"s3://bucket/evals", "http://127.0.0.1:9000", "us-west-2", "key", "secret"});
  ASSERT_TRUE(loaded->Save().ok()) << loaded->Save().ToString();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const auto again = Configuration::Load(path_);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->Find("a.b-c_1")->uri, "/data/with 'quotes' \" and \\ and \n");
  EXPECT_EQ(again->Find("prod")->secret_key, "secret");
  EXPECT_EQ(again->Find("prod")->endpoint, "http://127.0.0.1:9000");
}

TEST_F(ConfigurationTest, WhatIsNotUnderstoodIsRefusedWithItsPlace) {
  EXPECT_NE(LoadText("default_warehouse = 'x'\n")
                .message()
                .find("line 1, column 1: unknown key 'default_warehouse'"),
            std::string::npos);
  EXPECT_NE(LoadText("[pins.a]\nuri = 'x'\ncolour = 1\n")
                .message()
                .find("line 3, column 1: unknown key 'pins.a.colour'"),
            std::string::npos);
  EXPECT_NE(LoadText("[pins.A]\nuri = 'x'\n").message().find("'A' is no pin name"),
            std::string::npos);
  EXPECT_NE(LoadText("[pins.a]\nuri = 1\n").message().find("must be a string"), std::string::npos);
  EXPECT_NE(LoadText("[pins.a]\n").message().find("needs a uri"), std::string::npos);
  EXPECT_NE(LoadText("[pins.a]\nuri = '@b'\n").message().find("another pin"), std::string::npos);
  EXPECT_NE(LoadText("pins = 3\n").message().find("must be a table"), std::string::npos);
  EXPECT_EQ(LoadText("[pins.a\n").code(), StatusCode::kInvalidArgument);
  EXPECT_NE(LoadText(std::string((1 << 20) + 1, '#')).message().find("limit"), std::string::npos);
  EXPECT_EQ(Configuration::Load(folder_).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ConfigurationTest, FailedRewriteKeepsTheOldFile) {
  ASSERT_TRUE(LoadText("[pins.a]\nuri = '/x'\n").ok());
  auto loaded = Configuration::Load(path_);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(AddPin(*loaded, "a", "/y", {}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(AddPin(*loaded, "codex", "/y", {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SetPin(*loaded, "nope", "/y", {}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(RenamePin(*loaded, "default", "b").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RenamePin(*loaded, "nope", "b").code(), StatusCode::kNotFound);
  EXPECT_EQ(RemovePin(*loaded, "nope").code(), StatusCode::kNotFound);
  EXPECT_EQ(Configuration::Load(path_)->Find("a")->uri, "/x");
}

TEST_F(ConfigurationTest, SettingAnObjectPinKeepsWhatIsNotGiven) {
  auto loaded = Configuration::Load(path_);
  ASSERT_TRUE(AddPin(*loaded, "prod", "s3://bucket-a/x", {"http://e", "r", "k", "s"}).ok());
  ASSERT_TRUE(
      SetPin(*loaded, "prod", "s3://bucket-b/y", {std::nullopt, "r2", std::nullopt, std::nullopt})
          .ok());
  const Pin pin = *Configuration::Load(path_)->Find("prod");
  EXPECT_EQ(pin.uri, "s3://bucket-b/y");
  EXPECT_EQ(pin.endpoint, "http://e");
  EXPECT_EQ(pin.region, "r2");
  EXPECT_EQ(pin.access_key, "k");
  ASSERT_TRUE(SetPin(*loaded, "prod", "/local", {}).ok());
  EXPECT_FALSE(Configuration::Load(path_)->Find("prod")->secret_key.has_value());
}

TEST_F(ConfigurationTest, DefaultTakesADirectoryAndMakesIt_MNT10) {
  auto loaded = Configuration::Load(path_);
  EXPECT_EQ(AddPin(*loaded, "default", "s3://bucket-a/x", {}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      AddPin(*loaded, "default", folder_ + "/d", {"e", std::nullopt, std::nullopt, std::nullopt})
          .status()
          .code(),
      StatusCode::kInvalidArgument);
  ASSERT_TRUE(AddPin(*loaded, "default", folder_ + "/./d/", {}).ok());
  EXPECT_EQ(loaded->Find("default")->uri, folder_ + "/d");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ + "/d"));
  std::filesystem::remove(folder_ + "/d");
  const auto gone = ResolveDataset(std::nullopt, *loaded);
  EXPECT_EQ(gone.status().code(), StatusCode::kNotFound);
  EXPECT_NE(gone.status().message().find("dataset pin default"), std::string::npos);
}

TEST(PinNames, Grammar) {
  for (const char* good : {"a", "prod", "a.b-c_9"}) {
    EXPECT_TRUE(IsPinName(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("A"), std::string("9a"), std::string(".a"), std::string("a b"),
        std::string("a/b"), std::string(65, 'a')}) {
    EXPECT_FALSE(IsPinName(bad)) << bad;
  }
}

TEST(Locations, Grammar) {
  const Configuration none;
  EXPECT_EQ(ParseDataset("a/b///", none)->path, "a/b");
  EXPECT_EQ(ParseDataset("///", none)->path, "/");
  EXPECT_EQ(ParseDataset("file:///x/y/", none)->path, "/x/y");
  EXPECT_EQ(ParseDataset("local:///x", none)->path, "/x");
  EXPECT_EQ(ParseDataset("odd:name", none)->path, "odd:name");
  for (const char* bad :
       {"", "http://x/y", "file://host/x", "local://host/x", "s3://", "s3:///x", "s3://B/x",
        "s3://bucket/x?y=1", "s3://bucket/x#y", "az://user:pw@bucket/x", "s3://bucket:80/x"}) {
    EXPECT_EQ(ParseDataset(bad, none).status().code(), StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(ParseDataset("s3://bucket/x", none).status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(ParseDataset("@nope", none).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ParseDataset("@NOPE", none).status().code(), StatusCode::kInvalidArgument);
}

TEST(Locations, SecretsNeverComeIntoMessages_MNT10) {
  const std::string message =
      ParseDataset("s3://key:topsecret@bucket/x?token=topsecret", Configuration())
          .status()
          .message();
  EXPECT_EQ(message.find("topsecret"), std::string::npos);
  EXPECT_EQ(message.find("key"), std::string::npos);
}

TEST(Locations, PinsTakeASuffixWithoutTricks_MNT10) {
  Configuration configuration;
  configuration.Set("p", {"/data", std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  EXPECT_EQ(ParseDataset("@p/a/b", configuration)->path, "/data/a/b");
  for (const char* bad : {"@p/", "@p//a", "@p/..", "@p/a/../b", "@p/./a", "@p/a\\b"}) {
    EXPECT_EQ(ParseDataset(bad, configuration).status().code(), StatusCode::kInvalidArgument)
        << bad;
  }
}

}  // namespace
}  // namespace pchronicle::app
