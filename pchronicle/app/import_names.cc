#include "pchronicle/app/import_names.h"

#include <algorithm>
#include <span>

#include "pchronicle/json/decompress.h"

namespace pchronicle::app {
namespace {

// A first line that ends an object, with more behind it, makes it a line file; the name decides how
// it is read.
bool IsLineText(std::string_view text) {
  const size_t line_end = text.find('\n');
  const size_t last = text.find_last_not_of(" \t\r\n", line_end);
  return line_end != std::string::npos && last != std::string::npos && text[last] == '}' &&
         text.find_first_not_of(" \t\r\n", line_end) != std::string::npos;
}

// What the first line may be told from; damage is found when the file is read.
std::string FirstText(const std::string& compressed, json::Compression compression) {
  constexpr size_t kMost = 16 << 20;
  constexpr size_t kPiece = 64 << 10;
  const json::MemoryInput bytes(compressed);
  auto source = bytes.Open(0, json::kToEnd);
  std::string text;
  if (!source.ok()) {
    return text;
  }
  const auto decompressor = json::MakeDecompressor(std::move(source).value(), compression, {});
  while (text.size() < kMost && !IsLineText(text)) {
    const size_t size = text.size();
    text.resize(size + kPiece);
    const Result<size_t> got = decompressor->Read(std::span(text).subspan(size));
    text.resize(size + (got.ok() ? *got : 0));
    if (text.size() == size) {
      break;
    }
  }
  return text;
}

}  // namespace

std::string CanonicalName(model::Format format, std::string_view source) {
  std::string lower(source);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view text = json::NameInside(lower);
  std::string extension = ".json";
  for (const std::string_view line : {std::string_view(".jsonl"), std::string_view(".ndjson")}) {
    extension = text.ends_with(line) ? std::string(line) : extension;
  }
  extension += std::string_view(lower).substr(text.size());
  switch (format) {
    case model::Format::kAtif:
      return "trajectories.atif" + extension;
    case model::Format::kActf:
      return "trajectories.actf" + extension;
    case model::Format::kOpenAiMessages:
      return "session_steps" + extension;
    case model::Format::kStoryline:
      return "trajectories.storyline" + extension;
    case model::Format::kHfChat:
      return "trajectories.hf-chat" + extension;
    case model::Format::kAgenticMd:
      break;
  }
  return "trajectories.md";
}

std::string StdinName(const std::string& text) {
  const json::Compression compression = json::CompressionOf(text);
  const bool lines = compression == json::Compression::kNone
                         ? IsLineText(text)
                         : IsLineText(FirstText(text, compression));
  std::string name = lines ? "stdin.jsonl" : "stdin.json";
  if (compression != json::Compression::kNone) {
    name += compression == json::Compression::kGzip ? ".gz" : ".zst";
  }
  return name;
}

std::string DerivedDatasetName(std::string_view file_name) {
  std::string name(json::NameInside(file_name));
  for (const std::string_view extension : {".jsonl", ".ndjson", ".json", ".actf"}) {
    if (name.size() > extension.size() &&
        name.compare(name.size() - extension.size(), extension.size(), extension) == 0) {
      name.resize(name.size() - extension.size());
    }
  }
  std::string out;
  for (char c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (plain || (!out.empty() && out.back() != '-')) {
      out += plain ? c : '-';
    }
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) {
    out.pop_back();
  }
  out.erase(0, out.find_first_not_of(".-"));
  return out.empty() ? "imported" : out;
}

}  // namespace pchronicle::app
