// One measured action on a Lance table, as a process of its own. Takes part in the shared
// benchmark.
//
//   table_bench lance {full|narrow|filter|take|lanes|lanes-full} PATH
//   table_bench lance write IN.arrow PATH
//   table_bench lance point PATH COLUMN VALUE
//   table_bench arrow {full|narrow|lanes|lanes-full} IN.arrow
//   table_bench lance index PATH COLUMN {BTREE|BITMAP} DIRECTORY
//
// `point` gives all columns of the rows whose column equals a text or a number, `index` writes the
// files of an index to a directory, `arrow` gives the sums of an Arrow IPC file. Prints the sums of
// what was read as one JSON line, and `inner_seconds=S` on stderr: the action alone, with opening
// the table. Batches are summed as they come, within the measured time.
#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/arrow_file.h"
#include "bench/index_action.h"
#include "bench/table_sums.h"
#include "bench/write_action.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/take.h"

namespace pchronicle::bench {
namespace {

using columnar::CompareOp;

constexpr const char* kUsage =
    "usage: table_bench lance {full|narrow|filter|take|lanes|lanes-full} PATH\n"
    "       table_bench arrow {full|narrow|lanes|lanes-full} IN.arrow\n"
    "       table_bench lance write IN.arrow PATH\n"
    "       table_bench lance point PATH COLUMN VALUE\n"
    "       table_bench lance index PATH COLUMN {BTREE|BITMAP} DIRECTORY";

Result<std::shared_ptr<const lance::Table>> OpenTable(const std::string& path) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store, io::OpenLocalStore(path));
  return lance::Table::Open(store);
}

Status ScanAction(const std::string& action, const std::string& path, TableSums* sums) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const lance::Table> table, OpenTable(path));
  lance::ScanOptions options;
  if (action == "narrow") {
    options.columns = {"source", "model_name", "prompt_tokens"};
  } else if (action == "lanes") {
    options.columns = {"completion_token_ids", "logprobs"};
  } else if (action == "filter") {
    options.columns = {"session_id", "step_id"};
    options.filter =
        columnar::And({columnar::Compare("source", CompareOp::kEq, std::string("agent")),
                       columnar::Compare("prompt_tokens", CompareOp::kGt, int64_t{60000})});
  }
  const size_t threads = std::max(1U, std::thread::hardware_concurrency());
  options.parallelism = threads;
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const lance::Scan> scan,
                              lance::Scan::Plan(std::move(table), std::move(options)));
  const Context context;
  const auto stream = lance::ScanStream::Start(std::move(scan), threads, true, context);
  columnar::RecordBatch batch;
  for (;;) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
    if (!more) {
      return Status::Ok();
    }
    PCHRONICLE_RETURN_IF_ERROR(sums->Add(batch));
  }
}

// The literal of a value given as text.
Result<columnar::Scalar> ParseValue(const lance::Table& table, const std::string& column,
                                    const std::string& text) {
  const lance::FieldNode* field = lance::FindField(table.schema(), column);
  if (field == nullptr || field->type == nullptr) {
    return Status::InvalidArgument("{}: no column '{}'", table.Describe(), column);
  }
  if (columnar::IsVariable(field->type->id)) {
    return columnar::Scalar(text);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Status::InvalidArgument("'{}' is no number", text);
  }
  return columnar::Scalar(number);
}

Result<std::string> PointAction(const std::string& path, const std::string& column,
                                const std::string& value) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<io::Store> store, io::OpenLocalStore(path));
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const lance::Table> table, lance::Table::Open(store));
  PCHRONICLE_ASSIGN_OR_RETURN(columnar::Scalar literal, ParseValue(*table, column, value));
  lance::ScanOptions options;
  options.filter = columnar::Compare(column, CompareOp::kEq, std::move(literal));
  PCHRONICLE_ASSIGN_OR_RETURN(std::shared_ptr<const lance::Scan> scan,
                              lance::Scan::Plan(std::move(table), std::move(options)));
  const Context context;
  const auto stream = lance::ScanStream::Start(scan, 1, true, context);
  columnar::RecordBatch batch;
  int64_t rows = 0;
  for (;;) {
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
    if (!more) {
      break;
    }
    rows += batch.rows;
  }
  return fmt::format("{{\"rows\": {}, \"columns\": {}, \"rows_examined\": {}, \"reads\": {}}}",
                     rows, scan->schema().size(), scan->counters().rows_examined,
                     store->counters().reads);
}

