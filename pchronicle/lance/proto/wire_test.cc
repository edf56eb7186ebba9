#include "pchronicle/lance/proto/wire.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace pchronicle::lance::proto {
namespace {

TEST(Wire, ReadsWhatWasWritten) {
  EXPECT_TRUE(rc::check([](uint64_t number, int32_t negative, const std::string& text,
                           const std::vector<uint64_t>& list) {
    WireWriter inner, out;
    inner.Text(1, text);
    out.Number(1, number);
    out.Signed(2, negative);
    out.Message(3, inner);
    out.Packed(4, list);
    out.MapEntry(5, "k", text);
    out.PresentNumber(6, 0);
    WireReader in(out.bytes());
    std::vector<uint64_t> read;
    bool present = false;
    std::string copied;
    while (in.Next()) {
      switch (in.field()) {
        case 1:
          RC_ASSERT(in.U64() == number);
          break;
        case 2:
          RC_ASSERT(in.I32() == negative);
          break;
        case 3: {
          WireReader message = in.Message();
          RC_ASSERT(text.empty() || (message.Next() && message.Text() == text));
          RC_ASSERT(!message.Next());
          break;
        }
        case 4:
          in.AppendTo(&read);
          break;
        case 6:
          present = in.U64() == 0;
          break;
        default:
          break;
      }
      copied += in.raw();
    }
    RC_ASSERT(in.status().ok());
    RC_ASSERT(present);
    RC_ASSERT(read == list);
    RC_ASSERT(copied == out.bytes());
  }));
}

TEST(Wire, AcceptsUnpackedRepeatedScalars_LNC0) {
  WireWriter out;
  out.PresentNumber(1, 5);
  out.Packed(1, std::vector<uint64_t>{6, 7});
  out.PresentNumber(1, 8);
  WireReader in(out.bytes());
  std::vector<int32_t> read;
  while (in.Next()) {
    in.AppendTo(&read);
  }
  EXPECT_EQ(read, (std::vector<int32_t>{5, 6, 7, 8}));
}

TEST(Wire, ParentIdOfMinusOneTakesTenBytes_LNCF1_2) {
  WireWriter out;
  out.Signed(4, -1);
  EXPECT_EQ(out.bytes(), std::string("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

TEST(Wire, NamesTheDamage) {
  const auto damage = [](std::string_view bytes) {
    WireReader in(bytes);
    while (in.Next()) {
    }
    return in.status().message();
  };
  EXPECT_EQ(damage("\x08"), "protobuf: number cut off in field 1 at byte 0 of 1");
  EXPECT_EQ(damage("\x08\x01\x12\x05"
                   "ab"),
            "protobuf: length beyond the message in field 2 at byte 2 of 6");
  EXPECT_EQ(damage(std::string(11, '\xff')),
            "protobuf: number longer than ten bytes in field 0 at byte 0 of 11");
  EXPECT_EQ(damage("\x0b"), "protobuf: unknown wire type in field 1 at byte 0 of 1");
  EXPECT_EQ(damage(std::string_view("\x00\x00", 2)),
            "protobuf: field number out of range in field 0 at byte 0 of 2");
  EXPECT_EQ(damage("\x0d\x01\x02"), "protobuf: number cut off in field 1 at byte 0 of 3");
}

TEST(Wire, WrongTypesAreDamageToo) {
  WireReader number(std::string_view("\x08\x01", 2));
  ASSERT_TRUE(number.Next());
  EXPECT_EQ(number.Bytes(), "");
  EXPECT_FALSE(number.status().ok());
  EXPECT_FALSE(number.Next());
  WireReader large(std::string_view("\x08\xff\xff\xff\xff\x1f", 6));
  ASSERT_TRUE(large.Next());
  EXPECT_EQ(large.U32(), 0U);
  EXPECT_FALSE(large.status().ok());
}

TEST(Wire, DepthIsLimited) {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    WireWriter outer;
    outer.Bytes(1, bytes);
    bytes = outer.Take();
  }
  int depth = 0;
  Status status;
  WireReader in(bytes);
  while (in.Next()) {
    in = in.Message();
    status = in.status();
    ++depth;
  }
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_EQ(depth, kMaxMessageDepth + 1);
}

}  // namespace
}  // namespace pchronicle::lance::proto
