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
  RewriteGroup group;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "RewriteGroup", [&](const Member& m) {
    return m.number() == 1   ? AppendMessage(m, &group.old_fragments, ParseFragment)
           : m.number() == 2 ? AppendMessage(m, &group.new_fragments, ParseFragment)
                             : Status::Ok();
  }));
  for (const Fragment& old : group.old_fragments) {
    out->removed_fragments.push_back(old.id);
  }
  out->new_fragments.insert(out->new_fragments.end(), group.new_fragments.begin(),
                            group.new_fragments.end());
  out->groups.push_back(std::move(group));
  return Status::Ok();
}

Result<Field> ParseField(std::string_view bytes) {
  Field out;
  PCHRONICLE_RETURN_IF_ERROR(Parse(WireReader(bytes), &out));
  return out;
}

Result<UpdateMap::Entry> ParseUpdateEntry(std::string_view bytes) {
  UpdateMap::Entry out;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "update entry", [&](const Member& m) {
    return m.number() == 1   ? m.Get(&out.key)
           : m.number() == 2 ? m.Get(&out.value.emplace())
                             : Status::Ok();
  }));
  return out;
}

Status ParseUpdateMap(const Member& member, std::optional<UpdateMap>* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes, member.Bytes());
  UpdateMap& map = out->emplace();
  return ForEachMember(bytes, "UpdateMap", [&](const Member& m) {
    return m.number() == 1   ? AppendMessage(m, &map.entries, ParseUpdateEntry)
           : m.number() == 2 ? m.Get(&map.replace)
                             : Status::Ok();
  });
}

// Members 1 and 2 are the older form of 6: pairs to set, keys to remove.
Status ParseUpdateConfig(const Member& m, Transaction* out) {
  switch (m.number()) {
    case 1: {
      Metadata pair;
      PCHRONICLE_RETURN_IF_ERROR(AddToMap(m, &pair));
      UpdateMap& map = out->config_updates ? *out->config_updates : out->config_updates.emplace();
      for (auto& [key, value] : pair) {
        map.entries.push_back({key, value});
      }
      return Status::Ok();
    }
    case 2: {
      UpdateMap& map = out->config_updates ? *out->config_updates : out->config_updates.emplace();
      return m.Get(&map.entries.emplace_back().key);
    }
    case 6:
      return ParseUpdateMap(m, &out->config_updates);
    case 7:
      return ParseUpdateMap(m, &out->table_metadata_updates);
    case 8:
      return ParseUpdateMap(m, &out->schema_metadata_updates);
    case 4:
    case 9:
      out->field_metadata_updates = true;
      return Status::Ok();
    default:
      return Status::Ok();
  }
}

Status ParseReplacement(const Member& member, Transaction* out) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string_view bytes, member.Bytes());
  uint64_t fragment = 0;
  PCHRONICLE_RETURN_IF_ERROR(ForEachMember(bytes, "DataReplacement", [&](const Member& m) {
    if (m.number() == 1) {
      return m.Get(&fragment);
    }
    std::vector<DataFile> file;
    const Status status = m.number() == 2 ? AppendMessage(m, &file, ParseDataFile) : Status::Ok();
    for (const DataFile& f : file) {
      out->replaced_fields.insert(out->replaced_fields.end(), f.fields.begin(), f.fields.end());
    }
    return status;
  }));
  out->removed_fragments.push_back(fragment);
  return Status::Ok();
}

Status ParseOperation(std::string_view bytes, Transaction* out) {
  const Operation operation = out->operation;
  return ForEachMember(bytes, OperationName(operation), [&](const Member& m) -> Status {
    const uint32_t n = m.number();
    switch (operation) {
      case Operation::kAppend:
        return n == 1 ? AppendMessage(m, &out->new_fragments, ParseFragment) : Status::Ok();
      case Operation::kOverwrite:
      case Operation::kMerge:
        return n == 1   ? AppendMessage(m, &out->new_fragments, ParseFragment)
               : n == 2 ? AppendMessage(m, &out->schema, ParseField)
               : n == 3 ? AddToMap(m, &out->schema_metadata)
                        : Status::Ok();
      case Operation::kProject:
        return n == 1 ? AppendMessage(m, &out->schema, ParseField) : Status::Ok();
      case Operation::kUpdateConfig:
        return ParseUpdateConfig(m, out);
      case Operation::kDataReplacement:
        return n == 1 ? ParseReplacement(m, out) : Status::Ok();
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
          return n == 4 ? AppendMessage(m, &out->rewritten_indices, ParseRewrittenIndex)
                        : Status::Ok();
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
               : n == 4 ? m.AppendScalars(&out->fields_modified)
                        : Status::Ok();
      default:
        return Status::Ok();
    }
  });
}

