#include "bench/write_action.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "bench/arrow_file.h"
#include "pchronicle/lance/edit/write_table.h"

namespace pchronicle::bench {

Result<std::string> WriteAction(const std::string& arrow, const std::string& path,
                                double* seconds) {
  PCHRONICLE_ASSIGN_OR_RETURN(ArrowFile file, ReadArrowFile(arrow));
  uint64_t rows = 0;
  for (const columnar::RecordBatch& batch : file.batches) {
    rows += static_cast<uint64_t>(batch.rows);
  }
  const auto start = std::chrono::steady_clock::now();
  std::error_code error;
  std::filesystem::create_directories(path, error);
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store, io::OpenLocalStore(path));
  PCHRONICLE_RETURN_IF_ERROR(
      lance::CreateTable(store, file.schema, lance::FromBatches(std::move(file.batches))).status());
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fmt::format("{{\"rows\": {}, \"arrow_bytes\": {}}}", rows, file.bytes);
}

}  // namespace pchronicle::bench
