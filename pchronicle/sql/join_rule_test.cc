#include "pchronicle/sql/engine_fixture_test.h"

namespace pchronicle::sql {
namespace {

class JoinRuleTest : public EngineTest {
 protected:
  void Refused(const std::string& sql) {
    const Status status = Error(sql);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << sql;
    EXPECT_THAT(status.message(), HasSubstr("must include")) << sql;
    EXPECT_THAT(status.message(), HasSubstr("_file_")) << sql;
    EXPECT_THAT(scans_->opened(), IsEmpty()) << sql;
  }
};

TEST_F(JoinRuleTest, JoinsWithoutFileEqualityAreRefused_JON01_CAT07) {
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s USING (session_id)");
  Refused("SELECT count(*) FROM runs r LEFT JOIN steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs r FULL JOIN tool_calls s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM runs, steps");
  Refused("SELECT count(*) FROM runs r, steps s WHERE r.session_id = s.session_id");
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id OR r._file_ = "
      "s._file_");
  Refused("EXPLAIN SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id");
}

TEST_F(JoinRuleTest, FileEqualityIsAccepted_JON01_JON04_JON06) {
  const char* all[] = {
      "SELECT count(*) FROM runs r JOIN steps s ON r._file_ = s._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM runs r JOIN steps s ON s._file_ = r._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM runs JOIN steps USING (_file_, session_id)",
      "SELECT count(*) FROM runs NATURAL JOIN steps",
      "SELECT count(*) FROM runs r, steps s WHERE r._file_ = s._file_ AND r.session_id = "
      "s.session_id",
      "SELECT count(*) FROM (SELECT _file_ AS f, session_id AS i FROM runs) r JOIN steps s ON r.f "
      "= s._file_",
      "WITH r AS (SELECT * FROM runs) SELECT count(*) FROM r JOIN steps s ON r._file_ = s._file_",
      "SELECT count(*) FROM (SELECT _file_, count(*) AS n FROM steps GROUP BY _file_) a JOIN steps "
      "s USING (_file_)",
      "SELECT count(*) FROM runs r LEFT JOIN steps s ON r._file_ = s._file_",
  };
  for (const char* sql : all) {
    EXPECT_EQ(Cell(sql), "21") << sql;
  }
}

TEST_F(JoinRuleTest, AliasesSelfJoinsAndNestedJoinsAreCovered_JON02) {
  Refused("SELECT count(*) FROM runs r JOIN dataset.steps s ON r.session_id = s.session_id");
  Refused("SELECT count(*) FROM steps a JOIN steps b ON a.session_id = b.session_id");
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s USING (_file_) JOIN tool_calls t ON t.session_id = "
      "s.session_id");
  Refused(
      "SELECT count(*) FROM (SELECT session_id FROM runs) r JOIN (SELECT session_id FROM steps) s "
      "USING (session_id)");
  Refused(
      "WITH a AS (SELECT session_id FROM steps) SELECT count(*) FROM a x JOIN a y USING "
      "(session_id)");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r, tool_calls t, steps s WHERE r._file_ = s._file_ AND "
                 "s._file_ = t._file_"),
            "21");
}

TEST_F(JoinRuleTest, SelfEqualityAndOneSideDoNotSatisfy_JON05) {
  Refused(
      "SELECT count(*) FROM runs r JOIN steps s ON s._file_ = s._file_ AND r.session_id = "
      "s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r._file_ = s.session_id");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON r._file_ <> s._file_");
  Refused("SELECT count(*) FROM runs r JOIN steps s ON upper(r._file_) = upper(s._file_)");
}

TEST_F(JoinRuleTest, BothSidesOfOneNamedFileAreEqual_JON01_JON06) {
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r JOIN steps s ON r.session_id = s.session_id WHERE "
                 "r._file_ = 'a/one.json' AND s._file_ = 'a/one.json'"),
            "7");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r, steps s, tool_calls t WHERE 'a/one.json' = r._file_ "
                 "AND s._file_ = 'a/one.json' AND t._file_ = s._file_"),
            "7");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r JOIN steps s ON r._file_ = 'a/one.json' AND s._file_ "
                 "= 'a/one.json'"),
            "7");
  const std::string join = "SELECT count(*) FROM runs r JOIN steps s USING (session_id) WHERE ";
  Refused(join + "r._file_ = 'a/one.json'");
  Refused(join + "r._file_ = 'a/one.json' AND s._file_ = 'a/two.json'");
  Refused(join + "r._file_ = 'a/one.json' OR s._file_ = 'a/one.json'");
  Refused(join + "r._file_ = 'a/one.json' AND s._file_ IN ('a/one.json', 'a/two.json')");
  Refused(join + "r._file_ = 'a/one.json' AND s.session_id = 'a/one.json'");
  Refused(join + "r._file_ IS NOT DISTINCT FROM NULL AND s._file_ IS NOT DISTINCT FROM NULL");
  // Rows of `r` that found no step of that file are joined to its calls all the same.
  Refused(
      "SELECT count(*) FROM runs r LEFT JOIN (SELECT * FROM steps WHERE _file_ = 'a/one.json') s "
      "ON r._file_ = s._file_ JOIN tool_calls t ON t.session_id = r.session_id AND t._file_ = "
      "'a/one.json'");
}

TEST_F(JoinRuleTest, SubqueriesAreCovered_JON00) {
  Refused("SELECT count(*) FROM runs WHERE session_id IN (SELECT session_id FROM steps)");
  Refused("SELECT (SELECT count(*) FROM steps s WHERE s.session_id = r.session_id) FROM runs r");
  Refused(
      "SELECT count(*) FROM runs r WHERE EXISTS (SELECT 1 FROM steps s WHERE s.session_id = "
      "r.session_id)");
  EXPECT_EQ(Cell("SELECT sum((SELECT count(*) FROM steps s WHERE s._file_ = r._file_ AND "
                 "s.session_id = r.session_id)) "
                 "FROM runs r"),
            "21");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs WHERE (_file_, session_id) IN (SELECT _file_, "
                 "session_id FROM steps)"),
            "3");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs r WHERE EXISTS (SELECT 1 FROM steps s WHERE s._file_ = "
                 "r._file_)"),
            "3");
}

TEST_F(JoinRuleTest, TotalsOverEverythingAreFree) {
  EXPECT_EQ(Cell("SELECT count(*) FROM steps WHERE step_id > (SELECT avg(step_id) FROM steps)"),
            "9");
  EXPECT_EQ(Cell("SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM steps)"), "24");
  EXPECT_EQ(Cell("SELECT count(*) FROM runs JOIN sources ON true"), "9");
}

TEST_F(JoinRuleTest, OtherDatasetsAndSingleSourcesAreFree_JON03_CAT36) {
  Open(TestNamespace({{"one", 3}, {"two", 3}}), {TestSources(), TestSources()});
  EXPECT_EQ(Cell("SELECT count(*) FROM one.runs a JOIN two.steps b ON a.session_id = b.session_id"),
            "21");
  Refused(
      "SELECT count(*) FROM one.runs a JOIN two.steps b USING (session_id) JOIN one.steps c ON "
      "c.session_id = b.session_id");
  Open(TestNamespace({{"dataset", 1}}), {{TestSources()[0]}});
  EXPECT_EQ(Cell("SELECT count(*) FROM runs a JOIN steps b ON a.session_id = b.session_id"), "7");
}

}  // namespace
}  // namespace pchronicle::sql
