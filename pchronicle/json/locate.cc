#include <cstring>
#include <string>
#include <vector>

#include "pchronicle/json/pointer.h"
#include "pchronicle/json/record_stream.h"

namespace pchronicle::json {
namespace {

/// Line feeds in [0, offset).
Result<uint64_t> CountLineFeeds(const ByteInput& input, uint64_t offset) {
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, input.Open(0, offset));
  std::vector<char> buffer(256 << 10);
  uint64_t left = offset, count = 0;
  while (left != 0) {
    PCHRONICLE_ASSIGN_OR_RETURN(const size_t n, source->Read(buffer));
    if (n == 0) {
      break;
    }
    const size_t counted = left < n ? static_cast<size_t>(left) : n;
    const char* p = buffer.data();
    const char* const end = p + counted;
    while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)))) !=
           nullptr) {
      ++count;
      ++p;
    }
    left -= counted;
  }
  return count;
}

/// Steps from container to container until the cursor has passed the wanted byte; keeps the path it
/// is on.
class PathFinder {
 public:
  PathFinder(Cursor& cursor, uint64_t target) : cursor_(cursor), target_(target) {}

  std::string Find() {
    if (EnterValue()) {
      while (!open_.empty() && Advance()) {
      }
    }
    std::string pointer;
    for (const Level& level : open_) {
      if (!level.has_entry) {
        break;
      }
      AppendPointerToken(
          level.is_object ? std::string_view(level.key) : std::to_string(level.index), pointer);
    }
    return pointer;
  }

 private:
  struct Level {
    bool is_object;
    bool has_entry = false;  // the path goes on into an entry
    uint64_t index = 0;
    std::string key;
  };

  /// At a value. False: the search is over, open_ says where.
  bool EnterValue() {
    const Kind kind = cursor_.Peek();
    if (kind == Kind::kAbsent || cursor_.offset() >= target_) {
      if (cursor_.offset() > target_ && !open_.empty()) {
        open_.back().has_entry = false;  // between the values
      }
      return false;
    }
    if (kind == Kind::kObject || kind == Kind::kArray) {
      open_.push_back({.is_object = kind == Kind::kObject, .key = {}});
      return kind == Kind::kObject ? cursor_.BeginObject() : cursor_.BeginArray();
    }
    // An error right behind a number or literal belongs to it.
    return cursor_.Skip() && cursor_.offset() < target_;
  }

  /// To the next entry of the innermost container.
  bool Advance() {
    Level& level = open_.back();
    const bool had_entry = level.has_entry;
    level.has_entry = false;
    std::string_view key;
    if (level.is_object ? cursor_.NextKey(&key) : cursor_.NextElement()) {
      level.index += had_entry ? 1 : 0;
      level.has_entry = true;
      if (level.is_object) {
        level.key = key;
      }
      return EnterValue();
    }
    if (!cursor_.ok() || cursor_.offset() > target_) {
      return false;
    }
    open_.pop_back();
    return true;
  }

  Cursor& cursor_;
  const uint64_t target_;
  std::vector<Level> open_;
};

}  // namespace

Result<Place> Locate(const ByteInput& input, uint64_t record_offset, uint64_t offset) {
  Place place;
  place.byte_offset = offset;
  PCHRONICLE_ASSIGN_OR_RETURN(const uint64_t line_feeds, CountLineFeeds(input, offset));
  place.line = line_feeds + 1;
  PCHRONICLE_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                              input.Open(record_offset, kToEnd));
  Cursor cursor(std::move(source), record_offset, {.max_depth = UINT32_MAX});
  place.pointer = PathFinder(cursor, offset).Find();
  return place;
}

}  // namespace pchronicle::json
