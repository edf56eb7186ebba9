// Changes a Lance table as the library does, for tables_both_ways.py: edit_table COMMAND DIR
// ARGUMENT... Rows come from other Lance tables, so `create` also shows how this library reads one.
// Prints
// the new version, `count` rows.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "pchronicle/lance/edit/cleanup.h"
#include "pchronicle/lance/edit/columns.h"
#include "pchronicle/lance/edit/compact.h"
#include "pchronicle/lance/edit/create_index.h"
#include "pchronicle/lance/edit/delete_rows.h"
#include "pchronicle/lance/edit/merge_insert.h"
#include "pchronicle/lance/edit/update_rows.h"
#include "pchronicle/lance/edit/version_edits.h"
#include "pchronicle/lance/edit/write_table.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/verify.h"

namespace {

using namespace pchronicle;
using StorePtr = std::shared_ptr<io::Store>;
using Arguments = std::vector<std::string>;

struct Input {
  std::vector<columnar::DataField> schema;
  lance::BatchSource source;
};

// All rows of a table.
Result<Input> Read(const std::string& directory) {
  PCHRONICLE_ASSIGN_OR_RETURN(const StorePtr store, io::OpenLocalStore(directory));
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, lance::Table::Open(store));
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const lance::Scan> scan,
                              lance::Scan::Plan(table, {}));
  auto reader = std::make_shared<std::unique_ptr<lance::ScanTaskReader>>();
  const auto next = [scan, reader,
                     task = size_t{0}](columnar::RecordBatch* out) mutable -> Result<bool> {
    for (;;) {
      if (*reader != nullptr) {
        PCHRONICLE_ASSIGN_OR_RETURN(const bool more, (*reader)->Next(out, Context()));
        if (more) {
          return true;
        }
      }
      if (task == scan->tasks().size()) {
        return false;
      }
      PCHRONICLE_ASSIGN_OR_RETURN(*reader, scan->OpenTask(task++));
    }
  };
  return Input{scan->schema(), next};
}

Result<columnar::PredicatePtr> Where(const std::string& column, const std::string& op,
                                     const std::string& value) {
  const std::map<std::string, columnar::CompareOp> ops = {
      {"=", columnar::CompareOp::kEq},  {"<", columnar::CompareOp::kLt},
      {"<=", columnar::CompareOp::kLe}, {">", columnar::CompareOp::kGt},
      {">=", columnar::CompareOp::kGe}, {"!=", columnar::CompareOp::kNe}};
  const auto found = ops.find(op);
  if (found == ops.end()) {
    return Status::InvalidArgument("no comparison '{}'", op);
  }
  return columnar::Compare(column, found->second, int64_t{std::atoll(value.c_str())});
}

/// The branch that the environment names, else main.
lance::EditOptions Edit() {
  lance::EditOptions out;
  const char* branch = std::getenv("EDIT_BRANCH");
  out.branch = branch == nullptr ? "" : branch;
  return out;
}

Result<std::shared_ptr<const lance::Table>> OpenNewest(const StorePtr& store) {
  lance::OpenOptions options;
  options.branch = Edit().branch;
  return lance::Table::Open(store, options);
}

lance::WriteOptions Options(const Arguments& a, size_t from) {
  lance::WriteOptions out;
  out.edit = Edit();
  for (size_t i = from; i < a.size(); ++i) {
    if (a[i] == "stable") {
      out.stable_row_ids = true;
    } else if (a[i] == "2.2") {
      out.version = {2, 2};
    } else {
      out.limits.rows = std::strtoull(a[i].c_str(), nullptr, 10);
    }
  }
  return out;
}

columnar::ArrayPtr Doubled(const columnar::Array& ids) {
  auto values = std::make_shared<columnar::Buffer>(0);
  for (int64_t i = 0; i < ids.length; ++i) {
    const int64_t twice = 2 * ids.Value<int64_t>(i);
    values->Append(&twice, sizeof(twice));
  }
  auto out = std::make_shared<columnar::Array>();
  out->type = columnar::MakeType(columnar::TypeId::kInt64);
  out->length = ids.length;
  out->values = std::move(values);
  return out;
}

