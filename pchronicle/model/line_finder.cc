#include "pchronicle/model/line_finder.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace pchronicle::model {

uint64_t LineFinder::LineAt(uint64_t offset) {
  if (source_ == nullptr || offset < offset_) {
    Result<std::unique_ptr<json::ByteSource>> opened = input_->Open(0, json::kToEnd);
    if (!opened.ok()) {
      return 0;
    }
    source_ = std::move(opened).value();
    offset_ = 0;
    line_ = 1;
  }
  buffer_.resize(64 << 10);
  while (offset_ < offset) {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(buffer_.size(), offset - offset_));
    const Result<size_t> got = source_->Read(std::span<char>(buffer_.data(), want));
    if (!got.ok()) {
      source_.reset();
      return 0;
    }
    if (*got == 0) {
      break;  // an error at the end of the input
    }
    line_ += static_cast<uint64_t>(
        std::count(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(*got), '\n'));
    offset_ += *got;
  }
  return line_;
}

std::string LineFinder::Location(json::Container container, const json::Record& record) {
  if (container == json::Container::kLines) {
    return fmt::format("line {}", LineAt(record.offset));
  }
  return record.in_array ? fmt::format("array element {}", record.ordinal) : std::string();
}

}  // namespace pchronicle::model
