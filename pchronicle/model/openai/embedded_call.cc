#include "pchronicle/model/openai/embedded_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "pchronicle/json/raw.h"

namespace pchronicle::model::openai {
namespace {

constexpr std::string_view kToolCall = "<tool_call>";
constexpr std::string_view kFunction = "<function=";
constexpr std::string_view kParameter = "<parameter=";
constexpr std::string_view kParameterEnd = "</parameter>";
constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view NameAfter(std::string_view text, size_t at) {
  std::string_view rest = text.substr(at);
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  return Trim(rest.substr(0, rest.find_first_of(">\n<")));
}

std::string ParametersJson(std::string_view text) {
  // The last of equal keys counts, at the place of the first.
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
  for (size_t at = text.find(kParameter); at != std::string_view::npos;
       at = text.find(kParameter, at)) {
    at += kParameter.size();
    const size_t key_end = text.find('>', at);
    if (key_end == std::string_view::npos) {
      break;
    }
    const std::string_view key = Trim(text.substr(at, key_end - at));
    const size_t value_end = std::min(text.find(kParameterEnd, key_end + 1), text.size());
    const std::string_view value = Trim(text.substr(key_end + 1, value_end - key_end - 1));
    at = value_end;
    const auto same = std::find_if(parameters.begin(), parameters.end(),
                                   [key](const auto& parameter) { return parameter.first == key; });
    if (same != parameters.end()) {
      same->second = value;
    } else {
      parameters.emplace_back(key, value);
    }
  }
  std::string out = "{";
  for (const auto& [key, value] : parameters) {
    out += out.size() > 1 ? "," : "";
    json::AppendQuoted(key, out);
    out += ':';
    json::AppendQuoted(value, out);
  }
  out += '}';
  return out;
}

}  // namespace

std::optional<EmbeddedCall> FindEmbeddedCall(std::string_view text) {
  std::string_view name;
  size_t marker = text.find(kToolCall);
  if (marker != std::string_view::npos) {
    const size_t behind = marker + kToolCall.size();
    name = NameAfter(text, behind);
    const size_t next = text.find_first_not_of(kBlanks, behind);
    if (name.empty() && next != std::string_view::npos &&
        text.substr(next).starts_with(kFunction)) {
      name = NameAfter(text, next + kFunction.size());
    }
  } else if (marker = text.find(kFunction); marker != std::string_view::npos) {
    name = NameAfter(text, marker + kFunction.size());
  }
  if (name.empty()) {
    return std::nullopt;
  }
  return EmbeddedCall{std::string(name), ParametersJson(text.substr(marker))};
}

std::string EmbeddedCallId(int64_t step_id, std::string_view name) {
  return fmt::format("embedded-{}-{}", step_id, name);
}

}  // namespace pchronicle::model::openai
