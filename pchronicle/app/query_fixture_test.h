#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "pchronicle/app/query.h"

namespace pchronicle::app {

/// One ATIF document with `steps` user messages.
inline std::string Document(const std::string& session, int steps) {
  std::string text = fmt::format(
      R"({{"schema_version":"ATIF-v1.4","session_id":"{}","agent":{{"name":"a","version":"1"}},"steps":[)",
      session);
  for (int i = 1; i <= steps; ++i) {
    text += fmt::format(R"({}{{"step_id":{},"source":"user","message":"message {}"}})",
                        i == 1 ? "" : ",", i, i);
  }
  return text + "]}";
}

/// A Dataset in a folder of its own, and sessions over it.
class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "pchronicle-query-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(folder_ / "data");
  }
  void TearDown() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / "data" / name, std::ios::binary) << bytes;
  }
  std::unique_ptr<QuerySession> Open(catalog::ErrorPolicy errors = catalog::ErrorPolicy::kStrict,
                                     const sql::EngineOptions& engine = {}) {
    Context context;
    auto snapshot = catalog::Snapshot::Build(
        {catalog::PositionalMount((folder_ / "data").string())}, {errors, {}}, context);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status().ToString();
    loader_ = std::make_unique<EngineLoader>(engine);
    auto session = QuerySession::Create(*snapshot, *loader_);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return std::move(session).value();
  }
  static QueryOptions Options(std::string sql, bool report = false) {
    QueryOptions options;
    options.sql = std::move(sql);
    options.report_errors = report;
    return options;
  }
  static std::string Text(const QueryOutcome& outcome) {
    std::string text;
    EXPECT_TRUE(outcome.result
                    .ForEach([&](std::string_view piece) {
                      text += piece;
                      return Status::Ok();
                    })
                    .ok());
    return text;
  }

  std::filesystem::path folder_;
  Context context_;
  std::unique_ptr<EngineLoader> loader_;
};

}  // namespace pchronicle::app
