// Which tools do the agents of a folder use, and what does one of the runs look like?
#include <cstdio>
#include <string>

#include "pchronicle/pchronicle.h"

namespace {

int Fail(const pchronicle::Status& status) {
  std::fprintf(stderr, "error: %s\n", status.ToString().c_str());
  return 1;
}

// Element `row` of an Arrow text column: 64-bit offsets in front of the bytes.
std::string Text(const ArrowArray& column, int64_t row) {
  const auto* offsets = static_cast<const int64_t*>(column.buffers[1]) + column.offset;
  const auto* bytes = static_cast<const char*>(column.buffers[2]);
  return std::string(bytes + offsets[row], bytes + offsets[row + 1]);
}

int64_t Number(const ArrowArray& column, int64_t row) {
  return static_cast<const int64_t*>(column.buffers[1])[column.offset + row];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: tool_calls FOLDER FILE SESSION\n");
    return 2;
  }

  // Freeze the folder: what is in it, and in which version. No file is read yet.
  const auto snapshot = pchronicle::Snapshot::Open(argv[1]);
  if (!snapshot.ok()) {
    return Fail(snapshot.status());
  }

  // Page through the sources.
  std::string token;
  do {
    const auto page = snapshot->ListSources("dataset", token, 5);
    if (!page.ok()) {
      return Fail(page.status());
    }
    for (const pchronicle::SourceInfo& source : page->sources) {
      std::printf("%s %s\n", source.status.c_str(), source.file.c_str());
    }
    token = page->next_token;
  } while (!token.empty());

  // Ask a question. What cannot be read is left out and named.
  pchronicle::QueryOptions options;
  options.errors = pchronicle::ErrorPolicy::kReport;
  options.complete = true;
  options.timeout = std::chrono::seconds(30);
  options.report = std::make_shared<pchronicle::QueryReport>();
  ArrowArrayStream rows;
  const pchronicle::Status started = snapshot->Query(
      "SELECT function_name, count(*) AS calls FROM tool_calls "
      "GROUP BY function_name ORDER BY calls DESC, function_name LIMIT 4",
      &rows, options);
  if (!started.ok()) {
    return Fail(started);
  }
  ArrowArray batch;
  int error = 0;
  while ((error = rows.get_next(&rows, &batch)) == 0 && batch.release != nullptr) {
    for (int64_t row = 0; row < batch.length; ++row) {
      std::printf("%s: %lld\n", Text(*batch.children[0], row).c_str(),
                  static_cast<long long>(Number(*batch.children[1], row)));
    }
    batch.release(&batch);
  }
  if (error != 0) {
    std::fprintf(stderr, "error: %s\n", rows.get_last_error(&rows));
  }
  rows.release(&rows);
  if (error != 0) {
    return 1;
  }
  for (const std::string& problem : options.report->left_out) {
    std::printf("left out %s\n", problem.c_str());
  }

  // Load one run as a document, here in the ATIF format.
  pchronicle::LoadOptions load;
  load.format = "atif";
  load.pretty = true;
  const auto run = snapshot->LoadStoryline({.file = argv[2], .session_id = argv[3]}, load);
  if (!run.ok()) {
    return Fail(run.status());
  }
  std::printf("%s", run->c_str());
  return 0;
}
