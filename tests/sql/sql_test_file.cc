#include "sql_test_file.h"

#include <algorithm>
#include <sstream>

namespace pchronicle::sql_test {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool HasStatement(const std::string& kind) {
  return kind == "query" || kind == "header" || kind == "explain" || kind == "error" ||
         kind == "problems";
}

}  // namespace

Result<std::vector<Record>> ParseTestFile(const std::string& text) {
  const std::vector<std::string> lines = Lines(text);
  std::vector<Record> records;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].starts_with('#')) {
      continue;
    }
    Record record;
    record.line = i + 1;
    std::istringstream words(lines[i]);
    words >> record.kind;
    for (std::string word; words >> word;) {
      record.words.push_back(word);
    }
    if (HasStatement(record.kind)) {
      for (++i; i < lines.size() && lines[i] != "----"; ++i) {
        if (lines[i].empty()) {
          return Status::InvalidArgument("line {}: '{}' has no ----", record.line, record.kind);
        }
        record.sql += lines[i] + "\n";
      }
      for (++i; i < lines.size() && !lines[i].empty(); ++i) {
        record.expected.push_back(lines[i]);
      }
    } else if (record.kind != "dataset" && record.kind != "mount" && record.kind != "option") {
      return Status::InvalidArgument("line {}: unknown record '{}'", record.line, record.kind);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace pchronicle::sql_test
