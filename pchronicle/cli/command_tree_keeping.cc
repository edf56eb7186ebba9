// Commands that write files or settings, and hidden spellings.
#include "pchronicle/cli/command_tree.h"

#include "pchronicle/cli/option_adder.h"

namespace pchronicle::cli {

void CommandTree::AddExchange() {
  AddImport();
  AddExport();
}

void CommandTree::AddImport() {
  CLI::App* app = Command(
      &root_, "import", "Exchange", "Copy trajectory files into a new Dataset, byte for byte",
      "  pchronicle import --from ./runs --to ./kept\n"
      "  curl -s https://example.org/run.json | pchronicle import -f - -t ./kept -i atif");
  OptionAdder add(app);
  add.Text("-f,--from", &import_.from, "SOURCE", "file, folder or @PIN; - for stdin");
  add.Text("-t,--to", &import_.to, "DATASET", "the new Dataset; must not exist");
  add.Text("-i,--input-format", &import_.input_format,
           "auto|atif|actf|openai-messages|storyline|hf-chat", "format of the input [auto]");
  add.Text("-o,--output-format", &import_.output_format, "preserve",
           "layout of the new Dataset [preserve]");
  add.Flag("--replace", &import_.replace, "replace an existing Dataset");
  add.Flag("-y,--yes", &import_.yes, "do not ask before replacing");
  add.Text("--suggested-format", &import_.suggested_format, "FORMAT",
           "tried when detection cannot decide");
  add.Bytes("--max-input-bytes", &import_max_, false, "most bytes of one Source", "256MiB")
      ->each([this](const std::string&) { import_has_max_ = true; });
  add.DecompressionLimits(&import_.limits);
  add.Flag("--append", &import_.append, "")->group(kHidden);
  add.Text("--mode", &import_.mode, "MODE", "")->group(kHidden);
  add.Text("--on-duplicate", &import_.on_duplicate, "RULE", "")->group(kHidden);
  add.Text("--output", &import_.to, "DATASET", "")->group(kHidden);
  add.Text("--format", &import_.input_format, "FORMAT", "")->group(kHidden);
  add.Flag("--stream", &ignored_flag_, "")->group(kHidden);
  take_[app] = [this](const CLI::App*) -> CommandArguments {
    if (import_has_max_) {
      import_.max_input_bytes = import_max_;
    }
    return import_;
  };
}

void CommandTree::AddExport() {
  CLI::App* app =
      Command(&root_, "export", "Exchange", "Write runs as one document of a chosen format",
              "  pchronicle export -f ./runs -t run.json -o atif --document-id support-001\n"
              "  pchronicle export -f ./runs -t - -o openai-messages --where \"score > 0.5\"\n"
              "  pchronicle export -f ./runs -t copy.json -o atif --source a/run.json --strict");
  OptionAdder add(app);
  add.Text("-f,--from", &export_.from, "DATASET", "the Dataset to read");
  add.Text("-t,--to", &export_.to, "PATH", "file to write, - for stdout");
  add.Text("-o,--output-format", &export_.output_format,
           "atif|actf|openai-messages|storyline|agenticmd", "format to write");
  add.Text("--source", &export_.source, "SOURCE_PATH", "only this Source");
  add.Text("--run-id", &export_.run_id, "ID", "only runs with this run id");
  add.Text("--document-id", &export_.document_id, "ID", "only this document");
  add.Text("--session-id", &export_.session_id, "ID", "only this session");
  add.Text("--where", &export_.where, "EXPR", "SQL condition over the relation trajectories");
  add.Flag("--strict", &export_.strict, "only an exact copy of one Source file");
  add.Flag("--overwrite", &export_.overwrite, "replace an existing file");
  add.Number("--max-trajectories", &export_.max_trajectories, 1, UINT64_MAX, "most runs", "10000");
  add.Bytes("--max-output-bytes", &export_.max_output_bytes, true,
            "most bytes of output, 0: no limit", "64MiB");
  add.Limits(&export_.limits, true);
  add.Text("--output", &export_.to, "PATH", "")->group(kHidden);
  add.Text("--format", &export_.output_format, "FORMAT", "")->group(kHidden);
  add.Flag("--stream", &ignored_flag_, "")->group(kHidden);
  Returns(app, &export_);
}

void CommandTree::AddConfigure() {
  CLI::App* app =
      Command(&root_, "dataset", "Configure", "Names for Datasets: @NAME",
              "  pchronicle dataset pin default ./runs\n  pchronicle dataset pin prod /data/evals\n"
              "  pchronicle ls @prod");
  app->alias("ds");
  app->require_subcommand(0, 1);
  Returns(app, &dataset_);
  AddPinCommand(app, "list", DatasetArguments::Action::kList, "List all pins",
                "  pchronicle dataset list --format json")
      ->alias("ls");
  AddPinCommand(app, "show", DatasetArguments::Action::kShow, "Print the Dataset behind a pin",
                "  pchronicle dataset show prod");
  AddPinCommand(
      app, "pin", DatasetArguments::Action::kPin, "Add a pin",
      "  pchronicle dataset pin prod /data/evals\n  pchronicle dataset pin default ./runs");
  AddPinCommand(app, "set", DatasetArguments::Action::kSet, "Change a pin",
                "  pchronicle dataset set prod /data/evals-2");
  AddPinCommand(app, "unpin", DatasetArguments::Action::kUnpin, "Remove a pin; no data is deleted",
                "  pchronicle dataset unpin prod");
  AddPinCommand(app, "rename", DatasetArguments::Action::kRename, "Rename a pin",
                "  pchronicle dataset rename prod evals");

  CLI::App* completion =
      Command(&root_, "completion", "Configure", "Print a completion script for a shell",
              "  source <(pchronicle completion bash)\n"
              "  pchronicle completion zsh > ~/.zfunc/_pchronicle");
  OptionAdder(completion).Positional("SHELL", &completion_.shell, "bash or zsh")->required();
  Returns(completion, &completion_);
}

CLI::App* CommandTree::AddPinCommand(CLI::App* parent, const std::string& name,
                                     DatasetArguments::Action action,
                                     const std::string& description, const std::string& example) {
  CLI::App* app = Command(parent, name, "Commands", description, example);
  OptionAdder add(app);
  using Action = DatasetArguments::Action;
  if (action == Action::kList) {
    add.Format({"auto", "table", "json"}, &dataset_.format);
  } else {
    add.Positional("NAME", &dataset_.name, "name of the pin, without @")->required();
  }
  if (action == Action::kRename) {
    add.Positional("NEW", &dataset_.new_name, "its new name")->required();
  }
  if (action == Action::kPin || action == Action::kSet) {
    add.Positional("DATASET", &dataset_.dataset, "folder, file or URI")->required();
    add.Text("--endpoint", &dataset_.endpoint, "URL", "s3 only: endpoint");
    add.Text("--region", &dataset_.region, "REGION", "s3 only: region");
    add.Text("--ak", &dataset_.access_key, "KEY", "s3 only: access key");
    add.Text("--sk", &dataset_.secret_key, "KEY", "s3 only: secret key");
  }
  app->parse_complete_callback([this, action] { dataset_.action = action; });
  return app;
}

void CommandTree::AddHiddenForms() {
  AddStats(&root_, "analysis", kHidden);
  using Action = DatasetArguments::Action;
  CLI::App* alias = Command(&root_, "alias", kHidden, "", "");
  alias->require_subcommand(1);
  Returns(alias, &dataset_);
  AddPinCommand(alias, "list", Action::kList, "", "");
  AddPinCommand(alias, "add", Action::kPin, "", "");
  AddPinCommand(alias, "remove", Action::kUnpin, "", "");
  AddPinCommand(alias, "rename", Action::kRename, "", "");
  AddPinCommand(alias, "get-url", Action::kShow, "", "");
  AddPinCommand(alias, "set-url", Action::kSet, "", "");

  CLI::App* fallback = Command(&root_, "default", kHidden, "", "");
  fallback->require_subcommand(0, 1);
  OptionAdder(fallback).Positional("DIRECTORY", &default_directory_, "");
  CLI::App* show = Command(fallback, "show", kHidden, "", "");
  CLI::App* set = Command(fallback, "set", kHidden, "", "");
  CLI::App* clear = Command(fallback, "clear", kHidden, "", "");
  OptionAdder(set).Positional("DIRECTORY", &default_directory_, "")->required();
  take_[fallback] = [this, show, clear](const CLI::App* app) -> CommandArguments {
    dataset_.name = "default";
    dataset_.action = Action::kShow;
    if (app->got_subcommand(clear)) {
      dataset_.action = Action::kUnpin;
    } else if (!app->got_subcommand(show) && default_directory_) {
      dataset_.action = Action::kPin;
      dataset_.dataset = *default_directory_;
      dataset_.replace = true;
    }
    return dataset_;
  };
}

}  // namespace pchronicle::cli
