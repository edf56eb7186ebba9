#include "pchronicle/lance/proto/member_walk.h"
#include "pchronicle/lance/proto/table_messages.h"

namespace pchronicle::lance::proto {
namespace {

using Operation = Transaction::Operation;

struct OperationEntry {
  uint32_t number;
  Operation operation;
  std::string_view name;
};
constexpr OperationEntry kOperations[] = {
    {100, Operation::kAppend, "append"},
    {101, Operation::kDelete, "delete"},
    {102, Operation::kOverwrite, "overwrite"},
    {103, Operation::kCreateIndex, "create_index"},
    {104, Operation::kRewrite, "rewrite"},
    {105, Operation::kMerge, "merge"},
    {106, Operation::kRestore, "restore"},
    {107, Operation::kReserveFragments, "reserve_fragments"},
    {108, Operation::kUpdate, "update"},
    {109, Operation::kProject, "project"},
    {110, Operation::kUpdateConfig, "update_config"},
    {111, Operation::kDataReplacement, "data_replacement"},
    {112, Operation::kUpdateMemWal, "update_mem_wal_state"},
    {113, Operation::kClone, "clone"},
    {114, Operation::kUpdateBases, "update_bases"},
};

// One group of a rewrite: old fragments become new ones.
Status ParseRewriteGroup(std::string_view bytes, Transaction* out) {
  return ForEachMember(bytes, "RewriteGroup", [&](const Member& m) -> Status {
    if (m.number() == 1) {
      PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view inner, m.Bytes());
      PCHRONICLE_ASSIGN_OR_RETURN(const Fragment old, ParseFragment(inner));
      out->removed_fragments.push_back(old.id);
      return Status::Ok();
    }
    return m.number() == 2 ? AppendMessage(m, &out->new_fragments, ParseFragment) : Status::Ok();
  });
}

Status ParseOperation(std::string_view bytes, Transaction* out) {
  const Operation operation = out->operation;
  return ForEachMember(bytes, OperationName(operation), [&](const Member& m) -> Status {
    const uint32_t n = m.number();
    switch (operation) {
      case Operation::kAppend:
      case Operation::kOverwrite:
      case Operation::kMerge:
        return n == 1 ? AppendMessage(m, &out->new_fragments, ParseFragment) : Status::Ok();
      case Operation::kDelete:
        return n == 1   ? AppendMessage(m, &out->updated_fragments, ParseFragment)
               : n == 2 ? m.AppendScalars(&out->removed_fragments)
               : n == 3 ? m.Get(&out->predicate)
                        : Status::Ok();
      case Operation::kCreateIndex:
        return n == 1   ? AppendMessage(m, &out->new_indices, ParseIndex)
               : n == 2 ? AppendMessage(m, &out->removed_indices, ParseIndex)
                        : Status::Ok();
      case Operation::kRewrite: {
        if (n != 3) {
          return Status::Ok();
        }
        PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view group, m.Bytes());
        return ParseRewriteGroup(group, out);
      }
      case Operation::kRestore:
        return n == 1 ? m.Get(&out->restored_version) : Status::Ok();
      case Operation::kReserveFragments:
        return n == 1 ? m.Get(&out->reserved_fragments) : Status::Ok();
      case Operation::kUpdate:
        return n == 1   ? m.AppendScalars(&out->removed_fragments)
               : n == 2 ? AppendMessage(m, &out->updated_fragments, ParseFragment)
               : n == 3 ? AppendMessage(m, &out->new_fragments, ParseFragment)
                        : Status::Ok();
      default:
        return Status::Ok();
    }
  });
}

}  // namespace

std::string_view OperationName(Transaction::Operation operation) {
  for (const OperationEntry& entry : kOperations) {
    if (entry.operation == operation) {
      return entry.name;
    }
  }
  return "unknown";
}

Result<Transaction> ParseTransaction(std::string_view bytes) {
  Transaction out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "Transaction", [&](const Member& m) -> Status {
    switch (m.number()) {
      case 1:
        return m.Get(&out.read_version);
      case 2:
        return m.Get(&out.uuid);
      case 3:
        return m.Get(&out.tag);
      case 4:
        return AddToMap(m, &out.properties);
      default:
        break;
    }
    if (m.number() < 100) {
      return Status::Ok();
    }
    out.operation_number = m.number();
    out.operation = Operation::kUnknown;
    for (const OperationEntry& entry : kOperations) {
      if (entry.number == m.number()) {
        out.operation = entry.operation;
      }
    }
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view operation, m.Bytes());
    return out.operation == Operation::kUnknown ? Status::Ok() : ParseOperation(operation, &out);
  }));
  return out;
}

}  // namespace pchronicle::lance::proto
