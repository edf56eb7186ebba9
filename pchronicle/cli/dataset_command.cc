#include <fmt/core.h>

#include "pchronicle/app/dataset_pins.h"
#include "pchronicle/cli/commands.h"
#include "pchronicle/cli/presentation.h"
#include "pchronicle/cli/pretty_json.h"

namespace pchronicle::cli {
namespace {

std::string ListText(const app::Configuration& configuration, OutputFormat format,
                     const Console& console) {
  const auto pins = app::ListPins(configuration);
  if (WantsTable(format, console)) {
    // Tab separated on purpose: names and URIs are for `cut` as much as for people.
    std::string text = "NAME\tDATASET\n";
    for (const auto& [name, uri] : pins) {
      text += fmt::format("{}\t{}\n", name, uri);
    }
    return text;
  }
  PrettyJson json;
  json.BeginObject()
      .Key("schema_version")
      .String("pchronicle-dataset-pins/v1")
      .Key("pins")
      .BeginArray();
  for (const auto& [name, uri] : pins) {
    json.BeginObject().Key("name").String(name).Key("dataset").String(uri).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

// Does the change and gives the line for stdout.
Result<std::string> Change(const DatasetArguments& arguments, app::Configuration& configuration) {
  using Action = DatasetArguments::Action;
  const app::PinOptions options{arguments.endpoint, arguments.region, arguments.access_key,
                                arguments.secret_key};
  switch (arguments.action) {
    case Action::kPin:
    case Action::kSet: {
      const bool set = arguments.action == Action::kSet ||
                       (arguments.replace && configuration.Find(arguments.name) != nullptr);
      PCHRONICLE_ASSIGN_OR_RETURN(
          const std::string uri,
          set ? app::SetPin(configuration, arguments.name, arguments.dataset, options)
              : app::AddPin(configuration, arguments.name, arguments.dataset, options));
      return arguments.name == app::kDefaultPin ? uri + "\n"
                                                : fmt::format("{}\t{}\n", arguments.name, uri);
    }
    case Action::kUnpin:
      PCHRONICLE_RETURN_IF_ERROR(app::RemovePin(configuration, arguments.name));
      return arguments.name == app::kDefaultPin ? std::string("cleared\n") : arguments.name + "\n";
    case Action::kRename:
      PCHRONICLE_RETURN_IF_ERROR(app::RenamePin(configuration, arguments.name, arguments.new_name));
      return arguments.new_name + "\n";
    case Action::kList:
    case Action::kShow:
      break;
  }
  return Status::Internal("not a change");
}

}  // namespace

Status RunDataset(const DatasetArguments& arguments, Session& session) {
  PCHRONICLE_ASSIGN_OR_RETURN(app::Configuration configuration, session.Configuration());
  if (arguments.action == DatasetArguments::Action::kList) {
    return session.console.Write(ListText(configuration, arguments.format, session.console));
  }
  if (arguments.action == DatasetArguments::Action::kShow) {
    PCHRONICLE_ASSIGN_OR_RETURN(const std::string uri, app::ShowPin(configuration, arguments.name));
    return session.console.Write(uri + "\n");
  }
  PCHRONICLE_ASSIGN_OR_RETURN(const std::string text, Change(arguments, configuration));
  PCHRONICLE_RETURN_IF_ERROR(session.console.Write(text));
  session.console.Info(fmt::format("config={} updated=true", LogValue(configuration.path())));
  return Status::Ok();
}

}  // namespace pchronicle::cli