template <typename T>
Result<uint64_t> VersionOf(const Result<T>& result) {
  if (!result.ok()) {
    return result.status();
  }
  if constexpr (std::is_same_v<T, lance::Committed>) {
    return result->version;
  } else {
    return result->committed.version;
  }
}

// One append after the other, each of a row with only an id.
Result<uint64_t> Race(const StorePtr& store, int64_t first, int64_t count) {
  lance::WriteOptions options;
  options.edit.attempts = 200;
  uint64_t version = 0;
  for (int64_t id = first; id < first + count; ++id) {
    auto array = std::make_shared<columnar::Array>();
    auto values = std::make_shared<columnar::Buffer>(0);
    values->Append(&id, sizeof(id));
    array->type = columnar::MakeType(columnar::TypeId::kInt64);
    array->length = 1;
    array->values = std::move(values);
    const columnar::RecordBatch row{{{"id", array->type, true, {}}}, {array}, 1};
    PCHRONICLE_ASSIGN_OR_RETURN(
        version, VersionOf(lance::AppendRows(store, lance::FromBatches({row}), options)));
  }
  return version;
}

// Rows that pass; through indices and without, which must agree.
Result<uint64_t> Count(const StorePtr& store, const columnar::PredicatePtr& where) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, OpenNewest(store));
  uint64_t rows[2] = {0, 0};
  for (const bool use : {false, true}) {
    lance::ScanOptions options;
    options.columns = {"id"};
    options.filter = where;
    options.use_indices = use;
    PCHRONICLE_ASSIGN_OR_RETURN(const auto scan, lance::Scan::Plan(table, options));
    for (size_t task = 0; task < scan->tasks().size(); ++task) {
      PCHRONICLE_ASSIGN_OR_RETURN(const auto reader, scan->OpenTask(task));
      for (columnar::RecordBatch batch;;) {
        PCHRONICLE_ASSIGN_OR_RETURN(const bool more, reader->Next(&batch, Context()));
        if (!more) {
          break;
        }
        rows[use ? 1 : 0] += static_cast<uint64_t>(batch.rows);
      }
    }
  }
  return rows[0] == rows[1] ? Result<uint64_t>(rows[0])
                            : Status::Corruption("{} rows, through indices {}", rows[0], rows[1]);
}

lance::CleanupOptions CleanAll() {
  lance::CleanupOptions out;
  out.edit = Edit();
  return out;
}

lance::IndexOptions OnBranch() {
  lance::IndexOptions out;
  out.edit = Edit();
  return out;
}

Result<uint64_t> Check(const StorePtr& store) {
  PCHRONICLE_ASSIGN_OR_RETURN(const auto table, OpenNewest(store));
  PCHRONICLE_ASSIGN_OR_RETURN(const lance::VerifyReport report, lance::Verify(table, Context()));
  if (!report.problems.empty()) {
    return Status::Corruption("{}: {}", report.problems[0].place, report.problems[0].text);
  }
  return table->version();
}

