#include "pchronicle/model/diagnostics.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "pchronicle/json/raw.h"

namespace pchronicle::model {
namespace {

constexpr size_t kExampleBytes = 80;

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

/// At most kExampleBytes, never inside a UTF-8 sequence.
std::string_view Cut(std::string_view text) {
  if (text.size() <= kExampleBytes) {
    return text;
  }
  size_t end = kExampleBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace

void Diagnostics::Add(std::string_view code, std::string_view pointer, std::string_view example,
                      uint64_t count) {
  auto found = by_code_.find(code);
  if (found == by_code_.end()) {
    Diagnostic first{std::string(code), std::string(pointer), 0, std::string(Cut(example))};
    found = by_code_.emplace(std::string(code), std::move(first)).first;
  }
  found->second.count = SaturatingAdd(found->second.count, count);
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const auto& [code, diagnostic] : other.by_code_) {
    Add(code, diagnostic.pointer, diagnostic.example, diagnostic.count);
  }
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> sorted;
  sorted.reserve(by_code_.size());
  for (const auto& [code, diagnostic] : by_code_) {
    sorted.push_back(diagnostic);
  }
  return sorted;
}

std::string Diagnostics::ToJson() const {
  std::string out = "[";
  for (const auto& [code, diagnostic] : by_code_) {
    out += out.size() == 1 ? "{\"code\":" : ",{\"code\":";
    json::AppendQuoted(code, out);
    out += ",\"pointer\":";
    json::AppendQuoted(diagnostic.pointer, out);
    out += fmt::format(",\"count\":{}", diagnostic.count);
    if (!diagnostic.example.empty()) {
      out += ",\"example\":";
      json::AppendQuoted(diagnostic.example, out);
    }
    out += "}";
  }
  return out + "]";
}

}  // namespace pchronicle::model
