#include "pchronicle/lance/edit/merge_insert.h"

#include <algorithm>

#include "pchronicle/lance/edit/moved_rows.h"
#include "pchronicle/lance/edit/row_input.h"
#include "pchronicle/lance/edit/row_keys.h"
#include "pchronicle/lance/edit/schema_fields.h"
#include "pchronicle/lance/file/file_reader.h"

namespace pchronicle::lance {
namespace {

// So many keys are looked up one by one; more are found by reading the column.
constexpr size_t kLookedUpKeys = 2048;

Result<std::vector<size_t>> KeyColumns(const columnar::RecordBatch& batch,
                                       const std::vector<std::string>& keys) {
  std::vector<size_t> out;
  for (const std::string& key : keys) {
    const auto found = std::find_if(batch.fields.begin(), batch.fields.end(),
                                    [&](const auto& field) { return field.name == key; });
    if (found == batch.fields.end()) {
      return Status::InvalidArgument("the source has no key column '{}'", key);
    }
    out.push_back(static_cast<size_t>(found - batch.fields.begin()));
  }
  return out;
}

/// One merge: the source is written, matched, and what is not wanted of it taken out again.
class Merger {
 public:
  Merger(std::shared_ptr<io::Store> store, std::shared_ptr<const Table> table,
         const MergeInsertOptions& options, FileVersion version)
      : store_(std::move(store)),
        table_(std::move(table)),
        options_(options),
        version_(version),
        root_(table_->paths().InRoot("")),
        moved_(table_),
        keys_(options.max_key_bytes),
        files_(store_) {}

  Result<MergeInsertResult> Run(BatchSource source) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<RowInput> input,
                                RowInput::Open(table_->manifest().fields, std::move(source)));
    fields_ = input->fields();
    if (options_.update_matched && fields_.size() != table_->manifest().fields.size()) {
      return Status::InvalidArgument(
          "the source lacks columns of the table; rows can only be replaced as a whole");
    }
    PCHRONICLE_RETURN_IF_ERROR(WriteSource(input.get()));
    PCHRONICLE_RETURN_IF_ERROR(MatchTable());
    return CommitMatched();
  }

 private:
  const Context& context() const {
    return options_.edit.context == nullptr ? unbounded_ : *options_.edit.context;
  }

