#include "pchronicle/json/read_ahead.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "pchronicle/json/json_test_support.h"

namespace pchronicle::json {
namespace {

using testing_support::ChunkedSource;
using testing_support::EventLog;
using testing_support::FailingSource;

std::string Digits(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('0' + i % 10 + i / 1000 % 7);
  }
  return text;
}

/// All that a source gives by Read, or by Take where it can; then its error.
std::string Drain(ByteSource& source, size_t step, bool takes, Status* end = nullptr) {
  std::string all;
  std::string buffer(step, '\0');
  while (true) {
    if (takes && source.gives_blocks()) {
      auto block = source.Take({});
      if (!block.ok() || block->data == nullptr) {
        if (end != nullptr) {
          *end = block.ok() ? Status::Ok() : block.status();
        }
        return all;
      }
      EXPECT_GE(block->begin, Block::kRoom) << "room for what is held";
      EXPECT_LE(block->end, block->capacity);
      all.append(block->data.get() + block->begin, block->end - block->begin);
      continue;
    }
    const auto got = source.Read(buffer);
    if (!got.ok() || *got == 0) {
      if (end != nullptr) {
        *end = got.ok() ? Status::Ok() : got.status();
      }
      return all;
    }
    all.append(buffer, 0, *got);
  }
}

ReadAheadOptions Small(uint64_t start_after, size_t block_bytes) {
  ReadAheadOptions options;
  options.start_after = start_after;
  options.block_bytes = block_bytes;
  options.blocks = 3;
  options.max_threads = 64;
  return options;
}

TEST(ReadAhead, ReadsAsAskedUntilMoreOfTheSameIsLikely) {
  const std::string text = Digits(1000);
  const auto source = MakeReadAhead(std::make_unique<ChunkedSource>(text, 1000), Small(500, 100));
  std::string out(400, '\0');
  ASSERT_EQ(source->Read(out).value(), 400u);
  EXPECT_FALSE(source->gives_blocks());
  EXPECT_EQ(ReadAheadThreads(), 0u);
  ASSERT_EQ(source->Read(out).value(), 400u);
  EXPECT_TRUE(source->gives_blocks());
  EXPECT_EQ(ReadAheadThreads(), 1u);
  EXPECT_EQ(Drain(*source, 10, true), text.substr(800));
}

TEST(ReadAhead, AnErrorComesBehindTheBytesBeforeIt) {
  for (const bool takes : {false, true}) {
    const std::string text = Digits(5000);
    const auto source = MakeReadAhead(std::make_unique<FailingSource>(text), Small(1, 128));
    Status end;
    EXPECT_EQ(Drain(*source, 50, takes, &end), text);
    EXPECT_EQ(end.code(), StatusCode::kIo);
    Drain(*source, 50, takes, &end);
    EXPECT_EQ(end.code(), StatusCode::kIo) << "it stays";
  }
}

TEST(ReadAhead, NoMoreThreadsThanAllowedAndNoneLeftBehind) {
  const std::string text = Digits(2000);
  ReadAheadOptions options = Small(100, 64);
  options.max_threads = 2;
  std::vector<std::unique_ptr<ByteSource>> sources;
  std::string out(200, '\0');
  for (int i = 0; i < 4; ++i) {
    sources.push_back(MakeReadAhead(std::make_unique<ChunkedSource>(text, 500), options));
    ASSERT_EQ(sources.back()->Read(out).value(), 200u);
    EXPECT_EQ(sources.back()->gives_blocks(), i < 2);
  }
  EXPECT_EQ(ReadAheadThreads(), 2u);
  sources[0].reset();  // in the middle of the text
  ASSERT_EQ(sources[2]->Read(out).value(), 200u);
  EXPECT_TRUE(sources[2]->gives_blocks()) << "asks again";
  EXPECT_EQ(Drain(*sources[2], 30, true), text.substr(400));
  sources.clear();
  EXPECT_EQ(ReadAheadThreads(), 0u);
}

/// Never gives its second block.
class StuckSource final : public ByteSource {
 public:
  Result<size_t> Read(std::span<char> out) override {
    out[0] = ' ';
    return 1;
  }
};

TEST(ReadAhead, AReaderThatStopsEarlyLeavesNoThreadAndReadsFewBlocks) {
  auto source = MakeReadAhead(std::make_unique<StuckSource>(), Small(1, 16));
  std::string out(1, '\0');
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(source->Read(out).value(), 1u);
  }
  source.reset();
  EXPECT_EQ(ReadAheadThreads(), 0u);
}

