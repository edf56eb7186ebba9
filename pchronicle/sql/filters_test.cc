#include <random>

#include "pchronicle/sql/engine_fixture_test.h"

namespace pchronicle::sql {
namespace {

TEST_F(EngineTest, PathPredicatesOpenOnlyMatchingSources_PRN00_CAT11) {
  const std::vector<std::pair<std::string, size_t>> cases = {
      {"_file_ = 'a/one.json'", 1},
      {"'a/one.json' = _file_", 1},
      {"_file_ IN ('a/one.json', 'b/three.jsonl')", 2},
      {"_file_ NOT IN ('a/one.json')", 2},
      {"_file_ <> 'a/one.json'", 2},
      {"_file_ LIKE 'a/%'", 2},
      {"_file_ LIKE '%.jsonl'", 1},
      {"_file_ LIKE '%o%e%'", 1},
      {"_file_ LIKE 'a_two.json'", 1},
      {"_file_ LIKE 'a!/t%' ESCAPE '!'", 1},
      {"_file_ NOT LIKE 'a/%'", 1},
      {"NOT (_file_ = 'a/one.json')", 2},
      {"_file_ = 'a/' || 'one.json'", 1},
      {"_file_ = 'a/one.json' AND source = 'user'", 1},
      {"_file_ = 'a/one.json' OR _file_ = 'a/two.json'", 2},
      {"_file_ = 'a/one.json' OR source = 'user'", 3},
      {"_file_ > 'a/one.json'", 3},
      {"_file_ ILIKE 'A/%'", 3},
      {"upper(_file_) = 'A/ONE.JSON'", 3},
      {"_file_ = session_id", 3},
      {"_file_ = NULL", 0},
      {"false", 0},
      {"_file_ = 'nowhere'", 0},
  };
  for (const auto& [condition, sources] : cases) {
    Rows("SELECT count(*) FROM steps WHERE " + condition);
    EXPECT_EQ(scans_->opened().size(), sources) << condition;
  }
}

TEST_F(EngineTest, PathPredicatesGiveRightRows_PRN05) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ LIKE 'a/%'"), "14");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ = 'a/one.json' OR source = 'user'"), "9");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ = 'a/one.json' AND source = 'user'"),
            "1");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE _file_ > 'a/two.json'"), "7");
}

TEST_F(EngineTest, ExactPathPredicatesNeedNoCell_PRN02) {
  Rows("SELECT count(*) FROM steps WHERE _file_ LIKE 'a/%' AND _file_ <> 'a/two.json'");
  ASSERT_EQ(scans_->requests().size(), 1u);
  EXPECT_THAT(scans_->requests()[0].columns, IsEmpty());
}

TEST_F(EngineTest, RunTreeReadsAllSources_ADD06) {
  EXPECT_EQ(Cell("SELECT count(*) FROM run_tree WHERE _file_ = 'a/one.json'"), "1");
  EXPECT_EQ(scans_->opened().size(), 3u);
}

std::string Describe(const Namespace& names, const catalog::ScanRequest& request) {
  static constexpr const char* kOps[] = {
      "=", "!=", "in", "notin", "<", "<=", ">", ">=", "contains", "prefix", "null", "notnull"};
  std::string text;
  for (const model::RowPredicate& predicate : request.predicates) {
    text += text.empty() ? "" : "; ";
    text += SchemaOf(names, request.relation)[predicate.column].name + " " +
            kOps[static_cast<int>(predicate.op)];
    for (const auto& value : predicate.values) {
      text +=
          " " + (std::holds_alternative<int64_t>(value) ? std::to_string(std::get<int64_t>(value))
                                                        : std::get<std::string>(value));
    }
  }
  return text;
}

TEST_F(EngineTest, BusinessPredicatesReachTheScanAsHints_PRN03_ADD02) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"source = 'agent'", "source = agent"},
      {"'agent' <> source", "source != agent"},
      {"step_id > 3", "step_id > 3"},
      {"3 > step_id", "step_id < 3"},
      {"step_id BETWEEN 2 AND 4", "step_id >= 2; step_id <= 4"},
      {"step_id IN (1, 2)", "step_id in 1 2"},
      {"source NOT IN ('a', 'b')", "source notin a b"},
      {"source IN ('a', NULL)", ""},
      {"message_value LIKE '%number 3%'", "message_value contains number 3"},
      {"message_value LIKE '\"message%run%'",
       "message_value prefix \"message; message_value contains run"},
      {"contains(source, 'ag')", "source contains ag"},
      {"source LIKE 'ag%'", "source prefix ag"},
      {"source LIKE '%ent'", "source contains ent"},
      {"source ILIKE '%ENT'", ""},
      {"reward IS NULL", "reward null"},
      {"reward IS NOT NULL", "reward notnull"},
      {"is_copied_context", "is_copied_context = 1"},
      {"NOT is_copied_context", "is_copied_context = 0"},
      {"timestamp >= '2025-10-09T08:53:20Z'", "timestamp >= 1760000000000000000"},
      {"source = 'agent' OR step_id = 1", ""},
      {"source = 'agent' AND session_id = 'x'", "source = agent; session_id = x"},
      {"lower(source) = 'agent'", ""},
      {"step_id + 1 = 3", "step_id = 2"},
      {"step_id = 1.5", ""},
      {"random() > 2 AND source = 'agent'", "source = agent"},
  };
  for (const auto& [condition, expected] : cases) {
    Rows("SELECT count(*) FROM steps WHERE " + condition);
    const auto requests = scans_->requests();
    EXPECT_EQ(requests.empty() ? "" : Describe(names_, requests[0]), expected) << condition;
  }
}