  Status WriteSource(RowInput* input) {
    FragmentWriter writer(fields_, root_, version_, options_.limits, &files_);
    std::optional<KeyEncoder> encoder;
    std::string key;
    for (columnar::RecordBatch batch;;) {
      PCHRONICLE_RETURN_IF_ERROR(context().Check());
      PCHRONICLE_ASSIGN_OR_RETURN(const bool more, input->Next(&batch));
      if (!more) {
        break;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(std::vector<size_t> columns, KeyColumns(batch, options_.keys));
      const size_t first = columns.front();
      PCHRONICLE_ASSIGN_OR_RETURN(encoder, KeyEncoder::Make(batch, std::move(columns)));
      for (int64_t i = 0; i < batch.rows; ++i) {
        if (encoder->Encode(batch, i, &key)) {
          PCHRONICLE_RETURN_IF_ERROR(keys_.Add(key, writer.rows() + static_cast<uint64_t>(i)));
          KeepLiteral(*batch.columns[first], i);
        }
      }
      PCHRONICLE_RETURN_IF_ERROR(writer.Append(batch));
    }
    source_rows_ = writer.rows();
    PCHRONICLE_ASSIGN_OR_RETURN(fragments_, writer.Finish());
    return Status::Ok();
  }

  // Literals of the keys while they are few and simple; then the scan can ask an index.
  void KeepLiteral(const columnar::Array& array, int64_t row) {
    if (!literals_) {
      return;
    }
    std::optional<columnar::Scalar> value = columnar::ScalarAt(array, row);
    if (options_.keys.size() != 1 || literals_->size() == kLookedUpKeys || !value) {
      literals_.reset();
      return;
    }
    literals_->push_back(*std::move(value));
  }

  Status MatchTable() {
    matches_.assign(source_rows_, kNoMatch);
    if (keys_.size() == 0) {
      return Status::Ok();
    }
    ScanOptions scan_options;
    scan_options.columns = options_.keys;
    if (literals_) {
      scan_options.filter = columnar::In(options_.keys[0], *literals_);
    }
    moved_.Request(&scan_options);
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Scan> scan,
                                Scan::Plan(table_, std::move(scan_options)));
    for (size_t task = 0; task < scan->tasks().size(); ++task) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<ScanTaskReader> reader,
                                  scan->OpenTask(task));
      for (columnar::RecordBatch batch;;) {
        PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, context()));
        if (!more) {
          break;
        }
        PCHRONICLE_RETURN_IF_ERROR(Match(batch));
      }
    }
    return Status::Ok();
  }

  Status Match(const columnar::RecordBatch& batch) {
    PCHRONICLE_ASSIGN_OR_RETURN(std::vector<size_t> columns, KeyColumns(batch, options_.keys));
    PCHRONICLE_ASSIGN_OR_RETURN(const KeyEncoder encoder,
                                KeyEncoder::Make(batch, std::move(columns)));
    std::vector<int64_t> matched;
    std::string key;
    for (int64_t i = 0; i < batch.rows; ++i) {
      const std::optional<uint64_t> row =
          encoder.Encode(batch, i, &key) ? keys_.Find(key) : std::nullopt;
      if (row) {
        if (matches_[*row] == kNoMatch) {
          matches_[*row] = moved_.count() + matched.size();
        }
        matched.push_back(i);
      }
    }
    if (matched.empty()) {
      return Status::Ok();
    }
    columnar::RecordBatch rows;
    rows.fields = batch.fields;
    rows.rows = static_cast<int64_t>(matched.size());
    for (const columnar::ArrayPtr& column : batch.columns) {
      rows.columns.push_back(columnar::TakeSlots(*column, matched));
    }
    return moved_.TakeFrom(&rows);
  }

  bool IsWanted(uint64_t row) const {
    return matches_[row] == kNoMatch ? options_.insert_new : options_.update_matched;
  }

  Result<MergeInsertResult> CommitMatched() {
    MergeInsertResult out;
    out.committed.version = table_->version();
    for (uint64_t row = 0; row < source_rows_; ++row) {
      if (IsWanted(row)) {
        ++(matches_[row] == kNoMatch ? out.inserted : out.updated);
      }
    }
    if (out.inserted + out.updated == 0) {
      return out;
    }
    Change change;
    change.inserts_by_key = options_.insert_new;
    proto::Transaction& transaction = change.transaction;
    transaction.operation = proto::Transaction::Operation::kUpdate;
    transaction.read_version = table_->version();
    PCHRONICLE_ASSIGN_OR_RETURN(transaction.new_fragments, WantedFragments());
    GiveIdentities(&change);
    if (options_.update_matched) {
      PCHRONICLE_RETURN_IF_ERROR(
          DeleteFromFragments(*table_, moved_.Places(), &files_, &transaction));
    }
    Result<Committed> committed = Commit(store_, std::move(change), options_.edit, &files_);
    if (!committed.ok()) {
      return committed.status();
    }
    out.committed = *committed;
    return out;
  }

  // The fragments as they were written, or written again when they hold rows that are not wanted.
  Result<std::vector<proto::Fragment>> WantedFragments() {
    FragmentWriter writer(fields_, root_, version_, options_.limits, &files_);
    std::vector<proto::Fragment> out;
    uint64_t first = 0;
    for (proto::Fragment& fragment : fragments_) {
      std::vector<int64_t> wanted;
      for (uint64_t i = 0; i < fragment.physical_rows; ++i) {
        if (IsWanted(first + i)) {
          wanted.push_back(static_cast<int64_t>(i));
        }
      }
      first += fragment.physical_rows;
      if (wanted.size() == fragment.physical_rows) {
        out.push_back(std::move(fragment));
        continue;
      }
      const std::string path = root_ + "data/" + fragment.files[0].path;
      PCHRONICLE_RETURN_IF_ERROR(CopyRows(path, wanted, &writer).WithContext(path));
      PCHRONICLE_RETURN_IF_ERROR(store_->Delete(path));
      // Rows stay in the order of the source.
      PCHRONICLE_ASSIGN_OR_RETURN(std::vector<proto::Fragment> copied, writer.Finish());
      std::move(copied.begin(), copied.end(), std::back_inserter(out));
    }
    return out;
  }

  Status CopyRows(const std::string& path, const std::vector<int64_t>& wanted,
                  FragmentWriter* writer) {
    PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<io::RandomReader> opened, store_->Open(path));
    PCHRONICLE_ASSIGN_OR_RETURN(
        const auto file,
        FileReader::Open(std::shared_ptr<const io::RandomReader>(std::move(opened))));
    PCHRONICLE_ASSIGN_OR_RETURN(const auto rows,
                                file->Read(file->schema(), file->SequentialColumns()));
    const uint64_t step = rows->SuggestRows();
    auto next = wanted.begin();
    for (uint64_t at = 0; next != wanted.end(); at += step) {
      PCHRONICLE_RETURN_IF_ERROR(context().Check());
      const uint64_t end = std::min(file->rows(), at + step);
      std::vector<int64_t> slots;
      for (; next != wanted.end() && static_cast<uint64_t>(*next) < end; ++next) {
        slots.push_back(*next - static_cast<int64_t>(at));
      }
      if (slots.empty()) {
        continue;
      }
      columnar::RecordBatch batch, kept;
      PCHRONICLE_RETURN_IF_ERROR(rows->ReadRows(at, end, &batch));
      kept.fields = batch.fields;
      kept.rows = static_cast<int64_t>(slots.size());
      for (const columnar::ArrayPtr& column : batch.columns) {
        kept.columns.push_back(columnar::TakeSlots(*column, slots));
      }
      PCHRONICLE_RETURN_IF_ERROR(writer->Append(kept));
    }
    return Status::Ok();
  }

  // Replaced rows keep their ids.
  void GiveIdentities(Change* change) const {
    if (!table_->stable_row_ids()) {
      return;
    }
    uint64_t row = 0;
    for (const proto::Fragment& fragment : change->transaction.new_fragments) {
      std::vector<RowIdentity>& rows = change->identities.emplace_back();
      while (rows.size() < fragment.physical_rows) {
        if (IsWanted(row)) {
          rows.push_back(matches_[row] == kNoMatch ? RowIdentity()
                                                   : moved_.IdentityOf(matches_[row]));
        }
        ++row;
      }
    }
  }

  static constexpr uint64_t kNoMatch = UINT64_MAX;

  const std::shared_ptr<io::Store> store_;
  const std::shared_ptr<const Table> table_;
  const MergeInsertOptions& options_;
  const FileVersion version_;
  const std::string root_;
  const Context unbounded_;
  MovedRows moved_;
  KeyTable keys_;
  UnpublishedFiles files_;
  std::vector<proto::Field> fields_;
  std::vector<proto::Fragment> fragments_;  // of the whole source
  uint64_t source_rows_ = 0;
  std::optional<std::vector<columnar::Scalar>> literals_{std::in_place};
  std::vector<uint64_t> matches_;  // for each row of the source: number in moved_
};

}  // namespace

Result<MergeInsertResult> MergeInsert(const std::shared_ptr<io::Store>& store, BatchSource source,
                                      const MergeInsertOptions& options) {
  if (options.keys.empty()) {
    return Status::InvalidArgument("a merge needs at least one key column");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const Table> table,
                              OpenToEdit(store, options.edit));
  const Result<FileVersion> version = VersionToWrite(table->manifest());
  if (!version.ok()) {
    return version.status().WithContext(table->Describe());
  }
  return Merger(store, table, options, *version).Run(std::move(source));
}

}  // namespace pchronicle::lance
