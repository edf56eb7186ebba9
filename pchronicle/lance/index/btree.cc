#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pchronicle/lance/index/index_file.h"
#include "pchronicle/lance/index/index_segment.h"

// BTree (lance.md D2): page_data.lance holds all entries in order, nulls first; page_lookup.lance
// one row for each page of batch_size entries.

namespace pchronicle::lance {
namespace {

using columnar::Array;
using columnar::ArrayPtr;
using columnar::CompareOp;
using columnar::Predicate;
using columnar::Scalar;
using columnar::Truth;
using columnar::Truths;

constexpr std::string_view kLookup = "page_lookup.lance";
constexpr std::string_view kData = "page_data.lance";
constexpr std::string_view kLookupColumns[] = {"min", "max", "null_count", "page_idx"};
constexpr std::string_view kDataColumns[] = {"values", "ids"};
constexpr uint64_t kDefaultPageRows = 4096;
// Entries read at once, so that a wide range needs little memory.
constexpr uint64_t kMaxRangeRows = 1 << 18;

struct Lookup {
  ArrayPtr min, max;
  std::vector<uint64_t> nulls, page;
  uint64_t page_rows = kDefaultPageRows;
};

// Rows of the data file.
struct Range {
  uint64_t begin, end;
};

bool IsNan(const Array& array, int64_t i) {
  return !array.IsNull(i) &&
         ((array.type->id == columnar::TypeId::kFloat && std::isnan(array.Value<float>(i))) ||
          (array.type->id == columnar::TypeId::kDouble && std::isnan(array.Value<double>(i))) ||
          (array.type->id == columnar::TypeId::kHalf &&
           (array.Value<uint16_t>(i) & 0x7fff) > 0x7c00));
}

void GroupRows(std::vector<uint64_t> numbers, RowMap* out) {
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 0; i < numbers.size();) {
    const uint64_t upper = numbers[i] >> 32;
    std::vector<uint32_t> lower;
    for (; i < numbers.size() && numbers[i] >> 32 == upper; ++i) {
      lower.push_back(static_cast<uint32_t>(numbers[i]));
    }
    LowerHalves& entry = (*out)[static_cast<uint32_t>(upper)];
    entry.rows = entry.rows.Union(RoaringBitmap::FromValues(lower));
  }
}

class BTree : public IndexSegment {
 public:
  BTree(RoaringBitmap covered, bool holds_row_ids, Lookup lookup, IndexFile data)
      : IndexSegment(std::move(covered), holds_row_ids),
        lookup_(std::move(lookup)),
        data_(std::move(data)) {}

  bool Answers(const Predicate& leaf) const override {
    return leaf.kind == Predicate::Kind::kIn || leaf.kind == Predicate::Kind::kIsNull ||
           (leaf.kind == Predicate::Kind::kCompare && leaf.op != CompareOp::kNe);
  }

