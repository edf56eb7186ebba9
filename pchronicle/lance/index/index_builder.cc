#include "pchronicle/lance/index/index_builder.h"

#include <algorithm>
#include <chrono>

#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/index/segment_writer.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan_stream.h"

namespace pchronicle::lance {
namespace {

constexpr std::string_view kBTreeUrl = "/lance.table.BTreeIndexDetails";
constexpr std::string_view kBitmapUrl = "/lance.table.BitmapIndexDetails";

uint64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

// Files of 2.0 are not written; readers take the version from the file.
FileVersion VersionOfIndex(const Table& table) {
  return table.manifest().file_version == "2.2" ? FileVersion{2, 2} : FileVersion{2, 1};
}

Result<const FieldNode*> FindColumn(const Table& table, const std::string& column) {
  const FieldNode* field = FindField(table.schema(), column);
  if (field == nullptr) {
    return Status::InvalidArgument("{}: no column '{}'", table.Describe(), column);
  }
  if (field->kind != FieldNode::Kind::kLeaf || field->type == nullptr ||
      field->logical_type == "json") {
    return Status::Unsupported("{}: an index over column '{}' of type '{}'", table.Describe(),
                               column, field->logical_type);
  }
  return field;
}

// Adds the live rows of the fragments.
Status AddRows(const std::shared_ptr<const Table>& table, const std::string& column,
               const std::set<uint64_t>& fragments, const BuildIndexOptions& options,
               SegmentEntries* entries) {
  if (fragments.empty()) {
    return Status::Ok();
  }
  ScanOptions scan_options;
  scan_options.columns = {column};
  scan_options.fragments = fragments;
  scan_options.row_id = table->stable_row_ids();
  scan_options.row_address = !scan_options.row_id;
  scan_options.parallelism = options.threads;
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const Scan> scan,
                              Scan::Plan(table, std::move(scan_options)));
  const Context always;
  const Context& context = options.context == nullptr ? always : *options.context;
  for (const uint64_t id : fragments) {
    const std::optional<size_t> position = table->FindFragment(id);
    entries->values.Expect(position ? table->fragments()[*position].physical_rows : 0);
  }
  // In order: rows that were written in the order of the column come sorted.
  const auto stream = ScanStream::Start(std::move(scan), options.threads, true, context);
  columnar::RecordBatch batch;
  std::vector<uint64_t> numbers;
  for (;;) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
    if (!more) {
      return Status::Ok();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const columnar::ArrayPtr values, FindArray(batch, column));
    const auto* first = batch.columns.back()->values->as<uint64_t>();
    numbers.assign(first, first + batch.rows);
    PCHRONICLE_RETURN_IF_ERROR(entries->Add(*values, numbers));
  }
}

// Which entries of a segment still stand for a row: those of live rows of fragments it covers. A
// row that was updated keeps its id and lies in another fragment.
class LiveRows {
 public:
  static Result<LiveRows> Of(const Table& table, const IndexSegment& segment) {
    LiveRows out;
    out.by_id_ = segment.holds_row_ids();
    for (size_t i = 0; i < table.fragments().size(); ++i) {
      const proto::Fragment& fragment = table.fragments()[i];
      const auto id = static_cast<uint32_t>(fragment.id);
      if (!segment.covered().Contains(id)) {
        continue;
      }
      Part part;
      part.rows = fragment.physical_rows;
      PCHRONICLE_ASSIGN_OR_RETURN(part.deleted, table.Deletions(i));
      if (table.stable_row_ids()) {
        PCHRONICLE_ASSIGN_OR_RETURN(part.ids, table.RowIds(i));
      }
      out.parts_.emplace(id, std::move(part));
    }
    return out;
  }

  /// What a new segment calls the row of this entry; nothing when the row is gone. Official
  /// segments of version 1 hold addresses where ours hold row ids (D1).
  std::optional<uint64_t> NumberOf(uint64_t entry) const {
    if (by_id_) {
      const bool lives = std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) {
        const std::optional<uint64_t> offset = part.second.ids->Find(entry);
        return offset && part.second.Has(*offset);
      });
      return lives ? std::optional<uint64_t>(entry) : std::nullopt;
    }
    const RowAddress row = RowAddress::FromU64(entry);
    const auto part = parts_.find(row.fragment);
    if (part == parts_.end() || !part->second.Has(row.offset)) {
      return std::nullopt;
    }
    return part->second.ids == nullptr ? entry : part->second.ids->At(row.offset);
  }

 private:
  struct Part {
    uint64_t rows = 0;
    std::shared_ptr<const RoaringBitmap> deleted;
    std::shared_ptr<const RowIdSequence> ids;
    bool Has(uint64_t offset) const {
      return offset < rows &&
             (deleted == nullptr || !deleted->Contains(static_cast<uint32_t>(offset)));
    }
  };
  bool by_id_ = false;
  std::map<uint32_t, Part> parts_;
};

