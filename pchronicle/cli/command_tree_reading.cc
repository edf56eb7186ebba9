// Commands that read: list, show, stats, find, query, lance.
#include "pchronicle/cli/command_tree.h"

#include <fmt/core.h>

#include <charconv>

#include "pchronicle/app/find/expression.h"
#include "pchronicle/cli/option_adder.h"

namespace pchronicle::cli {

void CommandTree::AddInspect() {
  AddList();
  AddShow();
  AddStats(&root_, "stats", "Inspect");
  AddFind();
}

void CommandTree::AddList() {
  CLI::App* app = Command(&root_, "list", "Inspect", "List every Source of a Dataset, honestly",
                          "  pchronicle list ./runs\n  pchronicle ls ./runs --check\n"
                          "  pchronicle ls @prod --format json | jq '.sources[].source_path'");
  app->alias("ls");
  OptionAdder add(app);
  add.Positional("DATASET", &list_.dataset, "folder, file, URI or @PIN [@default]");
  add.Flag("--check", &list_.check, "read every Source: state, reason, runs, diagnostics");
  add.Flag("--shallow", &list_.shallow, "one directory level, nothing below it");
  add.Flag("--physical", &list_.physical, "add size, time and version columns");
  add.Flag("--sources", &ignored_flag_, "")->group(kHidden);
  add.Format({"auto", "table", "json"}, &list_.format);
  add.ErrorPolicy(&list_.errors, "report");
  add.Limits(&list_.limits, false);
  Returns(app, &list_);
}

void CommandTree::AddShow() {
  CLI::App* app = Command(&root_, "show", "Inspect", "Print one run as readable text",
                          "  pchronicle show ./runs support-001\n  pchronicle show ./runs "
                          "support-001 --max-chars 4000\n"
                          "  pchronicle show ./runs support-001 --from-step 40 --steps 10");
  OptionAdder add(app);
  add.Positional("DATASET", &show_first_, "folder, file, URI or @PIN [@default]");
  add.Positional("RUN", &show_second_, "document, session or run id");
  add.Text("--source", &show_.source, "SOURCE_PATH", "only this Source");
  add.Number("--from-step", &show_.from_step, 0, UINT64_MAX, "first step, by position from 0", "0");
  add.Number("--steps", &show_steps_, 1, UINT64_MAX, "most steps shown", "all")
      ->each([this](const std::string&) { show_has_steps_ = true; });
  add.Number("--max-chars", &show_.max_chars, 0, UINT64_MAX,
             "budget of the body in characters, 0: none", "20000");
  add.ErrorPolicy(&show_.errors, "report");
  add.Limits(&show_.limits, true);
  take_[app] = [this](const CLI::App*) -> CommandArguments {
    for (const auto& word : {show_first_, show_second_}) {
      if (word) {
        show_.positionals.push_back(*word);
      }
    }
    if (show_has_steps_) {
      show_.steps = show_steps_;
    }
    return show_;
  };
}

void CommandTree::AddStatsOptions(CLI::App* app, bool report) {
  OptionAdder add(app);
  add.Positional("DATASET", &stats_.dataset, "folder, file, URI or @PIN [@default]");
  if (report) {
    add.Format({"auto", "table", "jsonl", "csv"}, &stats_.format);
    add.Parsed("--limit", "N", "most rows, 1 to 10000", "100", [this](const std::string& text) {
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 10'000) {
        return Status::InvalidArgument(
            "'{}' is no integer from 1 to 10000; for more rows use: pchronicle query --sql", text);
      }
      stats_.limit = value;
      return Status::Ok();
    });
    add.Bytes("--max-output-bytes", &stats_.max_output_bytes, false, "most bytes of output",
              "8MiB");
  } else {
    add.Format({"auto", "table", "json"}, &stats_.format);
  }
  add.ErrorPolicy(&stats_.errors, "report");
  add.Limits(&stats_.limits, true);
  Returns(app, &stats_);
}

