#include "pchronicle/json/kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>

#include "pchronicle/json/raw.h"

namespace pchronicle::json::internal {
namespace {

/// Bytes as JSON has them, with damage.
std::string RandomText(std::mt19937& random) {
  static const std::string kPieces[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        "\"",
                                        "\"",
                                        "\\",
                                        ",",
                                        ":",
                                        " ",
                                        "\n",
                                        "a",
                                        "key",
                                        "17",
                                        "-0.5e3",
                                        "true",
                                        "null",
                                        "\\n",
                                        "\\u12ab",
                                        "\\ud83d\\ude00",
                                        "\\ud83d",
                                        "\xe4\xbd\xa0",
                                        "\x01",
                                        "some text that is longer",
                                        "\"k\":\"v\",",
                                        "                    "};
  std::string text;
  const size_t pieces = random() % 60;
  for (size_t i = 0; i < pieces; ++i) {
    text += kPieces[random() % std::size(kPieces)];
  }
  return text;
}

std::string RandomJson(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 4)) {
    case 0:
      return std::to_string(random());
    case 1:
      return random() % 2 ? "true" : "-1.25e-7";
    case 2:
      return "\"" + std::string(random() % 150, 'y') + "\\n\\\\\\\"\\u00e9\"";
    case 3:
      return "\"plain\"";
    default:
      break;
  }
  const bool object = random() % 2;
  std::string text = object ? "{" : "[";
  for (size_t i = 0, n = random() % 6; i < n; ++i) {
    text += i ? ", " : "";
    text += object ? "\"key\":" : "";
    text += RandomJson(random, depth - 1);
  }
  return text + (object ? "}" : "]");
}

// Everything a kernel tells, from a text that is given in two parts, in exactly its own memory.
std::string Tell(const Kernels& kernels, const std::string& text, size_t cut) {
  std::string log;
  const auto add = [&](auto... values) { ((log += std::to_string(values) + " "), ...); };
  const char* const start = text.data();
  const char* const ends[] = {start + cut, start + text.size()};
  const auto left = [&](const char* p) { return p - start; };
  {
    Brackets brackets;
    brackets.Push(true);
    brackets.Push(false);
    SkipState state{.brackets = &brackets, .target_depth = 0, .max_depth = 6};
    const char* p = start;
    for (const char* end : ends) {
      if (!state.done && state.fault == Fault::kNone) {
        p = kernels.skip(state, p, {end, end});
      }
    }
    add(left(p), state.done, static_cast<int>(state.fault), brackets.depth);
  }
  {
    uint64_t escaped = 0;
    const char* p = kernels.skip_string(&escaped, start, {ends[0], ends[0]});
    if (p == ends[0]) {
      p = kernels.skip_string(&escaped, p, {ends[1], ends[1]});
    }
    add(left(p));
  }
  {
    Brackets brackets;
    CheckState state{.brackets = &brackets, .base_depth = 0, .max_depth = 6};
    const char* p = start;
    for (const char* end : ends) {
      state.string.final = end == ends[1];
      if (state.expect != Expect::kDone && state.string.fault == Fault::kNone) {
        p = kernels.check(state, p, {end, end});
      }
    }
    add(left(p), state.expect == Expect::kDone, static_cast<int>(state.string.fault),
        state.string.flags, state.string.non_ascii, brackets.depth);
  }
  {
    StringState state;
    const char* p = start;
    for (const char* end : ends) {
      state.final = end == ends[1];
      if (!state.done && state.fault == Fault::kNone) {
        p = kernels.string(state, p, {end, end});
      }
    }
    add(left(p), state.done, static_cast<int>(state.fault), state.flags, state.non_ascii);
  }
  add(left(kernels.blanks(start, {ends[1], ends[1]})),
      left(kernels.needs_escape(start, {ends[1], ends[1]})));
  std::string copy(text.size() + 64, '\0');
  char* out = copy.data();
  const char* p = kernels.copy_to_backslash(&out, start, {ends[1], ends[1]});
  log += copy.substr(0, static_cast<size_t>(out - copy.data()));
  add(left(p));
  return log;
}

TEST(Kernels, EverySetAgreesWithTheScalarOne) {
  std::mt19937 random(7);
  const auto sets = SupportedKernels();
  ASSERT_STREQ(sets[0]->name, "scalar");
  for (int round = 0; round < 20000; ++round) {
    const std::string text = round % 2 ? RandomText(random) : RandomJson(random, 5);
    const size_t cut = random() % (text.size() + 1);
    const std::string expected = Tell(*sets[0], text, cut);
    ASSERT_EQ(Tell(*sets[0], text, text.size()), expected) << text << "\ncut at " << cut;
    for (const Kernels* set : sets) {
      ASSERT_EQ(Tell(*set, text, cut), expected) << set->name << ": " << text;
    }
  }
}

TEST(Kernels, ByteClassesAgreeForEveryByte) {
  for (const Kernels* set : SupportedKernels()) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      const std::string blank(1, c);
      const char* const end = blank.data() + 1;
      EXPECT_EQ(set->blanks(blank.data(), {end, end}) == end,
                c == ' ' || c == '\n' || c == '\r' || c == '\t')
          << set->name << byte;
      const std::string escape = std::string("ab\\") + c + "1234\"";
      StringState state;
      set->string(state, escape.data(),
                  {escape.data() + escape.size(), escape.data() + escape.size()});
      const bool good =
          byte != 0 && std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos;
      EXPECT_EQ(state.fault == Fault::kNone, good) << set->name << byte;
    }
  }
}

}  // namespace
}  // namespace pchronicle::json::internal