TEST_F(EngineTest, HintsAreCheckedAgain) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE source = 'agent' AND step_id BETWEEN 2 AND 4"),
            "9");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE message_value LIKE '%number 3%'"), "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE timestamp > '2025-10-09T08:53:20.000000005Z'"),
            "3");
}

TEST_F(EngineTest, ExplainNamesRelationSourcesAndFilters_EXP04) {
  const auto plan = [this](const std::string& condition) {
    return Rows("EXPLAIN SELECT step_id FROM steps WHERE " + condition)[0][1];
  };
  const std::string one = plan("_file_ = 'a/one.json' AND source = 'agent'");
  EXPECT_THAT(one, HasSubstr("relation: dataset.steps"));
  EXPECT_THAT(one, HasSubstr("sources: 1/3"));
  EXPECT_THAT(one, Not(HasSubstr("UnionExec")));
  EXPECT_THAT(one, HasSubstr("projection: source, step_id"));
  EXPECT_THAT(one, HasSubstr("filters pushed: _file_, source ="));
  EXPECT_THAT(plan("_file_ = 'none'"), HasSubstr("sources: 0/3 EmptyExec"));
  EXPECT_THAT(plan("source = 'agent'"), HasSubstr("sources: 3/3 UnionExec"));
  EXPECT_THAT(Rows("EXPLAIN SELECT session_id FROM run_tree")[0][1],
              HasSubstr("tree: all sources"));
  EXPECT_THAT(scans_->opened(), IsEmpty());
}

/// Random conditions over paths and columns, some of which push down and some of which do not.
class RandomCondition {
 public:
  explicit RandomCondition(uint32_t seed) : random_(seed) {}

  std::string Make(int depth = 0) {
    switch (Pick(depth < 3 ? 14 : 11)) {
      case 0:
        return "_file_ " + Any({"=", "<>"}) + " " + File();
      case 1:
        return File() + Any({" = ", " <> "}) + "_file_";
      case 2:
        return "_file_ " + Any({"IN", "NOT IN"}) + " (" + File() + ", " + File() +
               Any({"", ", NULL"}) + ")";
      case 3:
        return "_file_ " + Any({"LIKE", "NOT LIKE", "ILIKE"}) + " " + Pattern();
      case 4:
        return "_file_ " + Any({"LIKE", "NOT LIKE"}) + " 'a!/" + Any({"%", "one!_json", "t%o%"}) +
               "' ESCAPE '!'";
      case 5:
        return "step_id " + Any({"=", "<>", "<", "<=", ">", ">="}) + " " + Number();
      case 6:
        return "step_id " + Any({"BETWEEN", "NOT BETWEEN"}) + " " + Number() + " AND " + Number();
      case 7:
        return "source " + Any({"=", "<>", "<", ">"}) +
               Any({" 'agent'", " 'user'", " 'b'", " NULL"});
      case 8:
        return "message_value LIKE '" +
               Any({"%number 3%", "\"message%run\"", "%_of%", "nothing%", "%", "\"mess_ge%6%"}) +
               "'";
      case 9:
        return Any({"is_copied_context", "reward IS NULL", "reward IS NOT NULL", "source IS NULL",
                    "_file_ > 'a/one.json'", "session_id = 's-' || _file_",
                    "contains(message_value, '5 of')", "true", "false", "NULL::BOOLEAN"});
      case 10:
        return "source " + Any({"IN", "NOT IN"}) + " ('agent', " + Any({"'user'", "'x'", "NULL"}) +
               ")";
      case 11:
        return "NOT (" + Make(depth + 1) + ")";
      case 12:
        return "(" + Make(depth + 1) + ") AND (" + Make(depth + 1) + ")";
      default:
        return "(" + Make(depth + 1) + ") OR (" + Make(depth + 1) + ")";
    }
  }

 private:
  size_t Pick(size_t count) { return random_() % count; }
  std::string Any(const std::vector<std::string>& texts) { return texts[Pick(texts.size())]; }
  std::string File() {
    return Any({"'a/one.json'", "'a/two.json'", "'b/three.jsonl'", "'none'", "'a/' || 'one.json'"});
  }
  std::string Pattern() {
    return Any({"'a/%'", "'%.jsonl'", "'a_one%'", "'%e%'", "'b/three.jsonl'", "'%'", "'A/%'", "''",
                "'%\\%'"});
  }
  std::string Number() { return std::to_string(Pick(8)); }

  std::mt19937 random_;
};

TEST_F(EngineTest, PruningAndHintsNeverChangeAnswers_PRN07_CAT37) {
  RandomCondition conditions(20260729);
  for (int i = 0; i < 2000; ++i) {
    const std::string condition = conditions.Make();
    const std::string answer =
        "SELECT count(*), min(_file_ || step_id), max(_file_ || step_id), sum(step_id * 31 + "
        "length(_file_)) FROM ";
    const Table pruned = Rows(answer + "steps WHERE " + condition);
    // Nothing is pushed through a LIMIT.
    const Table full = Rows(answer + "(SELECT * FROM steps LIMIT 1000000) WHERE " + condition);
    ASSERT_EQ(pruned, full) << condition;
  }
}

}  // namespace
}  // namespace pchronicle::sql
