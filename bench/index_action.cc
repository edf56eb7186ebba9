#include "bench/index_action.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "pchronicle/lance/index/index_builder.h"

namespace pchronicle::bench {
namespace {

// Each file of the index as a file of the directory.
class DirectoryOutput : public lance::IndexOutput {
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

}  // namespace

Result<std::string> IndexAction(const std::string& path, const std::string& column,
                                const std::string& kind, const std::string& directory) {
  if (kind != "BTREE" && kind != "BITMAP") {
    return Status::InvalidArgument("index kind '{}': BTREE or BITMAP", kind);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store, io::OpenLocalStore(path));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, lance::Table::Open(store));
  lance::BuildIndexOptions options;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  DirectoryOutput output(directory);
  PCHRONICLE_ASSIGN_OR_RETURN(
      const lance::BuiltIndex built,
      lance::BuildIndex(table, column,
                        kind == "BTREE" ? lance::IndexKind::kBTree : lance::IndexKind::kBitmap,
                        options, &output));
  uint64_t bytes = 0;
  for (const auto& file : built.index.files) {
    bytes += file.size;
  }
  return fmt::format("{{\"entries\": {}, \"bytes\": {}}}", built.entries, bytes);
}

}  // namespace pchronicle::bench
