#include "pchronicle/lance/table/take.h"

#include <algorithm>
#include <map>
#include <set>

#include "pchronicle/columnar/concat.h"
#include "pchronicle/lance/table/fragment_reader.h"
#include "pchronicle/lance/table/projection.h"

namespace pchronicle::lance {
namespace {

using Wanted = std::map<size_t, std::set<uint64_t>>;  // fragment position -> offsets

Result<Wanted> Group(const Table& table, std::span<const RowAddress> rows) {
  Wanted out;
  for (const RowAddress& row : rows) {
    const std::optional<size_t> fragment = table.FindFragment(row.fragment);
    if (!fragment || row.offset >= table.fragments()[*fragment].physical_rows) {
      return Status::NotFound("{}: no row at {} of fragment {}", table.Describe(), row.offset,
                              row.fragment);
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table.Deletions(*fragment));
    if (deleted != nullptr && deleted->Contains(row.offset)) {
      return Status::NotFound("{}: row {} of fragment {} is deleted", table.Describe(), row.offset,
                              row.fragment);
    }
    out[*fragment].insert(row.offset);
  }
  return out;
}

}  // namespace

Result<columnar::RecordBatch> TakeAddresses(const std::shared_ptr<const Table>& table,
                                            std::span<const RowAddress> rows,
                                            const TakeOptions& options, ReadCounters* reads) {
  std::vector<FieldNode> fields = table->schema();
  if (options.columns) {
    PCHRONICLE_ASSIGN_OR_RETURN(fields, Project(table->schema(), *options.columns));
  }
  PCHRONICLE_RETURN_IF_ERROR(CheckReadable(fields).WithContext(table->Describe()));
  PCHRONICLE_ASSIGN_OR_RETURN(const Wanted wanted, Group(*table, rows));

  std::vector<columnar::RecordBatch> batches;
  std::map<RowAddress, int64_t> slots;  // in the joined batches
  for (const auto& [fragment, offsets] : wanted) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::unique_ptr<FragmentReader> reader,
                                FragmentReader::Open(table, fragment, fields, options.reader));
    const std::vector<uint64_t> sorted(offsets.begin(), offsets.end());
    PCHRONICLE_RETURN_IF_ERROR(reader->Take(sorted, &batches.emplace_back()));
    if (reads != nullptr) {
      *reads += reader->counters();
    }
    const auto id = static_cast<uint32_t>(table->fragments()[fragment].id);
    for (const uint64_t offset : sorted) {
      slots.emplace(RowAddress{id, static_cast<uint32_t>(offset)},
                    static_cast<int64_t>(slots.size()));
    }
  }
  std::vector<int64_t> order;
  bool in_order = rows.size() == slots.size();
  for (const RowAddress& row : rows) {
    in_order = in_order && slots.at(row) == static_cast<int64_t>(order.size());
    order.push_back(slots.at(row));
  }
  columnar::RecordBatch out;
  out.fields = ToDataFields(fields);
  out.rows = static_cast<int64_t>(rows.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    std::vector<columnar::ArrayPtr> parts;
    for (const columnar::RecordBatch& batch : batches) {
      parts.push_back(batch.columns[i]);
    }
    if (parts.empty()) {
      parts.push_back(columnar::MakeNullArray(fields[i].type, 0));
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const columnar::ArrayPtr joined, columnar::Concat(parts));
    out.columns.push_back(in_order ? joined : columnar::TakeSlots(*joined, order));
  }
  return out;
}

Result<columnar::RecordBatch> TakeRowIds(const std::shared_ptr<const Table>& table,
                                         std::span<const uint64_t> ids, const TakeOptions& options,
                                         ReadCounters* reads) {
  std::vector<RowAddress> rows;
  if (!table->stable_row_ids()) {
    for (const uint64_t id : ids) {
      rows.push_back(RowAddress::FromU64(id));
    }
    return TakeAddresses(table, rows, options, reads);
  }
  for (const uint64_t id : ids) {
    std::optional<RowAddress> found;
    // An updated row keeps its id in a new fragment, and its old place is deleted.
    for (size_t i = table->fragments().size(); i-- > 0 && !found;) {
      PCHRONICLE_ASSIGN_OR_RETURN(const auto sequence, table->RowIds(i));
      const std::optional<uint64_t> offset = sequence->Find(id);
      if (!offset) {
        continue;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table->Deletions(i));
      if (deleted == nullptr || !deleted->Contains(static_cast<uint32_t>(*offset))) {
        found = RowAddress{static_cast<uint32_t>(table->fragments()[i].id),
                           static_cast<uint32_t>(*offset)};
      }
    }
    if (!found) {
      return Status::NotFound("{}: no row has id {}", table->Describe(), id);
    }
    rows.push_back(*found);
  }
  return TakeAddresses(table, rows, options, reads);
}

}  // namespace pchronicle::lance