Status AddSegment(const Table& table, const IndexSegment& segment, SegmentEntries* entries) {
  PCHRONICLE_ASSIGN_OR_RETURN(const LiveRows live, LiveRows::Of(table, segment));
  ReadCounters reads;
  std::string key;
  std::map<uint32_t, std::vector<uint32_t>> nulls;
  PCHRONICLE_RETURN_IF_ERROR(segment.ForEachEntry(
      [&](const columnar::Array& values, int64_t slot, uint64_t entry) {
        const std::optional<uint64_t> number = live.NumberOf(entry);
        if (!number) {
          return Status::Ok();
        }
        if (values.IsNull(slot)) {
          const RowAddress row = RowAddress::FromU64(*number);
          nulls[row.fragment].push_back(row.offset);
          return Status::Ok();
        }
        key.clear();
        entries->key.Append(values, slot, &key);
        return entries->values.Add(key, *number);
      },
      &reads));
  for (const auto& [upper, lower] : nulls) {
    LowerHalves& entry = entries->nulls[upper];
    entry.rows = entry.rows.Union(RoaringBitmap::FromValues(lower));
  }
  return Status::Ok();
}

Result<BuiltIndex> WriteSegment(const Table& table, const FieldNode& field, std::string name,
                                IndexKind kind, const std::set<uint64_t>& fragments,
                                const BuildIndexOptions& options, SegmentEntries* entries,
                                IndexOutput* output) {
  BuiltIndex out;
  out.index.uuid = options.uuid;
  out.index.fields = {field.id};
  out.index.name = std::move(name);
  out.index.dataset_version = table.version();
  out.index.created_at_ms = NowMs();
  out.index.type_url = kind == IndexKind::kBTree ? kBTreeUrl : kBitmapUrl;
  std::vector<uint32_t> covered;
  for (const uint64_t id : fragments) {
    covered.push_back(static_cast<uint32_t>(id));
  }
  out.index.fragment_bitmap = RoaringBitmap::FromValues(covered).Encode();
  out.entries = entries->size();
  const FileVersion version = VersionOfIndex(table);
  PCHRONICLE_ASSIGN_OR_RETURN(out.index.files, kind == IndexKind::kBTree
                                                   ? WriteBTree(entries, version, output)
                                                   : WriteBitmapIndex(entries, version, output));
  out.spilled = entries->values.spilled();
  return out;
}

std::set<uint64_t> AllFragments(const Table& table) {
  std::set<uint64_t> out;
  for (const proto::Fragment& fragment : table.fragments()) {
    out.insert(fragment.id);
  }
  return out;
}

Result<IndexKind> KindOf(const proto::Index& index) {
  const std::string kind = index.Kind();
  if (kind == "btreeindexdetails") {
    return IndexKind::kBTree;
  }
  if (kind == "bitmapindexdetails") {
    return IndexKind::kBitmap;
  }
  return Status::Unsupported("index '{}': '{}' is not written, only BTree and Bitmap are",
                             index.name, kind);
}

// The entries that segments hold already; false when they have to be read from the table instead.
Result<bool> AddSegments(const Table& table, const std::vector<proto::Index>& segments,
                         SegmentEntries* entries) {
  for (const proto::Index& index : segments) {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto segment, OpenIndexSegment(table, index));
    const Status status =
        segment == nullptr ? Status::Unsupported("unusable") : AddSegment(table, *segment, entries);
    if (status.code() == StatusCode::kUnsupported) {
      return false;
    }
    PCHRONICLE_RETURN_IF_ERROR(status);
  }
  return true;
}

}  // namespace

std::vector<proto::Index> SegmentsOf(const Table& table, const std::string& name) {
  std::vector<proto::Index> out;
  for (const proto::Index& index : table.indices()) {
    if (index.name == name) {
      out.push_back(index);
    }
  }
  return out;
}

