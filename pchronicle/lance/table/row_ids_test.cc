#include "pchronicle/lance/table/row_ids.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "pchronicle/lance/proto/wire.h"

namespace pchronicle::lance {
namespace {

using proto::WireWriter;

std::string Sequence(std::initializer_list<WireWriter> segments) {
  WireWriter out;
  for (const WireWriter& segment : segments) {
    out.Message(1, segment);
  }
  return out.Take();
}

WireWriter Segment(uint32_t kind, const WireWriter& body) {
  WireWriter out;
  out.Message(kind, body);
  return out;
}

WireWriter Span(uint64_t start, uint64_t end) {
  WireWriter out;
  out.Number(1, start);
  out.Number(2, end);
  return out;
}

// EncodedU64Array of a width of 2, 4 or 8 bytes.
WireWriter Numbers(uint32_t width, uint64_t base, std::vector<uint64_t> values) {
  std::string bytes;
  for (const uint64_t value : values) {
    for (uint32_t i = 0; i < width; ++i) {
      bytes += static_cast<char>((value - base) >> (8 * i));
    }
  }
  WireWriter inner, out;
  if (width != 8) {
    inner.Number(1, base);
  }
  inner.Bytes(2, bytes);
  out.Message(width == 2 ? 1 : width == 4 ? 2 : 3, inner);
  return out;
}

std::vector<uint64_t> Ids(const RowIdSequence& sequence) {
  std::vector<uint64_t> out;
  sequence.AppendIds(0, sequence.size(), &out);
  return out;
}

TEST(RowIds, ReadsAllFiveSegments_LNC_A8) {
  WireWriter holes = Span(100, 105), bitmap = Span(0, 5);
  holes.Message(3, Numbers(2, 100, {101, 103}));
  bitmap.Bytes(3, "\x17");  // {0,1,2,4}: least significant bit first
  const std::string bytes =
      Sequence({Segment(1, Span(10, 13)), Segment(2, holes), Segment(3, bitmap),
                Segment(4, Numbers(4, 1000, {1000, 1007})), Segment(5, Numbers(8, 0, {77, 5000}))});
  const auto sequence = RowIdSequence::Decode(bytes, 14);
  ASSERT_TRUE(sequence.ok()) << sequence.status().ToString();
  const std::vector<uint64_t> want = {10, 11, 12, 100, 102, 104, 0, 1, 2, 4, 1000, 1007, 77, 5000};
  EXPECT_EQ(Ids(*sequence), want);
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(sequence->At(i), want[i]);
    EXPECT_EQ(sequence->Find(want[i]), std::optional<uint64_t>(i));
  }
  for (const uint64_t absent : {3u, 13u, 101u, 105u, 999u, 1001u}) {
    EXPECT_FALSE(sequence->Find(absent)) << absent;
  }
}

TEST(RowIds, RefusesWrongCountsAndRepeats_LNC_C3) {
  EXPECT_FALSE(RowIdSequence::Decode(Sequence({Segment(1, Span(0, 5))}), 4).ok());
  EXPECT_FALSE(RowIdSequence::Decode(Sequence({Segment(1, Span(0, 5))}), 6).ok());
  EXPECT_FALSE(RowIdSequence::Decode(Sequence({Segment(1, Span(5, 0))}), 5).ok());
  EXPECT_FALSE(RowIdSequence::Decode(Sequence({Segment(1, Span(0, UINT64_MAX))}), 5).ok());
  EXPECT_FALSE(
      RowIdSequence::Decode(Sequence({Segment(1, Span(0, 3)), Segment(1, Span(2, 4))}), 5).ok());
  WireWriter bitmap = Span(0, 9);
  bitmap.Bytes(3, "\xff");  // one byte for nine ids
  EXPECT_FALSE(RowIdSequence::Decode(Sequence({Segment(3, bitmap)}), 8).ok());
}

TEST(RowIds, FindIsTheInverseOfAt_LNC_A8) {
  EXPECT_TRUE(rc::check([] {
    const auto ids = *rc::gen::unique<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, 200));
    const auto sequence =
        RowIdSequence::Decode(Sequence({Segment(5, Numbers(2, 0, ids))}), ids.size());
    RC_ASSERT(sequence.ok());
    RC_ASSERT(Ids(*sequence) == ids);
    for (uint64_t id = 0; id < 200; ++id) {
      const auto row = sequence->Find(id);
      const auto known = std::find(ids.begin(), ids.end(), id);
      RC_ASSERT(row.has_value() == (known != ids.end()));
      if (row) {
        RC_ASSERT(ids[*row] == id);
      }
    }
  }));
}

TEST(RowVersions, OnlyTheLengthOfASpanCounts_LNC_A8) {
  WireWriter out;
  for (const auto& [start, end, version] : {std::tuple{5, 8, 3}, {60, 62, 9}}) {
    WireWriter run;
    run.Message(1, Segment(1, Span(static_cast<uint64_t>(start), static_cast<uint64_t>(end))));
    run.Number(2, static_cast<uint64_t>(version));
    out.Message(1, run);
  }
  const auto versions = RowVersions::Decode(out.bytes(), 5);
  ASSERT_TRUE(versions.ok()) << versions.status().ToString();
  EXPECT_EQ(versions->At(2), 3u);
  EXPECT_EQ(versions->At(3), 9u);
  EXPECT_FALSE(RowVersions::Decode(out.bytes(), 6).ok());
}

}  // namespace
}  // namespace pchronicle::lance
