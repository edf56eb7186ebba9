#include "pchronicle/json/pointer.h"

#include <charconv>

namespace pchronicle::json {
namespace {

Result<std::string> DecodeToken(std::string_view token) {
  std::string decoded;
  decoded.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      decoded += token[i];
      continue;
    }
    const char code = i + 1 < token.size() ? token[i + 1] : '\0';
    if (code != '0' && code != '1') {
      return Status::InvalidArgument("JSON Pointer contains an invalid '~' escape");
    }
    decoded += code == '0' ? '~' : '/';
    ++i;
  }
  return decoded;
}

}  // namespace

void AppendPointerToken(std::string_view token, std::string& pointer) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

Result<std::vector<std::string>> ParsePointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty()) {
    return tokens;
  }
  if (pointer.front() != '/') {
    return Status::InvalidArgument("JSON Pointer must be empty or start with '/'");
  }
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = pointer.find('/');
    PCHRONICLE_ASSIGN_OR_RETURN(std::string token, DecodeToken(pointer.substr(0, end)));
    tokens.push_back(std::move(token));
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
  }
  return tokens;
}

bool PointerIndex(std::string_view token, uint64_t* index) {
  if (token.empty() || token.front() < '0' || token.front() > '9' ||
      (token.size() > 1 && token.front() == '0')) {
    return false;
  }
  const char* const end = token.data() + token.size();
  const auto [at, error] = std::from_chars(token.data(), end, *index);
  return error == std::errc() && at == end;
}

}  // namespace pchronicle::json