Result<IndexedColumn> ColumnOfIndex(const Table& table, const std::string& name) {
  const std::vector<proto::Index> segments = SegmentsOf(table, name);
  if (segments.empty()) {
    return Status::NotFound("{}: no index '{}'", table.Describe(), name);
  }
  IndexedColumn out;
  PCHRONICLE_ASSIGN_OR_RETURN(out.kind, KindOf(segments[0]));
  for (const proto::Index& segment : segments) {
    if (segment.fields != segments[0].fields || segment.Kind() != segments[0].Kind()) {
      return Status::Corruption("{}: the segments of index '{}' are of different kinds or columns",
                                table.Describe(), name);
    }
  }
  if (segments[0].fields.size() == 1) {
    out.path = PathOfField(table.schema(), segments[0].fields[0]);
  }
  PCHRONICLE_RETURN_IF_ERROR(FindColumn(table, out.path).status());
  return out;
}

Result<BuiltIndex> BuildIndex(const std::shared_ptr<const Table>& table, const std::string& column,
                              IndexKind kind, const BuildIndexOptions& options,
                              IndexOutput* output) {
  PCHRONICLE_ASSIGN_OR_RETURN(const FieldNode* field, FindColumn(*table, column));
  PCHRONICLE_ASSIGN_OR_RETURN(IndexKey key, IndexKey::For(field->type));
  const std::set<uint64_t> fragments = options.fragments.value_or(AllFragments(*table));
  for (const uint64_t id : fragments) {
    if (!table->FindFragment(id)) {
      return Status::InvalidArgument("{}: no fragment {}", table->Describe(), id);
    }
  }
  SegmentEntries entries(std::move(key), options.memory_bytes);
  PCHRONICLE_RETURN_IF_ERROR(AddRows(table, column, fragments, options, &entries));
  return WriteSegment(*table, *field, options.name.empty() ? column + "_idx" : options.name, kind,
                      fragments, options, &entries, output);
}

Result<std::set<uint64_t>> UnindexedFragments(const Table& table, const std::string& name) {
  std::set<uint64_t> out = AllFragments(table);
  for (const proto::Index& index : SegmentsOf(table, name)) {
    if (!WhyUnusable(table, index).empty()) {
      continue;
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const RoaringBitmap covered,
                                RoaringBitmap::Decode(*index.fragment_bitmap));
    std::erase_if(out, [&](uint64_t id) { return covered.Contains(static_cast<uint32_t>(id)); });
  }
  return out;
}

Result<std::optional<BuiltIndex>> OptimizeIndex(const std::shared_ptr<const Table>& table,
                                                const std::string& name,
                                                const BuildIndexOptions& options,
                                                IndexOutput* output) {
  PCHRONICLE_ASSIGN_OR_RETURN(const IndexedColumn column, ColumnOfIndex(*table, name));
  PCHRONICLE_ASSIGN_OR_RETURN(const FieldNode* field, FindColumn(*table, column.path));
  const std::vector<proto::Index> segments = SegmentsOf(*table, name);
  PCHRONICLE_ASSIGN_OR_RETURN(std::set<uint64_t> unindexed, UnindexedFragments(*table, name));
  if (segments.size() == 1 && unindexed.empty()) {
    return std::optional<BuiltIndex>();
  }
  PCHRONICLE_ASSIGN_OR_RETURN(IndexKey key, IndexKey::For(field->type));
  auto entries = std::make_unique<SegmentEntries>(key, options.memory_bytes);
  PCHRONICLE_ASSIGN_OR_RETURN(const bool merged, AddSegments(*table, segments, entries.get()));
  if (!merged) {
    entries = std::make_unique<SegmentEntries>(key, options.memory_bytes);
    unindexed = AllFragments(*table);
  }
  PCHRONICLE_RETURN_IF_ERROR(AddRows(table, column.path, unindexed, options, entries.get()));
  PCHRONICLE_ASSIGN_OR_RETURN(BuiltIndex built,
                              WriteSegment(*table, *field, name, column.kind, AllFragments(*table),
                                           options, entries.get(), output));
  built.replaced = segments;
  return std::optional<BuiltIndex>(std::move(built));
}

}  // namespace pchronicle::lance
