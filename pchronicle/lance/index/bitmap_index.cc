#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/index/index_segment.h"

// Bitmap and LabelList (lance.md D3): one row for each distinct value, with the set of its rows.

namespace pchronicle::lance {
namespace {

using columnar::ArrayPtr;
using columnar::Predicate;

constexpr std::string_view kFile = "bitmap_page_lookup.lance";
constexpr std::string_view kColumns[] = {"keys", "bitmaps"};
// Bitmaps taken at once, so that many matching values need little memory.
constexpr size_t kTakeRows = 256;

class BitmapIndex : public IndexSegment {
 public:
  BitmapIndex(RoaringBitmap covered, bool holds_row_ids, bool labels, IndexFile file, ArrayPtr keys)
      : IndexSegment(std::move(covered), holds_row_ids),
        labels_(labels),
        file_(std::move(file)),
        keys_(std::move(keys)) {}

  bool Answers(const Predicate& leaf) const override {
    const bool contains = leaf.kind == Predicate::Kind::kContains;
    return labels_ ? contains
                   : leaf.kind == Predicate::Kind::kCompare || leaf.kind == Predicate::Kind::kIn ||
                         leaf.kind == Predicate::Kind::kIsNull;
  }

  Result<SegmentRows> Search(const Predicate& leaf, ReadCounters* reads) const override {
    PCHRONICLE_ASSIGN_OR_RETURN(const columnar::Truths truths, Test(leaf));
    std::vector<uint64_t> rows;
    for (const int64_t row : columnar::SelectedRows(truths)) {
      rows.push_back(static_cast<uint64_t>(row));
    }
    SegmentRows out;
    PCHRONICLE_RETURN_IF_ERROR(ForEachBitmap(
        rows,
        [&](uint64_t, const RowMap& map) {
          AddRows(map, &out.rows);
          return Status::Ok();
        },
        reads));
    return out;
  }

  Status ForEachEntry(const EntryVisitor& visit, ReadCounters* reads) const override {
    std::vector<uint64_t> rows(file_.rows());
    std::iota(rows.begin(), rows.end(), uint64_t{0});
    return ForEachBitmap(
        rows,
        [&](uint64_t row, const RowMap& map) -> Status {
          for (const auto& [upper, entry] : map) {
            if (entry.all) {
              return Status::Unsupported("{}: an entry for a whole fragment", file_.name());
            }
            for (const uint32_t lower : entry.rows.Values()) {
              PCHRONICLE_RETURN_IF_ERROR(
                  visit(*keys_, static_cast<int64_t>(row), RowAddress{upper, lower}.ToU64()));
            }
          }
          return Status::Ok();
        },
        reads);
  }

 private:
  // Decodes the bitmaps of ascending rows of the file.
  Status ForEachBitmap(std::span<const uint64_t> rows,
                       const std::function<Status(uint64_t row, const RowMap&)>& use,
                       ReadCounters* reads) const {
    for (size_t at = 0; at < rows.size(); at += kTakeRows) {
      const auto piece = rows.subspan(at, std::min(kTakeRows, rows.size() - at));
      PCHRONICLE_ASSIGN_OR_RETURN(const ArrayPtr bitmaps, file_.Take(1, piece, reads));
      if (!columnar::IsVariable(bitmaps->type->id)) {
        return Status::Corruption("{}: bitmaps of type {}", file_.name(),
                                  columnar::ToString(*bitmaps->type));
      }
      for (size_t i = 0; i < piece.size(); ++i) {
        const Result<RowMap> map = DecodeRowMap(bitmaps->Bytes(static_cast<int64_t>(i)));
        if (!map.ok()) {
          return map.status().WithContext(fmt::format("{}: row {}", file_.name(), piece[i]));
        }
        PCHRONICLE_RETURN_IF_ERROR(use(piece[i], *map));
      }
    }
    return Status::Ok();
  }

  Result<columnar::Truths> Test(const Predicate& leaf) const {
    if (leaf.kind == Predicate::Kind::kContains) {
      return columnar::EvaluateCompare(*keys_, columnar::CompareOp::kEq, leaf.values.at(0));
    }
    return columnar::Evaluate(
        leaf, [&](std::string_view) { return Result<ArrayPtr>(keys_); }, keys_->length);
  }

  bool labels_;
  IndexFile file_;
  ArrayPtr keys_;
};

}  // namespace

Result<std::shared_ptr<const IndexSegment>> OpenBitmapIndex(const Table& table,
                                                            const proto::Index& index,
                                                            RoaringBitmap covered,
                                                            bool holds_row_ids, bool labels) {
  PCHRONICLE_ASSIGN_OR_RETURN(auto opened, table.OpenIndexFile(index, kFile));
  PCHRONICLE_ASSIGN_OR_RETURN(IndexFile file, IndexFile::Bind(std::move(opened), kColumns));
  constexpr size_t kKeys[] = {0};
  ReadCounters reads;
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                              file.Read(kKeys, 0, file.rows(), &reads));
  table.AddOpenCounters(reads);
  return std::shared_ptr<const IndexSegment>(std::make_shared<BitmapIndex>(
      std::move(covered), holds_row_ids, labels, std::move(file), batch.columns[0]));
}

}  // namespace pchronicle::lance