// Addresses of ascending row numbers, which count live rows only.
Result<std::vector<lance::RowAddress>> Locate(const lance::Table& table,
                                              const std::set<uint64_t>& numbers) {
  std::vector<lance::RowAddress> out;
  auto number = numbers.begin();
  uint64_t first = 0;
  for (size_t i = 0; i < table.fragments().size() && number != numbers.end(); ++i) {
    const uint64_t rows = table.fragments()[i].physical_rows;
    const auto id = static_cast<uint32_t>(table.fragments()[i].id);
    PCHRONICLE_ASSIGN_OR_RETURN(const auto deleted, table.Deletions(i));
    const uint64_t live = rows - (deleted == nullptr ? 0 : deleted->cardinality());
    for (uint64_t offset = 0, seen = first; deleted != nullptr && offset < rows; ++offset) {
      if (!deleted->Contains(static_cast<uint32_t>(offset)) && number != numbers.end() &&
          *number == seen++) {
        out.push_back({id, static_cast<uint32_t>(offset)});
        ++number;
      }
    }
    for (; deleted == nullptr && number != numbers.end() && *number < first + live; ++number) {
      out.push_back({id, static_cast<uint32_t>(*number - first)});
    }
    first += live;
  }
  return out;
}

Status TakeAction(const std::string& path, TableSums* sums) {
  PCHRONICLE_ASSIGN_OR_RETURN(const std::shared_ptr<const lance::Table> table, OpenTable(path));
  const uint64_t rows = table->CountRows();
  std::set<uint64_t> numbers;
  for (uint64_t i = 1; i <= 100 && rows > 0; ++i) {
    numbers.insert(i * 2654435761 % rows);
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const auto addresses, Locate(*table, numbers));
  PCHRONICLE_ASSIGN_OR_RETURN(const columnar::RecordBatch batch,
                              lance::TakeAddresses(table, addresses, {}, nullptr));
  return sums->Add(batch);
}

// What a table that is written from the file has to give.
Result<std::string> ArrowAction(const std::string& action, const std::string& path) {
  PCHRONICLE_ASSIGN_OR_RETURN(const ArrowFile file, ReadArrowFile(path));
  TableSums sums;
  for (const columnar::RecordBatch& batch : file.batches) {
    PCHRONICLE_RETURN_IF_ERROR(sums.Add(batch));
  }
  return sums.ToJson(action);
}

Result<std::string> Run(const std::vector<std::string>& args, double* writing) {
  if (args[0] == "arrow") {
    return ArrowAction(args[1], args[2]);
  }
  static const std::set<std::string> kScans = {"full", "narrow", "filter", "lanes", "lanes-full"};
  const std::string& action = args[1];
  TableSums sums;
  if (action == "take" && args.size() == 3) {
    PCHRONICLE_RETURN_IF_ERROR(TakeAction(args[2], &sums));
  } else if (kScans.contains(action) && args.size() == 3) {
    PCHRONICLE_RETURN_IF_ERROR(ScanAction(action, args[2], &sums));
  } else if (action == "write" && args.size() == 4) {
    return WriteAction(args[2], args[3], writing);
  } else if (action == "point" && args.size() == 5) {
    return PointAction(args[2], args[3], args[4]);
  } else if (action == "index" && args.size() == 6) {
    return IndexAction(args[2], args[3], args[4], args[5]);
  } else {
    return Status::InvalidArgument("no action '{}' with {} arguments\n{}", action, args.size(),
                                   kUsage);
  }
  return sums.ToJson(action);
}

int Fail(const std::string& message) {
  fmt::print(stderr, "table_bench: {}\n", message);
  return 1;
}

int Main(const std::vector<std::string>& args) {
  if (args.size() < 3) {
    return Fail(kUsage);
  }
  if (args[0] != "lance" && args[0] != "arrow") {
    return Fail(fmt::format("tables of format '{}' are not supported, only lance", args[0]));
  }
  const auto start = std::chrono::steady_clock::now();
  double writing = 0;  // without reading what is written
  const Result<std::string> answer = Run(args, &writing);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!answer.ok()) {
    return Fail(answer.status().ToString());
  }
  fmt::print("{}\n", *answer);
  std::fflush(stdout);
  fmt::print(stderr, "inner_seconds={:.6f}\n", writing == 0 ? took.count() : writing);
  return 0;
}

}  // namespace
}  // namespace pchronicle::bench

int main(int argc, char** argv) {
  return pchronicle::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
