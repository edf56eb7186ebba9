#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "pchronicle/app/lance_cell_json.h"
#include "pchronicle/app/lance_inspect.h"
#include "pchronicle/base/timestamp.h"
#include "pchronicle/json/writer.h"
#include "pchronicle/lance/table/fragment_reader.h"
#include "pchronicle/lance/table/projection.h"
#include "pchronicle/lance/table/scan.h"
#include "pchronicle/lance/table/scan_stream.h"
#include "pchronicle/lance/table/verify.h"

namespace pchronicle::app {
namespace {

using json::Writer;

// Rows of the table become objects; numbers stay numbers.
std::string RowsToJson(const LanceAnswer& answer, const std::vector<const char*>& keys) {
  Writer json(Writer::Style::kPretty);
  json.BeginArray();
  for (const std::vector<std::string>& row : answer.rows) {
    json.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json.Key(keys[i]);
      if (row[i] == "-") {
        json.Null();
      } else if (answer.columns[i].number) {
        json.RawText(row[i]);
      } else {
        WriteText(&json, row[i]);
      }
    }
    json.EndObject();
  }
  json.EndArray();
  return json.Take() + "\n";
}

std::string OperationText(const Result<std::optional<lance::proto::Transaction>>& transaction) {
  if (!transaction.ok()) {
    return "unreadable: " + transaction.status().message();
  }
  if (!*transaction) {
    return "-";
  }
  const lance::proto::Transaction& t = **transaction;
  std::string out(lance::proto::OperationName(t.operation));
  if (t.operation == lance::proto::Transaction::Operation::kUnknown && t.operation_number != 0) {
    out += fmt::format(" (operation {})", t.operation_number);
  }
  if (t.operation == lance::proto::Transaction::Operation::kRestore) {
    out += fmt::format(" of version {}", t.restored_version);
  }
  if (!t.predicate.empty()) {
    out += " where " + t.predicate;
  }
  for (const lance::proto::Index& index : t.new_indices) {
    out += " " + index.name;
  }
  return out;
}

uint64_t LiveRows(const lance::proto::Manifest& manifest) {
  uint64_t rows = 0;
  for (const lance::proto::Fragment& fragment : manifest.fragments) {
    const uint64_t gone = fragment.deletion ? fragment.deletion->deleted_rows : 0;
    rows += fragment.physical_rows - std::min(gone, fragment.physical_rows);
  }
  return rows;
}

std::string TimeText(const lance::proto::Manifest& manifest) {
  int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(manifest.timestamp_seconds, int64_t{1'000'000'000}, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, int64_t{manifest.timestamp_nanos}, &nanoseconds)) {
    return "-";
  }
  return FormatTimestamp(nanoseconds);
}

// Sums over all files for one column.
struct ColumnSum {
  uint64_t pages = 0, rows = 0, bytes = 0;
  std::map<std::string, uint64_t> encodings;  // pages with it
};

}  // namespace

Result<LanceAnswer> DescribeLanceHistory(const LanceTablePtr& table, uint64_t limit,
                                         const Context& context) {
  LanceAnswer answer;
  answer.columns = {{"VERSION", true},   {"TIME", false},   {"OPERATION", false}, {"ROWS", true},
                    {"FRAGMENTS", true}, {"INDICES", true}, {"WRITER", false}};
  PCHRONICLE_ASSIGN_OR_RETURN(std::vector<lance::VersionEntry> versions, table->Versions());
  std::reverse(versions.begin(), versions.end());
  for (const lance::VersionEntry& entry : versions) {
    PCHRONICLE_RETURN_IF_ERROR(context.Check());
    if (answer.rows.size() >= limit) {
      break;
    }
    const Result<lance::ManifestFile> file = table->ReadVersion(entry);
    if (!file.ok()) {
      answer.rows.push_back({fmt::format("{}", entry.version), "-",
                             "unreadable: " + file.status().message(), "-", "-", "-", "-"});
      continue;
    }
    const lance::proto::Manifest& manifest = file->manifest;
    const std::string writer = manifest.writer.Text();
    answer.rows.push_back({fmt::format("{}", entry.version), TimeText(manifest),
                           OperationText(table->TransactionOf(*file)),
                           fmt::format("{}", LiveRows(manifest)),
                           fmt::format("{}", manifest.fragments.size()),
                           fmt::format("{}", file->indices.size()), writer.empty() ? "-" : writer});
  }
  answer.json = RowsToJson(
      answer, {"version", "timestamp", "operation", "rows", "fragments", "indices", "writer"});
  return answer;
}

Result<LanceAnswer> DescribeLancePages(const LanceTablePtr& table, const Context& context) {
  std::map<int32_t, ColumnSum> sums;
  for (size_t i = 0; i < table->fragments().size(); ++i) {
    for (size_t k = 0; k < table->fragments()[i].files.size(); ++k) {
      PCHRONICLE_RETURN_IF_ERROR(context.Check());
      PCHRONICLE_ASSIGN_OR_RETURN(const lance::ColumnMap columns,
                                  lance::ColumnsOfFile(table->fragments()[i].files[k]));
      PCHRONICLE_ASSIGN_OR_RETURN(const auto file, table->OpenDataFile(i, k));
      for (const auto& [field, column] : columns) {
        Result<lance::ColumnInfo> info = file->DescribeColumn(column);
        if (!info.ok()) {
          return info.status().WithContext(table->Describe());
        }
        ColumnSum& sum = sums[field];
        sum.pages += info->pages.size();
        sum.rows += info->rows;
        sum.bytes += info->bytes;
        for (const lance::PageInfo& page : info->pages) {
          ++sum.encodings[page.encoding];
        }
      }
    }
  }
  LanceAnswer answer;
  answer.columns = {{"COLUMN", false}, {"ID", true},    {"PAGES", true},
                    {"ROWS", true},    {"BYTES", true}, {"ENCODINGS", false}};
  for (const auto& [field, sum] : sums) {
    std::string encodings;
    for (const auto& [name, pages] : sum.encodings) {
      encodings += fmt::format("{}{} x{}", encodings.empty() ? "" : ", ", name, pages);
    }
    const std::string path = lance::PathOfField(table->schema(), field);
    answer.rows.push_back({path.empty() ? "-" : path, fmt::format("{}", field),
                           fmt::format("{}", sum.pages), fmt::format("{}", sum.rows),
                           fmt::format("{}", sum.bytes), encodings.empty() ? "-" : encodings});
  }
  answer.json = RowsToJson(answer, {"column", "field_id", "pages", "rows", "bytes", "encodings"});
  return answer;
}

Result<LanceRows> ReadLanceRows(const LanceTablePtr& table, const std::vector<std::string>& columns,
                                uint64_t limit, uint64_t max_bytes, const Context& context) {
  lance::ScanOptions options;
  options.check_text = false;  // damaged text is shown, too
  if (!columns.empty()) {
    options.columns = columns;
  }
  options.batch_rows = std::clamp<uint64_t>(limit, 1, 1024);
  PCHRONICLE_ASSIGN_OR_RETURN(const auto scan, lance::Scan::Plan(table, options));
  LanceRows out;
  for (const columnar::DataField& field : scan->schema()) {
    out.names.push_back(field.name);
  }
  const auto stream = lance::ScanStream::Start(scan, 1, true, context);
  uint64_t bytes = 0;
  while (out.cells.size() < limit) {
    columnar::RecordBatch batch;
    PCHRONICLE_ASSIGN_OR_RETURN(const bool more, stream->Next(&batch));
    if (!more) {
      break;
    }
    for (int64_t row = 0; row < batch.rows && out.cells.size() < limit; ++row) {
      std::vector<std::string> cells;
      for (const columnar::ArrayPtr& column : batch.columns) {
        Writer json;
        WriteCell(*column, row, &json);
        cells.push_back(json.Take());
        bytes += cells.back().size();
      }
      if (bytes > max_bytes) {
        return Status::ResourceExhausted(
            "row {} passes {} bytes of output; ask for fewer rows or columns", out.cells.size(),
            max_bytes);
      }
      out.cells.push_back(std::move(cells));
    }
  }
  return out;
}

std::string LanceRowJson(const LanceRows& rows, size_t row) {
  Writer json;
  json.BeginObject();
  for (size_t i = 0; i < rows.names.size(); ++i) {
    json.Key(ValidText(rows.names[i]));
    json.RawText(rows.cells[row][i]);
  }
  json.EndObject();
  return json.Take();
}

Result<LanceCheck> CheckLanceTable(const LanceTablePtr& table, const Context& context,
                                   const std::function<void(size_t, size_t)>& progress) {
  PCHRONICLE_ASSIGN_OR_RETURN(const lance::VerifyReport report,
                              lance::Verify(table, context, progress));
  LanceCheck out;
  out.ok = report.problems.empty() && report.unreadable == 0;
  out.damaged = !report.problems.empty();
  out.answer.columns = {{"RESULT", false}, {"PLACE", false}, {"WHAT", false}};
  for (const auto& [kind, findings] :
       {std::pair<const char*, const std::vector<lance::VerifyReport::Finding>*>{"problem",
                                                                                 &report.problems},
        {"not checked", &report.skipped}}) {
    for (const lance::VerifyReport::Finding& finding : *findings) {
      out.answer.rows.push_back({kind, finding.place, finding.text});
    }
  }
  if (out.answer.rows.empty()) {
    out.answer.rows.push_back({"ok", table->Describe(), "every page and index entry was read"});
  }
  Writer json(Writer::Style::kPretty);
  json.BeginObject();
  json.Key("table");
  WriteText(&json, table->Describe());
  json.Key("ok");
  json.Bool(out.ok);
  for (const auto& [key, value] : {std::pair<const char*, uint64_t>{"rows", report.rows},
                                   {"deleted_rows", report.deleted_rows},
                                   {"fragments", report.fragments},
                                   {"data_files", report.data_files},
                                   {"values", report.values},
                                   {"indices", report.indices},
                                   {"index_entries", report.index_entries},
                                   {"read_calls", report.reads.read_calls},
                                   {"bytes_read", report.reads.bytes_read}}) {
    json.Key(key);
    json.UInt(value);
  }
  for (const auto& [key, findings] :
       {std::pair<const char*, const std::vector<lance::VerifyReport::Finding>*>{"problems",
                                                                                 &report.problems},
        {"not_checked", &report.skipped}}) {
    json.Key(key);
    json.BeginArray();
    for (const lance::VerifyReport::Finding& finding : *findings) {
      json.BeginObject();
      json.Key("place");
      WriteText(&json, finding.place);
      json.Key("text");
      WriteText(&json, finding.text);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
  out.answer.json = json.Take() + "\n";
  out.summary = fmt::format("rows={} values={} index_entries={} problems={} not_checked={}",
                            report.rows, report.values, report.index_entries,
                            report.problems.size(), report.skipped.size());
  return out;
}

}  // namespace pchronicle::app
