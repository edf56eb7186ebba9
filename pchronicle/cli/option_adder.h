#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "pchronicle/base/status.h"
#include "pchronicle/cli/arguments.h"

namespace pchronicle::cli {

using Names = std::initializer_list<std::string_view>;

/// Group of options and commands that help does not show.
inline constexpr const char* kHidden = "";

/// Adds the options of one command; each method is one kind of value. Values that are wrong end the
/// parse with a message that names the option.
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App* app) : app_(app) {}

  CLI::Option* Text(const std::string& names, std::optional<std::string>* target,
                    const std::string& value, const std::string& description);
  CLI::Option* Flag(const std::string& names, bool* target, const std::string& description);
  CLI::Option* Number(const std::string& names, uint64_t* target, uint64_t smallest,
                      uint64_t largest, const std::string& description,
                      const std::string& fallback);
  CLI::Option* Bytes(const std::string& names, uint64_t* target, bool zero_allowed,
                     const std::string& description, const std::string& fallback);
  CLI::Option* OptionalBytes(const std::string& names, std::optional<uint64_t>* target,
                             const std::string& description, const std::string& fallback);
  CLI::Option* Duration(const std::string& names, std::chrono::seconds* target,
                        const std::string& description, const std::string& fallback);
  /// One of a few words; `set` gets its position.
  CLI::Option* Choice(const std::string& names, Names choices, const std::string& description,
                      const std::string& fallback, std::function<void(size_t)> set);
  CLI::Option* Format(Names choices, OutputFormat* target);
  CLI::Option* ErrorPolicy(std::optional<Errors>* target, const std::string& fallback);
  void Limits(LimitArguments* limits, bool with_timeout);
  void DecompressionLimits(LimitArguments* limits);
  CLI::Option* Parsed(const std::string& names, const std::string& value,
                      const std::string& description, const std::string& fallback,
                      std::function<Status(const std::string&)> parse);
  CLI::Option* Positional(const std::string& name, std::string* target,
                          const std::string& description);
  CLI::Option* Positional(const std::string& name, std::optional<std::string>* target,
                          const std::string& description);

 private:
  static CLI::Option* Label(CLI::Option* option, const std::string& value);

  CLI::App* app_;
};

}  // namespace pchronicle::cli
