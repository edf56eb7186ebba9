#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/completion.h"

namespace pchronicle::cli {

Status RunCompletion(const CompletionArguments& arguments, Session& session) {
  if (arguments.shell != "bash" && arguments.shell != "zsh") {
    return Status::InvalidArgument("no completion for '{}'; use bash or zsh", arguments.shell);
  }
  const CommandDescription root = DescribeCommands();
  return session.console.Write(arguments.shell == "bash" ? BashCompletion(root)
                                                         : ZshCompletion(root));
}

}  // namespace pchronicle::cli
