#include "pchronicle/io/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "pchronicle/io/faulty_store.h"
#include "pchronicle/io/path_check.h"

namespace pchronicle::io {
namespace {

namespace fs = std::filesystem;

/// A new empty directory, removed at the end.
class TempDir {
 public:
  TempDir() {
    std::string name = (fs::temp_directory_path() / "pchronicle-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }
  void Write(const std::string& name, std::string_view bytes) const {
    fs::create_directories(fs::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

std::vector<std::string> Names(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    names.push_back(entry.path);
  }
  return names;
}

TEST(LocalStore, ListsSortedWithOneStatPerFileAndNoOpen_CAT17) {
  TempDir dir;
  dir.Write("b.json", "22");
  dir.Write("a.json", "1");
  dir.Write("sub/c.json", "333");
  ASSERT_EQ(::symlink("a.json", (dir.path() + "/link.json").c_str()), 0);
  ASSERT_EQ(::mkfifo((dir.path() + "/pipe.json").c_str(), 0600), 0);
  const auto store = OpenLocalStore(dir.path());
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  const auto entries = (*store)->ListDirectory("");
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  EXPECT_EQ(Names(*entries),
            (std::vector<std::string>{"a.json", "b.json", "link.json", "pipe.json", "sub"}));
  EXPECT_EQ((*entries)[0].size, 1u);
  EXPECT_NE((*entries)[0].inode, 0u);
  EXPECT_GT((*entries)[0].modified_ns, 0);
  EXPECT_EQ((*entries)[2].kind, Entry::Kind::kSymlink);
  EXPECT_EQ((*entries)[3].kind, Entry::Kind::kOther);
  EXPECT_EQ((*entries)[4].kind, Entry::Kind::kDirectory);
  const Store::Counters counters = (*store)->counters();
  EXPECT_EQ(counters.lists, 1u);
  EXPECT_EQ(counters.stats, 2u);
  EXPECT_EQ(counters.opens, 0u);
  const auto below = (*store)->ListDirectory("sub");
  ASSERT_TRUE(below.ok());
  EXPECT_EQ(Names(*below), std::vector<std::string>{"sub/c.json"});
}

TEST(LocalStore, RefusesToListPastTheLimit_CAT24) {
  TempDir dir;
  for (int i = 0; i < 5; ++i) {
    dir.Write(std::to_string(i), "");
  }
  const auto store = OpenLocalStore(dir.path());
  EXPECT_TRUE((*store)->ListDirectory("", 5).ok());
  EXPECT_EQ((*store)->ListDirectory("", 4).status().code(), StatusCode::kResourceExhausted);
}

TEST(LocalStore, ReadsRangesAndStopsAtTheEnd) {
  TempDir dir;
  dir.Write("a", "0123456789");
  const auto store = OpenLocalStore(dir.path());
  const auto reader = (*store)->Open("a");
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->size(), 10u);
  char buffer[8];
  EXPECT_EQ(*(*reader)->ReadAt(7, buffer), 3u);
  EXPECT_EQ(std::string_view(buffer, 3), "789");
  EXPECT_EQ(*(*reader)->ReadAt(10, buffer), 0u);
  EXPECT_EQ(*(*reader)->ReadAt(1000, buffer), 0u);
  EXPECT_EQ((*store)->counters().opens, 1u);
}

TEST(LocalStore, StatOfTheOpenFileShowsChanges_CAT18) {
  TempDir dir;
  dir.Write("a", "old");
  const auto store = OpenLocalStore(dir.path());
  const auto reader = (*store)->Open("a");
  ASSERT_TRUE(reader.ok());
  std::ofstream(dir.path() + "/a", std::ios::app) << "more";
  EXPECT_EQ((*reader)->entry().size, 3u);
  EXPECT_EQ((*reader)->Stat()->size, 7u);
}

TEST(LocalStore, NeverLeavesItsRoot) {
  TempDir dir;
  dir.Write("in/a", "x");
  const auto store = OpenLocalStore(dir.path() + "/in");
  for (const char* path : {"../in/a", "/etc/passwd", "a/../../x", ".."}) {
    EXPECT_EQ((*store)->Open(path).status().code(), StatusCode::kInvalidArgument) << path;
    EXPECT_EQ((*store)->Stat(path).status().code(), StatusCode::kInvalidArgument) << path;
    EXPECT_FALSE((*store)->Put(path, "x", false).ok()) << path;
  }
  EXPECT_TRUE(CheckRelative("a..b/..c").ok());
  EXPECT_FALSE(CheckRelative(std::string_view("a\0b", 3)).ok());
}

TEST(LocalStore, DoesNotHangOnFifosOrDirectories) {
  TempDir dir;
  dir.Write("sub/a", "");
  ASSERT_EQ(::mkfifo((dir.path() + "/pipe").c_str(), 0600), 0);
  const auto store = OpenLocalStore(dir.path());
  EXPECT_EQ((*store)->Open("pipe").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*store)->Open("sub").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*store)->Open("absent").status().code(), StatusCode::kNotFound);
}

TEST(LocalStore, PutAppearsWholeAndLeavesNothingBehind) {
  TempDir dir;
  const auto store = OpenLocalStore(dir.path());
  ASSERT_TRUE((*store)->Put("a", "one", true).ok());
  EXPECT_EQ((*store)->Put("a", "two", true).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(*ReadAll(**store, "a", 100), "one");
  ASSERT_TRUE((*store)->Put("a", "three", false).ok());
  EXPECT_EQ(*ReadAll(**store, "a", 100), "three");
  EXPECT_EQ(ReadAll(**store, "a", 4).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ((*store)->ListDirectory("")->size(), 1u);
  ASSERT_TRUE((*store)->Delete("a").ok());
  EXPECT_EQ((*store)->Stat("a").status().code(), StatusCode::kNotFound);
}

TEST(LocalStore, FollowsALinkGivenAsTheRoot_DSC03a) {
  TempDir dir;
  dir.Write("real/a.json", "x");
  ASSERT_EQ(::symlink("real", (dir.path() + "/link").c_str()), 0);
  ASSERT_EQ(::symlink("real/a.json", (dir.path() + "/file.json").c_str()), 0);
  const auto place = LocateLocal(dir.path() + "/link/");
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(place->directory.ends_with("/real"));
  EXPECT_EQ(place->file, "");
  const auto file = LocateLocal(dir.path() + "/file.json");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->file, "file.json");
  const auto store = OpenLocalStore(dir.path() + "/file.json");
  EXPECT_EQ((*store)->Stat("file.json", true)->size, 1u);
  EXPECT_EQ((*store)->Stat("file.json")->kind, Entry::Kind::kSymlink);
  EXPECT_EQ(LocateLocal(dir.path() + "/absent").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(LocateLocal("/dev/null").status().code(), StatusCode::kInvalidArgument);
}

TEST(MemoryStore, FindsAllOddKeysAndCountsPages_BR28) {
  const auto store = MakeMemoryStore();
  for (int i = 0; i < 2500; ++i) {
    ASSERT_TRUE(store->Put(fmt::format("runs/{:04}.json", i), "{}", true).ok());
  }
  for (const char* key : {"odd/a b.json", "odd/a+b.json", "odd/a%2Fb.json", "odd//double.json",
                          "odd/\xc3\xa9.json"}) {
    ASSERT_TRUE(store->Put(key, "{}", true).ok()) << key;
  }
  EXPECT_EQ(store->ListDirectory("runs")->size(), 2500u);
  EXPECT_EQ(store->counters().lists, 3u);
  const auto odd = store->ListDirectory("odd");
  EXPECT_EQ(Names(*odd), (std::vector<std::string>{"odd/", "odd/a b.json", "odd/a%2Fb.json",
                                                   "odd/a+b.json", "odd/\xc3\xa9.json"}));
  EXPECT_EQ(Names(*store->ListDirectory("odd/")), std::vector<std::string>{"odd//double.json"});
  EXPECT_EQ(Names(*store->ListDirectory("")), (std::vector<std::string>{"odd", "runs"}));
}

TEST(MemoryStore, VersionsChangeWithEveryWrite_CAT19) {
  const auto store = MakeMemoryStore();
  ASSERT_TRUE(store->Put("a", "one", true).ok());
  const auto before = store->Stat("a");
  const auto reader = store->Open("a");
  EXPECT_EQ(store->Put("a", "two", true).code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(store->Put("a", "two", false).ok());
  EXPECT_NE(store->Stat("a")->version, before->version);
  char buffer[3];
  EXPECT_EQ(*(*reader)->ReadAt(0, buffer), 3u);
  EXPECT_EQ(std::string_view(buffer, 3), "one");
}

TEST(FaultyStore, FailsTheChosenCallAndCutsReads) {
  const auto base = MakeMemoryStore();
  ASSERT_TRUE(base->Put("a", "0123456789", true).ok());
  int reads = 0;
  const auto store = MakeFaultyStore(
      base,
      [&reads](StoreCall call, std::string_view) {
        return call == StoreCall::kRead && ++reads == 5 ? Status::Io("injected") : Status::Ok();
      },
      3);
  EXPECT_EQ(*ReadAll(*store, "a", 100), "0123456789");
  EXPECT_EQ(ReadAll(*store, "a", 100).status().message(), "injected");
}

TEST(FaultyStore, ReplyCanGetLostAfterTheWrite) {
  const auto base = MakeMemoryStore();
  const auto store = MakeFaultyStore(base, [](StoreCall call, std::string_view) {
    return call == StoreCall::kPutDone ? Status::Unavailable("lost") : Status::Ok();
  });
  EXPECT_EQ(store->Put("a", "x", true).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(base->Stat("a").ok());
}

TEST(LocalStore, WritersAppearAtTheEndAndNeverReplace_LNC_A6) {
  TempDir dir;
  const auto store = *OpenLocalStore(dir.path());
  auto writer = *store->Create("data/sub/f");
  ASSERT_TRUE(writer->Append("one").ok());
  EXPECT_EQ(store->Stat("data/sub/f").status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(writer->Append("two").ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(*ReadAll(*store, "data/sub/f", 100), "onetwo");

  auto second = *store->Create("data/sub/f");
  ASSERT_TRUE(second->Append("other").ok());
  EXPECT_EQ(second->Finish().code(), StatusCode::kAlreadyExists);
  second.reset();
  auto dropped = *store->Create("data/sub/g");
  ASSERT_TRUE(dropped->Append("x").ok());
  dropped.reset();
  EXPECT_EQ(store->ListDirectory("data/sub")->size(), 1u);
  EXPECT_EQ(*ReadAll(*store, "data/sub/f", 100), "onetwo");
  EXPECT_FALSE(store->DeleteEmptyDirectory("data/sub").ok());
  ASSERT_TRUE(store->Delete("data/sub/f").ok());
  EXPECT_TRUE(store->DeleteEmptyDirectory("data/sub").ok());
}

TEST(LocalStore, OfManyWritersOfOneNameOneWins_LNC_A6) {
  TempDir dir;
  for (int round = 0; round < 20; ++round) {
    const std::string name = fmt::format("_versions/{}", round);
    std::atomic<int> won{0}, lost{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const auto store = *OpenLocalStore(dir.path());  // as several processes have
        const Status status = store->Put(name, std::to_string(i), true);
        won += status.ok() ? 1 : 0;
        lost += status.code() == StatusCode::kAlreadyExists ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 7);
  }
  EXPECT_EQ((*OpenLocalStore(dir.path()))->ListDirectory("_versions")->size(), 20u);
}

TEST(LocalStore, MakesTheDirectoriesOfANewStore) {
  TempDir dir;
  const auto store = CreateLocalStore(dir.path() + "/a/b/t.lance");
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  ASSERT_TRUE((*store)->Put("x", "1", true).ok());
  EXPECT_TRUE(CreateLocalStore(dir.path() + "/a/b/t.lance/").ok());
  dir.Write("file", "");
  EXPECT_FALSE(CreateLocalStore(dir.path() + "/file/t").ok());
}

TEST(MemoryStore, WritersAppearAtTheEnd) {
  const auto store = MakeMemoryStore();
  auto writer = *store->Create("f");
  ASSERT_TRUE(writer->Append("one").ok());
  EXPECT_FALSE(store->Stat("f").ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(*ReadAll(*store, "f", 100), "one");
  EXPECT_EQ((*store->Create("f"))->Finish().code(), StatusCode::kAlreadyExists);
}

TEST(FaultyStore, FailsEachStepOfAWriter) {
  for (const StoreCall step :
       {StoreCall::kCreate, StoreCall::kAppend, StoreCall::kFinish, StoreCall::kFinishDone}) {
    const auto base = MakeMemoryStore();
    const auto store = MakeFaultyStore(base, [step](StoreCall call, std::string_view) {
      return call == step ? Status::Io("injected") : Status::Ok();
    });
    const auto write = [&]() -> Status {
      PCHRONICLE_ASSIGN_OR_RETURN(const auto writer, store->Create("f"));
      PCHRONICLE_RETURN_IF_ERROR(writer->Append("x"));
      return writer->Finish();
    };
    EXPECT_EQ(write().code(), StatusCode::kIo);
    EXPECT_EQ(base->Stat("f").ok(), step == StoreCall::kFinishDone);
  }
}

}  // namespace
}  // namespace pchronicle::io
