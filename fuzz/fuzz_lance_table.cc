// What describes a Lance table, from hostile bytes: manifests, transactions, deletion files, row id
// sequences, bitmaps of indices, tags. The first byte chooses. Equations: what a parser accepts it
// accepts again with the same meaning; a bitmap that was read and written reads as the same set; a
// table that opens can be scanned and verified to an end.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pchronicle/io/store.h"
#include "pchronicle/lance/table/deletion_file.h"
#include "pchronicle/lance/table/manifest_file.h"
#include "pchronicle/lance/table/reference_json.h"
#include "pchronicle/lance/table/row_ids.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/table.h"
#include "pchronicle/lance/table/verify.h"

namespace {

namespace lance = pchronicle::lance;
namespace io = pchronicle::io;

constexpr uint64_t kFewValues = 1 << 20;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

void FuzzBitmap(std::string_view bytes) {
  const auto bitmap = lance::RoaringBitmap::Decode(bytes);
  if (!bitmap.ok() || bitmap->cardinality() > kFewValues) {
    return;
  }
  const std::vector<uint32_t> values = bitmap->Values();
  Require(values.size() == bitmap->cardinality(), "a bitmap lists what it counts");
  const auto again = lance::RoaringBitmap::Decode(bitmap->Encode());
  Require(again.ok() && again->Values() == values, "a written bitmap reads as the same set");
  Require(lance::RoaringBitmap::FromValues(values).Values() == values, "built from its values");
}

void FuzzDeletions(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const auto rows = static_cast<uint8_t>(bytes[0]);
  const auto deleted = lance::DecodeArrowDeletions(bytes.substr(1), rows);
  Require(!deleted.ok() || deleted->cardinality() == rows, "as many deletions as promised");
}

void FuzzRowIds(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const uint64_t rows = static_cast<uint8_t>(bytes[0]);
  const auto ids = lance::RowIdSequence::Decode(bytes.substr(1), rows);
  if (ids.ok()) {
    for (uint64_t row = 0; row < rows; ++row) {
      Require(ids->Find(ids->At(row)) == row, "every row is found by its id");
    }
  }
  if (const auto versions = lance::RowVersions::Decode(bytes.substr(1), rows); versions.ok()) {
    for (uint64_t row = 0; row < rows; ++row) {
      static_cast<void>(versions->At(row));
    }
  }
}

void FuzzManifest(std::string_view bytes) {
  const std::shared_ptr<io::Store> store = io::MakeMemoryStore();
  Require(store->Put("_versions/1.manifest", bytes, false).ok(), "stored");
  lance::OpenOptions options;
  options.open_base =
      [](const std::string& path) -> pchronicle::Result<std::shared_ptr<const io::Store>> {
    return pchronicle::Status::NotFound("no base {}", path);
  };
  const auto table = lance::Table::Open(store, options);
  if (!table.ok()) {
    return;
  }
  const pchronicle::Context context;
  const auto report = lance::Verify(*table, context);
  Require(report.ok(), "a check comes to its end");
  const auto scan = lance::Scan::Plan(*table, {});
  if (scan.ok()) {
    const auto stream = lance::ScanStream::Start(*scan, 1, true, context);
    pchronicle::columnar::RecordBatch batch;
    for (int i = 0; i < 4; ++i) {
      const auto more = stream->Next(&batch);
      if (!more.ok() || !*more) {
        break;
      }
    }
  }
  static_cast<void>((*table)->TransactionOf((*table)->manifest_file()));
}

int FuzzTable(const uint8_t* data, size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      FuzzManifest(bytes);
      break;
    case 1:
      FuzzBitmap(bytes);
      break;
    case 2:
      FuzzDeletions(bytes);
      break;
    case 3:
      FuzzRowIds(bytes);
      break;
    case 4:
      static_cast<void>(lance::DecodeRowMap(bytes));
      break;
    case 5:
      static_cast<void>(lance::ReadReferenceJson(bytes));
      break;
    case 6:
      static_cast<void>(lance::proto::ParseTransaction(bytes));
      break;
    default:
      static_cast<void>(lance::proto::ParseIndexSection(bytes));
      break;
  }
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return FuzzTable(data, size);
}
