#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pchronicle/base/arena.h"

namespace pchronicle::json {

enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kString, kArray, kObject };

/// What a captured value holds beside plain text; decides which rewriting its cell needs. Bits of
/// Raw::flags.
enum RawFlag : uint8_t {
  kHasBlanks = 1,         // blanks outside strings: the cell is not the text as it stands
  kHasEscapes = 2,        // a backslash somewhere inside a string
  kHasLoneSurrogate = 4,  // an escape \ud800..\udfff without its partner
  kHasNonFinite = 8,      // NaN, Infinity or -Infinity as a bare token
};

/// One JSON value as it stands in the source, already validated (UTF-8, escapes, numbers,
/// structure). Does not own.
struct Raw {
  std::string_view text;  // first to last byte of the value; empty when absent
  Kind kind = Kind::kAbsent;
  uint8_t flags = 0;

  bool present() const { return kind != Kind::kAbsent; }
  /// Present and not null: the rule "null equals absent" of known optional members.
  bool has_value() const { return kind != Kind::kAbsent && kind != Kind::kNull; }
  bool is_string() const { return kind == Kind::kString; }
};

/// How lone surrogate escapes leave (formats.md 1.1): as written for the hub and stores, as \ufffd
/// for SQL and people.
enum class Surrogates : uint8_t { kKeep, kReplace };

/// The cell of a value (D6): blanks outside strings removed, bare non-finite tokens replaced by
/// null, lone surrogate escapes by rule. Returns a view of raw.text itself where nothing changes,
/// else text in `arena`.
std::string_view CellText(const Raw& raw, Surrogates surrogates, Arena& arena);

/// The characters of a kString value: escapes decoded, lone surrogates as U+FFFD, \u0000 as the
/// byte. A view of raw.text where nothing is escaped, else text in `arena`.
std::string_view DecodeString(const Raw& raw, Arena& arena);

/// Wraps one JSON value, blanks around it dropped: validates it and finds kind and flags. Empty
/// text, or text that is no JSON value, gives an absent value. Nesting up to 1024 levels.
Raw RawFromText(std::string_view text);

/// Appends `text` as a JSON string literal with quotes: non-ASCII raw, '/' unescaped, short escapes
/// for \b \f \n \r \t, other control characters as lowercase \u00xx (formats.md 1.10). `text` must
/// be valid UTF-8.
void AppendQuoted(std::string_view text, std::string& out);

/// Strict conversions of a kNumber value. False when the number is no integer in range (1.0 and 1e3
/// are no integers).
bool ToInt64(const Raw& raw, int64_t* out);
/// False when the value is no number or not finite as a double (1e999).
bool ToDouble(const Raw& raw, double* out);

}  // namespace pchronicle::json
