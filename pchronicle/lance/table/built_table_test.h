#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/io/store.h"
#include "pchronicle/lance/file/file_writer.h"
#include "pchronicle/lance/index/index_output.h"
#include "pchronicle/lance/proto/wire.h"
#include "pchronicle/lance/table/row_set.h"
#include "pchronicle/lance/table/table.h"
#include "pchronicle/lance/table/version_name.h"

namespace pchronicle::lance::testing_support {

/// A Lance table in memory whose fragments, deletions and index list a test sets as it likes; every
/// Open writes one more version.
class BuiltTable {
 public:
  explicit BuiltTable(std::vector<columnar::DataField> columns, bool stable_row_ids = false)
      : columns_(std::move(columns)), stable_(stable_row_ids) {}

  /// Adds a fragment; `ids`: its row ids in tables that have them.
  Status Append(const columnar::RecordBatch& batch, const std::vector<uint64_t>& ids = {}) {
    const uint64_t id = next_fragment_++;
    Part& part = parts_[id];
    part.rows = static_cast<uint64_t>(batch.rows);
    part.ids = ids;
    std::string bytes;
    PCHRONICLE_ASSIGN_OR_RETURN(const auto writer,
                                FileWriter::Create(Fields(), [&](std::string_view more) {
                                  bytes += more;
                                  return Status::Ok();
                                }));
    PCHRONICLE_RETURN_IF_ERROR(writer->Append(batch));
    PCHRONICLE_RETURN_IF_ERROR(writer->Finish().status());
    part.size = bytes.size();
    return store_->Put("data/" + FileName(id), bytes, false);
  }
  void Drop(uint64_t fragment) { parts_.erase(fragment); }
  /// All deleted offsets of a fragment.
  Status Delete(uint64_t fragment, const std::vector<uint32_t>& offsets) {
    Part& part = parts_[fragment];
    const RoaringBitmap rows = RoaringBitmap::FromValues(offsets);
    part.deleted = rows.cardinality();
    part.deletion_id = ++deletions_;
    return store_->Put(
        "_deletions/" + std::to_string(fragment) + "-1-" + std::to_string(deletions_) + ".bin",
        rows.Encode(), false);
  }

  std::vector<proto::Index> indices;

  Result<std::shared_ptr<const Table>> Open() {
    ++version_;
    const std::string section = IndexSection(), manifest = Manifest();
    std::string file;
    Put(section.size(), 4, &file);
    file += section;
    const uint64_t at = file.size();
    Put(manifest.size(), 4, &file);
    file += manifest;
    Put(at, 8, &file);
    Put(2 << 16, 4, &file);
    PCHRONICLE_RETURN_IF_ERROR(
        store_->Put("_versions/" + ManifestName(version_, NameScheme::kV2), file + "LANC", false));
    return Table::Open(store_);
  }
  const std::shared_ptr<io::Store>& store() const { return store_; }

 private:
  struct Part {
    uint64_t rows = 0, size = 0, deleted = 0, deletion_id = 0;
    std::vector<uint64_t> ids;
  };

  static void Put(uint64_t value, size_t width, std::string* out) {
    out->append(reinterpret_cast<const char*>(&value), width);
  }
  static std::string FileName(uint64_t fragment) { return std::to_string(fragment) + ".lance"; }

  std::vector<proto::Field> Fields() const {
    std::vector<proto::Field> out;
    for (const columnar::DataField& column : columns_) {
      proto::Field field;
      field.name = column.name;
      field.id = static_cast<int32_t>(out.size());
      field.parent_id = -1;
      field.nullable = true;
      field.logical_type = LogicalType(*column.type).value();
      out.push_back(std::move(field));
    }
    return out;
  }

  proto::WireWriter Fragment(uint64_t id, const Part& part) const {
    proto::WireWriter out, file;
    std::vector<int32_t> numbers;
    for (size_t i = 0; i < columns_.size(); ++i) {
      numbers.push_back(static_cast<int32_t>(i));
    }
    file.Text(1, FileName(id));
    file.Packed(2, numbers);
    file.Packed(3, numbers);
    file.Number(4, 2);
    file.Number(5, 1);
    file.Number(6, part.size);
    out.Number(1, id);
    out.Message(2, file);
    if (part.deleted != 0) {
      proto::WireWriter deletion;
      deletion.Number(1, 1);
      deletion.Number(2, 1);
      deletion.Number(3, part.deletion_id);
      deletion.Number(4, part.deleted);
      out.Message(3, deletion);
    }
    out.Number(4, part.rows);
    if (stable_) {
      proto::WireWriter values, array, segment, sequence;
      values.Bytes(2, {reinterpret_cast<const char*>(part.ids.data()), part.ids.size() * 8});
      array.Message(3, values);
      segment.Message(5, array);
      sequence.Message(1, segment);
      out.Bytes(5, sequence.bytes());
    }
    return out;
  }

  std::string Manifest() const {
    proto::WireWriter out, writer, format, time;
    for (const proto::Field& field : Fields()) {
      out.Message(1, proto::Write(field));
    }
    for (const auto& [id, part] : parts_) {
      out.Message(2, Fragment(id, part));
    }
    out.Number(3, version_);
    out.PresentNumber(6, 0);
    time.Number(1, 1000 + version_);
    out.Message(7, time);
    out.Number(9, stable_ ? 2 : 0);
    out.Number(10, stable_ ? 2 : 0);
    out.PresentNumber(11, next_fragment_);
    writer.Text(1, "test");
    out.Message(13, writer);
    out.Number(14, stable_ ? uint64_t{1} << 40 : 0);
    format.Text(1, "lance");
    format.Text(2, "2.1");
    out.Message(15, format);
    return out.Take();
  }

  std::string IndexSection() const {
    proto::WireWriter out;
    for (const proto::Index& index : indices) {
      proto::WireWriter one, uuid, details;
      uuid.Bytes(1, {reinterpret_cast<const char*>(index.uuid.data()), index.uuid.size()});
      one.Message(1, uuid);
      one.Packed(2, index.fields);
      one.Text(3, index.name);
      one.Number(4, index.dataset_version);
      one.Bytes(5, *index.fragment_bitmap);
      details.Text(1, index.type_url);
      one.Message(6, details);
      out.Message(1, one);
    }
    return out.Take();
  }

  std::vector<columnar::DataField> columns_;
  const bool stable_;
  std::shared_ptr<io::Store> store_ = io::MakeMemoryStore("memory://built.lance");
  std::map<uint64_t, Part> parts_;
  uint64_t next_fragment_ = 0, version_ = 0, deletions_ = 0;
};

/// Puts the files of an index where a table looks for them.
class StoredIndexOutput : public IndexOutput {
 public:
  StoredIndexOutput(std::shared_ptr<io::Store> store, const std::array<uint8_t, 16>& uuid)
      : store_(std::move(store)) {
    proto::Index index;
    index.uuid = uuid;
    directory_ = "_indices/" + index.UuidText() + "/";
  }
  Status Begin(std::string_view name) override {
    name_ = name;
    bytes_.clear();
    return Status::Ok();
  }
  Status Append(std::string_view bytes) override {
    bytes_ += bytes;
    return Status::Ok();
  }
  Status End() override { return store_->Put(directory_ + name_, bytes_, false); }

 private:
  std::shared_ptr<io::Store> store_;
  std::string directory_, name_, bytes_;
};

}  // namespace pchronicle::lance::testing_support
