#include "pchronicle/app/durable_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace pchronicle::app {
namespace {

class DurableFileTest : public testing::Test {
 protected:
  DurableFileTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "pchronicle-durable-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~DurableFileTest() override { std::filesystem::remove_all(folder_); }

  size_t Entries() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) {
      ++count;
    }
    return count;
  }
  static std::string Read(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }

  std::string folder_;
};

TEST_F(DurableFileTest, AppearsOnlyWhenPublished) {
  const std::string target = folder_ + "/out";
  auto file = StagedFile::Create(target, StagedFile::IfExists::kFail);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Write("hello").ok());
  EXPECT_FALSE(std::filesystem::exists(target));
  ASSERT_TRUE((*file)->Publish().ok());
  EXPECT_EQ(Read(target), "hello");
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(DurableFileTest, LeavesNothingWhenGivenUp) {
  {
    auto file = StagedFile::Create(folder_ + "/out", StagedFile::IfExists::kFail);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Write("half").ok());
  }
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(DurableFileTest, NeverReplacesUnasked) {
  const std::string target = folder_ + "/out";
  ASSERT_TRUE(ReplaceFile(target, "old", 0644).ok());
  EXPECT_EQ(StagedFile::Create(target, StagedFile::IfExists::kFail).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(StagedFile::Create(folder_, StagedFile::IfExists::kReplace).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(StagedFile::Create(folder_ + "/no/out", StagedFile::IfExists::kFail).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(Read(target), "old");
}

TEST_F(DurableFileTest, ALostRaceKeepsTheWinner) {
  const std::string target = folder_ + "/out";
  auto file = StagedFile::Create(target, StagedFile::IfExists::kFail);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->Write("late").ok());
  ASSERT_TRUE(ReplaceFile(target, "winner", 0644).ok());
  EXPECT_EQ((*file)->Publish().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(Read(target), "winner");
  file->reset();
  EXPECT_EQ(Entries(), 1U);
}

TEST_F(DurableFileTest, StagingNamesAreHiddenSoThatDiscoverySkipsThem) {
  const std::string name = std::filesystem::path(StagingName(folder_ + "/out.json")).filename();
  EXPECT_EQ(name.front(), '.');
  EXPECT_NE(StagingName(folder_ + "/a"), StagingName(folder_ + "/a"));
}

}  // namespace
}  // namespace pchronicle::app
