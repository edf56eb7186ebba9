#include "pchronicle/lance/table/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "pchronicle/base/hash.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/index/zones.h"
#include "pchronicle/lance/table/fragment_reader.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/text_check.h"

namespace pchronicle::lance {
namespace {

constexpr size_t kMaxProblems = 1000;

// An order-free fingerprint of (row, value) pairs: equal for equal sets.
struct Fingerprint {
  uint64_t count = 0, sum = 0;
  bool operator==(const Fingerprint&) const = default;

  void Add(const columnar::Array& values, int64_t slot, uint64_t number) {
    ++count;
    if (values.IsNull(slot)) {
      sum += Xxh3("null", ~number);
    } else if (values.type->id == columnar::TypeId::kBool) {
      sum += Xxh3(values.Bit(slot) ? "1" : "0", number);
    } else {
      sum += Xxh3(values.Bytes(slot), number);
    }
  }
};

class Verifier {
 public:
  Verifier(std::shared_ptr<const Table> table, const Context& context,
           const std::function<void(size_t, size_t)>& progress)
      : table_(std::move(table)), context_(context), progress_(progress) {}

  Result<VerifyReport> Run() {
    const size_t fragments = table_->fragments().size(), columns = table_->schema().size();
    for (size_t i = 0; i < fragments; ++i) {
      CheckFragment(i);
      for (size_t c = 0; c < columns; ++c) {
        PCHRONICLE_RETURN_IF_ERROR(context_.Check());
        CheckColumn(i, table_->schema()[c]);
        if (progress_) {
          progress_(i * columns + c + 1, fragments * columns);
        }
      }
    }
    for (const proto::Index& index : table_->indices()) {
      PCHRONICLE_RETURN_IF_ERROR(context_.Check());
      CheckIndex(index);
    }
    report_.reads += table_->open_counters();
    return std::move(report_);
  }

 private:
  // What is not supported is no damage. One cause, such as a file that cannot be opened, is told
  // once.
  void Problem(std::string place, const Status& status) {
    const bool unsupported = status.code() == StatusCode::kUnsupported;
    report_.unreadable += unsupported ? 1 : 0;
    std::vector<VerifyReport::Finding>& list = unsupported ? report_.skipped : report_.problems;
    if (status.code() != StatusCode::kCancelled && list.size() < kMaxProblems &&
        told_.insert(status.message()).second) {
      list.push_back({std::move(place), status.message()});
    }
  }

  void CheckFragment(size_t fragment) {
    const proto::Fragment& part = table_->fragments()[fragment];
    const std::string place = fmt::format("fragment {}", part.id);
    ++report_.fragments;
    report_.rows += part.physical_rows;
    const auto deleted = table_->Deletions(fragment);
    if (!deleted.ok()) {
      Problem(place, deleted.status());
    } else if (*deleted != nullptr) {
      report_.deleted_rows += (*deleted)->cardinality();
    }
    if (const auto ids = table_->RowIds(fragment); !ids.ok()) {
      Problem(place, ids.status());
    }
    for (const proto::Sequence* versions : {&part.created_at, &part.last_updated_at}) {
      if (versions->inline_bytes) {
        const auto decoded = RowVersions::Decode(*versions->inline_bytes, part.physical_rows);
        if (!decoded.ok()) {
          Problem(place, decoded.status());
        }
      }
    }
    for (size_t i = 0; i < part.files.size(); ++i) {
      ++report_.data_files;
      const auto file = table_->OpenDataFile(fragment, i);
      if (!file.ok()) {
        Problem(place, file.status());
        continue;
      }
      const auto columns = ColumnsOfFile(part.files[i]);
      if (!columns.ok()) {
        Problem(place, columns.status());
        continue;
      }
      for (const auto& [field, column] : *columns) {
        if (column >= (*file)->columns()) {
          Problem(place, Status::Corruption("{}: field {} is column {} of {}", (*file)->name(),
                                            field, column, (*file)->columns()));
        }
      }
    }
  }

