#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "pchronicle/json/value.h"

namespace pchronicle::golden {

/// One line of a case file; members as in formats.md section 10. JSON texts are kept as they stand
/// in the line, so that number text and key order reach the decoder.
struct Case {
  std::string id;
  std::string title;
  std::string op;  // decode, convert, fold, detect, blocks
  std::string from;
  std::string to;
  std::string path = "in.json";
  std::string input;  // `in_text`, or the text of `in`
  bool strict = false;
  std::string expect;  // text of the object
};

/// For GoogleTest.
void PrintTo(const Case& golden, std::ostream* out);

/// The lines of a file that start with `prefix`. A line that is no case is a broken test: it aborts
/// with its number.
std::vector<Case> LoadCases(const std::string& file, const std::string& prefix);

/// Folder of the shared specification: PCHRONICLE_SHARED, else `../shared` beside the source; empty
/// when there is none.
std::string SharedFolder();

}  // namespace pchronicle::golden
