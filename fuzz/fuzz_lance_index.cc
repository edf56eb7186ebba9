// Files of scalar indices from hostile bytes, beside a sound table. The first byte chooses the
// kind, the next two the size of the first file; what follows are the files. Equations: a search
// that succeeds gives no row outside the table; a check comes to its end.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "pchronicle/columnar/predicate.h"
#include "pchronicle/io/store.h"
#include "pchronicle/lance/index/index_search.h"
#include "pchronicle/lance/proto/wire.h"
#include "pchronicle/lance/table/roaring_bitmap.h"
#include "pchronicle/lance/table/table.h"
#include "pchronicle/lance/table/verify.h"

namespace {

namespace io = pchronicle::io;
namespace lance = pchronicle::lance;
using lance::proto::WireWriter;

constexpr uint64_t kRows = 100;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

std::string Word(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8 * i));
  }
  return out;
}

// A table of one column `x` that no file holds, so that all rows are null, and one index on it.
std::string Manifest(const char* kind) {
  WireWriter uuid, details, index, section, field, fragment, manifest;
  uuid.Bytes(1, std::string(16, '\x11'));
  details.Text(1, kind);
  index.Message(1, uuid);
  index.Packed(2, std::vector<int32_t>{0});
  index.Text(3, "x_idx");
  index.Bytes(5, lance::RoaringBitmap::FromValues(std::vector<uint32_t>{0}).Encode());
  index.Message(6, details);
  section.Message(1, index);
  field.Text(2, "x");
  field.Signed(4, -1);
  field.Text(5, "int64");
  field.Flag(6, true);
  fragment.Number(4, kRows);
  manifest.Message(1, field);
  manifest.Message(2, fragment);
  manifest.Number(3, 1);
  manifest.PresentNumber(6, 0);
  std::string out = Word(section.bytes().size(), 4) + section.bytes();
  const uint64_t position = out.size();
  out += Word(manifest.bytes().size(), 4) + manifest.bytes() + Word(position, 8);
  return out + Word(0, 2) + Word(2, 2) + "LANC";
}

int FuzzIndex(const uint8_t* data, size_t size) {
  if (size < 3) {
    return 0;
  }
  constexpr const char* kKinds[] = {
      "/lance.table.BTreeIndexDetails", "/lance.table.BitmapIndexDetails",
      "/lance.table.ZoneMapIndexDetails", "/lance.index.pb.BloomFilterIndexDetails"};
  constexpr const char* kFirst[] = {"page_lookup.lance", "bitmap_page_lookup.lance",
                                    "zonemap.lance", "bloomfilter.lance"};
  const size_t kind = data[0] % 4;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const size_t cut = std::min(bytes.size(), size_t{data[1]} | size_t{data[2]} << 8);
  const std::shared_ptr<io::Store> store = io::MakeMemoryStore();
  const std::string directory = "_indices/11111111-1111-1111-1111-111111111111/";
  Require(store->Put("_versions/1.manifest", Manifest(kKinds[kind]), false).ok() &&
              store->Put(directory + kFirst[kind], bytes.substr(0, cut), false).ok() &&
              store->Put(directory + "page_data.lance", bytes.substr(cut), false).ok(),
          "stored");
  const auto table = lance::Table::Open(store);
  Require(table.ok(), "the table itself is sound");
  using pchronicle::columnar::CompareOp;
  for (const auto& predicate :
       {pchronicle::columnar::IsNull("x"),
        pchronicle::columnar::Compare("x", CompareOp::kEq, int64_t{7}),
        pchronicle::columnar::Compare("x", CompareOp::kLt, int64_t{1000})}) {
    lance::ReadCounters reads;
    const auto rows = lance::SearchIndices(**table, *predicate, &reads);
    Require(!rows.ok() || rows->size() <= 1, "only fragments of the table");
  }
  const pchronicle::Context context;
  Require(lance::Verify(*table, context).ok(), "a check comes to its end");
  return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return FuzzIndex(data, size);
}
