#include "pchronicle/lance/index/index_search.h"

#include <algorithm>
#include <map>
#include <optional>

#include "pchronicle/lance/index/index_segment.h"
#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

using columnar::Predicate;

class Search {
 public:
  Search(const Table& table, ReadCounters* reads) : table_(table), reads_(reads) {}

  Result<RowSet> Run(const Predicate& predicate) {
    switch (predicate.kind) {
      case Predicate::Kind::kAnd:
        return Conjunction(predicate);
      case Predicate::Kind::kOr:
        return Disjunction(predicate);
      case Predicate::Kind::kNot:
        return RowSet();  // what is not in an index is not known to be false
      default:
        return Leaf(predicate);
    }
  }

 private:
  Result<RowSet> Conjunction(const Predicate& predicate) {
    std::optional<RowSet> all;
    for (const columnar::PredicatePtr& child : predicate.children) {
      PCHRONICLE_ASSIGN_OR_RETURN(RowSet rows, Run(*child));
      all = all ? Intersect(*all, rows) : std::move(rows);
    }
    return all ? std::move(*all) : RowSet();
  }

  Result<RowSet> Disjunction(const Predicate& predicate) {
    std::optional<RowSet> any;
    for (const columnar::PredicatePtr& child : predicate.children) {
      PCHRONICLE_ASSIGN_OR_RETURN(RowSet rows, Run(*child));
      any = any ? Unite(*any, rows) : std::move(rows);
      if (any->empty()) {
        break;  // covers nothing, and never will
      }
    }
    return any ? std::move(*any) : RowSet();
  }

  Result<RowSet> Leaf(const Predicate& leaf) {
    RowSet out;
    const FieldNode* field = FindField(table_.schema(), leaf.path);
    if (field == nullptr) {
      return out;  // the scan names unknown columns
    }
    std::map<std::string, RowSet> inexact;  // by kind: what passes must pass all of them
    for (const bool zones : {false, true}) {
      for (const proto::Index& index : table_.indices()) {
        if (index.fields.size() != 1 || index.fields[0] != field->id || HasZones(index) != zones) {
          continue;
        }
        PCHRONICLE_RETURN_IF_ERROR(
            AddSegment(index, leaf, out, zones ? &inexact[index.Kind()] : &out));
      }
    }
    RowSet some;
    for (const auto& [kind, rows] : inexact) {
      some = Intersect(some, rows);
    }
    out.merge(some);
    return out;
  }

  // Adds the rows of fragments that the segment covers and none before it did; `known`: fragments
  // of which more is known already.
  Status AddSegment(const proto::Index& index, const Predicate& leaf, const RowSet& known,
                    RowSet* out) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const IndexSegment> segment,
                                OpenIndexSegment(table_, index));
    if (segment == nullptr || !segment->Answers(leaf)) {
      return Status::Ok();
    }
    std::vector<size_t> fragments;
    for (size_t i = 0; i < table_.fragments().size(); ++i) {
      const auto id = static_cast<uint32_t>(table_.fragments()[i].id);
      if (segment->covered().Contains(id) && !out->contains(id) && !known.contains(id)) {
        fragments.push_back(i);
      }
    }
    if (fragments.empty()) {
      return Status::Ok();
    }
    PCHRONICLE_ASSIGN_OR_RETURN(SegmentRows found, segment->Search(leaf, reads_));
    for (const size_t position : fragments) {
      const auto id = static_cast<uint32_t>(table_.fragments()[position].id);
      FragmentRows rows;
      rows.exact = found.exact;
      if (segment->holds_row_ids()) {
        PCHRONICLE_RETURN_IF_ERROR(FromRowIds(found.rows, position, &rows));
      } else if (const auto entry = found.rows.find(id); entry != found.rows.end()) {
        rows.all = entry->second.all;
        rows.rows = std::move(entry->second.rows);
      }
      out->emplace(id, std::move(rows));
    }
    return Status::Ok();
  }

  // The offsets of the ids that lie in this fragment.
  Status FromRowIds(const RowMap& ids, size_t fragment, FragmentRows* out) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const RowIdSequence> sequence,
                                table_.RowIds(fragment));
    std::vector<uint32_t> offsets, lower;
    for (const auto& [upper, entry] : ids) {
      if (entry.all) {
        // No list of ids: every row may be one of them.
        out->all = true;
        out->exact = false;
        return Status::Ok();
      }
      lower.clear();
      entry.rows.AppendIn(0, uint64_t{1} << 32, &lower);
      for (const uint32_t low : lower) {
        if (const auto row = sequence->Find(RowAddress{upper, low}.ToU64())) {
          offsets.push_back(static_cast<uint32_t>(*row));
        }
      }
    }
    out->rows = RoaringBitmap::FromValues(offsets);
    return Status::Ok();
  }

  const Table& table_;
  ReadCounters* reads_;
};

}  // namespace

Result<RowSet> SearchIndices(const Table& table, const columnar::Predicate& predicate,
                             ReadCounters* reads) {
  if (table.indices().empty()) {
    return RowSet();
  }
  return Search(table, reads).Run(predicate);
}

}  // namespace pchronicle::lance