  Result<SegmentRows> Search(const Predicate& leaf, ReadCounters* reads) const override {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<Range> ranges, FindRanges(leaf));
    SegmentRows out;
    std::vector<uint64_t> numbers;
    constexpr size_t kColumns[] = {0, 1};
    for (const Range& range : ranges) {
      PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                                  data_.Read(kColumns, range.begin, range.end, reads));
      const ArrayPtr& values = batch.columns[0];
      PCHRONICLE_ASSIGN_OR_RETURN(
          const Truths truths,
          columnar::Evaluate(
              leaf, [&](std::string_view) { return Result<ArrayPtr>(values); }, batch.rows));
      PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                                  ToNumbers(*batch.columns[1], "ids"));
      for (size_t i = 0; i < ids.size(); ++i) {
        if (truths[i] == Truth::kTrue) {
          numbers.push_back(ids[i]);
        }
      }
    }
    GroupRows(std::move(numbers), &out.rows);
    return out;
  }

  uint64_t MostEntries() const override { return data_.rows(); }

  Status ForEachEntry(const EntryVisitor& visit, ReadCounters* reads) const override {
    uint64_t entries = 0;
    for (size_t page = 0; page < lookup_.page.size(); ++page) {
      const uint64_t begin = lookup_.page[page] * lookup_.page_rows;
      const uint64_t end = std::min(data_.rows(), begin + lookup_.page_rows);
      constexpr size_t kColumns[] = {0, 1};
      PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                                  data_.Read(kColumns, begin, end, reads));
      PCHRONICLE_RETURN_IF_ERROR(
          CheckPage(page, *batch.columns[0])
              .WithContext(fmt::format("{}: page {}", data_.name(), lookup_.page[page])));
      PCHRONICLE_ASSIGN_OR_RETURN(const std::vector<uint64_t> ids,
                                  ToNumbers(*batch.columns[1], "ids"));
      for (size_t i = 0; i < ids.size(); ++i) {
        PCHRONICLE_RETURN_IF_ERROR(visit(*batch.columns[0], static_cast<int64_t>(i), ids[i]));
      }
      entries += ids.size();
    }
    return entries == data_.rows() ? Status::Ok()
                                   : Status::Corruption("{}: {} entries, the lookup leads to {}",
                                                        data_.name(), data_.rows(), entries);
  }

 private:
  // The lookup must not rule out a value that the page holds.
  Status CheckPage(size_t page, const Array& values) const {
    const auto row = static_cast<int64_t>(page);
    if (static_cast<uint64_t>(values.null_count) != lookup_.nulls[page]) {
      return Status::Corruption("{} nulls, the lookup says {}", values.null_count,
                                lookup_.nulls[page]);
    }
    if (lookup_.max->IsNull(row) && values.null_count != values.length) {
      return Status::Corruption("values, the lookup says that all are null");
    }
    for (const auto& [bound, op] :
         {std::pair(lookup_.min, CompareOp::kGe), std::pair(lookup_.max, CompareOp::kLe)}) {
      const std::optional<Scalar> limit = columnar::ScalarAt(*bound, row);
      if (!limit || IsNan(*bound, row)) {
        continue;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const Truths inside,
                                  columnar::EvaluateCompare(values, op, *limit));
      if (std::find(inside.begin(), inside.end(), Truth::kFalse) != inside.end()) {
        return Status::Corruption("a value is {} of the lookup",
                                  op == CompareOp::kGe ? "below the minimum" : "above the maximum");
      }
    }
    return Status::Ok();
  }

  // Pages that may hold a value for which `op` holds.
  Result<std::vector<bool>> Pages(CompareOp op, const Scalar& value) const {
    const bool below = op == CompareOp::kEq || op == CompareOp::kLt || op == CompareOp::kLe;
    const bool above = op == CompareOp::kEq || op == CompareOp::kGt || op == CompareOp::kGe;
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths min,
        columnar::EvaluateCompare(*lookup_.min, op == CompareOp::kLt ? op : CompareOp::kLe, value));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const Truths max,
        columnar::EvaluateCompare(*lookup_.max, op == CompareOp::kGt ? op : CompareOp::kGe, value));
    std::vector<bool> out(lookup_.page.size());
    for (size_t i = 0; i < out.size(); ++i) {
      // A page that starts with nulls has no min: its values may be as small as any. A NaN with a
      // sign stands first in the file but is the greatest here: such a page is always looked at.
      const bool low = !below || min[i] != Truth::kFalse;
      const bool high = !above || max[i] == Truth::kTrue;
      out[i] =
          (low && high && max[i] != Truth::kNull) || IsNan(*lookup_.min, static_cast<int64_t>(i));
    }
    return out;
  }

  Result<std::vector<Range>> FindRanges(const Predicate& leaf) const {
    std::vector<bool> pages(lookup_.page.size());
    if (leaf.kind == Predicate::Kind::kIsNull) {
      for (size_t i = 0; i < pages.size(); ++i) {
        pages[i] = lookup_.nulls[i] > 0;
      }
    } else {
      for (const Scalar& value : leaf.values) {
        PCHRONICLE_ASSIGN_OR_RETURN(
            const std::vector<bool> more,
            Pages(leaf.kind == Predicate::Kind::kIn ? CompareOp::kEq : leaf.op, value));
        for (size_t i = 0; i < pages.size(); ++i) {
          pages[i] = pages[i] || more[i];
        }
      }
    }
    std::vector<uint64_t> wanted;
    for (size_t i = 0; i < pages.size(); ++i) {
      if (pages[i]) {
        wanted.push_back(lookup_.page[i]);
      }
    }
    std::sort(wanted.begin(), wanted.end());
    std::vector<Range> out;
    for (const uint64_t page : wanted) {
      const uint64_t begin = page * lookup_.page_rows;
      const uint64_t end = std::min(data_.rows(), begin + lookup_.page_rows);
      if (!out.empty() && out.back().end == begin && end - out.back().begin <= kMaxRangeRows) {
        out.back().end = end;
      } else {
        out.push_back({begin, end});
      }
    }
    return out;
  }

  Lookup lookup_;
  IndexFile data_;
};

Status CheckLookup(const Lookup& lookup, const IndexFile& data) {
  if (lookup.page_rows == 0) {
    return Status::Corruption("batch_size 0");
  }
  if (lookup.min->type->id != data.file().schema()[0].type->id) {
    return Status::Corruption("min is {}, values are {}", columnar::ToString(*lookup.min->type),
                              columnar::ToString(*data.file().schema()[0].type));
  }
  for (const uint64_t page : lookup.page) {
    if (page >= data.rows() / lookup.page_rows + 1 || page * lookup.page_rows >= data.rows()) {
      return Status::Corruption("page {} of {} entries lies behind the {} entries of {}", page,
                                lookup.page_rows, data.rows(), data.name());
    }
  }
  return Status::Ok();
}

}  // namespace

Result<std::shared_ptr<const IndexSegment>> OpenBTree(const Table& table, const proto::Index& index,
                                                      RoaringBitmap covered, bool holds_row_ids) {
  PCHRONICLE_ASSIGN_OR_RETURN(auto lookup_file, table.OpenIndexFile(index, kLookup));
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexFile pages,
                              IndexFile::Bind(std::move(lookup_file), kLookupColumns));
  PCHRONICLE_ASSIGN_OR_RETURN(auto data_file, table.OpenIndexFile(index, kData));
  PCHRONICLE_ASSIGN_OR_RETURN(IndexFile data, IndexFile::Bind(std::move(data_file), kDataColumns));
  Lookup lookup;
  PCHRONICLE_ASSIGN_OR_RETURN(lookup.page_rows, pages.Number("batch_size", kDefaultPageRows));
  constexpr size_t kColumns[] = {0, 1, 2, 3};
  ReadCounters reads;
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                              pages.Read(kColumns, 0, pages.rows(), &reads));
  table.AddOpenCounters(reads);
  lookup.min = batch.columns[0];
  lookup.max = batch.columns[1];
  const auto fill = [&]() -> Status {
    PCHRONICLE_ASSIGN_OR_RETURN(lookup.nulls, ToNumbers(*batch.columns[2], "null_count"));
    PCHRONICLE_ASSIGN_OR_RETURN(lookup.page, ToNumbers(*batch.columns[3], "page_idx"));
    return CheckLookup(lookup, data);
  };
  PCHRONICLE_RETURN_IF_ERROR(fill().WithContext(pages.name()));
  return std::shared_ptr<const IndexSegment>(std::make_shared<BTree>(
      std::move(covered), holds_row_ids, std::move(lookup), std::move(data)));
}

}  // namespace pchronicle::lance
