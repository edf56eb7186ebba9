#include "pchronicle/lance/index/remap_index.h"

#include "pchronicle/lance/index/bitmap_writer.h"
#include "pchronicle/lance/index/btree_writer.h"
#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

using Files = std::vector<proto::Index::File>;

constexpr uint64_t kCheckEvery = 1 << 16;  // entries between two looks at the context

// Entries of one segment, with the addresses that their rows have now.
class MovedEntries {
 public:
  MovedEntries(const IndexSegment& segment, const RowMoves& moves, const Context& context)
      : segment_(segment), moves_(moves), context_(context) {}

  uint64_t count() const { return count_; }

  // `use(values, slot, number)` for every entry that stays, in the order of the segment.
  template <typename Use>
  Status ForEach(Use use) {
    count_ = 0;
    ReadCounters reads;
    uint64_t seen = 0;
    return segment_.ForEachEntry(
        [&](const columnar::Array& values, int64_t slot, uint64_t number) -> Status {
          if (seen++ % kCheckEvery == 0) {
            PCHRONICLE_RETURN_IF_ERROR(context_.Check());
          }
          RowAddress row = RowAddress::FromU64(number);
          if (!Covers(row.fragment)) {
            return Status::Ok();
          }
          if (moves_.Contains(row.fragment)) {
            const std::optional<RowAddress> now = moves_.Find(row);
            if (!now) {
              return Status::Ok();
            }
            row = *now;
          }
          ++count_;
          return use(values, slot, row.ToU64());
        },
        &reads);
  }

 private:
  bool Covers(uint32_t fragment) {
    if (fragment != last_ || !asked_) {
      asked_ = true;
      last_ = fragment;
      covers_ = segment_.covered().Contains(fragment);
    }
    return covers_;
  }

  const IndexSegment& segment_;
  const RowMoves& moves_;
  const Context& context_;
  uint64_t count_ = 0;
  uint32_t last_ = 0;  // fragment that was asked for
  bool asked_ = false, covers_ = false;
};

Result<Files> RemapBTree(MovedEntries* entries, const IndexKey& key, uint64_t most,
                         FileVersion version, IndexOutput* output) {
  PCHRONICLE_ASSIGN_OR_RETURN(BTreeWriter writer, BTreeWriter::Create(key, most, version, output));
  std::string bytes;
  PCHRONICLE_RETURN_IF_ERROR(
      entries->ForEach([&](const columnar::Array& values, int64_t slot, uint64_t number) {
        if (values.IsNull(slot)) {
          return writer.AppendNull(number);
        }
        bytes.clear();
        key.Append(values, slot, &bytes);
        return writer.Append({bytes, number});
      }));
  return writer.Finish();
}

Result<Files> RemapBitmap(MovedEntries* entries, const IndexKey& key, FileVersion version,
                          IndexOutput* output) {
  // The number of bitmaps stands in front of them. A slot is a value.
  uint64_t count = 0;
  std::optional<int64_t> last;
  PCHRONICLE_RETURN_IF_ERROR(entries->ForEach([&](const columnar::Array&, int64_t slot, uint64_t) {
    count += last == slot ? 0 : 1;
    last = slot;
    return Status::Ok();
  }));
  PCHRONICLE_ASSIGN_OR_RETURN(BitmapWriter writer,
                              BitmapWriter::Create(key, count, version, output));
  RowGatherer rows;
  std::string bytes;
  bool null = false;
  last.reset();
  const auto end = [&] {
    return last ? writer.Append(null ? nullptr : &bytes, rows.Take()) : Status::Ok();
  };
  const auto begin = [&](const columnar::Array& values, int64_t slot) {
    const Status status = end();
    last = slot;
    null = values.IsNull(slot);
    bytes.clear();
    if (!null) {
      key.Append(values, slot, &bytes);
    }
    return status;
  };
  PCHRONICLE_RETURN_IF_ERROR(
      entries->ForEach([&](const columnar::Array& values, int64_t slot, uint64_t number) {
        const Status status = last == slot ? Status::Ok() : begin(values, slot);
        rows.Add(number);
        return status;
      }));
  PCHRONICLE_RETURN_IF_ERROR(end());
  PCHRONICLE_ASSIGN_OR_RETURN(proto::Index::File file, writer.Finish());
  return Files{std::move(file)};
}

Result<IndexKey> KeyOf(const Table& table, const proto::Index& index) {
  const std::string path = PathOfField(table.schema(), index.fields.at(0));
  const FieldNode* field = path.empty() ? nullptr : FindField(table.schema(), path);
  if (field == nullptr || field->type == nullptr) {
    return Status::Unsupported("an index over a column that is not there");
  }
  return IndexKey::For(field->type);
}

}  // namespace

bool CanRemap(const Table& table, const proto::Index& index) {
  if (!IndexKindOf(index).ok() || !WhyUnusable(table, index).empty()) {
    return false;
  }
  return !(table.stable_row_ids() && index.index_version == 0) && KeyOf(table, index).ok();
}

Result<std::optional<BuiltIndex>> RemapIndex(const Table& table, const proto::Index& index,
                                             const RowMoves& moves,
                                             const std::array<uint8_t, 16>& uuid,
                                             const Context& context, IndexOutput* output) {
  if (!CanRemap(table, index)) {
    return std::optional<BuiltIndex>();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const auto segment, OpenIndexSegment(table, index));
  if (segment == nullptr || segment->holds_row_ids()) {
    return std::optional<BuiltIndex>();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexKey key, KeyOf(table, index));
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexKind kind, IndexKindOf(index));
  MovedEntries entries(*segment, moves, context);
  const FileVersion version = VersionOfIndex(table);
  Result<Files> files = kind == IndexKind::kBTree
                            ? RemapBTree(&entries, key, segment->MostEntries(), version, output)
                            : RemapBitmap(&entries, key, version, output);
  if (files.status().code() == StatusCode::kUnsupported) {
    return std::optional<BuiltIndex>();
  }
  if (!files.ok()) {
    return files.status();
  }
  BuiltIndex out;
  out.index = index;
  out.index.uuid = uuid;
  out.index.files = *std::move(files);
  out.index.base_id.reset();  // they lie with the table, wherever the old ones were
  out.entries = entries.count();
  out.replaced = {index};
  return std::optional<BuiltIndex>(std::move(out));
}

}  // namespace pchronicle::lance