void CommandTree::AddStats(CLI::App* parent, const std::string& name, const char* group) {
  CLI::App* app =
      Command(parent, name, group, "Health and counts of a Dataset, or one of four reports",
              "  pchronicle stats ./runs\n  pchronicle stats tools ./runs --limit 20\n"
              "  pchronicle status ./runs --format json");
  if (name == "stats") {
    app->alias("status");
  }
  app->require_subcommand(name == "stats" ? 0 : 1, 1);
  if (name == "stats") {
    AddStatsOptions(app, false);
  } else {
    Returns(app, &stats_);
  }
  struct ReportName {
    StatsArguments::Report report;
    const char* name;
    std::vector<const char*> aliases;
    const char* description;
  };
  const ReportName kReports[] = {
      {StatsArguments::Report::kOverview,
       "overview",
       {"summary"},
       "One row of counts over the whole Dataset"},
      {StatsArguments::Report::kAgents, "agents", {}, "Runs, steps and calls by agent"},
      {StatsArguments::Report::kModels, "models", {}, "Models as declared and as seen on steps"},
      {StatsArguments::Report::kTools,
       "tools",
       {"tool-calls", "toolcalls"},
       "Calls and durations by tool"}};
  for (const ReportName& entry : kReports) {
    CLI::App* report = Command(
        app, entry.name, "Reports", entry.description,
        fmt::format("  pchronicle stats {} ./runs\n  pchronicle stats {} ./runs --format csv",
                    entry.name, entry.name));
    for (const char* alias : entry.aliases) {
      report->alias(alias);
    }
    AddStatsOptions(report, true);
    report->parse_complete_callback([this, value = entry.report] { stats_.report = value; });
  }
}

void CommandTree::AddFind() {
  CLI::App* app = Command(
      &root_, "find", "Inspect", "Find runs and steps by id, by text or by a JSON value",
      "  pchronicle find ./runs --match 'quota exceeded'\n"
      "  pchronicle find ./runs --match '#user(refund) AND NOT #model(north)'\n"
      "  pchronicle find ./runs --match '#json.metrics(\"$.cost_usd\") > 0.5'\n"
      "  pchronicle find ./runs --session-id support-001 --step-id 3\n\n"
      "An expression has conditions, AND, OR, NOT and parentheses. A condition is a text\n"
      "(every message that has it, upper and lower case alike), #FIELD(text), or a JSON\n"
      "path with = != > >= < <= and a value: $.a.b >= 2, #json.COLUMN(\"$.a\") = x.\n"
      "Quote a text that has parentheses or the words and, or, not: '\"salt and pepper\"'.\n"
      "Fields: " +
          app::FindFieldNames() + ".");
  OptionAdder add(app);
  add.Positional("DATASET", &find_.dataset, "folder, file, URI or @PIN [@default]");
  add.Text("--source", &find_.source, "SOURCE_PATH", "only this Source");
  add.Text("--run-id", &find_.run_id, "ID", "runs with this run id");
  add.Text("--document-id", &find_.document_id, "ID", "runs with this document id");
  add.Text("--session-id", &find_.session_id, "ID", "runs with this session id");
  add.Parsed("--step-id", "N", "the step with this id, with --session-id", "",
             [this](const std::string& text) {
               int64_t value = 0;
               const char* last = text.data() + text.size();
               const auto [end, error] = std::from_chars(text.data(), last, value);
               if (error != std::errc() || end != last) {
                 return Status::InvalidArgument("'{}' is no integer", text);
               }
               find_.step_id = value;
               return Status::Ok();
             });
  AddRepeatable(app, "--match", &find_.matches, "EXPR",
                "what must hold; repeatable, all of them must");
  add.Format({"auto", "table", "json"}, &find_.format);
  add.Number("--max-results", &find_.max_results, 1, UINT64_MAX, "most matches", "100");
  add.Bytes("--max-output-bytes", &find_.max_output_bytes, false, "most bytes of output", "8MiB");
  add.ErrorPolicy(&find_.errors, "report");
  add.Limits(&find_.limits, true);
  Returns(app, &find_);
}

