#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/same_answer/documents.h"

namespace pchronicle::same_answer {

// Pieces of random texts, all from Dice.

bool Chance(int percent);
/// Both ends included.
int Number(int least, int most);
/// Blanks that may stand between two tokens; mostly none.
std::string Blanks();

/// A random value: what it says (of a string: its characters), and one way to write it as JSON.
struct Written {
  std::string plain;
  std::string json;
};
/// Of up to `most` characters, now and then of some thousands.
Written RandomString(int most);
/// As RandomString, but not empty.
Written RandomText(int most);
/// Any value, minified and with blanks.
Written RandomValue(int depth);
/// An object, minified and with blanks.
Written Arguments();
/// `text`, valid UTF-8, as a JSON string.
std::string Quoted(std::string_view text);

/// Members of an object in any order, but those of one name keep theirs. Keys may be written with
/// escapes.
class Members {
 public:
  void Add(std::string_view key, std::string value);
  void AddString(std::string_view key, std::string_view plain);
  /// The last of two counts (`duplicate_key`).
  void AddTwice(std::string_view key, std::string first, std::string last);
  /// Members that no format knows.
  void AddOdd();
  std::string Text(bool shuffle = true);

 private:
  struct Member {
    std::string name, written, value;
  };
  void Shuffle();

  std::vector<Member> members_;
};

std::string Array(const std::vector<std::string>& items);
/// Records as lines, as an array, or as the one document.
void Pack(const std::vector<std::string>& records, std::string_view stem, MadeText& made,
          bool may_be_array = true);

}  // namespace pchronicle::same_answer
