#include <cstdio>

#include "pchronicle/pchronicle.h"

/// Answers one statement over a folder for arrow_stream.py; 0 when `out` is a stream.
extern "C" int ask(const char* folder, const char* sql, ArrowArrayStream* out) {
  const auto snapshot = pchronicle::Snapshot::Open(folder);
  pchronicle::QueryOptions options;
  options.errors = pchronicle::ErrorPolicy::kReport;
  options.complete = true;
  const pchronicle::Status status =
      snapshot.ok() ? snapshot->Query(sql, out, options) : snapshot.status();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
  }
  return status.ok() ? 0 : 1;
}