  void CheckColumn(size_t fragment, const FieldNode& field) {
    const auto reader = FragmentReader::Open(table_, fragment, {field});
    if (reader.ok() && !(*reader)->has_data()) {
      return;  // nulls by the schema, and as many as the manifest likes
    }
    const std::string place =
        fmt::format("fragment {}, column {}", table_->fragments()[fragment].id, field.name);
    uint64_t row = 0;
    std::optional<Status> bad_text;  // the first one; the column is read to its end all the same
    const Status status = ReadColumn(fragment, field, [&](const columnar::RecordBatch& batch) {
      const uint64_t first = row;
      row += static_cast<uint64_t>(batch.rows);
      report_.values += static_cast<uint64_t>(batch.rows);
      for (const columnar::ArrayPtr& column : batch.columns) {
        if (const auto found = FindInvalidText(*column); found && !bad_text) {
          bad_text = Status::Corruption("row {}: {}{}: the text is not UTF-8",
                                        first + static_cast<uint64_t>(found->row), field.name,
                                        found->path);
        }
      }
      return Status::Ok();
    });
    if (bad_text) {
      Problem(place, *bad_text);
    }
    if (!status.ok()) {
      Problem(place, status);
    }
  }

  // All rows, deleted ones too, in batches.
  template <typename Use>
  Status ReadColumn(size_t fragment, const FieldNode& field, Use use) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<FragmentReader> reader,
                                FragmentReader::Open(table_, fragment, {field}));
    const uint64_t step = reader->SuggestRows(2 << 20);
    Status status;
    for (uint64_t at = 0; at < reader->rows() && status.ok(); at += step) {
      columnar::RecordBatch batch;
      status = context_.Check();
      if (status.ok()) {
        status = reader->ReadRows(at, std::min(reader->rows(), at + step), &batch);
      }
      if (status.ok()) {
        status = use(batch);
      }
    }
    report_.reads += reader->counters();
    return status;
  }

  // ---- indices

  // The live rows of covered fragments, as the column has them.
  Status AddColumn(const IndexSegment& segment, const FieldNode& root, const std::string& path,
                   bool labels, std::map<size_t, Fingerprint>* out) {
    for (size_t i = 0; i < table_->fragments().size(); ++i) {
      const auto id = static_cast<uint32_t>(table_->fragments()[i].id);
      if (!segment.covered().Contains(id)) {
        continue;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table_->Deletions(i));
      PCHRONICLE_ASSIGN_OR_RETURN(const auto ids, table_->RowIds(i));
      uint64_t row = 0;
      Fingerprint& print = (*out)[i];
      PCHRONICLE_RETURN_IF_ERROR(
          ReadColumn(i, root, [&](const columnar::RecordBatch& batch) -> Status {
            PCHRONICLE_ASSIGN_OR_RETURN(const columnar::ArrayPtr array, FindArray(batch, path));
            for (int64_t k = 0; k < batch.rows; ++k, ++row) {
              if (deleted != nullptr && deleted->Contains(static_cast<uint32_t>(row))) {
                continue;
              }
              const uint64_t number = segment.holds_row_ids()
                                          ? ids->At(row)
                                          : RowAddress{id, static_cast<uint32_t>(row)}.ToU64();
              if (labels) {
                AddLabels(*array, k, number, &print);
              } else {
                print.Add(*array, k, number);
              }
            }
            return Status::Ok();
          }));
    }
    return Status::Ok();
  }

  // Each distinct label of a row once.
  static void AddLabels(const columnar::Array& lists, int64_t slot, uint64_t number,
                        Fingerprint* print) {
    if (lists.IsNull(slot)) {
      return;
    }
    const columnar::Array& items = *lists.children.at(0);
    std::map<std::string, int64_t> distinct;
    for (int64_t i = lists.Offset(slot); i < lists.Offset(slot + 1); ++i) {
      distinct.emplace(items.IsNull(i) ? std::string("n") : "v" + std::string(items.Bytes(i)), i);
    }
    for (const auto& [text, i] : distinct) {
      print->Add(items, i, number);
    }
  }