Result<uint64_t> Run(const std::string& command, const StorePtr& store, const Arguments& a) {
  const auto number = [&](size_t i) { return std::strtoull(a.at(i).c_str(), nullptr, 10); };
  if (command == "create" || command == "overwrite" || command == "append") {
    PCHRONICLE_ASSIGN_OR_RETURN(const Input input, Read(a.at(0)));
    const lance::WriteOptions options = Options(a, 1);
    return VersionOf(
        command == "create"   ? lance::CreateTable(store, input.schema, input.source, options)
        : command == "append" ? lance::AppendRows(store, input.source, options)
                              : lance::OverwriteTable(store, input.schema, input.source, options));
  }
  if (command == "delete") {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto where, Where(a.at(0), a.at(1), a.at(2)));
    return VersionOf(lance::DeleteRows(store, where, Edit()));
  }
  if (command == "update") {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto where, Where(a.at(0), a.at(1), a.at(2)));
    return VersionOf(
        lance::UpdateRows(store, where, {{a.at(3), columnar::Scalar(a.at(4))}}, Edit()));
  }
  if (command == "merge") {
    PCHRONICLE_ASSIGN_OR_RETURN(const Input input, Read(a.at(0)));
    lance::MergeInsertOptions options;
    options.edit = Edit();
    options.keys = {a.at(1)};
    options.update_matched = a.at(2) != "insert";
    options.insert_new = a.at(2) != "update";
    return VersionOf(lance::MergeInsert(store, input.source, options));
  }
  if (command == "compact") {
    lance::CompactOptions options;
    options.edit = Edit();
    options.target_rows = number(0);
    options.deleted_share = 0;
    return VersionOf(lance::CompactTable(store, options));
  }
  if (command == "cleanup") {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto report, lance::CleanUp(store, CleanAll()));
    return report.versions_kept;
  }
  if (command == "restore") {
    return VersionOf(lance::RestoreVersion(store, number(0), Edit()));
  }
  if (command == "tag") {
    PCHRONICLE_RETURN_IF_ERROR(lance::CreateTag(store, a.at(0), number(1), Edit().branch));
    return number(1);
  }
  if (command == "double") {
    const columnar::DataField twice{
        "twice", columnar::MakeType(columnar::TypeId::kInt64), true, {}};
    return VersionOf(lance::AddColumns(
        store, {twice}, {"id"},
        [](const columnar::RecordBatch& rows) -> Result<std::vector<columnar::ArrayPtr>> {
          return std::vector<columnar::ArrayPtr>{Doubled(*rows.columns[0])};
        }));
  }
  if (command == "nulls") {
    const columnar::DataField text{a.at(0), columnar::MakeType(columnar::TypeId::kUtf8), true, {}};
    return VersionOf(lance::AddNullColumns(store, {text}));
  }
  if (command == "drop") {
    return VersionOf(lance::DropColumns(store, {a.at(0)}));
  }
  if (command == "rename") {
    return VersionOf(lance::RenameColumn(store, a.at(0), a.at(1)));
  }
  if (command == "index") {
    const auto kind = a.at(1) == "BITMAP" ? lance::IndexKind::kBitmap : lance::IndexKind::kBTree;
    return VersionOf(lance::CreateIndex(store, a.at(0), kind, OnBranch()));
  }
  if (command == "extend") {
    return VersionOf(lance::ExtendIndex(store, a.at(0), OnBranch()));
  }
  if (command == "optimize") {
    return VersionOf(lance::MergeIndex(store, a.at(0), OnBranch()));
  }
  if (command == "config") {
    lance::ConfigChange change;
    change.config[a.at(0)] = a.at(1);
    return VersionOf(lance::UpdateConfig(store, change));
  }
  if (command == "race") {
    return Race(store, static_cast<int64_t>(number(0)), static_cast<int64_t>(number(1)));
  }
  if (command == "count") {
    PCHRONICLE_ASSIGN_OR_RETURN(const auto where, Where(a.at(0), a.at(1), a.at(2)));
    return Count(store, where);
  }
  if (command == "check") {
    return Check(store);
  }
  return Status::InvalidArgument("no command '{}'", command);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: edit_table COMMAND DIR ARGUMENT...\n");
    return 2;
  }
  const auto store = io::CreateLocalStore(argv[2]);
  const Result<uint64_t> version = store.ok()
                                       ? Run(argv[1], *store, Arguments(argv + 3, argv + argc))
                                       : Result<uint64_t>(store.status());
  if (!version.ok()) {
    std::fprintf(stderr, "%s\n", version.status().ToString().c_str());
    return 1;
  }
  std::printf("%llu\n", static_cast<unsigned long long>(*version));
  return 0;
}