WireWriter WriteUpdateMap(const UpdateMap& map) {
  WireWriter out;
  for (const UpdateMap::Entry& entry : map.entries) {
    WireWriter item;
    item.Text(1, entry.key);
    if (entry.value) {
      item.Bytes(2, *entry.value);
    }
    out.Message(1, item);
  }
  out.Flag(2, map.replace);
  return out;
}

WireWriter WriteOperation(const Transaction& t) {
  WireWriter out;
  const auto fragments = [&](uint32_t member, const std::vector<Fragment>& list) {
    for (const Fragment& fragment : list) {
      out.Message(member, Write(fragment));
    }
  };
  const auto fields = [&](uint32_t member) {
    for (const Field& field : t.schema) {
      out.Message(member, Write(field));
    }
  };
  const auto updates = [&](uint32_t member, const std::optional<UpdateMap>& map) {
    if (map) {
      out.Message(member, WriteUpdateMap(*map));
    }
  };
  switch (t.operation) {
    case Operation::kAppend:
      fragments(1, t.new_fragments);
      break;
    case Operation::kDelete:
      fragments(1, t.updated_fragments);
      out.Packed(2, std::span<const uint64_t>(t.removed_fragments));
      out.Text(3, t.predicate);
      break;
    case Operation::kOverwrite:
    case Operation::kMerge:
      fragments(1, t.new_fragments);
      fields(2);
      for (const auto& [key, value] : t.schema_metadata) {
        out.MapEntry(3, key, value);
      }
      break;
    case Operation::kCreateIndex:
      for (const Index& index : t.new_indices) {
        out.Message(1, Write(index));
      }
      for (const Index& index : t.removed_indices) {
        out.Message(2, Write(index));
      }
      break;
    case Operation::kRewrite:
      for (const RewriteGroup& group : t.groups) {
        WireWriter item;
        for (const Fragment& fragment : group.old_fragments) {
          item.Message(1, Write(fragment));
        }
        for (const Fragment& fragment : group.new_fragments) {
          item.Message(2, Write(fragment));
        }
        out.Message(3, item);
      }
      for (const RewrittenIndex& index : t.rewritten_indices) {
        out.Message(4, Write(index));
      }
      break;
    case Operation::kRestore:
      out.Number(1, t.restored_version);
      break;
    case Operation::kReserveFragments:
      out.Number(1, t.reserved_fragments);
      break;
    case Operation::kUpdate:
      out.Packed(1, std::span<const uint64_t>(t.removed_fragments));
      fragments(2, t.updated_fragments);
      fragments(3, t.new_fragments);
      out.Packed(4, std::span<const uint32_t>(t.fields_modified));
      break;
    case Operation::kProject:
      fields(1);
      break;
    case Operation::kUpdateConfig:
      updates(6, t.config_updates);
      updates(7, t.table_metadata_updates);
      updates(8, t.schema_metadata_updates);
      break;
    default:
      PCHRONICLE_CHECK(false);
  }
  return out;
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

WireWriter Write(const Transaction& transaction) {
  WireWriter out;
  out.Number(1, transaction.read_version);
  out.Text(2, transaction.uuid);
  out.Text(3, transaction.tag);
  for (const auto& [key, value] : transaction.properties) {
    out.MapEntry(4, key, value);
  }
  for (const OperationEntry& entry : kOperations) {
    if (entry.operation == transaction.operation) {
      out.Message(entry.number, WriteOperation(transaction));
    }
  }
  return out;
}

}  // namespace pchronicle::lance::proto
