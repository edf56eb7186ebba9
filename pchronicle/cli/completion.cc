#include "pchronicle/cli/completion.h"

#include <fmt/core.h>

#include <functional>

namespace pchronicle::cli {
namespace {

// Every spelling of a command's path: `stats overview`, `status summary`, ...
std::vector<std::string> Paths(const std::vector<std::string>& parents,
                               const CommandDescription& command) {
  std::vector<std::string> names = command.aliases;
  names.insert(names.begin(), command.name);
  std::vector<std::string> paths;
  for (const std::string& parent : parents) {
    for (const std::string& name : names) {
      paths.push_back(parent.empty() ? name : parent + " " + name);
    }
  }
  return paths;
}

std::string JoinWords(const std::vector<std::string>& words, const char* separator) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : separator) + word;
  }
  return out;
}

// What can follow a command: its commands, aliases included, and options.
std::vector<std::string> WordsOf(const CommandDescription& command) {
  std::vector<std::string> words = command.positional_choices;
  for (const CommandDescription& child : command.commands) {
    words.push_back(child.name);
    words.insert(words.end(), child.aliases.begin(), child.aliases.end());
  }
  for (const auto& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

void Visit(
    const CommandDescription& command, const std::vector<std::string>& paths,
    const std::function<void(const CommandDescription&, const std::vector<std::string>&)>& visit) {
  visit(command, paths);
  for (const CommandDescription& child : command.commands) {
    Visit(child, Paths(paths, child), visit);
  }
}

std::string Quoted(const std::vector<std::string>& paths) {
  std::vector<std::string> quoted;
  for (const std::string& path : paths) {
    quoted.push_back("'" + path + "'");
  }
  return JoinWords(quoted, "|");
}

// In zsh specs a colon separates and brackets end a description.
std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
    } else if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == ':' || c == '[' || c == ']' ? std::string("\\") + c : std::string(1, c);
    }
  }
  return out;
}

}  // namespace

std::string BashCompletion(const CommandDescription& root) {
  std::string commands;
  std::string values;
  Visit(root, {""}, [&](const CommandDescription& command, const std::vector<std::string>& paths) {
    commands +=
        fmt::format("    {}) words='{}' ;;\n", Quoted(paths), JoinWords(WordsOf(command), " "));
    for (const auto& option : command.options) {
      if (!option.takes_value) {
        continue;
      }
      std::vector<std::string> keys;
      for (const std::string& path : paths) {
        for (const std::string& name : option.names) {
          keys.push_back(path + " " + name);
        }
      }
      const std::string action = !option.choices.empty()
                                     ? fmt::format("values='{}'", JoinWords(option.choices, " "))
                                 : option.file ? std::string("values=@files")
                                               : std::string("values=@none");
      values += fmt::format("    {}) {} ;;\n", Quoted(keys), action);
    }
  });
  return R"(# bash completion for pchronicle
_pchronicle() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path='' word words values i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    case "$path${path:+ }$word" in
)" +
         [&] {
           std::string known;
           Visit(root, {""},
                 [&](const CommandDescription& command, const std::vector<std::string>& paths) {
                   if (&command != &root) {
                     known += fmt::format("      {}) path=\"$path${{path:+ }}$word\" ;;\n",
                                          Quoted(paths));
                   }
                 });
           return known;
         }() +
         R"(    esac
  done
  values=''
  case "$path $previous" in
)" + values +
         R"(  esac
  case "$values" in
    @files) COMPREPLY=($(compgen -f -- "$current")); return ;;
    @none) COMPREPLY=(); return ;;
    ?*) COMPREPLY=($(compgen -W "$values" -- "$current")); return ;;
  esac
  words=''
  case "$path" in
)" + commands +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$path" && "$current" != -* ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _pchronicle pchronicle
)";
}

std::string ZshCompletion(const CommandDescription& root) {
  std::string out = "#compdef pchronicle\n# zsh completion for pchronicle\n\n";
  const std::function<void(const CommandDescription&, const std::string&)> emit =
      [&](const CommandDescription& command, const std::string& prefix) {
        const std::string name = &command == &root ? "_pchronicle" : prefix + "__" + command.name;
        out += name + "() {\n  local curcontext=\"$curcontext\" state line\n  _arguments -C \\\n";
        for (const auto& option : command.options) {
          for (const std::string& spelling : option.names) {
            out += fmt::format("    '*{}[{}]", spelling, ZshText(option.description));
            if (option.takes_value) {
              out += !option.choices.empty()
                         ? fmt::format(":value:({})", JoinWords(option.choices, " "))
                     : option.file ? std::string(":file:_files")
                                   : std::string(":value:");
            }
            out += "' \\\n";
          }
        }
        if (command.commands.empty()) {
          if (!command.positional_choices.empty()) {
            out +=
                fmt::format("    '1:value:({})' \\\n", JoinWords(command.positional_choices, " "));
          }
          out += "    '*:file:_files'\n}\n\n";
        } else {
          out +=
              "    '1: :->command' '*:: :->arguments'\n  case \"$state\" in\n    command)\n      "
              "local -a commands=(\n";
          for (const CommandDescription& child : command.commands) {
            out += fmt::format("        '{}:{}'\n", child.name, ZshText(child.description));
          }
          out += fmt::format(
              "      )\n      _describe command commands\n      {};;\n    arguments)\n      case "
              "\"$line[1]\" in\n",
              command.positional_path ? "_files\n      " : "");
          for (const CommandDescription& child : command.commands) {
            out += fmt::format("        {}) {}__{} ;;\n", JoinWords(Paths({""}, child), "|"), name,
                               child.name);
          }
          out += "        *) _files ;;\n      esac ;;\n  esac\n}\n\n";
        }
        for (const CommandDescription& child : command.commands) {
          emit(child, name);
        }
      };
  emit(root, "");
  return out +
         "if [ \"$funcstack[1]\" = \"_pchronicle\" ]; then\n  _pchronicle \"$@\"\nelse\n  compdef "
         "_pchronicle pchronicle\nfi\n";
}

}  // namespace pchronicle::cli