void CommandTree::AddAnalyze() {
  CLI::App* app = Command(
      &root_, "query", "Analyze", "Run one read-only SQL statement over Datasets",
      "  pchronicle query ./runs --sql 'SELECT * FROM trajectories LIMIT 5'\n"
      "  pchronicle query --mount a=./monday --mount b=./tuesday --file compare.sql --format "
      "csv\n"
      "  pchronicle query ./runs --sql 'SELECT * FROM steps' --errors report -o steps.jsonl");
  OptionAdder add(app);
  add.Positional("DATASET", &query_first_,
                 "folder, file, URI or @PIN, SQL schema `dataset` [@default]");
  add.Positional("SQL", &query_second_, "")->group(kHidden);
  AddRepeatable(app, "--mount", &query_.mounts, "NAME=DATASET",
                "Dataset as SQL schema NAME; repeatable");
  AddRepeatable(app, "--dataset", &query_.mounts, "NAME=DATASET", "")->group(kHidden);
  add.Text("--sql", &query_.sql, "SQL", "the statement");
  add.Text("--file", &query_.file, "FILE", "read the statement from a file, - for stdin");
  add.Format({"auto", "table", "jsonl", "csv"}, &query_.format);
  app->add_option("-o,--output", query_.output, "write to a file instead of stdout [-]")
      ->option_text("PATH");
  add.Flag("--overwrite", &query_.overwrite, "replace an existing output file");
  add.Flag("--check", &query_.check,
           "read every Source first, so that sources.content_status is filled");
  add.ErrorPolicy(&query_.errors, "fail on the first error");
  add.Number("--max-output-rows", &query_.max_output_rows, 0, UINT64_MAX, "most rows, 0: no limit",
             "100000");
  add.Bytes("--max-output-bytes", &query_.max_output_bytes, true,
            "most bytes of output, 0: no limit", "64MiB");
  add.OptionalBytes("--max-memory-bytes", &query_.max_memory_bytes,
                    "most memory for sorting, grouping and joining", "80% of the machine");
  add.Text("--spill-directory", &query_.spill_directory, "DIR",
           "existing folder for what does not fit into that memory [off]");
  add.OptionalBytes("--max-spill-bytes", &query_.max_spill_bytes,
                    "most bytes in the spill directory", "free space of the disk");
  add.Flag("--query-metrics", &query_.query_metrics, "print scan counters to stderr");
  add.Limits(&query_.limits, true);
  take_[app] = [this](const CLI::App*) -> CommandArguments {
    for (const auto& word : {query_first_, query_second_}) {
      if (word) {
        query_.positionals.push_back(*word);
      }
    }
    return query_;
  };
}

void CommandTree::AddLance() {
  CLI::App* app = Command(&root_, "lance", "Operate", "Look into a Lance table, whoever wrote it",
                          "  pchronicle lance info ./steps.lance\n"
                          "  pchronicle lance head ./steps.lance --limit 3 --columns id,meta.kind\n"
                          "  pchronicle lance verify ./steps.lance --table-version 7");
  app->require_subcommand(1, 1);
  Returns(app, &lance_);
  using Action = LanceArguments::Action;
  AddLanceCommand(app, "info", Action::kInfo, "Versions, sizes, flags, indices, tags, branches");
  AddLanceCommand(app, "schema", Action::kSchema, "Fields with types and metadata");
  AddLanceCommand(app, "head", Action::kHead, "The first rows");
  AddLanceCommand(app, "count", Action::kCount, "Number of rows");
  AddLanceCommand(app, "pages", Action::kPages, "Pages, bytes and encodings of every column");
  AddLanceCommand(app, "verify", Action::kVerify,
                  "Read everything: pages, deletions, row ids, indices against data");
  AddLanceCommand(app, "history", Action::kHistory, "What every version did");
}

void CommandTree::AddLanceCommand(CLI::App* parent, const std::string& name,
                                  LanceArguments::Action action, const std::string& description) {
  using Action = LanceArguments::Action;
  CLI::App* app = Command(parent, name, "Commands", description,
                          fmt::format("  pchronicle lance {} ./steps.lance", name));
  OptionAdder add(app);
  add.Positional("TABLE", &lance_.path, "folder of the table")->required();
  add.Number("--table-version", &lance_version_, 1, UINT64_MAX, "this version", "the newest")
      ->each([this](const std::string&) { lance_has_version_ = true; });
  add.Text("--tag", &lance_.tag, "NAME", "the version with this tag");
  add.Text("--at", &lance_.at, "TIME", "the newest version that is not younger (RFC 3339)");
  add.Text("--branch", &lance_.branch, "NAME", "a branch instead of main");
  if (action == Action::kHead) {
    app->add_option("--columns", lance_.columns, "columns and members (a.b), comma separated")
        ->option_text("A,B")
        ->delimiter(',');
    add.Number("--limit", &lance_.limit, 1, UINT64_MAX, "most rows", "10");
    add.Bytes("--max-output-bytes", &lance_.max_output_bytes, false, "most bytes of output",
              "8MiB");
    add.Format({"auto", "table", "jsonl"}, &lance_.format);
  } else {
    if (action == Action::kHistory) {
      add.Number("--limit", &lance_.limit, 1, UINT64_MAX, "most versions, newest first", "10");
    }
    add.Format({"auto", "table", "json"}, &lance_.format);
  }
  app->parse_complete_callback([this, action] {
    lance_.action = action;
    if (lance_has_version_) {
      lance_.version = lance_version_;
    }
  });
}

}  // namespace pchronicle::cli
