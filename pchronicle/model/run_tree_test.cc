#include "pchronicle/model/run_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pchronicle/model/rows/rows_test_support.h"

namespace pchronicle::model {
namespace {

using testing::Columns;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RowTexts;
using testing::ScriptDocument;
using testing::ScriptedWalk;
using testing::ScriptTurn;

constexpr Relation kRunTree = Relation::kRunTree;

/// Files by name, each with its records.
class Dataset {
 public:
  explicit Dataset(const std::map<std::string, std::vector<ScriptDocument>>& files) {
    std::vector<std::unique_ptr<RunTreeCollector>> parts;
    for (const auto& [file, records] : files) {
      parts.push_back(RunTreeCollector::Make(file));
      ScriptedWalk walk(*parts.back());
      for (const ScriptDocument& record : records) {
        walk.Play(record);
      }
    }
    tree = RunTree::Build(std::move(parts));
  }
  std::vector<std::string> Rows(std::initializer_list<std::string_view> names) const {
    const std::vector<uint16_t> columns = Columns(kRunTree, names);
    std::vector<columnar::Type> types;
    for (const uint16_t column : columns) {
      types.push_back(RelationColumns(kRunTree)[column].field.type);
    }
    columnar::Batch batch(types);
    tree->Append(0, tree->rows(), columns, batch);
    return RowTexts(batch);
  }
  std::vector<std::string> Codes() const {
    std::vector<std::string> codes;
    for (const Diagnostic& note : tree->diagnostics().Sorted()) {
      codes.push_back(note.code + " " + std::to_string(note.count));
    }
    return codes;
  }
  std::unique_ptr<RunTree> tree;
};

ScriptTurn Step(int64_t id, std::string text, int64_t tokens, bool copied = false) {
  ScriptTurn turn{.id = id,
                  .message = "\"" + text + "\"",
                  .metrics = "{\"prompt_tokens\":" + std::to_string(tokens) + "}"};
  if (copied) {
    turn.copied = true;
  }
  return turn;
}

ScriptTurn Spawning(std::string ref, int64_t tokens = 1) {
  ScriptTurn turn = Step(1, "spawn", tokens);
  turn.observation = R"({"results":[{"subagent_trajectory_ref":[)" + ref + "]}]}";
  return turn;
}

TEST(RunTree, TotalsOfEmbeddedAndReferencedRunsEqualTheHandMadeSum_BR04_ADD03) {
  ScriptDocument parent{.document_id = "p",
                        .turns = {Spawning(R"({"trajectory_path":"../sub/x.json"})", 100)}};
  parent.children = {{.document_id = "c1", .turns = {Step(1, "a", 10), Step(2, "b", 20)}},
                     {.document_id = "c2", .turns = {Step(1, "a", 3)}}};
  parent.turns[0].metrics =
      R"({"prompt_tokens":100,"cached_tokens":60,"completion_tokens":5,"cost_usd":0.5})";
  const Dataset dataset({{"main/p.json", {parent}},
                         {"sub/x.json", {{.document_id = "x", .turns = {Step(1, "z", 1000)}}}}});
  EXPECT_THAT(dataset.Rows({"_file_", "document_id", "parent_file", "parent_document_id",
                            "child_count", "depth", "own_prompt_tokens", "total_prompt_tokens",
                            "total_cached_tokens", "total_cost_usd"}),
              ElementsAre("main/p.json|p|NULL|NULL|3|0|100|1133|60|0.5",
                          "main/p.json|c1|main/p.json|p|0|1|30|30|NULL|NULL",
                          "main/p.json|c2|main/p.json|p|0|1|3|3|NULL|NULL",
                          "sub/x.json|x|main/p.json|p|0|1|1000|1000|NULL|NULL"));
  EXPECT_EQ(dataset.tree->top_level_runs(), 1u);
  EXPECT_THAT(dataset.Rows({"totals_note"})[0], HasSubstr("total includes 3 subagent runs"));
}

TEST(RunTree, OwnTotalAndReportedAreThreeNumbersWithAReason_BR03_D12) {
  const auto family = [](std::string final_metrics) {
    return ScriptDocument{
        .document_id = "p",
        .turns = {Step(1, "a", 100)},
        .children = {{.document_id = "c", .turns = {Step(1, "b", 50)}}},
        .edit = [=](Document& out) { out.final_metrics = json::RawFromText(final_metrics); }};
  };
  const auto note = [&](std::string final_metrics) {
    // The text must live as long as the walk.
    static std::vector<std::string> kept;
    kept.push_back(std::move(final_metrics));
    return Dataset({{"a.json", {family(kept.back())}}})
        .Rows({"own_prompt_tokens", "total_prompt_tokens", "reported_prompt_tokens",
               "totals_note"})[0];
  };
  EXPECT_EQ(note(R"({"total_prompt_tokens":150})"),
            "100|150|150|total includes 1 subagent run; reported includes the subagents");
  EXPECT_EQ(note(R"({"total_prompt_tokens":100})"),
            "100|150|100|total includes 1 subagent run; reported leaves the subagents out");
  EXPECT_EQ(note(R"({"total_prompt_tokens":7})"),
            "100|150|7|total includes 1 subagent run; reported equals neither own nor total");
  EXPECT_EQ(note(""), "100|150|NULL|total includes 1 subagent run");
}

TEST(RunTree, CopiedContextCountsOnceAndAnUnmarkedForkIsNamed_BR02_ADD07) {
  ScriptDocument first{.document_id = "first", .session_id = "s"};
  ScriptDocument continuation{.document_id = "next", .session_id = "s"};
  ScriptDocument fork{.document_id = "fork", .session_id = "s"};
  for (int64_t i = 1; i <= 8; ++i) {
    if (i <= 5) {
      first.turns.push_back(Step(i, "m" + std::to_string(i), 10));
    }
    continuation.turns.push_back(Step(i, "m" + std::to_string(i), 10, i <= 5));
    fork.turns.push_back(Step(i, (i <= 5 ? "m" : "other") + std::to_string(i), 10));
  }
  const Dataset dataset({{"1.json", {first}}, {"2.json", {continuation}}, {"3.json", {fork}}});
  EXPECT_THAT(
      dataset.Rows({"document_id", "own_prompt_tokens", "totals_note"}),
      ElementsAre("first|50|NULL", "next|30|5 copied steps counted in none of own and total",
                  "fork|80|likely_copied: the first 5 of 8 steps repeat those of first in 1.json"));
  EXPECT_THAT(dataset.Codes(), ElementsAre("likely_copied 1"));
}

TEST(RunTree, RunsThatShareNothingButTheirTextAreNotCopies_ADD07) {
  const std::vector<ScriptTurn> steps = {Step(1, "a", 1), Step(2, "b", 1)};
  EXPECT_THAT(Dataset({{"1.json", {{.document_id = "x", .turns = steps}}},
                       {"2.json", {{.document_id = "y", .turns = steps}}}})
                  .Codes(),
              ElementsAre());
  static const std::string kRef = "2.json";
  EXPECT_THAT(Dataset({{"1.json",
                        {{.document_id = "x",
                          .turns = steps,
                          .edit = [](Document& out) { out.continued_ref = kRef; }}}},
                       {"2.json", {{.document_id = "y", .turns = steps}}}})
                  .Codes(),
              ElementsAre("likely_copied 1"));
}

TEST(RunTree, IdsAreLookedUpInTheSameFileOnly_ADD06) {
  const ScriptDocument parent{.document_id = "p",
                              .turns = {Spawning(R"({"trajectory_id":"kid"})")}};
  const ScriptDocument kid{.document_id = "kid", .turns = {Step(1, "a", 5)}};
  const Dataset same({{"a.jsonl", {parent, kid}}});
  EXPECT_THAT(same.Rows({"document_id", "parent_document_id"}), ElementsAre("p|NULL", "kid|p"));
  const Dataset other({{"a.json", {parent}}, {"b.json", {kid}}});
  EXPECT_THAT(other.Rows({"document_id", "parent_document_id", "totals_note"}),
              ElementsAre("p|NULL|1 subagent reference not found", "kid|NULL|NULL"));
  EXPECT_THAT(other.Codes(), ElementsAre("unresolved_reference 1"));
}

TEST(RunTree, APathNamesTheOnlyDocumentOfAFileOrTheOneWithTheId_ADD06) {
  const std::vector<ScriptDocument> two = {{.document_id = "k1"}, {.document_id = "k2"}};
  const Dataset by_id(
      {{"a.json",
        {{.document_id = "p",
          .turns = {Spawning(R"({"trajectory_path":"b.jsonl","trajectory_id":"k2"})")}}}},
       {"b.jsonl", two}});
  EXPECT_THAT(by_id.Rows({"document_id", "parent_document_id"}),
              ElementsAre("p|NULL", "k1|NULL", "k2|p"));
  const Dataset ambiguous(
      {{"a.json", {{.document_id = "p", .turns = {Spawning(R"({"trajectory_path":"b.jsonl"})")}}}},
       {"b.jsonl", two}});
  EXPECT_THAT(ambiguous.Codes(), ElementsAre("unresolved_reference 1"));
}

TEST(RunTree, TheFirstOfTwoParentsKeepsTheChild_ADD06) {
  const ScriptDocument child{.document_id = "c", .turns = {Step(1, "x", 7)}};
  const auto parent = [](std::string id) {
    return ScriptDocument{.document_id = std::move(id),
                          .turns = {Spawning(R"({"trajectory_path":"c.json"})")}};
  };
  const Dataset dataset(
      {{"a.json", {parent("a")}}, {"b.json", {parent("b")}}, {"c.json", {child}}});
  EXPECT_THAT(dataset.Rows({"document_id", "parent_document_id", "total_prompt_tokens"}),
              ElementsAre("a|NULL|8", "b|NULL|1", "c|a|7"));
}

TEST(RunTree, ACycleIsCutAndEveryRunCountsOnce_ADD06) {
  const auto pointing = [](std::string id, std::string path) {
    return ScriptDocument{.document_id = std::move(id),
                          .turns = {Spawning("{\"trajectory_path\":\"" + path + "\"}", 10)}};
  };
  const Dataset dataset({{"a.json", {pointing("a", "b.json")}},
                         {"b.json", {pointing("b", "c.json")}},
                         {"c.json", {pointing("c", "a.json")}},
                         {"d.json", {pointing("d", "d.json")}}});
  EXPECT_THAT(dataset.Rows({"document_id", "parent_document_id", "depth", "total_prompt_tokens"}),
              ElementsAre("a|NULL|0|30", "b|a|1|20", "c|b|2|10", "d|NULL|0|10"));
  EXPECT_THAT(dataset.Codes(), ElementsAre("cycle 2"));
}

TEST(RunTree, AChainAsLongAsTheDatasetIsNoProblem) {
  std::vector<ScriptDocument> chain;
  for (int i = 0; i < 20000; ++i) {
    chain.push_back(
        {.document_id = "k" + std::to_string(i),
         .turns = {Spawning("{\"trajectory_id\":\"k" + std::to_string(i + 1) + "\"}", 1)}});
  }
  const Dataset dataset({{"a.jsonl", chain}});
  EXPECT_EQ(dataset.Rows({"depth", "total_prompt_tokens"})[0], "0|20000");
  EXPECT_EQ(dataset.Rows({"depth", "total_prompt_tokens"})[19999], "19999|1");
}

TEST(RunTree, FilesRunsAndTopLevelRunsAreThreeNumbers_BR56) {
  ScriptDocument parent{.document_id = "p",
                        .children = {{.document_id = "c", .children = {{.document_id = "g"}}}}};
  const Dataset dataset(
      {{"a.json", {parent}}, {"b.json", {{.document_id = "q"}}}, {"empty.json", {}}});
  EXPECT_EQ(dataset.tree->rows(), 4u);
  EXPECT_EQ(dataset.tree->top_level_runs(), 2u);
}

TEST(RunTree, AParentThatTheDocumentNamesIsItsParent) {
  const auto child = [](Document& out) {
    out.parent.emplace();
    out.parent->document_id = "p";
  };
  const Dataset dataset({{"a.jsonl", {{.document_id = "c", .edit = child}, {.document_id = "p"}}}});
  EXPECT_THAT(dataset.Rows({"document_id", "parent_document_id"}), ElementsAre("c|p", "p|NULL"));
}

TEST(RunTree, LostDocumentsAreNoRuns_BR08) {
  auto part = RunTreeCollector::Make("a.json");
  const Document parent = testing::NamedDocument("p");
  Document child = testing::NamedDocument("c");
  child.ordinal = child.depth = 1;
  part->OnDocument(parent);
  part->OnDocument(child);
  part->OnDocumentLost(child);
  part->OnDocumentEnd(parent);
  part->OnRecordEnd();
  std::vector<std::unique_ptr<RunTreeCollector>> parts;
  parts.push_back(std::move(part));
  EXPECT_EQ(RunTree::Build(std::move(parts))->rows(), 1u);
}

}  // namespace
}  // namespace pchronicle::model