RC_GTEST_PROP(ReadAhead, GivesTheBytesOfItsSourceByReadAndByTake, ()) {
  const std::string text = Digits(*rc::gen::inRange<size_t>(0, 3000));
  const auto step = *rc::gen::inRange<size_t>(1, 700);
  const auto options =
      Small(*rc::gen::inRange<uint64_t>(1, 2000), *rc::gen::inRange<size_t>(1, 300));
  const auto source = MakeReadAhead(std::make_unique<ChunkedSource>(text, step), options);
  std::string all;
  std::string buffer(*rc::gen::inRange<size_t>(1, 400), '\0');
  for (bool more = true; more;) {
    if (source->gives_blocks() && *rc::gen::arbitrary<bool>()) {
      auto block = source->Take(Block::Allocate(17));
      RC_ASSERT(block.ok());
      more = block->data != nullptr;
      all.append(more ? block->data.get() + block->begin : "", block->end - block->begin);
    } else {
      const auto got = source->Read(buffer);
      RC_ASSERT(got.ok());
      more = *got != 0;
      all.append(buffer, 0, *got);
    }
  }
  RC_ASSERT(all == text);
}

/// Every read is a block of its own from the first byte on.
class BlockSource final : public ByteSource {
 public:
  BlockSource(std::string text, std::vector<size_t> sizes)
      : text_(std::move(text)), sizes_(std::move(sizes)) {}
  Result<size_t> Read(std::span<char> out) override {
    PCHRONICLE_ASSIGN_OR_RETURN(const Block block, Cut(out.size()));
    std::copy_n(block.data.get() + block.begin, block.end - block.begin, out.data());
    return block.end - block.begin;
  }
  bool gives_blocks() const override { return reads_ % 5 != 4; }
  Result<Block> Take(Block spare) override {
    static_cast<void>(spare);
    PCHRONICLE_ASSIGN_OR_RETURN(Block block, Cut(sizes_[reads_ % sizes_.size()]));
    return block.begin == block.end ? Result<Block>(Block()) : std::move(block);
  }

 private:
  Result<Block> Cut(size_t most) {
    ++reads_;
    const size_t size = std::min(most, text_.size() - at_);
    Block block = Block::Allocate(Block::kRoom + size);
    block.begin = Block::kRoom;
    block.end = block.begin + size;
    text_.copy(block.data.get() + block.begin, size, at_);
    at_ += size;
    return block;
  }

  const std::string text_;
  const std::vector<size_t> sizes_;
  size_t at_ = 0;
  size_t reads_ = 0;
};

RC_GTEST_PROP(ReadAhead, ACursorSeesTheSameInBlocksAsInItsOwnBuffer_STL112, ()) {
  std::string text;
  const int lines = *rc::gen::inRange(1, 6);
  for (int i = 0; i < lines; ++i) {
    const auto size = *rc::gen::inRange<size_t>(0, 9000);
    text += R"({"key":[1,"\u00e4",)" + std::to_string(size) + R"(],"long":")" +
            std::string(size, 'x') + R"(","t":true})" + (i % 3 == 2 ? " " : "\n");
  }
  text.resize(text.size() - *rc::gen::inRange<size_t>(0, 3));
  const auto choices = *rc::gen::container<std::string>(8, rc::gen::arbitrary<char>());
  const bool line_mode = *rc::gen::arbitrary<bool>();
  const auto sizes = *rc::gen::container<std::vector<size_t>>(4, rc::gen::inRange<size_t>(1, 6000));
  CursorOptions options;
  const std::string expected = testing_support::Events(text, choices, line_mode, 0, 0, options);
  options.window_bytes = *rc::gen::inRange<size_t>(64, 5000);
  Cursor cursor(std::make_unique<BlockSource>(text, sizes), 0, options);
  RC_ASSERT(EventLog(cursor, choices).Run(line_mode) == expected);
}

}  // namespace
}  // namespace pchronicle::json
