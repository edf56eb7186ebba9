#include "pchronicle/lance/edit/fragment_writer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pchronicle/lance/edit/schema_fields.h"
#include "pchronicle/lance/edit/unique_name.h"

namespace pchronicle::lance {
namespace {

// Pieces of a file are gathered until they are worth a write of their own.
constexpr size_t kGatherBytes = 1 << 20;

}  // namespace

/// The sidecars of one data file: at most one is open between two calls.
class FragmentWriter::Sidecars {
 public:
  /// `directory`: of the sidecars, in the store.
  Sidecars(std::string directory, UnpublishedFiles* files)
      : directory_(std::move(directory)), files_(files) {}
  ~Sidecars() {
    if (pack_ != nullptr) {
      pack_->Abort();
    }
  }
  Sidecars(const Sidecars&) = delete;
  Sidecars& operator=(const Sidecars&) = delete;

  Status Append(uint32_t blob_id, std::string_view bytes, bool last) {
    if (last) {
      PCHRONICLE_ASSIGN_OR_RETURN(const auto object, Open(blob_id));
      const Status status = object->Append(bytes);
      if (!status.ok()) {
        object->Abort();
        return status;
      }
      return object->Finish().WithContext(directory_);
    }
    if (blob_id != pack_id_) {
      PCHRONICLE_RETURN_IF_ERROR(Finish());
      PCHRONICLE_ASSIGN_OR_RETURN(pack_, Open(blob_id));
      pack_id_ = blob_id;
    }
    return pack_->Append(bytes);
  }
  Status Finish() {
    if (pack_ == nullptr) {
      return Status::Ok();
    }
    const auto object = std::move(pack_);
    return object->Finish().WithContext(directory_);
  }

 private:
  Result<std::unique_ptr<io::ObjectWriter>> Open(uint32_t blob_id) {
    if (!std::exchange(used_, true)) {
      files_->AddDirectory(directory_);
    }
    const std::string path = directory_ + "/" + SidecarName(blob_id);
    files_->Add(path);
    return files_->store().Create(path);
  }

  const std::string directory_;
  UnpublishedFiles* const files_;
  bool used_ = false;
  uint32_t pack_id_ = 0;
  std::unique_ptr<io::ObjectWriter> pack_;  // small payloads gather in it
};

struct FragmentWriter::OpenFile {
  OpenFile(std::string file_name, std::string directory, UnpublishedFiles* files)
      : name(std::move(file_name)), sidecars(std::move(directory), files) {}

  std::string name;
  Sidecars sidecars;
  std::unique_ptr<io::ObjectWriter> object;
  std::string gathered;
  uint64_t bytes = 0;
  std::unique_ptr<FileWriter> writer;  // its sink points here

  Status Write(std::string_view piece) {
    bytes += piece.size();
    gathered += piece;
    return gathered.size() < kGatherBytes ? Status::Ok() : Flush();
  }
  Status Flush() {
    PCHRONICLE_RETURN_IF_ERROR(object->Append(gathered));
    gathered.clear();
    return Status::Ok();
  }
};

FragmentWriter::FragmentWriter(std::vector<proto::Field> fields, std::string root,
                               FileVersion version, FileLimits limits, UnpublishedFiles* files)
    : fields_(std::move(fields)),
      root_(std::move(root)),
      version_(version),
      limits_(limits),
      files_(files) {}

FragmentWriter::~FragmentWriter() {
  if (open_ != nullptr) {
    open_->object->Abort();
  }
}

Status FragmentWriter::Begin() {
  const std::string name = NewDataFileName();
  const std::string path = root_ + "data/" + name;
  auto file = std::make_unique<OpenFile>(name, path.substr(0, path.rfind('.')), files_);
  FileWriterOptions options;
  options.version = version_;
  OpenFile* const to = file.get();
  options.sidecar = [to](uint32_t blob_id, std::string_view bytes, bool last) {
    return to->sidecars.Append(blob_id, bytes, last);
  };
  PCHRONICLE_ASSIGN_OR_RETURN(
      file->writer,
      FileWriter::Create(
          fields_, [to](std::string_view bytes) { return to->Write(bytes); }, options));
  PCHRONICLE_ASSIGN_OR_RETURN(file->object, files_->store().Create(path));
  files_->Add(path);
  open_ = std::move(file);
  return Status::Ok();
}

Status FragmentWriter::Append(const columnar::RecordBatch& batch) {
  for (int64_t at = 0; at < batch.rows;) {
    if (open_ == nullptr) {
      PCHRONICLE_RETURN_IF_ERROR(Begin());
    }
    const uint64_t room = std::max<uint64_t>(limits_.rows, 1) - open_->writer->rows();
    const int64_t end =
        at + static_cast<int64_t>(std::min<uint64_t>(room, static_cast<uint64_t>(batch.rows - at)));
    PCHRONICLE_RETURN_IF_ERROR(at == 0 && end == batch.rows
                                   ? open_->writer->Append(batch)
                                   : open_->writer->Append(SliceRows(batch, at, end)));
    rows_ += static_cast<uint64_t>(end - at);
    at = end;
    if (open_->writer->rows() >= limits_.rows || open_->bytes >= limits_.bytes) {
      PCHRONICLE_RETURN_IF_ERROR(EndFragment());
    }
  }
  return Status::Ok();
}

Status FragmentWriter::EndFragment() {
  if (open_ == nullptr) {
    return Status::Ok();
  }
  proto::Fragment fragment;
  proto::DataFile& file = fragment.files.emplace_back();
  PCHRONICLE_ASSIGN_OR_RETURN(file.size, open_->writer->Finish());
  PCHRONICLE_RETURN_IF_ERROR(open_->Flush());
  PCHRONICLE_RETURN_IF_ERROR(open_->sidecars.Finish());
  PCHRONICLE_RETURN_IF_ERROR(open_->object->Finish().WithContext(open_->name));
  file.path = open_->name;
  PCHRONICLE_ASSIGN_OR_RETURN(file.fields, ColumnFieldIds(fields_));
  file.column_indices.resize(file.fields.size());
  std::iota(file.column_indices.begin(), file.column_indices.end(), 0);
  file.major = version_.major;
  file.minor = version_.minor;
  fragment.physical_rows = open_->writer->rows();
  fragments_.push_back(std::move(fragment));
  open_.reset();
  return Status::Ok();
}

Result<std::vector<proto::Fragment>> FragmentWriter::Finish() {
  PCHRONICLE_RETURN_IF_ERROR(EndFragment());
  return std::move(fragments_);
}

columnar::RecordBatch SliceRows(const columnar::RecordBatch& batch, int64_t begin, int64_t end) {
  std::vector<int64_t> rows(static_cast<size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  columnar::RecordBatch out;
  out.fields = batch.fields;
  out.rows = end - begin;
  for (const columnar::ArrayPtr& column : batch.columns) {
    out.columns.push_back(columnar::TakeSlots(*column, rows));
  }
  return out;
}

Result<FileVersion> VersionToWrite(const proto::Manifest& manifest) {
  if (manifest.file_version == "2.1") {
    return FileVersion{2, 1};
  }
  if (manifest.file_version == "2.2") {
    return FileVersion{2, 2};
  }
  return Status::Unsupported(
      "rows are written to tables of file version 2.1 and 2.2, this one has '{}'; overwrite it to "
      "bring it to 2.1",
      manifest.file_version);
}

}  // namespace pchronicle::lance
