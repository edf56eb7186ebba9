// The JSON cursor on hostile bytes. Equations: window and read sizes change neither events nor
// errors nor offsets; every kernel set says the same; what Capture accepts, simdjson accepts, and
// the other way round.
//
// Input: first byte flags, next four choices of what is done with values, the rest is text.
#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/json_test_support.h"
#include "pchronicle/json/record_stream.h"
#include "pchronicle/json/value.h"
#include "pchronicle/json/writer.h"

namespace {

namespace json = pchronicle::json;

void Require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

void WindowsAgree(std::string_view text, std::string_view choices, bool lines,
                  uint64_t max_record) {
  const json::CursorOptions options{.max_record_bytes = max_record};
  const std::string expected = json::testing_support::Events(text, choices, lines, 0, 0, options);
  const std::pair<size_t, size_t> kSizes[] = {{64, 64}, {64, 1}, {100, 7}, {4096, 4096}};
  for (const auto& [window, step] : kSizes) {
    Require(json::testing_support::Events(text, choices, lines, window, step, options) == expected,
            "events do not depend on the window");
  }
}

/// Bare non-finite tokens and lone surrogates are ours; numbers too large for simdjson are text for
/// us.
void AgreesWithFullParser(std::string_view text) {
  json::Cursor cursor(text, 0, {.max_depth = 1024});
  json::Raw raw;
  const bool accepted = cursor.Capture(&raw) && cursor.AtEnd();
  simdjson::dom::parser parser;
  const auto error = parser.parse(simdjson::padded_string(text)).error();
  if (accepted && (raw.flags & (json::kHasNonFinite | json::kHasLoneSurrogate)) != 0) {
    return;
  }
  if (accepted && (error == simdjson::NUMBER_ERROR || error == simdjson::BIGINT_ERROR)) {
    return;
  }
  if (error == simdjson::SUCCESS && text.starts_with("\xef\xbb\xbf")) {
    return;  // simdjson skips a byte-order mark, here RecordStream does
  }
  Require(accepted == (error == simdjson::SUCCESS), "same verdict as simdjson");
}

/// What was captured survives its rewritings.
void RewritingsHold(std::string_view text) {
  const json::Raw raw = json::RawFromText(text);
  if (!raw.present()) {
    return;
  }
  pchronicle::Arena arena;
  const std::string cell(json::CellText(raw, json::Surrogates::kKeep, arena));
  const json::Raw again = json::RawFromText(cell);
  Require(again.kind == raw.kind, "a cell is JSON of the same kind");
  Require((again.flags & (json::kHasBlanks | json::kHasNonFinite)) == 0, "a cell is minified");
  const std::string replaced(json::CellText(raw, json::Surrogates::kReplace, arena));
  Require((json::RawFromText(replaced).flags & json::kHasLoneSurrogate) == 0,
          "no lone surrogate is left");
  const std::string pretty = json::Pretty(cell);
  Require(json::CellText(json::RawFromText(pretty), json::Surrogates::kKeep, arena) == cell,
          "pretty text minifies to the cell");
  Require(json::Tree::Parse(raw, 1024).ok(), "a valid value has a tree");
}

void RecordsEnd(const std::string& text, json::Container container) {
  json::MemoryInput input(text);
  auto stream = json::RecordStream::Open(input, container, {}, {.window_bytes = 64});
  if (!stream.ok()) {
    return;
  }
  json::RecordStream& records = **stream;
  for (json::Record record; records.Next(&record);) {
    json::Raw raw;
    records.cursor().Capture(&raw);
    const bool bad = !records.Finish().ok();
    if (bad) {
      (void)json::Locate(input, record.offset, records.error_offset()).ok();
      Require(records.error_offset() <= text.size(), "an error lies inside the input");
      if (!records.Abandon()) {
        break;
      }
    }
    records.cursor().ReleaseViews();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 5) {
    return 0;
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view choices = input.substr(1, 4), text = input.substr(5);
  const uint64_t max_record = (data[0] & 2) != 0 ? 40 : 1 << 20;
  WindowsAgree(text, choices, (data[0] & 1) != 0, max_record);
  AgreesWithFullParser(text);
  RewritingsHold(text);
  RecordsEnd(std::string(text),
             (data[0] & 1) != 0 ? json::Container::kLines : json::Container::kDocument);
  return 0;
}
