#include "tests/golden/golden_case.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace pchronicle::golden {
namespace {

Case ParseCase(const json::Value& line) {
  const auto text = [&](const char* key) { return std::string(line.Find(key).string()); };
  Case parsed;
  parsed.id = text("id");
  parsed.title = text("title");
  parsed.op = text("op");
  parsed.from = text("from");
  parsed.to = text("to");
  if (line.Find("path").is_string()) {
    parsed.path = text("path");
  }
  parsed.input =
      line.Find("in_text").is_string() ? text("in_text") : std::string(line.Find("in").raw().text);
  parsed.strict = line.Find("strict").present() && line.Find("strict").boolean();
  parsed.expect = std::string(line.Find("expect").raw().text);
  return parsed;
}

}  // namespace

void PrintTo(const Case& golden, std::ostream* out) { *out << golden.id << " " << golden.title; }

std::vector<Case> LoadCases(const std::string& file, const std::string& prefix) {
  std::vector<Case> cases;
  std::ifstream in(file, std::ios::binary);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.starts_with(prefix)) {
      continue;
    }
    const Result<json::Tree> tree = json::Tree::Parse(line);
    if (!tree.ok()) {
      std::cerr << file << ":" << number << ": " << tree.status().ToString() << "\n";
      std::abort();
    }
    cases.push_back(ParseCase(tree->root()));
  }
  return cases;
}

std::string SharedFolder() {
  const char* set = std::getenv("PCHRONICLE_SHARED");
  const std::filesystem::path folder =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(PCHRONICLE_SOURCE_DIR) / ".." / "shared";
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored) ? folder.string() : "";
}

}  // namespace pchronicle::golden