  // Where a number of an index leads: the fragment, when it is covered and the row is live.
  Result<std::optional<size_t>> LiveFragment(const IndexSegment& segment, uint64_t number) {
    std::optional<RowAddress> address;
    if (!segment.holds_row_ids()) {
      address = RowAddress::FromU64(number);
    } else {
      for (size_t i = 0; i < table_->fragments().size() && !address; ++i) {
        PCHRONICLE_ASSIGN_OR_RETURN(const auto ids, table_->RowIds(i));
        PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table_->Deletions(i));
        const std::optional<uint64_t> row = ids->Find(number);
        if (row && (deleted == nullptr || !deleted->Contains(static_cast<uint32_t>(*row)))) {
          address = RowAddress{static_cast<uint32_t>(table_->fragments()[i].id),
                               static_cast<uint32_t>(*row)};
        }
      }
    }
    const std::optional<size_t> fragment =
        address ? table_->FindFragment(address->fragment) : std::nullopt;
    if (!fragment || !segment.covered().Contains(address->fragment)) {
      return std::optional<size_t>();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table_->Deletions(*fragment));
    if ((deleted != nullptr && deleted->Contains(address->offset)) ||
        address->offset >= table_->fragments()[*fragment].physical_rows) {
      return std::optional<size_t>();
    }
    return fragment;
  }

  Status CompareIndex(const IndexSegment& segment, const FieldNode& root, const std::string& path,
                      bool labels) {
    std::map<size_t, Fingerprint> data, entries;
    PCHRONICLE_RETURN_IF_ERROR(AddColumn(segment, root, path, labels, &data));
    PCHRONICLE_RETURN_IF_ERROR(segment.ForEachEntry(
        [&](const columnar::Array& values, int64_t slot, uint64_t number) -> Status {
          ++report_.index_entries;
          PCHRONICLE_ASSIGN_OR_RETURN(const auto fragment, LiveFragment(segment, number));
          if (fragment) {
            entries[*fragment].Add(values, slot, number);
          }
          return Status::Ok();
        },
        &report_.reads));
    for (const auto& [fragment, print] : data) {
      const Fingerprint& found = entries[fragment];
      if (!(found == print)) {
        return Status::Corruption(
            "fragment {}: {} entries do not agree with the {} of the column; rebuild the index",
            table_->fragments()[fragment].id, found.count, print.count);
      }
    }
    return Status::Ok();
  }

  // Zones of the fragments that the index says it covers, against their rows.
  Status CompareZones(const proto::Index& index, const IndexSegment& segment, const FieldNode& root,
                      const std::string& path, const std::string& place) {
    PCHRONICLE_ASSIGN_OR_RETURN(const RoaringBitmap covered,
                                RoaringBitmap::Decode(*index.fragment_bitmap));
    for (size_t i = 0; i < table_->fragments().size(); ++i) {
      const uint64_t rows = table_->fragments()[i].physical_rows;
      const auto id = static_cast<uint32_t>(table_->fragments()[i].id);
      if (!covered.Contains(id)) {
        continue;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table_->Deletions(i));
      PCHRONICLE_ASSIGN_OR_RETURN(const auto check, segment.CheckZones(id, rows, &report_.reads));
      PCHRONICLE_RETURN_IF_ERROR(
          ReadColumn(i, root, [&](const columnar::RecordBatch& batch) -> Status {
            PCHRONICLE_ASSIGN_OR_RETURN(const columnar::ArrayPtr array, FindArray(batch, path));
            return check->Add(*array, deleted.get());
          }));
      for (std::string& text : check->Finish()) {
        Problem(place, Status::Corruption("{}", text));
      }
      report_.index_entries += check->zones();
    }
    return Status::Ok();
  }

  void CheckIndex(const proto::Index& index) {
    const std::string place = fmt::format("index {} ({})", index.name, index.UuidText());
    if (const std::string reason = WhyUnusable(*table_, index); !reason.empty()) {
      report_.skipped.push_back({place, reason});
      return;
    }
    ++report_.indices;
    const auto segment = OpenIndexSegment(*table_, index);
    if (!segment.ok()) {
      Problem(place, segment.status());
      return;
    }
    const std::string path = PathOfField(table_->schema(), index.fields[0]);
    const FieldNode* root = nullptr;
    for (const FieldNode& field : table_->schema()) {
      root = PathOfField(std::span(&field, 1), index.fields[0]).empty() ? root : &field;
    }
    if (*segment == nullptr || root == nullptr) {
      report_.skipped.push_back({place, *segment == nullptr ? "its files cannot be used"
                                                            : "its column is not in the schema"});
      return;
    }
    const bool labels = index.Kind() == "labellistindexdetails";
    const Status status = HasZones(index) ? CompareZones(index, **segment, *root, path, place)
                                          : CompareIndex(**segment, *root, path, labels);
    if (status.code() == StatusCode::kUnsupported) {
      report_.skipped.push_back({place, status.message()});
    } else if (!status.ok()) {
      Problem(place, status);
    }
  }

  std::shared_ptr<const Table> table_;
  const Context& context_;
  const std::function<void(size_t, size_t)>& progress_;
  VerifyReport report_;
  std::set<std::string> told_;
};

}  // namespace

Result<VerifyReport> Verify(const std::shared_ptr<const Table>& table, const Context& context,
                            const std::function<void(size_t, size_t)>& progress) {
  return Verifier(table, context, progress).Run();
}

}  // namespace pchronicle::lance
