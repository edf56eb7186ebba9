#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "pchronicle/io/store.h"
#include "pchronicle/lance/edit/manifest_bytes.h"
#include "pchronicle/lance/table/manifest_file.h"
#include "pchronicle/lance/table/table_paths.h"

// Every manifest and transaction of the fixtures, read, written and read again.

namespace pchronicle::compat {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Tables() {
  const char* set = std::getenv("PCHRONICLE_SHARED");
  std::set<fs::path> out;
  for (const fs::path& root :
       {fs::path(PCHRONICLE_SOURCE_DIR) / "tests/compat/lance/data",
        fs::path(set != nullptr ? set : PCHRONICLE_SHARED_DIR) / "fixtures/lance"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root, ignored)) {
      if (fs::exists(entry.path() / "t.lance/_versions")) {
        out.insert(entry.path() / "t.lance");
      }
    }
  }
  return {out.begin(), out.end()};
}

TEST(Manifests, AreTheSameWrittenAndReadAgain_LNC_A3) {
  size_t manifests = 0, indices = 0, transactions = 0;
  for (const fs::path& folder : Tables()) {
    const auto store = *io::OpenLocalStore(folder.string());
    const auto versions = lance::ListVersions(*store, "_versions");
    ASSERT_TRUE(versions.ok()) << folder;
    for (const lance::VersionEntry& entry : *versions) {
      SCOPED_TRACE(folder.string() + "/" + entry.path);
      const auto file = lance::ReadManifestFile(*store, entry.path);
      ASSERT_TRUE(file.ok()) << file.status().ToString();
      ++manifests;
      indices += file->indices.size();
      const auto bytes = lance::EncodeManifestFile(file->manifest, file->indices, "");
      ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
      const auto copy = io::MakeMemoryStore();
      ASSERT_TRUE(copy->Put(entry.path, *bytes, true).ok());
      auto again = lance::ReadManifestFile(*copy, entry.path);
      ASSERT_TRUE(again.ok()) << again.status().ToString();
      // Positions are those of the new file.
      again->manifest.index_section = file->manifest.index_section;
      again->manifest.transaction_section = file->manifest.transaction_section;
      EXPECT_TRUE(again->manifest == file->manifest);
      EXPECT_TRUE(again->indices == file->indices);

      const auto transaction = lance::ReadTransaction(*store, "_transactions", *file);
      if (!transaction.ok() || !*transaction) {
        continue;
      }
      using Operation = lance::proto::Transaction::Operation;
      const Operation operation = (*transaction)->operation;
      if (operation != Operation::kUnknown && operation < Operation::kDataReplacement &&
          !(*transaction)->field_metadata_updates) {
        ++transactions;
        const auto read =
            lance::proto::ParseTransaction(lance::proto::Write(**transaction).bytes());
        ASSERT_TRUE(read.ok()) << read.status().ToString();
        EXPECT_TRUE(*read == **transaction);
      }
    }
  }
  EXPECT_GE(manifests, 100u);
  EXPECT_GE(indices, 20u);
  EXPECT_GE(transactions, 80u);
  std::printf("%zu manifests, %zu index entries, %zu transactions\n", manifests, indices,
              transactions);
}

TEST(Manifests, UnknownMembersOfEntriesSurvive_LNC_A3) {
  using lance::proto::WireWriter;
  WireWriter file, fragment, field, index, manifest, uuid, format;
  file.Text(1, "a.lance");
  file.Text(90, "of a data file");
  fragment.Number(1, 5);
  fragment.Message(2, file);
  fragment.Number(4, 1);
  fragment.Number(91, 77);
  field.Text(2, "a");
  field.Signed(4, -1);
  field.Text(5, "int64");
  field.Number(7, 2);  // an encoding hint of old writers
  field.Text(92, "of a field");
  manifest.Message(1, field);
  manifest.Message(2, fragment);
  manifest.Number(3, 1);
  const auto parsed = lance::proto::ParseManifest(manifest.bytes());
  ASSERT_TRUE(parsed.ok());
  const std::string written = lance::proto::Write(*parsed).Take();
  EXPECT_NE(written.find("of a data file"), std::string::npos);
  EXPECT_NE(written.find("of a field"), std::string::npos);
  EXPECT_TRUE(*lance::proto::ParseManifest(written) == *parsed);
  uuid.Bytes(1, std::string(16, 'u'));
  index.Message(1, uuid);
  index.Text(3, "i");
  index.Packed(11, std::span<const uint64_t>());
  index.Text(93, "of an index");
  const auto entry = lance::proto::ParseIndex(index.bytes());
  ASSERT_TRUE(entry.ok());
  EXPECT_NE(lance::proto::Write(*entry).bytes().find("of an index"), std::string::npos);
}

}  // namespace
}  // namespace pchronicle::compat
