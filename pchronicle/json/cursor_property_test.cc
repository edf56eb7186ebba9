// Equations that hold for all texts: window size and read size change nothing, and a captured value
// is what an independent parser accepts.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <string>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/json_test_support.h"

namespace pchronicle::json {
namespace {

std::string RandomString() {
  static const std::string kPieces[] = {"a",
                                        "some longer text ",
                                        "\\n",
                                        "\\\"",
                                        "\\\\",
                                        "\\u00e9",
                                        "\\ud83d",
                                        "\\ude00",
                                        "\u4f60",
                                        "\U0001f600",
                                        "{",
                                        "]",
                                        "[,:",
                                        "\\/",
                                        "\\u0000",
                                        "\xc3\xa9",
                                        "0123456",
                                        "' '",
                                        std::string(70, 'x')};
  std::string text = "\"";
  const int n = *rc::gen::inRange(0, 8);
  for (int i = 0; i < n; ++i) {
    text += *rc::gen::elementOf(std::vector<std::string>(std::begin(kPieces), std::end(kPieces)));
  }
  return text + "\"";
}

std::string RandomBlanks() {
  return *rc::gen::element<std::string>("", "", "", " ", "\r\n  ", "\t", std::string(80, ' '));
}

std::string RandomValue(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 10 : 6);
  switch (kind) {
    case 0:
      return *rc::gen::element<std::string>("null", "true", "false", "NaN", "-Infinity",
                                            "Infinity");
    case 1:
    case 2:
      return *rc::gen::element<std::string>("0", "-1", "17", "1.50", "1e5", "-0.0e-10",
                                            "18446744073709551616", "123456789.123456789123456789");
    case 3:
    case 4:
    case 5:
      return RandomString();
    default:
      break;
  }
  const bool object = kind < 8;
  std::string text = object ? "{" : "[";
  const int n = *rc::gen::inRange(0, 5);
  for (int i = 0; i < n; ++i) {
    text += i == 0 ? "" : ",";
    text += RandomBlanks();
    if (object) {
      text += RandomString() + RandomBlanks() + ":" + RandomBlanks();
    }
    text += RandomValue(depth - 1) + RandomBlanks();
  }
  return text + (object ? "}" : "]");
}

/// Valid text, or valid text with one byte changed, inserted or cut.
std::string RandomText() {
  std::string text;
  const int n = *rc::gen::inRange(1, 4);
  for (int i = 0; i < n; ++i) {
    text += RandomBlanks() + RandomValue(4) + *rc::gen::element<std::string>("\n", " ", "\r\n");
  }
  const size_t at = *rc::gen::inRange<size_t>(0, text.size() + 1);
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.insert(at, 1, *rc::gen::arbitrary<char>());
    case 2:
      return text.insert(
          at, *rc::gen::element<std::string>("\"", "\\", "{", "]", ",", "\n", "\xe6", "1", "\\u"));
    default:
      return text;
  }
}

RC_GTEST_PROP(CursorProperty, WindowAndReadSizeChangeNothing_STL112, ()) {
  const std::string text = RandomText();
  const auto choices = *rc::gen::container<std::string>(8, rc::gen::arbitrary<char>());
  const bool lines = *rc::gen::arbitrary<bool>();
  const uint64_t max_record = *rc::gen::element<uint64_t>(1 << 30, 1 << 30, 40, 100, 300);
  const CursorOptions options{.max_record_bytes = max_record, .max_depth = 128};
  const std::string expected = testing_support::Events(text, choices, lines, 0, 0, options);
  for (const auto& [window, step] :
       {std::pair<size_t, size_t>{64, 1}, {64, 64}, {100, 7}, {257, 100}, {4096, 4096}}) {
    RC_ASSERT(testing_support::Events(text, choices, lines, window, step, options) == expected);
  }
}

RC_GTEST_PROP(CursorProperty, CaptureAcceptsWhatAFullParserAccepts, ()) {
  std::string text = RandomText();
  for (const std::string_view token : {"NaN", "Infinity"}) {  // not JSON for others
    for (size_t at; (at = text.find(token)) != std::string::npos;) {
      text.replace(at, token.size(), "1");
    }
  }
  Cursor cursor(text, 0, {.max_depth = 1024});
  Raw raw;
  const bool accepted = cursor.Capture(&raw) && cursor.AtEnd();
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  const auto error = parser.parse(text).get(element);
  if (accepted && error == simdjson::STRING_ERROR && (raw.flags & kHasLoneSurrogate) != 0) {
    return;  // a lone surrogate is text for us (formats.md 1.1)
  }
  if (accepted && (error == simdjson::NUMBER_ERROR || error == simdjson::BIGINT_ERROR)) {
    // simdjson stores numbers, we keep their text
    return;
  }
  RC_ASSERT(accepted == (error == simdjson::SUCCESS));
}

}  // namespace
}  // namespace pchronicle::json
