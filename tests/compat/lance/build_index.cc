// Writes the files of one index segment below TABLE/_indices and prints its metadata as JSON, for
// another writer to commit.
//
//   build_lance_index TABLE build COLUMN {BTREE|BITMAP}    all fragments
//   build_lance_index TABLE delta COLUMN {BTREE|BITMAP}    those that `COLUMN_idx` does not cover
//   build_lance_index TABLE optimize NAME                  one segment for all of that name
//   build_lance_index TABLE compact ROWS                   compacts and commits; segments written
//   again
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/index/index_builder.h"

namespace pchronicle::lance {
namespace {

class DirectoryOutput : public IndexOutput {
 public:
  explicit DirectoryOutput(std::string directory) : directory_(std::move(directory)) {}
  Status Begin(std::string_view name) override {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    file_.open(directory_ + "/" + std::string(name), std::ios::binary | std::ios::trunc);
    return Check();
  }
  Status Append(std::string_view bytes) override {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return Check();
  }
  Status End() override {
    file_.close();
    return Check();
  }

 private:
  Status Check() const {
    return file_ ? Status::Ok() : Status::Io("cannot write below {}", directory_);
  }
  std::string directory_;
  std::ofstream file_;
};

std::string ToJson(const BuiltIndex& built) {
  const proto::Index& index = built.index;
  std::vector<std::string> files, replaced;
  for (const proto::Index::File& file : index.files) {
    files.push_back(fmt::format("[\"{}\", {}]", file.path, file.size));
  }
  for (const proto::Index& old : built.replaced) {
    replaced.push_back(fmt::format("\"{}\"", old.UuidText()));
  }
  const std::vector<uint32_t> fragments = RoaringBitmap::Decode(*index.fragment_bitmap)->Values();
  return fmt::format(
      "{{\"uuid\": \"{}\", \"name\": \"{}\", \"fields\": [{}], \"dataset_version\": {}, "
      "\"fragments\": [{}], \"index_version\": {}, \"details\": \"{}\", \"files\": [{}], "
      "\"replaced\": [{}], \"entries\": {}}}",
      index.UuidText(), index.name, fmt::join(index.fields, ", "), index.dataset_version,
      fmt::join(fragments, ", "), index.index_version, index.type_url, fmt::join(files, ", "),
      fmt::join(replaced, ", "), built.entries);
}

Result<std::string> Run(const std::vector<std::string>& args) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store, io::OpenLocalStore(args[0]));
  if (args[1] == "compact") {
    CompactOptions options;
    options.target_rows = std::stoull(args[2]);
    options.deleted_share = 0;
    PCHRONICLE_ASSIGN_OR_RETURN(const CompactResult done, CompactTable(store, options));
    return fmt::format("{}", done.indices_remapped);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, Table::Open(store));
  BuildIndexOptions options;
  options.memory_bytes = 16 << 10;  // so that sorting goes through the temporary file
  std::random_device random;
  for (uint8_t& byte : options.uuid) {
    byte = static_cast<uint8_t>(random());
  }
  proto::Index named;
  named.uuid = options.uuid;
  DirectoryOutput output(args[0] + "/_indices/" + named.UuidText());
  if (args[1] == "optimize") {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto built, OptimizeIndex(table, args[2], options, &output));
    return built ? ToJson(*built) : std::string("null");
  }
  if (args.size() != 4) {
    return Status::InvalidArgument("{} arguments", args.size());
  }
  if (args[1] == "delta") {
    PCHRONICLE_ASSIGN_OR_RETURN(options.fragments, UnindexedFragments(*table, args[2] + "_idx"));
  }
  const IndexKind kind = args[3] == "BITMAP" ? IndexKind::kBitmap : IndexKind::kBTree;
  PCHRONICLE_ASSIGN_OR_RETURN(const BuiltIndex built,
                              BuildIndex(table, args[2], kind, options, &output));
  return ToJson(built);
}

}  // namespace
}  // namespace pchronicle::lance

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const pchronicle::Result<std::string> answer =
      args.size() < 3 ? pchronicle::Status::InvalidArgument("{} arguments", args.size())
                      : pchronicle::lance::Run(args);
  if (!answer.ok()) {
    fmt::print(stderr, "{}\n", answer.status().ToString());
    return 1;
  }
  fmt::print("{}\n", *answer);
  return 0;
}
