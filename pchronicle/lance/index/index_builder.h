#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pchronicle/base/context.h"
#include "pchronicle/base/result.h"
#include "pchronicle/lance/index/index_output.h"
#include "pchronicle/lance/table/table.h"

namespace pchronicle::lance {

enum class IndexKind : uint8_t { kBTree, kBitmap };
/// kUnsupported names a kind that is not written.
Result<IndexKind> IndexKindOf(const proto::Index& index);

/// The version of the index files of a table. Files of 2.0 are not written; readers take it from
/// the file.
FileVersion VersionOfIndex(const Table& table);

struct BuildIndexOptions {
  /// Empty: `<column>_idx`.
  std::string name;
  /// Names the directory of the files; the caller draws it.
  std::array<uint8_t, 16> uuid{};
  /// Ids of the fragments to index; none: all.
  std::optional<std::set<uint64_t>> fragments;
  /// Entries are addresses even if rows have stable ids (index_version 1). All segments of a name
  /// have to agree in it: the official library refuses others.
  bool addresses = false;
  /// Entries beyond this go to a temporary file while they are sorted.
  uint64_t memory_bytes = 256 << 20;
  size_t threads = 1;
  const Context* context = nullptr;
};

/// A segment whose files are written, not part of any version yet.
struct BuiltIndex {
  proto::Index index;
  /// Segments that it stands for from now on.
  std::vector<proto::Index> replaced;
  uint64_t entries = 0;
  size_t spilled = 0;  // sorted pieces that went to a temporary file
};

/// Reads the column (a member of structs: `a.b`) of the fragments and writes a segment over its
/// live rows (lance.md D1 to D3). It holds row ids in tables with stable row ids, unless addresses
/// are asked for. Replaces nothing: with the name of an index that is there it is one more segment
/// of it. kInvalidArgument: no such column or fragment. kUnsupported: a column without an order.
Result<BuiltIndex> BuildIndex(const std::shared_ptr<const Table>& table, const std::string& column,
                              IndexKind kind, const BuildIndexOptions& options,
                              IndexOutput* output);

/// The segments of that name.
std::vector<proto::Index> SegmentsOf(const Table& table, const std::string& name);

/// Segments of a table with stable row ids whose entries are addresses all the same, as release 14
/// writes BTrees.
bool HoldsAddresses(const Table& table, const std::vector<proto::Index>& segments);

/// What the segments of an index have in common.
struct IndexedColumn {
  std::string path;
  IndexKind kind = IndexKind::kBTree;
};
/// kNotFound: no index of that name; kUnsupported: a kind or a column that is not indexed here;
/// kCorruption: segments that differ.
Result<IndexedColumn> ColumnOfIndex(const Table& table, const std::string& name);

/// Ids of the fragments that no usable segment of that name covers.
Result<std::set<uint64_t>> UnindexedFragments(const Table& table, const std::string& name);

/// Makes one segment of all segments of that name and of the fragments that none of them covers:
/// their entries are merged, rows that are gone leave, and only what is new is read from the table.
/// `options.name` and `.fragments` are not used. kNotFound: no such index; kUnsupported: a kind
/// that is not written. Nothing to do (one segment that covers all): no index.
Result<std::optional<BuiltIndex>> OptimizeIndex(const std::shared_ptr<const Table>& table,
                                                const std::string& name,
                                                const BuildIndexOptions& options,
                                                IndexOutput* output);

}  // namespace pchronicle::lance
