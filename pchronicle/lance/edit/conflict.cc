#include "pchronicle/lance/edit/conflict.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "pchronicle/lance/edit/index_coverage.h"
#include "pchronicle/lance/table/roaring_bitmap.h"

namespace pchronicle::lance {
namespace {

using Operation = proto::Transaction::Operation;

// What stands in the way; empty: nothing.
using Reason = std::string;

Reason SharedFragments(const proto::Transaction& ours, const proto::Transaction& theirs) {
  const std::set<uint64_t> mine = TouchedFragments(ours), other = TouchedFragments(theirs);
  std::vector<uint64_t> both;
  std::set_intersection(mine.begin(), mine.end(), other.begin(), other.end(),
                        std::back_inserter(both));
  if (both.empty()) {
    return {};
  }
  constexpr size_t kNamed = 5;
  const size_t rest = both.size() - std::min(both.size(), kNamed);
  both.resize(both.size() - rest);
  return fmt::format("both change fragment {}{}", fmt::join(both, ", "),
                     rest == 0 ? "" : fmt::format(" and {} more", rest));
}

template <typename A, typename B>
bool Meet(const std::vector<A>& fields, const std::vector<B>& others) {
  return std::any_of(fields.begin(), fields.end(), [&](A field) {
    return std::any_of(others.begin(), others.end(),
                       [&](B other) { return static_cast<int64_t>(other) == field; });
  });
}

// An index that was built on column values which they have rewritten in place.
Reason RewrittenColumns(const proto::Transaction& ours, const proto::Transaction& theirs) {
  for (const proto::Index& index : ours.new_indices) {
    if (Meet(index.fields, theirs.fields_modified) || Meet(index.fields, theirs.replaced_fields)) {
      return fmt::format("it rewrote the column of index '{}'", index.name);
    }
  }
  return {};
}

Reason SharedKeys(const std::optional<proto::UpdateMap>& ours,
                  const std::optional<proto::UpdateMap>& theirs, const char* map) {
  if (!ours || !theirs) {
    return {};
  }
  if (ours->replace || theirs->replace) {
    return fmt::format("one of the two replaces all of the {}", map);
  }
  for (const proto::UpdateMap::Entry& mine : ours->entries) {
    for (const proto::UpdateMap::Entry& other : theirs->entries) {
      if (mine.key == other.key) {
        return fmt::format("both set key '{}' of the {}", mine.key, map);
      }
    }
  }
  return {};
}

Reason SharedKeys(const proto::Transaction& ours, const proto::Transaction& theirs) {
  Reason reason = SharedKeys(ours.config_updates, theirs.config_updates, "config");
  if (reason.empty()) {
    reason =
        SharedKeys(ours.table_metadata_updates, theirs.table_metadata_updates, "table metadata");
  }
  return reason.empty() ? SharedKeys(ours.schema_metadata_updates, theirs.schema_metadata_updates,
                                     "schema metadata")
                        : reason;
}

constexpr const char* kReplaced = "it replaced the whole content of the table";
constexpr const char* kSchema = "it changed the schema";

// Deleting and rewriting rows of fragments: they must be the fragments that were read.
Reason AgainstRows(const proto::Transaction& ours, const proto::Transaction& theirs,
                   bool merges_deletions) {
  switch (theirs.operation) {
    case Operation::kDelete:
    case Operation::kUpdate:
      return merges_deletions ? Reason() : SharedFragments(ours, theirs);
    case Operation::kRewrite:
    case Operation::kDataReplacement:
      return SharedFragments(ours, theirs);
    case Operation::kMerge:
      return kSchema;
    default:
      return {};
  }
}

// An index whose entries rows leave behind when they move.
bool HasAddresses(const proto::Transaction& ours, bool stable_row_ids) {
  return std::any_of(
      ours.new_indices.begin(), ours.new_indices.end(),
      [&](const proto::Index& index) { return !HoldsRowIds(index, stable_row_ids); });
}

Reason FindReason(const proto::Transaction& ours, const proto::Transaction& theirs,
                  bool stable_row_ids) {
  const Operation other = theirs.operation;
  const bool replaced = other == Operation::kOverwrite || other == Operation::kRestore;
  switch (ours.operation) {
    case Operation::kAppend:
    case Operation::kReserveFragments:
      return replaced ? kReplaced : Reason();
    case Operation::kDelete:
    case Operation::kUpdate:
      return replaced ? kReplaced : AgainstRows(ours, theirs, /*merges_deletions=*/true);
    case Operation::kRewrite:
      return replaced ? kReplaced : AgainstRows(ours, theirs, /*merges_deletions=*/false);
    case Operation::kCreateIndex:
      if (replaced) {
        return kReplaced;
      }
      if (other == Operation::kRewrite && HasAddresses(ours, stable_row_ids)) {
        return SharedFragments(ours, theirs);
      }
      return RewrittenColumns(ours, theirs);
    case Operation::kMerge:
      if (replaced) {
        return kReplaced;
      }
      if (other == Operation::kMerge || other == Operation::kProject) {
        return kSchema;
      }
      return other == Operation::kCreateIndex || other == Operation::kUpdateConfig ||
                     other == Operation::kReserveFragments
                 ? Reason()
                 : "it changed the rows that the new columns were made for";
    case Operation::kProject:
      return replaced                                                     ? kReplaced
             : other == Operation::kMerge || other == Operation::kProject ? kSchema
                                                                          : Reason();
    case Operation::kOverwrite:
    case Operation::kRestore:
      return replaced ? kReplaced : Reason();
    case Operation::kUpdateConfig:
      return other == Operation::kOverwrite      ? kReplaced
             : other == Operation::kUpdateConfig ? SharedKeys(ours, theirs)
                                                 : Reason();
    default:
      return "the operation has no rules";
  }
}

bool IsKnown(Operation operation) {
  switch (operation) {
    case Operation::kUnknown:
    case Operation::kUpdateMemWal:
    case Operation::kClone:
    case Operation::kUpdateBases:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::set<uint64_t> TouchedFragments(const proto::Transaction& transaction) {
  std::set<uint64_t> out(transaction.removed_fragments.begin(),
                         transaction.removed_fragments.end());
  for (const proto::Fragment& fragment : transaction.updated_fragments) {
    out.insert(fragment.id);
  }
  for (const proto::RewriteGroup& group : transaction.groups) {
    for (const proto::Fragment& fragment : group.old_fragments) {
      out.insert(fragment.id);
    }
  }
  for (const proto::Index& index : transaction.new_indices) {
    if (const auto bitmap = RoaringBitmap::Decode(index.fragment_bitmap.value_or(""));
        bitmap.ok()) {
      for (const uint32_t fragment : bitmap->Values()) {
        out.insert(fragment);
      }
    }
  }
  return out;
}

Status CheckConflict(const proto::Transaction& ours, const proto::Transaction& theirs,
                     uint64_t version, bool stable_row_ids) {
  const Reason reason = IsKnown(theirs.operation) ? FindReason(ours, theirs, stable_row_ids)
                                                  : Reason("what it did is not known here");
  if (reason.empty()) {
    return Status::Ok();
  }
  const std::string_view name = proto::OperationName(ours.operation);
  return Status::Conflict(
      "version {} ({} {}) was committed after version {}, on which this {} was made: {}; nothing "
      "was changed, the {} is lost; run it again on the newest version",
      version, proto::OperationName(theirs.operation), theirs.uuid, ours.read_version, name, reason,
      name);
}

}  // namespace pchronicle::lance
