#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pchronicle/sql/engine.h"
#include "pchronicle/sql/fake_scan_test.h"

namespace pchronicle::sql {

using columnar::Type;
using model::Relation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

inline Namespace TestNamespace(std::vector<std::pair<std::string, size_t>> aliases,
                               bool with_default = true) {
  Namespace names;
  for (size_t i = 0; i < aliases.size(); ++i) {
    names.datasets.push_back({aliases[i].first, with_default && i == 0, aliases[i].second, 1000});
  }
  names.relations = {
      {Relation::kRuns,
       "runs",
       {{"_file_", Type::kVarchar, false},
        {"session_id", Type::kVarchar, false},
        {"agent_name", Type::kVarchar, true},
        {"extra", Type::kJson, true},
        {"started_at", Type::kTimestampNs, true}}},
      {Relation::kSteps,
       "steps",
       {{"_file_", Type::kVarchar, false},
        {"session_id", Type::kVarchar, false},
        {"step_id", Type::kBigint, false},
        {"source", Type::kVarchar, false},
        {"message_value", Type::kJson, false},
        {"reward", Type::kDouble, true},
        {"is_copied_context", Type::kBoolean, true},
        {"token_ids", Type::kBigintList, true},
        {"timestamp", Type::kTimestampNs, true}}},
      {Relation::kTrajectories,
       "trajectories",
       {{"_file_", Type::kVarchar, false},
        {"unsigned_number", Type::kUbigint, true},
        {"numbers", Type::kDoubleList, true},
        {"names", Type::kVarcharList, true},
        {"documents", Type::kJsonList, true}}},
      {Relation::kToolCalls,
       "tool_calls",
       {{"_file_", Type::kVarchar, false}, {"session_id", Type::kVarchar, false}}},
      {Relation::kSources,
       "sources",
       {{"_file_", Type::kVarchar, false}, {"status", Type::kVarchar, false}}},
      {Relation::kRunTree,
       "run_tree",
       {{"_file_", Type::kVarchar, false}, {"session_id", Type::kVarchar, false}}},
  };
  return names;
}

inline FakeRow Run(const std::string& session, const std::string& agent) {
  return {session, agent, std::string(R"({"a":1.10})"), int64_t{1'760'000'000'500'000'000}};
}

inline FakeRow Step(const std::string& session, int64_t step, const std::string& source,
                    const std::string& message) {
  return {session,
          step,
          source,
          message,
          0.5,
          int64_t{step % 2},
          std::vector<int64_t>{step, step + 1},
          int64_t{1'760'000'000'000'000'000 + step}};
}

inline std::vector<FakeSource> TestSources() {
  std::vector<FakeSource> sources;
  for (const std::string file : {"a/one.json", "a/two.json", "b/three.jsonl"}) {
    FakeSource source;
    source.file = file;
    source.rows[Relation::kRuns] = {Run("s-" + file, "agent")};
    for (int64_t i = 0; i < 7; ++i) {
      source.rows[Relation::kSteps].push_back(
          Step("s-" + file, i, i == 0 ? "user" : "agent",
               "\"message number " + std::to_string(i) + " of a run\""));
    }
    source.rows[Relation::kToolCalls] = {{std::string("s-" + file)}};
    source.rows[Relation::kSources] = {{std::string("ready")}};
    source.rows[Relation::kRunTree] = {{std::string("s-" + file)}};
    sources.push_back(std::move(source));
  }
  return sources;
}

using Table = std::vector<std::vector<std::string>>;

/// An engine over made-up Datasets, and the rows of queries as text.
class EngineTest : public testing::Test {
 protected:
  void Open(Namespace names, std::vector<std::vector<FakeSource>> datasets,
            EngineOptions options = {}) {
    names_ = std::move(names);
    datasets_ = std::move(datasets);
    auto engine = OpenEngine(options);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(engine).value();
    ASSERT_TRUE(engine_->Mount(names_).ok());
    scans_ = std::make_unique<FakeScans>(datasets_, names_, context_);
  }
  void SetUp() override { Open(TestNamespace({{"dataset", 3}}), {TestSources()}); }

  Result<Table> Query(std::string_view sql, CellStyle style = CellStyle::kText) {
    scans_ = std::make_unique<FakeScans>(datasets_, names_, context_);
    PCHRONICLE_ASSIGN_OR_RETURN(auto stream, engine_->Run(sql, *scans_, context_));
    columns_ = stream->columns();
    Table table;
    while (true) {
      PCHRONICLE_ASSIGN_OR_RETURN(const ResultChunk* chunk, stream->Next());
      if (chunk == nullptr) {
        return table;
      }
      for (size_t row = 0; row < chunk->rows(); ++row) {
        table.emplace_back();
        for (size_t column = 0; column < columns_.size(); ++column) {
          chunk->AppendCell(column, row, style, &table.back().emplace_back());
        }
      }
    }
  }
  Table Rows(std::string_view sql, CellStyle style = CellStyle::kText) {
    auto table = Query(sql, style);
    EXPECT_TRUE(table.ok()) << sql << ": " << table.status().ToString();
    return table.ok() ? *table : Table{};
  }
  std::string Cell(std::string_view sql, CellStyle style = CellStyle::kText) {
    const Table table = Rows(sql, style);
    return table.size() == 1 && table[0].size() == 1 ? table[0][0] : "not one cell";
  }
  Status Error(std::string_view sql) {
    auto table = Query(sql);
    EXPECT_FALSE(table.ok()) << sql;
    return table.status();
  }

  Context context_;
  Namespace names_;
  std::vector<std::vector<FakeSource>> datasets_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<FakeScans> scans_;
  std::vector<ResultColumn> columns_;
};

}  // namespace pchronicle::sql
