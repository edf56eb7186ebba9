// GB/s of the JSON cursor on one thread, for given files and for texts made here.
//
//   json_bench [FILE...]     a .jsonl or .ndjson file is read as lines, any other as a document
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pchronicle/json/cursor.h"
#include "pchronicle/json/kernels.h"
#include "pchronicle/json/raw.h"
#include "pchronicle/json/record_stream.h"

namespace {

using pchronicle::Arena;
using pchronicle::Result;
using pchronicle::Status;
namespace json = pchronicle::json;

class FileSource final : public json::ByteSource {
 public:
  explicit FileSource(int fd) : fd_(fd) {}
  ~FileSource() override { close(fd_); }
  Result<size_t> Read(std::span<char> out) override {
    const ssize_t n = read(fd_, out.data(), out.size());
    if (n < 0) {
      return Status::Io("read failed");
    }
    return static_cast<size_t>(n);
  }

 private:
  int fd_;
};

class FileInput final : public json::ByteInput {
 public:
  explicit FileInput(std::string path) : path_(std::move(path)) {}
  Result<std::unique_ptr<json::ByteSource>> Open(uint64_t offset, uint64_t) const override {
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0) {
      return Status::NotFound("cannot open {}", path_);
    }
    return std::unique_ptr<json::ByteSource>(std::make_unique<FileSource>(fd));
  }
  std::optional<uint64_t> size() const override { return std::nullopt; }

 private:
  std::string path_;
};

/// Whole values: skipped, captured, or captured member by member down to `levels`.
enum class Mode { kSkip, kCapture, kCell, kMembers, kSteps };

uint64_t g_found = 0;
Arena g_arena;

// Walks objects and arrays down to `levels` and captures (or skips) what lies there.
bool Walk(json::Cursor& c, int levels, bool capture) {
  const json::Kind kind = c.Peek();
  if (levels > 0 && kind == json::Kind::kObject) {
    c.BeginObject();
    for (std::string_view key; c.NextKey(&key);) {
      ++g_found;
      if (!Walk(c, levels - 1, capture)) {
        return false;
      }
    }
    return c.ok();
  }
  if (levels > 0 && kind == json::Kind::kArray) {
    c.BeginArray();
    while (c.NextElement()) {
      if (!Walk(c, levels - 1, capture)) {
        return false;
      }
      c.ReleaseViews();
    }
    return c.ok();
  }
  json::Raw raw;
  return capture ? c.Capture(&raw) : c.Skip();
}

bool Visit(json::Cursor& c, Mode mode) {
  json::Raw raw;
  switch (mode) {
    case Mode::kSkip:
      return c.Skip();
    case Mode::kCapture:
      return c.Capture(&raw);
    case Mode::kCell:
      if (!c.Capture(&raw)) {
        return false;
      }
      g_found += json::CellText(raw, json::Surrogates::kReplace, g_arena).size();
      g_arena.Reset();
      return true;
    case Mode::kMembers:
      return Walk(c, 3, true);
    case Mode::kSteps:
      return Walk(c, 3, false);
  }
  return false;
}

/// Processor time of this thread: other load on the machine counts less.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Run(const char* name, const json::ByteInput& input, json::Container container, Mode mode) {
  double best = 0;
  uint64_t bytes = 0, records = 0, peak = 0;
  for (int round = 0; round < 3; ++round) {
    const double start = CpuSeconds();
    auto stream = json::RecordStream::Open(input, container);
    if (!stream.ok()) {
      std::printf("%s\n", stream.status().ToString().c_str());
      return;
    }
    json::RecordStream& s = **stream;
    for (json::Record record; s.Next(&record);) {
      Visit(s.cursor(), mode);
      s.cursor().ReleaseViews();
      const Status end = s.Finish();
      if (!end.ok()) {
        std::printf("%s at %llu\n", end.ToString().c_str(),
                    static_cast<unsigned long long>(s.error_offset()));
        return;
      }
    }
    const double seconds = CpuSeconds() - start;
    bytes = s.bytes_read();
    records = s.records();
    peak = s.buffer_peak_bytes();
    best = std::max(best, static_cast<double>(bytes) / seconds / 1e9);
  }
  std::printf("%-10s %6.2f GB/s  %8.1f MB %8llu records, buffers %llu KiB\n", name, best,
              static_cast<double>(bytes) / 1e6, static_cast<unsigned long long>(records),
              static_cast<unsigned long long>(peak >> 10));
}

void RunAll(const char* title, const json::ByteInput& input, json::Container container) {
  std::printf("%s\n", title);
  Run("skip", input, container, Mode::kSkip);
  Run("steps", input, container, Mode::kSteps);
  Run("members", input, container, Mode::kMembers);
  Run("capture", input, container, Mode::kCapture);
  Run("cell", input, container, Mode::kCell);
}

std::string Lines(size_t bytes, const std::string& value) {
  std::string text;
  while (text.size() < bytes) {
    text += value;
    text += '\n';
  }
  return text;
}

std::string Repeat(const std::string& what, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) {
    text += what;
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("kernels: %s\n", json::internal::ActiveKernels().name);
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const bool lines = path.ends_with(".jsonl") || path.ends_with(".ndjson");
    RunAll(argv[i], FileInput(path), lines ? json::Container::kLines : json::Container::kDocument);
  }
  if (argc > 1) {
    return 0;
  }
  constexpr size_t kBytes = 64 << 20;
  const std::string prose = Repeat("The quick brown fox jumps over the lazy dog. ", 40);
  const std::string code = Repeat("    if (x == \\\"a\\\") {\\n\\t\\treturn y;\\n    }\\n", 40);
  RunAll("prose", json::MemoryInput(Lines(kBytes, "{\"step_id\":1,\"message\":\"" + prose + "\"}")),
         json::Container::kLines);
  RunAll("code", json::MemoryInput(Lines(kBytes, "{\"step_id\":1,\"message\":\"" + code + "\"}")),
         json::Container::kLines);
  RunAll("unicode",
         json::MemoryInput(
             Lines(kBytes, "{\"m\":\"" + Repeat("\u4f60\u597d\u4e16\u754c ", 100) + "\"}")),
         json::Container::kLines);
  RunAll("escapes",
         json::MemoryInput(
             Lines(kBytes, "{\"m\":\"" + Repeat("\\u4f60\\u597d\\ud83d\\ude00", 100) + "\"}")),
         json::Container::kLines);
  RunAll("numbers",
         json::MemoryInput(Lines(kBytes, "{\"m\":[" + Repeat("-0.0123456,151643,", 100) + "0]}")),
         json::Container::kLines);
  RunAll("small",
         json::MemoryInput(Lines(
             kBytes, "{\"a\":[" + Repeat("{\"id\":17,\"ok\":true,\"s\":\"abc\"},", 20) + "null]}")),
         json::Container::kLines);
  RunAll("pretty",
         json::MemoryInput(
             Lines(kBytes, "{\n  \"steps\": [\n" +
                               Repeat("    {\n      \"id\": 17,\n      \"text\": "
                                      "\"Some text that is rather longer than that\"\n    },\n",
                                      20) +
                               "    {}\n  ]\n}")),
         json::Container::kDocument);
}
