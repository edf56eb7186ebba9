#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "pchronicle/catalog/snapshot.h"

namespace pchronicle::catalog::testing {

/// Text of any length that is made when it is read: `head`, `fill` again and again, `tail`.
struct GeneratedText {
  std::string head, fill;
  uint64_t fills = 0;
  std::string tail;

  uint64_t size() const { return head.size() + fills * fill.size() + tail.size(); }

  void Copy(uint64_t at, std::span<char> out) const {
    const uint64_t fill_end = head.size() + fills * fill.size();
    for (size_t done = 0; done < out.size();) {
      const std::span<char> rest = out.subspan(done);
      std::string_view piece;
      if (at < head.size()) {
        piece = std::string_view(head).substr(static_cast<size_t>(at));
      } else if (at >= fill_end) {
        piece = std::string_view(tail).substr(static_cast<size_t>(at - fill_end));
      } else if (fill.size() == 1) {
        const size_t count = static_cast<size_t>(std::min<uint64_t>(rest.size(), fill_end - at));
        std::memset(rest.data(), fill[0], count);
        at += count;
        done += count;
        continue;
      } else {
        piece =
            std::string_view(fill).substr(static_cast<size_t>((at - head.size()) % fill.size()));
      }
      const size_t count = std::min(rest.size(), piece.size());
      std::memcpy(rest.data(), piece.data(), count);
      at += count;
      done += count;
    }
  }
};

/// A folder of generated files, pinned like local ones. `on_read` hears the bytes read so far
/// before each read.
class GeneratedStore final : public io::Store {
 public:
  explicit GeneratedStore(std::map<std::string, GeneratedText> files,
                          std::function<void(uint64_t)> on_read = nullptr)
      : state_(std::make_shared<State>(std::move(files), std::move(on_read))) {}
  GeneratedStore(const std::string& name, GeneratedText text,
                 std::function<void(uint64_t)> on_read = nullptr)
      : GeneratedStore({{name, std::move(text)}}, std::move(on_read)) {}

  const std::string& uri() const override { return uri_; }
  using Store::ListDirectory;
  Result<std::vector<io::Entry>> ListDirectory(std::string_view path, uint64_t) const override {
    if (!path.empty()) {
      return Status::NotFound("{}", path);
    }
    std::vector<io::Entry> entries;
    for (const auto& [name, text] : state_->files) {
      entries.push_back(EntryOf(name));
    }
    return entries;
  }
  Result<io::Entry> Stat(std::string_view path, bool) const override {
    const std::string name(path);
    return state_->files.contains(name) ? Result<io::Entry>(EntryOf(name))
                                        : Status::NotFound("{}", path);
  }
  Result<std::unique_ptr<io::RandomReader>> Open(std::string_view path) const override {
    PCHRONICLE_ASSIGN_OR_RETURN(io::Entry entry, Stat(path, false));
    ++state_->opens;
    return std::unique_ptr<io::RandomReader>(std::make_unique<Reader>(std::move(entry), state_));
  }
  Status Put(std::string_view, std::string_view, bool) override {
    return Status::Unsupported("read only");
  }
  Status Delete(std::string_view) override { return Status::Unsupported("read only"); }
  Counters counters() const override {
    Counters counters;
    counters.opens = state_->opens.load();
    counters.bytes_read = state_->bytes_read.load();
    return counters;
  }
  /// Of all files.
  uint64_t size() const {
    uint64_t size = 0;
    for (const auto& [name, text] : state_->files) {
      size += text.size();
    }
    return size;
  }

 private:
  struct State {
    State(std::map<std::string, GeneratedText> made, std::function<void(uint64_t)> hook)
        : files(std::move(made)), on_read(std::move(hook)) {}
    const std::map<std::string, GeneratedText> files;
    const std::function<void(uint64_t)> on_read;
    std::atomic<uint64_t> opens{0}, bytes_read{0};
  };
  class Reader final : public io::RandomReader {
   public:
    Reader(io::Entry entry, std::shared_ptr<State> state)
        : entry_(std::move(entry)),
          state_(std::move(state)),
          text_(state_->files.at(entry_.path)) {}
    uint64_t size() const override { return entry_.size; }
    const io::Entry& entry() const override { return entry_; }
    Result<size_t> ReadAt(uint64_t offset, std::span<char> out) const override {
      if (state_->on_read != nullptr) {
        state_->on_read(state_->bytes_read.load());
      }
      const uint64_t left = entry_.size - std::min(entry_.size, offset);
      const size_t count = static_cast<size_t>(std::min<uint64_t>(out.size(), left));
      text_.Copy(offset, out.first(count));
      state_->bytes_read += count;
      return count;
    }
    Result<io::Entry> Stat() const override { return entry_; }

   private:
    const io::Entry entry_;
    const std::shared_ptr<State> state_;
    const GeneratedText& text_;
  };

  io::Entry EntryOf(const std::string& name) const {
    io::Entry entry;
    entry.path = name;
    entry.size = state_->files.at(name).size();
    entry.device = 1;
    entry.inode =
        1 + static_cast<uint64_t>(std::distance(state_->files.begin(), state_->files.find(name)));
    return entry;
  }

  const std::string uri_ = "/generated";
  const std::shared_ptr<State> state_;
};

inline std::shared_ptr<const Snapshot> TakeStore(std::shared_ptr<io::Store> store,
                                                 SnapshotOptions options = {}) {
  Mount mount = PositionalMount(store->uri());
  mount.store = std::move(store);
  Context context;
  auto snapshot = Snapshot::Build({mount}, std::move(options), context);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  return snapshot.ok() ? *snapshot : nullptr;
}

}  // namespace pchronicle::catalog::testing
