#include "pchronicle/cli/option_adder.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "pchronicle/cli/quantities.h"

namespace pchronicle::cli {
namespace {

std::string Join(Names names, std::string_view separator) {
  std::string out;
  for (const std::string_view name : names) {
    out += (out.empty() ? "" : std::string(separator)) + std::string(name);
  }
  return out;
}

void Require(const Status& status) {
  if (!status.ok()) {
    throw CLI::ValidationError(status.message());
  }
}

}  // namespace

CLI::Option* OptionAdder::Text(const std::string& names, std::optional<std::string>* target,
                               const std::string& value, const std::string& description) {
  return Label(app_->add_option_function<std::string>(
                   names, [target](const std::string& text) { *target = text; }, description),
               value);
}

CLI::Option* OptionAdder::Flag(const std::string& names, bool* target,
                               const std::string& description) {
  return app_->add_flag(names, *target, description);
}

CLI::Option* OptionAdder::Number(const std::string& names, uint64_t* target, uint64_t smallest,
                                 uint64_t largest, const std::string& description,
                                 const std::string& fallback) {
  return Parsed(
      names, "N", description, fallback, [target, smallest, largest](const std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < smallest ||
            value > largest) {
          return largest == UINT64_MAX
                     ? Status::InvalidArgument("'{}' is no integer of at least {}", text, smallest)
                     : Status::InvalidArgument("'{}' is no integer from {} to {}", text, smallest,
                                               largest);
        }
        *target = value;
        return Status::Ok();
      });
}

CLI::Option* OptionAdder::Bytes(const std::string& names, uint64_t* target, bool zero_allowed,
                                const std::string& description, const std::string& fallback) {
  return Parsed(names, "BYTES", description, fallback,
                [target, zero_allowed](const std::string& text) {
                  PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseByteSize(text, zero_allowed));
                  return Status::Ok();
                });
}

CLI::Option* OptionAdder::OptionalBytes(const std::string& names, std::optional<uint64_t>* target,
                                        const std::string& description,
                                        const std::string& fallback) {
  return Parsed(names, "BYTES", description, fallback, [target](const std::string& text) {
    PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseByteSize(text, /*zero_allowed=*/false));
    return Status::Ok();
  });
}

CLI::Option* OptionAdder::Duration(const std::string& names, std::chrono::seconds* target,
                                   const std::string& description, const std::string& fallback) {
  return Parsed(names, "DURATION", description, fallback, [target](const std::string& text) {
    PCHRONICLE_ASSIGN_OR_RETURN(*target, ParseDuration(text));
    return Status::Ok();
  });
}

CLI::Option* OptionAdder::Choice(const std::string& names, Names choices,
                                 const std::string& description, const std::string& fallback,
                                 std::function<void(size_t)> set) {
  const std::vector<std::string> words(choices.begin(), choices.end());
  return Parsed(names, Join(choices, "|"), description, fallback,
                [words, set = std::move(set)](const std::string& text) {
                  const auto it = std::find(words.begin(), words.end(), text);
                  if (it == words.end()) {
                    std::string known;
                    for (const std::string& word : words) {
                      known += (known.empty() ? "" : ", ") + word;
                    }
                    return Status::InvalidArgument("'{}' is not one of {}", text, known);
                  }
                  set(static_cast<size_t>(it - words.begin()));
                  return Status::Ok();
                });
}

CLI::Option* OptionAdder::Format(Names choices, OutputFormat* target) {
  static const std::map<std::string, OutputFormat, std::less<>> kFormats = {
      {"auto", OutputFormat::kAuto},
      {"table", OutputFormat::kTable},
      {"json", OutputFormat::kJson},
      {"jsonl", OutputFormat::kJsonl},
      {"csv", OutputFormat::kCsv}};
  const std::vector<std::string> words(choices.begin(), choices.end());
  return Choice("--format", choices, "form of the output", "auto",
                [target, words](size_t i) { *target = kFormats.find(words[i])->second; });
}

CLI::Option* OptionAdder::ErrorPolicy(std::optional<Errors>* target, const std::string& fallback) {
  return Choice("--errors", {"strict", "report"}, "fail on the first error, or go on and report",
                fallback,
                [target](size_t i) { *target = i == 0 ? Errors::kStrict : Errors::kReport; });
}

void OptionAdder::Limits(LimitArguments* limits, bool with_timeout) {
  Number("--max-files", &limits->max_files, 1, UINT64_MAX, "most Sources of a Dataset", "1000000");
  Number("--max-entries", &limits->max_entries, 1, UINT64_MAX, "most directory entries looked at",
         "2000000");
  DecompressionLimits(limits);
  if (with_timeout) {
    Duration("--timeout", &limits->timeout, "longest time after discovery", "30s");
    std::chrono::seconds* timeout = &limits->timeout;
    Parsed("--timeout-seconds", "N", "", "", [timeout](const std::string& text) {
      PCHRONICLE_ASSIGN_OR_RETURN(*timeout, ParseDuration(text));
      return Status::Ok();
    })->group(kHidden);
  }
}

void OptionAdder::DecompressionLimits(LimitArguments* limits) {
  Bytes("--max-decompressed-bytes", &limits->max_decompressed_bytes, false,
        "most text in a .gz or .zst file", "64GiB");
  Number("--max-decompression-ratio", &limits->max_decompression_ratio, 1, UINT64_MAX,
         "most text for each byte of a .gz or .zst file", "1000");
  Bytes("--max-decompression-window-bytes", &limits->max_decompression_window_bytes, false,
        "most memory that a .zst frame may ask for", "128MiB");
}

CLI::Option* OptionAdder::Parsed(const std::string& names, const std::string& value,
                                 const std::string& description, const std::string& fallback,
                                 std::function<Status(const std::string&)> parse) {
  const std::string name = names.substr(names.find("--"));
  CLI::Option* option = app_->add_option_function<std::string>(
      names,
      [parse = std::move(parse), name](const std::string& text) {
        const Status status = parse(text);
        Require(status.ok() ? status : status.WithContext(name));
      },
      fallback.empty() ? description : fmt::format("{} [{}]", description, fallback));
  return Label(option, value);
}

CLI::Option* OptionAdder::Positional(const std::string& name, std::string* target,
                                     const std::string& description) {
  return app_->add_option(name, *target, description)->option_text(" ");
}

CLI::Option* OptionAdder::Positional(const std::string& name, std::optional<std::string>* target,
                                     const std::string& description) {
  return app_
      ->add_option_function<std::string>(
          name, [target](const std::string& text) { *target = text; }, description)
      ->option_text(" ");
}

CLI::Option* OptionAdder::Label(CLI::Option* option, const std::string& value) {
  return option->option_text(value);
}

}  // namespace pchronicle::cli
