// Lance data files from hostile bytes: footer, tables, metadata and pages. Equations: a file that
// reads in one batch reads the same row by row and by Take; memory stays within the limit given.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pchronicle/lance/file/file_reader.h"

namespace {

namespace lance = pchronicle::lance;
using pchronicle::columnar::RecordBatch;

constexpr uint64_t kRows = 300;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

/// A file held in memory.
class BytesReader : public pchronicle::io::RandomReader {
 public:
  explicit BytesReader(std::string bytes) : bytes_(std::move(bytes)) {
    entry_.size = bytes_.size();
  }
  uint64_t size() const override { return bytes_.size(); }
  const pchronicle::io::Entry& entry() const override { return entry_; }
  pchronicle::Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
    return offset >= bytes_.size() ? 0 : bytes_.copy(out.data(), out.size(), offset);
  }
  pchronicle::Result<pchronicle::io::Entry> Stat() const override { return entry_; }

 private:
  std::string bytes_;
  pchronicle::io::Entry entry_;
};

/// Walks every value, so that a sanitizer sees what lies outside.
uint64_t Touch(const pchronicle::columnar::Array& array) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < array.length; ++i) {
    sum += array.IsNull(i) ? 1 : 0;
  }
  if (array.values != nullptr && array.type->id != pchronicle::columnar::TypeId::kBool) {
    for (int64_t i = 0; i < array.length; ++i) {
      for (const char c : array.Bytes(i)) {
        sum += static_cast<uint8_t>(c);
      }
    }
  }
  for (const auto& child : array.children) {
    Require(child->length >= 0, "lengths are not negative");
    sum += Touch(*child);
  }
  return sum;
}

void ReadField(const lance::FileReader& file, const lance::FieldNode& field) {
  lance::ReaderOptions options;
  options.max_batch_bytes = 8 << 20;
  options.window_bytes = 64;  // windows and pieces move often
  const auto reader = file.Read({&field, 1}, file.SequentialColumns(), options);
  if (!reader.ok()) {
    return;
  }
  const uint64_t rows = std::min(file.rows(), kRows);
  RecordBatch whole, part;
  if (!(*reader)->ReadRows(0, rows, &whole).ok() || whole.columns.empty()) {
    return;
  }
  (void)Touch(*whole.columns[0]);
  Require(whole.columns[0]->length == static_cast<int64_t>(rows), "as many rows as asked for");
  std::vector<uint64_t> taken;
  std::vector<int64_t> slots;
  for (uint64_t row = 0; row < rows; row += 1 + row % 7) {
    taken.push_back(row);
    slots.push_back(static_cast<int64_t>(row));
    if ((*reader)->ReadRows(row, row + 1, &part).ok()) {
      Require(
          SameValues(*TakeSlots(*whole.columns[0], {static_cast<int64_t>(row)}), *part.columns[0]),
          "a row alone is the row of a batch");
    }
  }
  if ((*reader)->Take(taken, &part).ok()) {
    Require(SameValues(*TakeSlots(*whole.columns[0], slots), *part.columns[0]),
            "rows taken are the rows of a batch");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = lance::FileReader::Open(
      std::make_shared<BytesReader>(std::string(reinterpret_cast<const char*>(data), size)));
  if (!file.ok()) {
    return 0;
  }
  for (uint32_t column = 0; column < std::min((*file)->columns(), 16U); ++column) {
    (void)(*file)->DescribeColumn(column).ok();
  }
  const auto& schema = (*file)->schema();
  for (size_t i = 0; i < std::min(schema.size(), size_t{16}); ++i) {
    ReadField(**file, schema[i]);
  }
  return 0;
}
